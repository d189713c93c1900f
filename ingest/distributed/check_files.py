"""Checks files in parts on a cluster and returns the results in order.

The results equal those of `ingest.store.ingest_files` on one machine: the same verdicts and rows,
with line numbers of the whole file. The client reads parts that workers cannot read and sends them
as texts. Functions for workers are passed by name, also to other machines, and do not need Dask.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from ingest.distributed.cluster import Cluster, Task, WorkersDied
from ingest.findings.os_errors import SET_ASIDE_TEXT
from ingest.reader.byte_ranges import COMPRESSED_SIGNATURES, ByteRange, RangeReader, byte_ranges, count_lines
from ingest.reader.files import Batch, ReadError, open_source
from ingest.reader.object_storage import S3Object
from ingest.reader.sources import Source, source_batches, source_name
from ingest.store.prepared_batch import PreparedBatch, pack_batch, prepare_batch, unpack_batch
from ingest.store.worker_pool import split_batches

PART_BYTES = 16 << 20
"""Bytes of a part: about a quarter of a second of reading and checking."""
MAX_WORKER_ARCHIVE_BYTES = PART_BYTES
"""Bytes of a compressed file that a worker reads; the client reads larger ones and sends texts."""
TEXT_BATCH_BYTES = 1 << 20
"""Bytes of text per batch sent to a worker."""
MAX_PART_BYTES = 256 << 20
"""Bytes of text a worker holds of one part; a part that unpacks to more is sent in batches."""
FileStamp = tuple[int, int]
"""Size in bytes and modification time in ns, as the client sees the file."""


class FilePart(NamedTuple):
    """A part of a file, and the file's name in reports."""

    name: str
    path: Path | S3Object
    byte_range: ByteRange
    stamp: FileStamp | None = None
    """None for an object, whose address is the same on all machines."""

    @property
    def end_offset(self) -> int:
        """The offset in the file after this part."""
        if self.byte_range.end is not None:
            return self.byte_range.end
        return self.path.size if isinstance(self.path, S3Object) else (self.stamp or (0, 0))[0]


class CheckedPart(NamedTuple):
    """A part's checked batches, packed, and its number of lines."""

    batches: list[bytes]
    line_count: int


def file_stamp(path: Path) -> FileStamp:
    """Return a file's stamp on this machine. OSError: the file is missing."""
    result = path.stat()
    return result.st_size, result.st_mtime_ns


def check_part(part: FilePart) -> CheckedPart | None:
    """Read and check a part; None if the file has changed, is unreadable or too large."""
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
    """Check a batch of texts that the client sent."""
    return CheckedPart([pack_batch(prepare_batch(batch))], 0)


class SourcePiece(NamedTuple):
    """A source's part for a worker; without `part`, the client reads the source."""

    source_index: int
    """The index of the source among all sources."""
    source: Source
    part: FilePart | None = None
    is_whole_source: bool = False
    """Whether the part is the whole source."""


class PartOutcome(NamedTuple):
    """A checked part, or the error in its place."""

    label: str
    """File and byte range."""
    task: Task
    result: Any
    """The task's result; None if there is none."""
    lines_before: int
    """Lines of the file before the part."""
    end_offset: int
    """The offset in the file after the part."""
    is_whole_source: bool = False
    trouble: ReadError | None = None


