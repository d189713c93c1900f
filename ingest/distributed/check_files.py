"""Checks files in parts on a cluster and returns the results in order.

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

from ingest.distributed.cluster import Cluster, Task, WorkersDied
from ingest.findings.os_errors import SET_ASIDE_TEXT
from ingest.reader.byte_ranges import (
    COMPRESSED_SIGNATURES,
    ByteRange,
    RangeReader,
    byte_ranges,
    count_lines,
)
from ingest.reader.files import Batch, ReadError, open_source
from ingest.reader.object_storage import S3Object
from ingest.reader.sources import Source, source_batches, source_name
from ingest.store.prepared_batch import PreparedBatch, pack_batch, prepare_batch, unpack_batch
from ingest.store.worker_pool import split_batches

PART_BYTES = 16 << 20
"""Bytes of a part: a quarter of a second of reading and checking."""
MAX_WORKER_ARCHIVE_BYTES = PART_BYTES
"""Bytes of a packed file that a worker reads whole; what a larger one has is sent to workers."""
TEXT_BATCH_BYTES = 1 << 20
"""Bytes of text that are sent at a time."""
MAX_PART_BYTES = 256 << 20
"""Bytes of text a worker holds of one part; what unpacks to more is sent to workers bit by bit."""
FileStamp = tuple[int, int]
"""Size and time of a file as it was seen here."""


class FilePart(NamedTuple):
    """A part of a file, and what it is called in reports."""

    name: str
    path: Path | S3Object
    byte_range: ByteRange
    stamp: FileStamp | None = None
    """None for what every machine finds by the same address."""

    @property
    def end_offset(self) -> int:
        """The bytes of the file that are done with it."""
        if self.byte_range.end is not None:
            return self.byte_range.end
        return self.path.size if isinstance(self.path, S3Object) else (self.stamp or (0, 0))[0]


class CheckedPart(NamedTuple):
    """A part's checked batches, as they are laid aside, and how many lines it has."""

    batches: list[bytes]
    line_count: int


def file_stamp(path: Path) -> FileStamp:
    """A file as this machine sees it. OSError: it is not there."""
    told = path.stat()
    return told.st_size, told.st_mtime_ns


def check_part(part: FilePart) -> CheckedPart | None:
    """A part read and checked; None: it is not as it was seen, not to be read, or too large."""
    found, size = list[bytes](), 0
    try:
        if isinstance(part.path, Path) and file_stamp(part.path) != part.stamp:
            return None
        reading = RangeReader(part.path, part.byte_range, part.name)
        for batch in reading.batches():
            size += sum(len(one.text) for one in batch.texts)
            if size > MAX_PART_BYTES:
                return None
            found.append(pack_batch(prepare_batch(batch)))
    except OSError:
        return None
    return CheckedPart(found, reading.line_count)


def check_text_batch(batch: Batch) -> CheckedPart:
    """The same of texts that come with the order."""
    return CheckedPart([pack_batch(prepare_batch(batch))], 0)


class SourcePiece(NamedTuple):
    """A part of a source for a worker; without one, a source that is read here."""

    source_index: int
    """Of its source among all."""
    source: Source
    part: FilePart | None = None
    is_whole_source: bool = False
    """It is all of its source."""


class PartOutcome(NamedTuple):
    """A part that was checked, or what is told in its place."""

    label: str
    """By file and bytes."""
    task: Task
    result: Any
    """What is known here of the outcome; None where there is none."""
    lines_before: int
    """Of the file, before it."""
    end_offset: int
    """Bytes of the file that are done with it."""
    is_whole_source: bool = False
    trouble: ReadError | None = None


