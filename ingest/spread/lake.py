"""What the workers of a cluster do in a lake all of them reach: files stored, matches judged again.

What was checked stays with the worker that did it. Here comes which matches a part has: in the
order of the files it is said which came before, so that the report is the one of a single machine.
Then the part is stored where it lies, in one transaction, whoever dies over it. Matches are judged
again likewise: first a worker says what moves, then it writes, so that nothing of that is lost.
"""

import pickle
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, NamedTuple
from uuid import uuid4

from ingest.finding.system import SET_ASIDE
from ingest.judge.report import trouble_report
from ingest.spread.check_files import (
    SIZE,
    Checked,
    Checking,
    Done,
    Part,
    checked_part,
    checked_texts,
)
from ingest.spread.cluster import Cluster, Given, Kept, Killed
from ingest.store.add import KEPT_REPORTS, FileReport
from ingest.store.errors import StoreError
from ingest.store.lake.store import LakeStore
from ingest.store.part import Order, begin_file, check_mark, end_file, marked, store_part
from ingest.store.prepared_batch import names_in, packed
from ingest.store.revalidate import Judged, chosen, judge, last_change, put
from ingest.store.stored_texts import SIZE as MATCHES
from ingest.store.stored_texts import by_size, called
from ingest.store.verdict_diff import Moved, moves
from ingest.text.files import Batch, Trouble
from ingest.text.sources import Source, name_of

_lakes: dict[str, LakeStore] = {}
_opening = threading.Lock()


def _lake(address: str) -> LakeStore:
    """The open lake of an address, one a process."""
    with _opening:
        if address not in _lakes:
            _lakes[address] = LakeStore(address)
        return _lakes[address]


class Told(NamedTuple):
    """What has to be known of a part before it is stored."""

    ids: list[list[str]]
    """Of the matches of each batch."""
    lines: int


def told(done: Done | None) -> Told | None:
    """What is to be known of a checked part; None: it was not checked."""
    return done and Told([names_in(one)[0] for one in done.batches], done.lines)


def stored(done: Done | None, order: Order) -> bytes | None:
    """A checked part stored in a lake, and the packed report; None: it was not checked.

    StoreError: the lake did not take it.
    """
    return done and packed(store_part(_lake(order.lake), order, done.batches))


@dataclass(slots=True)
class _File:
    """A file of which parts are being stored."""

    report: FileReport
    begun: bool = False
    """Its row is stored, and counts nothing yet."""
    ended: bool = False
    """Its row is stored with all that it counts."""

    def trouble(self, trouble: Trouble) -> None:
        """Tell of something that is no match."""
        self.report.refused += 1
        if len(self.report.reports) < KEPT_REPORTS:
            self.report.reports.append(trouble_report(trouble))


class _Storing(NamedTuple):
    """A part that is being stored, if it is to be; without one, the end of its file."""

    file: _File
    part: Checked | None = None
    given: Given | None = None