class DistributedCheck:
    """Checks sources on a cluster, some parts ahead of the one requested.

    `part_checker` checks a part, `text_checker` a batch of texts; `submit_task` submits either.
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
        """Labels (file and byte range) of parts over which workers died."""

    def next_source_parts(self) -> Iterator[PartOutcome]:
        """Yield the outcomes of the next source's parts, in order. ClusterError: it is lost."""
        lines = 0
        for piece, given in next(self._sources)[1]:
            part = piece.part
            if part is None or given is None:
                yield from self._check_remotely(
                    lambda on_progress: source_batches([piece.source], on_progress)  # noqa: B023
                )
                continue
            found, instead = self._task_result(given, part_label(part), part.name, lines + 1)
            if found is None and instead is None:
                reading = RangeReader(part.path, part.byte_range, part.name)
                try:
                    for one in self._check_remotely(lambda on_progress: reading.batches()):  # noqa: B023
                        yield one._replace(lines_before=lines, end_offset=part.end_offset)
                except OSError as error:
                    trouble = ReadError(part.name, 1, "cannot-read", error.strerror or str(error))
                    yield PartOutcome(part_label(part), given, None, 0, part.end_offset, trouble=trouble)
                lines += reading.line_count
                continue
            yield PartOutcome(
                part_label(part), given, found, lines, part.end_offset, piece.is_whole_source, instead
            )
            if found is not None:
                lines += found.line_count
            elif part.byte_range.end is not None:  # not read by any worker
                with suppress(OSError):
                    lines += count_lines(part.path, part.byte_range)

    def _task_result(self, task: Task, label: str, name: str, line: int) -> tuple[Any, ReadError | None]:
        try:
            return task.result(), None
        except WorkersDied:
            self.set_aside.append(label)
            return None, ReadError(name, line, "cannot-read", SET_ASIDE_TEXT)

    def _check_remotely(
        self, read: Callable[[Callable[[int], None]], Iterator[Batch]]
    ) -> Iterator[PartOutcome]:
        """Check batches that the client reads; `read` takes a callback for its progress."""
        counted = 0

        def on_progress(count: int) -> None:
            nonlocal counted
            counted = count

        def sending() -> Iterator[tuple[Batch, int, int, Task]]:
            for batch in split_batches(read(on_progress), TEXT_BATCH_BYTES):
                line = batch.texts[0].line if batch.texts else 1
                given = self._submit_task(self._cluster, self._text_checker, batch, f"{batch.file} {line}")
                yield batch, line, counted, given

        for batch, line, count, given in self._cluster.run_ahead(sending()):
            found, instead = self._task_result(given, f"{batch.file}:{line}", batch.file, line)
            yield PartOutcome(f"{batch.file} {line}", given, found, 0, count, trouble=instead)


class DistributedReader(DistributedCheck):
    """Checks sources on a cluster, for a store that the client writes."""

    def read_checked(self, source: Source, on_bytes_done: Callable[[int], None]) -> Iterator[PreparedBatch]:
        """Yield checked batches of the next source; `on_bytes_done` gets the offset so far.

        ClusterError: it is lost.
        """
        for one in self.next_source_parts():
            if one.trouble is not None:
                yield prepare_batch(Batch(one.trouble.file, [], [one.trouble]))
            for data in one.result.batches if one.result is not None else ():
                batch = unpack_batch(data)
                batch.shift_lines(one.lines_before)
                yield batch
            on_bytes_done(one.end_offset)


def partition(sources: Iterable[Source], part_bytes: int) -> Iterator[SourcePiece]:
    """Split sources into parts of about `part_bytes`, in order, at least one per source."""
    for place, source in enumerate(sources):
        found = list[FilePart]()  # empty if the client reads the source
        if not isinstance(source, tuple):
            with suppress(OSError, ValueError):  # reading the source reports the error
                path, result = source, None
                if isinstance(source, Path):
                    path, result = source.absolute(), file_stamp(source)
                with open_source(source, 4) as file:
                    packed, whole = file.read(4).startswith(COMPRESSED_SIGNATURES), file.seek(0, 2)
                some = [ByteRange()] if packed else byte_ranges(source, part_bytes)
                if whole <= MAX_WORKER_ARCHIVE_BYTES if packed else len(some) > 1 or whole <= 2 * part_bytes:
                    found = [FilePart(source_name(source), path, part, result) for part in some]
        yield from (SourcePiece(place, source, part, len(found) == 1) for part in found)
        if not found:
            yield SourcePiece(place, source)


def part_label(part: FilePart) -> str:
    """Return the label of a part for users: its file and byte range."""
    start, end = part.byte_range
    return f"{part.name} {'whole' if end is None else f'{start}–{end}'}"
