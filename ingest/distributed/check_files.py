"""Files checked by the workers of a cluster, part by part, and taken back in their order.

What comes of it is what `ingest.store.ingest_files` stores of a file that it checks itself: the
same verdicts and rows, with the lines they have in the whole file. A part that workers cannot read
is read here and sent to them as texts. What a worker does is handed to it by its name, on other
machines too, and needs nothing of Dask.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from ingest.distributed.cluster import Cluster, Given, Killed
from ingest.findings.os_errors import SET_ASIDE
from ingest.reader.byte_ranges import PACKED, Range, Reading, count_lines, ranges
from ingest.reader.files import Batch, Trouble, opened
from ingest.reader.object_storage import S3Object
from ingest.reader.sources import Source, name_of, source_batches
from ingest.store.prepared_batch import Ready, laid, loaded, ready
from ingest.store.worker_pool import pieces

SIZE = 16 << 20
"""Bytes of a part: a quarter of a second of reading and checking."""
SMALL = SIZE
"""Bytes of a packed file that a worker reads whole; what a larger one has is sent to workers."""
TEXTS = 1 << 20
"""Bytes of text that are sent at a time."""
MOST = 256 << 20
"""Bytes of text a worker holds of one part; what unpacks to more is sent to workers bit by bit."""
Seen = tuple[int, int]
"""Size and time of a file as it was seen here."""


class Part(NamedTuple):
    """A part of a file, and what it is called in reports."""

    name: str
    path: Path | S3Object
    part: Range
    seen: Seen | None = None
    """None for what every machine finds by the same address."""

    @property
    def until(self) -> int:
        """The bytes of the file that are done with it."""
        if self.part.end is not None:
            return self.part.end
        return self.path.size if isinstance(self.path, S3Object) else (self.seen or (0, 0))[0]


class Done(NamedTuple):
    """A part's checked batches, as they are laid aside, and how many lines it has."""

    batches: list[bytes]
    lines: int


def seen(path: Path) -> Seen:
    """A file as this machine sees it. OSError: it is not there."""
    told = path.stat()
    return told.st_size, told.st_mtime_ns


def checked_part(part: Part) -> Done | None:
    """A part read and checked; None: it is not as it was seen, not to be read, or too large."""
    found, size = list[bytes](), 0
    try:
        if isinstance(part.path, Path) and seen(part.path) != part.seen:
            return None
        reading = Reading(part.path, part.part, part.name)
        for batch in reading.batches():
            size += sum(len(one.text) for one in batch.texts)
            if size > MOST:
                return None
            found.append(laid(ready(batch)))
    except OSError:
        return None
    return Done(found, reading.lines)


def checked_texts(batch: Batch) -> Done:
    """The same of texts that come with the order."""
    return Done([laid(ready(batch))], 0)


class Piece(NamedTuple):
    """A part of a source for a worker; without one, a source that is read here."""

    place: int
    """Of its source among all."""
    source: Source
    part: Part | None = None
    alone: bool = False
    """It is all of its source."""


class Checked(NamedTuple):
    """A part that was checked, or what is told in its place."""

    called: str
    """By file and bytes."""
    given: Given
    found: Any
    """What is known here of the outcome; None where there is none."""
    lines: int
    """Of the file, before it."""
    until: int
    """Bytes of the file that are done with it."""
    alone: bool = False
    instead: Trouble | None = None