class DistributedCheck:
    """Sources checked by a cluster, some parts ahead of the one that is asked for.

    `work` does a part, `texts` a batch of texts, and `begin` gives either away.
    """

    def __init__(
        self,
        cluster: Cluster,
        sources: Iterable[Source],
        part_bytes: int = PART_BYTES,
        part_checker: Callable[[FilePart], CheckedPart | None] = check_part,
        text_checker: Callable[[Batch], CheckedPart] = check_text_batch,
        submit_task: Callable[..., Task] = Task,
    ) -> None:
        self._cluster, self._submit_task, self._text_checker = cluster, submit_task, text_checker
        coming = (
            (one, one.part and submit_task(cluster, part_checker, one.part, part_label(one.part)))
            for one in partition(sources, part_bytes)
        )
        self._sources = groupby(cluster.run_ahead(coming, 2), lambda one: one[0].source_index)
        self.set_aside: list[str] = []
        """What no worker survived, each by file and bytes."""

    def next_source_parts(self) -> Iterator[PartOutcome]:
        """The parts of the next source, in their order. ClusterError: the cluster is gone."""
        lines = 0
        for piece, given in next(self._sources)[1]:
            part = piece.part
            if part is None or given is None:
                yield from self._check_remotely(lambda hear: source_batches([piece.source], hear))  # noqa: B023
                continue
            found, instead = self._task_result(given, part_label(part), part.name, lines + 1)
            if found is None and instead is None:
                reading = RangeReader(part.path, part.byte_range, part.name)
                try:
                    for one in self._check_remotely(lambda hear: reading.batches()):  # noqa: B023
                        yield one._replace(lines_before=lines, end_offset=part.end_offset)
                except OSError as error:
                    trouble = ReadError(part.name, 1, "cannot-read", error.strerror or str(error))
                    yield PartOutcome(
                        part_label(part), given, None, 0, part.end_offset, trouble=trouble
                    )
                lines += reading.line_count
                continue
            yield PartOutcome(
                part_label(part),
                given,
                found,
                lines,
                part.end_offset,
                piece.is_whole_source,
                instead,
            )
            if found is not None:
                lines += found.line_count
            elif part.byte_range.end is not None:  # nobody has read it
                with suppress(OSError):
                    lines += count_lines(part.path, part.byte_range)

    def _task_result(
        self, task: Task, label: str, name: str, line: int
    ) -> tuple[Any, ReadError | None]:
        try:
            return task.result(), None
        except WorkersDied:
            self.set_aside.append(label)
            return None, ReadError(name, line, "cannot-read", SET_ASIDE_TEXT)

    def _check_remotely(
        self, read: Callable[[Callable[[int], None]], Iterator[Batch]]
    ) -> Iterator[PartOutcome]:
        """Batches read here and checked by workers; `read` is told who hears how far that is."""
        counted = 0

        def hear(count: int) -> None:
            nonlocal counted
            counted = count

        def sending() -> Iterator[tuple[Batch, int, int, Task]]:
            for batch in split_batches(read(hear), TEXT_BATCH_BYTES):
                line = batch.texts[0].line if batch.texts else 1
                given = self._submit_task(
                    self._cluster, self._text_checker, batch, f"{batch.file} {line}"
                )
                yield batch, line, counted, given

        for batch, line, count, given in self._cluster.run_ahead(sending()):
            found, instead = self._task_result(given, f"{batch.file}:{line}", batch.file, line)
            yield PartOutcome(f"{batch.file} {line}", given, found, 0, count, trouble=instead)


class DistributedReader(DistributedCheck):
    """Sources checked by a cluster for a store that is written here."""

    def read_checked(
        self, source: Source, on_bytes_done: Callable[[int], None]
    ) -> Iterator[PreparedBatch]:
        """Checked batches of the next source; `on_bytes_done` hears of its bytes. ClusterError:
        gone.
        """
        for one in self.next_source_parts():
            if one.trouble is not None:
                yield prepare_batch(Batch(one.trouble.file, [], [one.trouble]))
            for data in one.result.batches if one.result is not None else ():
                batch = unpack_batch(data)
                batch.below(one.lines_before)
                yield batch
            on_bytes_done(one.end_offset)


def partition(sources: Iterable[Source], part_bytes: int) -> Iterator[SourcePiece]:
    """The parts of some sources, of about so many bytes, in order; each has one at least."""
    for place, source in enumerate(sources):
        found = list[FilePart]()  # none where it is read here
        if not isinstance(source, tuple):
            with suppress(OSError, ValueError):  # it is told as it is read
                path, told = source, None
                if isinstance(source, Path):
                    path, told = source.absolute(), file_stamp(source)
                with open_source(source, 4) as file:
                    packed, whole = file.read(4).startswith(COMPRESSED_SIGNATURES), file.seek(0, 2)
                some = [ByteRange()] if packed else byte_ranges(source, part_bytes)
                if (
                    whole <= MAX_WORKER_ARCHIVE_BYTES
                    if packed
                    else len(some) > 1 or whole <= 2 * part_bytes
                ):
                    found = [FilePart(source_name(source), path, part, told) for part in some]
        yield from (SourcePiece(place, source, part, len(found) == 1) for part in found)
        if not found:
            yield SourcePiece(place, source)


def part_label(part: FilePart) -> str:
    """How a part is named to people: its file, and its bytes."""
    start, end = part.byte_range
    return f"{part.name} {'whole' if end is None else f'{start}–{end}'}"
