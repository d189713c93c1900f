"""Files checked *and stored* by the workers of a cluster, in a lake all of them reach.

What was checked stays with the worker that did it. Here comes which matches a part has: in the
order of the files it is said which came before, so that the report is the one of a single machine.
Then the part is stored where it lies, in one transaction, whoever dies over it.
"""

import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple
from uuid import uuid4

from ingest.judge.report import trouble_report
from ingest.spread.cluster import Cluster, Given, Kept, Killed
from ingest.spread.pieces import (
    SIZE,
    TEXTS,
    Pieces,
    aside,
    called,
    first_line,
    lines_in,
    unread,
)
from ingest.spread.work import Done, Part, Refused, Told, checked_part, checked_texts, stored, told
from ingest.store.add import KEPT_REPORTS, FileReport
from ingest.store.apart import pieces
from ingest.store.errors import StoreError
from ingest.store.lake.store import LakeStore
from ingest.store.part import Order, begin_file, end_file, marked
from ingest.text.files import Batch, Trouble
from ingest.text.ranges import Reading
from ingest.text.sources import Source, name_of, source_batches

Progress = Callable[[str, int], None]


class _Checked(NamedTuple):
    """A part that was checked, where it lies."""

    kept: Kept
    told: Told
    lines: int
    """Of the file, before it."""
    until: int
    """Bytes of the file that are done with it."""
    called: str
    alone: bool


@dataclass(slots=True)
class _File:
    """A file of which parts are being stored."""

    report: FileReport
    begun: bool = False
    """Its row is stored, and counts nothing yet."""
    ended: bool = False
    """Its row is stored with all that it counts."""
    read: bool = False
    """All of its parts are given away."""
    left: int = 0
    """Parts that are given away and not stored."""

    def add(self, part: FileReport) -> None:
        """Count a part."""
        own = self.report
        own.matches += part.matches
        own.added += part.added
        own.duplicates += part.duplicates
        own.twice += part.twice
        own.refused += part.refused
        own.sheets += part.sheets
        own.by_status.update(part.by_status)
        own.reports += part.reports[: KEPT_REPORTS - len(own.reports)]

    def trouble(self, trouble: Trouble) -> None:
        """Tell of something that is no match."""
        self.report.refused += 1
        if len(self.report.reports) < KEPT_REPORTS:
            self.report.reports.append(trouble_report(trouble))


