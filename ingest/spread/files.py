"""Files given to the workers of a cluster part by part, and taken back in their order.

What comes of it is what `ingest.store.add` stores of a file that it checks itself: the same
verdicts and rows, with the lines they have in the whole file.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.finding.system import SET_ASIDE
from ingest.spread.cluster import Cluster, Given, Killed
from ingest.spread.work import Done, Part, checked_part, checked_texts, seen
from ingest.store.apart import pieces
from ingest.store.ready import Ready, ready
from ingest.store.spool import laid, loaded
from ingest.text.files import Batch, Trouble, opened
from ingest.text.ranges import PACKED, Range, Reading, count_lines, ranges
from ingest.text.sources import Source, name_of, source_batches
from ingest.text.storage import S3Object

SIZE = 16 << 20
"""Bytes of a part: a quarter of a second of reading and checking."""
SMALL = SIZE // 4
"""Bytes of a packed file that a worker reads whole; what a larger one has is sent to workers."""
TEXTS = 1 << 20
"""Bytes of text that are sent at a time."""

Tell = Callable[[int], None]


@dataclass(slots=True)
class _Piece:
    """A part under way; without one, a source that is read here."""

    place: int
    """Of its source among all."""
    part: Part | None = None
    given: Given | None = None


class Spread:
    """Sources checked by a cluster, some parts ahead of the one that is stored."""

    def __init__(
        self,
        cluster: Cluster,
        sources: Iterable[Source],
        size: int = SIZE,
        work: Callable[[Part], Done | None] = checked_part,
        texts: Callable[[Batch], Done] = checked_texts,
    ) -> None:
        self._cluster, self._size, self._work, self._texts = cluster, size, work, texts
        self._coming = self._planned(sources)
        self._under_way = deque[_Piece]()
        self._place = 0
        self.set_aside: list[str] = []
        """What was given up, each by file and bytes."""

    def checked(self, source: Source, tell: Tell) -> Iterator[Ready]:
        """The checked batches of the next source; `tell` hears how many of its bytes are done.

        ClusterError: the cluster is gone.
        """
        lines = 0
        while (piece := self._next()) is not None:
            done = self._done(piece)
            if piece.part is None:
                yield from self._sent(source_batches([source], self._hear), tell)
                break
            if done is None:
                done = yield from self._read_here(piece.part, lines)
            else:
                yield from _below(done, lines)
            lines += done.lines
            tell(piece.part.until)
        self._place += 1

    # what is given away

    def _next(self) -> _Piece | None:
        """The next part of the source that is asked for; None: it has no more."""
        self._fill()
        if self._under_way and self._under_way[0].place == self._place:
            return self._under_way.popleft()
        return None

    def _fill(self) -> None:
        most = 2 * self._cluster.threads() + 2
        while len(self._under_way) < most and (piece := next(self._coming, None)) is not None:
            if piece.part is not None:
                called = f"{piece.part.name} {_bytes(piece.part.part)}"
                piece.given = self._cluster.begin(self._work, piece.part, called)
            self._under_way.append(piece)

    def _planned(self, sources: Iterable[Source]) -> Iterator[_Piece]:
        for place, source in enumerate(sources):
            found = list[Part]()
            if not isinstance(source, tuple):
                with suppress(OSError, ValueError):  # it is told as it is read
                    found = self._parts(source)
            yield from (_Piece(place, part) for part in found)
            if not found:
                yield _Piece(place)

    def _parts(self, source: Path | S3Object) -> list[Part]:
        """The parts of a file; none where it is read here. OSError: it cannot be read."""
        path, told = source, None
        if isinstance(source, Path):
            path, told = source.absolute(), seen(source)
        with opened(source, 4) as file:
            packed, size = file.read(4).startswith(PACKED), file.seek(0, 2)
        if packed and size > SMALL:
            return []
        name = name_of(source)
        found = [Range()] if packed else ranges(source, self._size)
        if len(found) == 1 and size > 2 * self._size and not packed:
            return []
        return [Part(name, path, part, told) for part in found]

    # what comes back

    def _done(self, piece: _Piece) -> Done | None:
        """What came of a part; None where it has to be read here."""
        if piece.given is None or piece.part is None:
            return None
        try:
            done: Done | None = piece.given.result()
        except Killed:
            return self._given_up(piece.part)
        return done

    def _given_up(self, part: Part) -> Done:
        """What is told of a part that nobody can check."""
        self.set_aside.append(f"{part.name} {_bytes(part.part)}")
        lines = 0
        if part.part.end is not None:
            with suppress(OSError):
                lines = count_lines(part.path, part.part)
        return Done([_told(part.name, 1)], lines)

    def _read_here(self, part: Part, lines: int) -> Any:
        """A part that workers cannot read, sent to them as text; what it has of lines."""
        reading = Reading(part.path, part.part, part.name)
        try:
            for one in self._sent(reading.batches(), lambda count: None):
                one.below(lines)
                yield one
        except OSError as error:
            trouble = Trouble(part.name, 1, "cannot-read", error.strerror or str(error))
            yield ready(Batch(part.name, [], [trouble]))
        return Done([], reading.lines)

    def _hear(self, count: int) -> None:
        self._count = count

    def _sent(self, batches: Iterator[Batch], tell: Tell) -> Iterator[Ready]:
        """Batches read here and checked by workers."""
        waiting = deque[tuple[Batch, int, Given]]()
        self._count = 0
        for batch in pieces(batches, TEXTS):
            called = f"{batch.file} {batch.texts[0].line if batch.texts else 1}"
            given = self._cluster.begin(self._texts, batch, called)
            waiting.append((batch, self._count, given))
            if len(waiting) > self._cluster.threads() + 1:
                yield from self._taken(*waiting.popleft(), tell)
        while waiting:
            yield from self._taken(*waiting.popleft(), tell)
        tell(self._count)

    def _taken(self, batch: Batch, count: int, given: Given, tell: Tell) -> Iterator[Ready]:
        try:
            done = given.result()
        except Killed:
            first = batch.texts[0].line if batch.texts else 1
            self.set_aside.append(f"{batch.file}:{first}")
            done = Done([_told(batch.file, first)], 0)
        yield from _below(done, 0)
        tell(count)


def _below(done: Done, lines: int) -> Iterator[Ready]:
    """Checked batches, with so many lines before them."""
    for data in done.batches:
        one = loaded(data)
        one.below(lines)
        yield one


def _told(name: str, line: int) -> bytes:
    return laid(ready(Batch(name, [], [Trouble(name, line, "cannot-read", SET_ASIDE)])))


def _bytes(part: Range) -> str:
    return "whole" if part.end is None else f"{part.start}–{part.end}"
