"""Files checked by the workers of a cluster and stored by them, in a lake all of them reach.

What was checked stays with the worker that did it. Here comes which matches a part has: in the
order of the files it is said which came before, so that the report is the one of a single machine.
Then the part is stored where it lies, in one transaction, whoever dies over it.
"""

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import NamedTuple
from uuid import uuid4

from ingest.distributed import check_files
from ingest.distributed.check_files import SIZE, Checked, Checking, Done, Part
from ingest.distributed.cluster import Cluster, Given, Kept, Killed
from ingest.findings.os_errors import SET_ASIDE
from ingest.reader.files import Batch, Trouble
from ingest.reader.sources import Source, name_of
from ingest.store.errors import StoreError
from ingest.store.ingest_files import KEPT_REPORTS, FileReport
from ingest.store.lake.store import LakeStore
from ingest.store.lake_part import Order, begin_file, end_file, marked, store_part
from ingest.store.prepared_batch import names_in, packed
from ingest.validate.report import trouble_report

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
    """Store a checked part in a lake; the packed report, None: it was not checked. StoreError."""
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


class Writing(Checking):
    """Sources checked by a cluster and stored in a lake by its workers."""

    def __init__(
        self,
        cluster: Cluster,
        store: LakeStore,
        sources: Iterable[Source],
        size: int = SIZE,
        work: Callable[[Part], Done | None] = check_files.checked_part,
        texts: Callable[[Batch], Done] = check_files.checked_texts,
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
                        own = file.report
                        try:
                            stored: FileReport = pickle.loads(given.result())
                            own.count(stored)
                            own.reports += stored.reports[: KEPT_REPORTS - len(own.reports)]
                            file.ended = file.ended or part.alone
                        except Killed:
                            self.set_aside.append(part.called)
                            line = part.lines + 1
                            file.trouble(Trouble(own.name, line, "cannot-read", SET_ASIDE))
                    progress(file.report.name, part.until)
            finally:  # of files of which only some parts came it is said what these came to
                with suppress(StoreError):
                    for file in self._begun_files:
                        if not file.ended:
                            end_file(self._store, file.report, begun=True)
                    ask, gone = self._store.catalogue.ask, "DELETE FROM retourne.parts"
                    ask(
                        f"{gone} WHERE starts_with(part, %s)", self._run
                    )  # given to nobody any more

    def _storing(self, mark: str) -> Iterator[tuple[_File, Checked | None, Given | None]]:
        """The parts of all sources, given to be stored in their order; last of a file its end."""
        parts, seen = count(1), set[str]()
        for source in self._given:
            number = self._store.stored(self._store.file_number)
            file = _File(FileReport(name_of(source), number))
            for part in self.next_source():
                if part.instead is not None:
                    yield file, part, None
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
                yield file, part, part.given.then(self._write, order)
            yield file, None, None
