"""Sources cut into the parts that workers are given, some ahead of the one that is asked for."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ingest.finding.system import SET_ASIDE
from ingest.spread.cluster import Cluster
from ingest.spread.work import Part, seen
from ingest.text.files import Batch, Trouble, opened
from ingest.text.ranges import PACKED, Range, count_lines, ranges
from ingest.text.sources import Source, name_of
from ingest.text.storage import S3Object

SIZE = 16 << 20
"""Bytes of a part: a quarter of a second of reading and checking."""
SMALL = SIZE
"""Bytes of a packed file that a worker reads whole; what a larger one has is sent to workers."""
TEXTS = 1 << 20
"""Bytes of text that are sent at a time."""

G = TypeVar("G")


@dataclass(slots=True)
class Piece(Generic[G]):
    """A part under way; without one, a source that is read here."""

    place: int
    """Of its source among all."""
    alone: bool
    """It is all of its source."""
    part: Part | None = None
    given: G | None = None


class Pieces(Generic[G]):
    """The pieces of some sources, in order, of which `begin` gives the parts away."""

    def __init__(
        self,
        cluster: Cluster,
        sources: Iterable[Source],
        size: int,
        begin: Callable[[Part], G],
    ) -> None:
        self._cluster, self._size, self._begin = cluster, size, begin
        self._coming = self._planned(sources)
        self._under_way = deque[Piece[G]]()
        self._place = 0

    def of_source(self) -> Iterator[Piece[G]]:
        """Those of the next source."""
        place, self._place = self._place, self._place + 1
        while True:
            self._fill()
            if not self._under_way or self._under_way[0].place != place:
                return
            yield self._under_way.popleft()

    def _fill(self) -> None:
        most = 2 * self._cluster.threads() + 2
        while len(self._under_way) < most and (piece := next(self._coming, None)) is not None:
            if piece.part is not None:
                piece.given = self._begin(piece.part)
            self._under_way.append(piece)

    def _planned(self, sources: Iterable[Source]) -> Iterator[Piece[G]]:
        for place, source in enumerate(sources):
            found: Sequence[Part] = ()
            if not isinstance(source, tuple):
                with suppress(OSError, ValueError):  # it is told as it is read
                    found = self._parts(source)
            yield from (Piece(place, len(found) == 1, part) for part in found)
            if not found:
                yield Piece(place, False)

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


def called(part: Part) -> str:
    """How a part is named to people: its file, and its bytes."""
    start, end = part.part
    return f"{part.name} {'whole' if end is None else f'{start}–{end}'}"


def first_line(batch: Batch) -> int:
    """The line of its first text."""
    return batch.texts[0].line if batch.texts else 1


def aside(name: str, line: int = 1) -> Trouble:
    """What is told of something that no worker survived."""
    return Trouble(name, line, "cannot-read", SET_ASIDE)


def lines_in(part: Part) -> int:
    """How many lines a part has that nobody has read, as far as it can be."""
    if part.part.end is not None:
        with suppress(OSError):
            return count_lines(part.path, part.part)
    return 0


def unread(part: Part, error: OSError) -> Trouble:
    """What is told of a part that cannot be read here either."""
    return Trouble(part.name, 1, "cannot-read", error.strerror or str(error))