class _Stored(NamedTuple):
    """A part that is being stored, or what is told in its place."""

    file: _File
    until: int
    given: Given | None = None
    instead: Trouble | None = None
    called: str = ""
    alone: bool = False


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
        write: Callable[[Done | None, Order], bytes | Refused | None] = stored,
    ) -> None:
        self._cluster, self._store, self._sources = cluster, store, list(sources)
        self._texts, self._write = texts, write
        self._pieces = Pieces[Kept](
            cluster, self._sources, size, lambda part: cluster.keep(work, told, part, called(part))
        )
        self._run = uuid4().hex
        self._parts = 0
        self._files = deque[_File]()
        self._under_way = deque[_Stored]()
        self.set_aside: list[str] = []
        """What was given up, each by file and bytes."""

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
                for source in self._sources:
                    number = self._store.stored(self._store.file_number)
                    file = _File(FileReport(name_of(source), number))
                    self._files.append(file)
                    for part in self._checked(file, source):
                        self._store_part(file, part, mark, seen)
                        while len(self._under_way) > self._cluster.threads() + 1:
                            self._take(progress)
                        yield from self._whole()
                    file.read = True
                    yield from self._whole()
                while self._under_way:
                    self._take(progress)
                    yield from self._whole()
            finally:
                self._leave()

    def _leave(self) -> None:
        """Say of files of which only some parts came what these came to."""
        with suppress(StoreError):
            for file in self._files:
                if file.begun and not file.ended:
                    end_file(self._store, file.report, begun=True)
            self._store.forget_parts(self._run)

    # what is given away

    def _store_part(self, file: _File, part: _Checked, mark: str, seen: set[str]) -> None:
        if not part.alone and not file.begun:
            begin_file(self._store, file.report)
            file.begun = True
        self._parts += 1
        order = Order(
            lake=self._store.for_others(),
            mark=mark,
            part=f"{self._run}-{self._parts}",
            file=file.report.name,
            file_no=file.report.number,
            lines=part.lines,
            left_out=[_before(ids, seen) for ids in part.told.ids],
            whole=part.alone,
        )
        given = part.kept.then(self._write, order)
        trouble = aside(file.report.name, part.lines + 1)
        self._wait(_Stored(file, part.until, given, trouble, part.called, part.alone))

    def _wait(self, one: _Stored) -> None:
        one.file.left += 1
        self._under_way.append(one)

    def _take(self, progress: Progress) -> None:
        """Count the part that was given away first."""
        part = self._under_way.popleft()
        file, found = part.file, None
        file.left -= 1
        if part.given is not None:
            with suppress(Killed):
                found = part.given.result()
            if found is None:
                self.set_aside.append(part.called)
        if isinstance(found, Refused):
            raise StoreError(found.text, **found.values)
        if found is not None:
            file.add(pickle.loads(found))
            file.ended = file.ended or part.alone
        elif part.instead is not None:
            file.trouble(part.instead)
        progress(file.report.name, part.until)

    def _whole(self) -> Iterator[FileReport]:
        """The first files, if all of them is stored."""
        while self._files and self._files[0].read and not self._files[0].left:
            file = self._files[0]
            if not file.ended:
                end_file(self._store, file.report, file.begun)
                file.ended = True
            self._files.popleft()
            yield file.report

    # what was checked

    def _checked(self, file: _File, source: Source) -> Iterator[_Checked]:
        """The parts of the next source in their order."""
        lines = 0
        for piece in self._pieces.of_source():
            part, kept = piece.part, piece.given
            if part is None or kept is None:
                yield from self._sent(file, source_batches([source], self._hear))
                continue
            try:
                found: Told | None = kept.told()
            except Killed:
                self.set_aside.append(called(part))
                self._wait(_Stored(file, part.until, instead=aside(part.name, lines + 1)))
                lines += lines_in(part)
                continue
            if found is None:
                lines += yield from self._read_here(file, part, lines)
                continue
            yield _Checked(kept, found, lines, part.until, called(part), piece.alone)
            lines += found.lines

    def _read_here(self, file: _File, part: Part, lines: int) -> Generator[_Checked, None, int]:
        """A part that workers cannot read, sent to them as text; what it has of lines."""
        reading = Reading(part.path, part.part, part.name)
        try:
            for one in self._sent(file, reading.batches()):
                yield one._replace(lines=lines, until=part.until)
        except OSError as error:
            self._wait(_Stored(file, part.until, instead=unread(part, error)))
        return reading.lines

    def _hear(self, count: int) -> None:
        self._count = count

    def _sent(self, file: _File, batches: Iterator[Batch]) -> Iterator[_Checked]:
        """Batches read here and checked by workers, some ahead."""
        waiting = deque[tuple[Batch, int, Kept]]()
        self._count = 0
        for batch in pieces(batches, TEXTS):
            kept = self._cluster.keep(self._texts, told, batch, f"{batch.file} {first_line(batch)}")
            waiting.append((batch, self._count, kept))
            if len(waiting) > self._cluster.threads() + 1:
                yield from self._of_texts(file, *waiting.popleft())
        while waiting:
            yield from self._of_texts(file, *waiting.popleft())

    def _of_texts(self, file: _File, batch: Batch, count: int, kept: Kept) -> Iterator[_Checked]:
        what = f"{batch.file}:{first_line(batch)}"
        try:
            yield _Checked(kept, kept.told(), 0, count, what, alone=False)
        except Killed:
            self.set_aside.append(what)
            self._wait(_Stored(file, count, instead=aside(batch.file, first_line(batch))))


def _before(ids: list[str], seen: set[str]) -> frozenset[int]:
    """The places of matches that came before; then all are known."""
    found = set[int]()
    for place, one in enumerate(ids):
        if one in seen:
            found.add(place)
        seen.add(one)
    return frozenset(found)