class Checking:
    """Sources checked by a cluster, some parts ahead of the one that is asked for.

    `work` does a part, `texts` a batch of texts, and `begin` gives either away.
    """

    def __init__(
        self,
        cluster: Cluster,
        sources: Iterable[Source],
        size: int = SIZE,
        work: Callable[[Part], Done | None] = checked_part,
        texts: Callable[[Batch], Done] = checked_texts,
        begin: Callable[..., Given] = Given,
    ) -> None:
        self._cluster, self._begin, self._texts = cluster, begin, texts
        coming = (
            (one, one.part and begin(cluster, work, one.part, called(one.part)))
            for one in cut(sources, size)
        )
        self._sources = groupby(cluster.ahead(coming, 2), lambda one: one[0].place)
        self.set_aside: list[str] = []
        """What no worker survived, each by file and bytes."""

    def next_source(self) -> Iterator[Checked]:
        """The parts of the next source, in their order. ClusterError: the cluster is gone."""
        lines = 0
        for piece, given in next(self._sources)[1]:
            part = piece.part
            if part is None or given is None:
                yield from self._sent(lambda hear: source_batches([piece.source], hear))  # noqa: B023
                continue
            found, instead = self._result(given, called(part), part.name, lines + 1)
            if found is None and instead is None:
                reading = Reading(part.path, part.part, part.name)
                try:
                    for one in self._sent(lambda hear: reading.batches()):  # noqa: B023
                        yield one._replace(lines=lines, until=part.until)
                except OSError as error:
                    trouble = Trouble(part.name, 1, "cannot-read", error.strerror or str(error))
                    yield Checked(called(part), given, None, 0, part.until, instead=trouble)
                lines += reading.lines
                continue
            yield Checked(called(part), given, found, lines, part.until, piece.alone, instead)
            if found is not None:
                lines += found.lines
            elif part.part.end is not None:  # nobody has read it
                with suppress(OSError):
                    lines += count_lines(part.path, part.part)

    def _result(self, given: Given, what: str, name: str, line: int) -> tuple[Any, Trouble | None]:
        try:
            return given.result(), None
        except Killed:
            self.set_aside.append(what)
            return None, Trouble(name, line, "cannot-read", SET_ASIDE)

    def _sent(self, read: Callable[[Callable[[int], None]], Iterator[Batch]]) -> Iterator[Checked]:
        """Batches read here and checked by workers; `read` is told who hears how far that is."""
        counted = 0

        def hear(count: int) -> None:
            nonlocal counted
            counted = count

        def sending() -> Iterator[tuple[Batch, int, int, Given]]:
            for batch in pieces(read(hear), TEXTS):
                line = batch.texts[0].line if batch.texts else 1
                given = self._begin(self._cluster, self._texts, batch, f"{batch.file} {line}")
                yield batch, line, counted, given

        for batch, line, count, given in self._cluster.ahead(sending()):
            found, instead = self._result(given, f"{batch.file}:{line}", batch.file, line)
            yield Checked(f"{batch.file} {line}", given, found, 0, count, instead=instead)


class Spread(Checking):
    """Sources checked by a cluster for a store that is written here."""

    def checked(self, source: Source, tell: Callable[[int], None]) -> Iterator[Ready]:
        """Checked batches of the next source; `tell` hears of its bytes. ClusterError: gone."""
        for one in self.next_source():
            if one.instead is not None:
                yield ready(Batch(one.instead.file, [], [one.instead]))
            for data in one.found.batches if one.found is not None else ():
                batch = loaded(data)
                batch.below(one.lines)
                yield batch
            tell(one.until)


def cut(sources: Iterable[Source], size: int) -> Iterator[Piece]:
    """The parts of some sources, of about so many bytes, in order; each has one at least."""
    for place, source in enumerate(sources):
        found = list[Part]()  # none where it is read here
        if not isinstance(source, tuple):
            with suppress(OSError, ValueError):  # it is told as it is read
                path, told = source, None
                if isinstance(source, Path):
                    path, told = source.absolute(), seen(source)
                with opened(source, 4) as file:
                    packed, whole = file.read(4).startswith(PACKED), file.seek(0, 2)
                some = [Range()] if packed else ranges(source, size)
                if whole <= SMALL if packed else len(some) > 1 or whole <= 2 * size:
                    found = [Part(name_of(source), path, part, told) for part in some]
        yield from (Piece(place, source, part, len(found) == 1) for part in found)
        if not found:
            yield Piece(place, source)


def called(part: Part) -> str:
    """How a part is named to people: its file, and its bytes."""
    start, end = part.part
    return f"{part.name} {'whole' if end is None else f'{start}–{end}'}"
