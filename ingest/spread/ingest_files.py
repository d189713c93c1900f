"""Files checked *and stored* by the workers of a cluster, in a lake all of them reach.

What was checked stays with the worker that did it. Here comes which matches a part has: in the
order of the files it is said which came before, so that the report is the one of a single machine.
Then the part is stored where it lies, in one transaction, whoever dies over it.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from uuid import uuid4

from ingest.finding.system import SET_ASIDE
from ingest.judge.report import trouble_report
from ingest.spread.check_files import SIZE, Checked, Checking
from ingest.spread.cluster import Cluster, Given, Kept, Killed
from ingest.spread.worker import Done, Part, checked_part, checked_texts, stored, told
from ingest.store.add import KEPT_REPORTS, FileReport
from ingest.store.errors import StoreError
from ingest.store.lake.store import LakeStore
from ingest.store.part import Order, begin_file, end_file, marked
from ingest.text.files import Batch, Trouble
from ingest.text.sources import Source, name_of

Progress = Callable[[str, int], None]


@dataclass(slots=True)
class _File:
    """A file of which parts are being stored."""

    report: FileReport
    begun: bool = False
    """Its row is stored, and counts nothing yet."""
    ended: bool = False
    """Its row is stored with all that it counts."""

    def add(self, part: FileReport) -> None:
        """Count a part."""
        own = self.report
        own.count(part)
        own.reports += part.reports[: KEPT_REPORTS - len(own.reports)]

    def trouble(self, trouble: Trouble) -> None:
        """Tell of something that is no match."""
        self.report.refused += 1
        if len(self.report.reports) < KEPT_REPORTS:
            self.report.reports.append(trouble_report(trouble))


class _Storing(NamedTuple):
    """A part that is being stored, if it is to be; without one, the end of its file."""

    file: _File
    part: Checked[Kept] | None = None
    given: Given | None = None


class Writing:
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
        self._cluster, self._store, self._sources = cluster, store, list(sources)
        self._write = write
        keep = partial(cluster.keep, told)
        self._checking = Checking[Kept](cluster, self._sources, size, keep, work, texts)
        self.set_aside = self._checking.set_aside
        self._run = uuid4().hex
        self._parts = 0
        self._begun = list[_File]()

    def reports(
        self, progress: Progress = lambda name, count: None, seen: set[str] | None = None
    ) -> Iterator[FileReport]:
        """A report of each source once all of it is stored; `progress` hears the bytes that are.

        `seen` are the matches that came in this run. ClusterError: the cluster is gone; parts that
        are stored stay so. StoreError: the lake cannot take them.
        """
        seen = set() if seen is None else seen
        with marked(self._store) as mark:
            try:
                for one in self._cluster.ahead(self._storing(mark, seen)):
                    if one.part is not None:
                        self._take(one.file, one.part, one.given)
                        progress(one.file.report.name, one.part.until)
                        continue
                    if not one.file.ended:
                        end_file(self._store, one.file.report, one.file.begun)
                        one.file.ended = True
                    yield one.file.report
            finally:
                self._leave()

    def _leave(self) -> None:
        """Say of files of which only some parts came what these came to."""
        with suppress(StoreError):
            for file in self._begun:
                if not file.ended:
                    end_file(self._store, file.report, begun=True)
            self._store.forget_parts(self._run)

    def _storing(self, mark: str, seen: set[str]) -> Iterator[_Storing]:
        """The parts of all sources, given to be stored in their order."""
        for source in self._sources:
            number = self._store.stored(self._store.file_number)
            file = _File(FileReport(name_of(source), number))
            for part in self._checking.next_source():
                given = None
                if part.instead is None:
                    given = part.given.then(self._write, self._order(file, part, mark, seen))
                yield _Storing(file, part, given)
            yield _Storing(file)

    def _order(self, file: _File, part: Checked[Kept], mark: str, seen: set[str]) -> Order:
        """What a worker is told that stores a part."""
        if not part.alone and not file.begun:
            begin_file(self._store, file.report)
            file.begun = True
            self._begun.append(file)
        self._parts += 1
        return Order(
            lake=self._store.for_others(),
            mark=mark,
            part=f"{self._run}-{self._parts}",
            file=file.report.name,
            file_no=file.report.number,
            lines=part.lines,
            left_out=[_before(ids, seen) for ids in part.found.ids],
            whole=part.alone,
        )

    def _take(self, file: _File, part: Checked[Kept], given: Given | None) -> None:
        """Count a part that was given away, or tell what is told in its place."""
        if part.instead is not None:
            file.trouble(part.instead)
        if given is None:
            return
        try:
            file.add(pickle.loads(given.result()))
            file.ended = file.ended or part.alone
        except Killed:
            self.set_aside.append(part.called)
            line = part.lines + 1
            file.trouble(Trouble(file.report.name, line, "cannot-read", SET_ASIDE))


def _before(ids: list[str], seen: set[str]) -> frozenset[int]:
    """The places of matches that came before; then all are known."""
    found = set[int]()
    for place, one in enumerate(ids):
        if one in seen:
            found.add(place)
        seen.add(one)
    return frozenset(found)