class Writing(Checking):
    """Sources checked by a cluster and stored in a lake by its workers."""

    def __init__(
        self,
        cluster: Cluster,
        store: LakeStore,
        sources: Iterable[Source],
        size: int = SIZE,
        work: Callable[[Part], Done | None] = checked_part,
        texts: Callable[[Batch], Done] = checked_texts,
        write: Callable[[Done | None, Order], bytes | None] = stored,
    ) -> None:
        self._store, self._given, self._write = store, list(sources), write
        super().__init__(cluster, self._given, size, work, texts, partial(Kept, told))
        self._run = uuid4().hex
        self._begun_files = list[_File]()

    def reports(
        self, progress: Callable[[str, int], None] = lambda name, count: None
    ) -> Iterator[FileReport]:
        """A report of each source once all of it is stored; `progress` hears the bytes that are.

        ClusterError: the cluster is gone; parts that are stored stay so. StoreError: the lake
        cannot take them.
        """
        with marked(self._store) as mark:
            try:
                for file, part, given in self._cluster.ahead(self._storing(mark)):
                    if part is None:
                        if not file.ended:
                            end_file(self._store, file.report, file.begun)
                            file.ended = True
                        yield file.report
                        continue
                    if part.instead is not None:
                        file.trouble(part.instead)
                    elif given is not None:
                        self._take(file, part, given)
                    progress(file.report.name, part.until)
            finally:  # of files of which only some parts came it is said what these came to
                with suppress(StoreError):
                    for file in self._begun_files:
                        if not file.ended:
                            end_file(self._store, file.report, begun=True)
                    self._store.forget_parts(self._run)

    def _storing(self, mark: str) -> Iterator[_Storing]:
        """The parts of all sources, given to be stored in their order."""
        parts, seen = count(1), set[str]()
        for source in self._given:
            number = self._store.stored(self._store.file_number)
            file = _File(FileReport(name_of(source), number))
            for part in self.next_source():
                if part.instead is not None:
                    yield _Storing(file, part)
                    continue
                if not part.alone and not file.begun:
                    begin_file(self._store, file.report)
                    file.begun = True
                    self._begun_files.append(file)
                left_out = list[frozenset[int]]()
                for ids in part.found.ids:
                    again = set[int]()
                    for place, one in enumerate(ids):
                        if one in seen:
                            again.add(place)
                        seen.add(one)
                    left_out.append(frozenset(again))
                order = Order(
                    lake=self._store.for_others(),
                    mark=mark,
                    part=f"{self._run}-{next(parts)}",
                    file=file.report.name,
                    file_no=number,
                    lines=part.lines,
                    left_out=left_out,
                    whole=part.alone,
                )
                assert isinstance(part.given, Kept)
                yield _Storing(file, part, part.given.then(self._write, order))
            yield _Storing(file)

    def _take(self, file: _File, part: Checked, given: Given) -> None:
        """Count a part that was given away."""
        try:
            told: FileReport = pickle.loads(given.result())
        except Killed:
            self.set_aside.append(part.called)
            line = part.lines + 1
            file.trouble(Trouble(file.report.name, line, "cannot-read", SET_ASIDE))
            return
        own = file.report
        own.count(told)
        own.reports += told.reports[: KEPT_REPORTS - len(own.reports)]
        file.ended = file.ended or part.alone


# matches judged again


class Matches(NamedTuple):
    """Some matches of a lake, for a worker that judges them again."""

    lake: str
    """Its address, without a password."""
    mark: str
    """As of an `ingest.store.part.Order`."""
    numbers: Any
    everything: bool


class Again(NamedTuple):
    """What they come to, where it was made."""

    since: int
    """The last change of the lake before they were read."""
    now: list[Any]
    moved: list[Any]


def judged_again(order: Matches) -> Again:
    """Matches judged again, of which nothing is written yet. StoreError: they cannot be read."""
    store = _lake(order.lake)

    def judged() -> Again:
        with store.told():
            since = last_change(store)
            now = judge(store, order.numbers, order.everything)
            ask = store.cursor()
            return Again(
                since, now, [moved for one in now for moved in moves(ask, one.rows, one.numbers)]
            )

    check_mark(store, order.mark)
    found: Again = store.stored(judged)
    return found


def moved(found: Again) -> list[Any]:
    """What is to be known of them before they are written."""
    return found.moved


def put_again(found: Again, order: Matches) -> tuple[list[Any], bool]:
    """Write what they come to, in one transaction; as `ingest.store.revalidate.put` tells it.

    StoreError: the lake did not take it.
    """
    return put(_lake(order.lake), found.now, found.since, order.everything)


def refreshed(
    cluster: Cluster,
    store: LakeStore,
    set_aside: list[str],
    everything: bool = False,
    size: int = MATCHES,
    write: Callable[[Again, Matches], tuple[list[Moved], bool]] = put_again,
) -> Generator[Judged, None, None]:
    """Old verdicts of a lake judged again by workers who write what they come to.

    What moves, some matches at a time, in their order; matches that no worker survived are as they
    were, and are named. ClusterError: the cluster is gone; what is judged again stays so.
    StoreError: the lake cannot take it.
    """
    with store.told():
        numbers = chosen(store, everything)

    def judging() -> Iterator[tuple[Matches, Kept]]:
        for heads in by_size(store, numbers, size):
            these = heads["match_no"].to_numpy()
            order = Matches(store.for_others(), mark, these, everything)
            yield order, Kept(moved, cluster, judged_again, order, called(these))

    def writing() -> Iterator[tuple[Matches, list[Moved], Given]]:
        for order, kept in cluster.ahead(judging()):
            try:
                yield order, kept.result(), kept.then(write, order)
            except Killed:
                set_aside.append(called(order.numbers))

    done = 0
    with marked(store) as mark:
        for order, told, given in cluster.ahead(writing()):
            done += len(order.numbers)
            try:
                found, anew = given.result()
            except Killed:
                set_aside.append(called(order.numbers))
                continue
            # nothing moves any more where another has written it, and died before it said so
            yield Judged(done, len(numbers), found if found or anew else told)
