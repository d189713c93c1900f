"""Splits a large file into byte ranges that can be read independently.

A line that begins with a brace begins a text, whatever stands before it, so the texts of the ranges
are those of the whole file. How many lines came before is for the reader of the others to say.
"""

from collections.abc import Iterator
from io import SEEK_END, RawIOBase
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from ingest.reader import files
from ingest.reader.file_type import foreign_format
from ingest.reader.json_text import MAX_LINE_BYTES, other_encoding
from ingest.reader.object_storage import S3Object

COMPRESSED_SIGNATURES = (b"PK", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # how zip, gzip and zstd begin
PROBE_BYTES = (
    1 << 16
)  # bytes looked at at a time for a place to cut, up to the longest line there may be
REQUEST_BYTES = 4 << 20
"""Bytes of an object that are asked for at once: some of the last ones are read in vain."""


class ByteRange(NamedTuple):
    """Bytes of a file; `end` is None for all of a file."""

    start: int = 0
    end: int | None = None


def byte_ranges(path: Path | S3Object, range_bytes: int) -> list[ByteRange]:
    """The ranges of some `range_bytes` bytes a file can be cut into, or one of all. OSError:
    unread.
    """
    with files.open_source(path, PROBE_BYTES) as file:
        size = file.seek(0, SEEK_END)
        file.seek(0)
        first = file.read(files.READ_BYTES) if size >= 2 * range_bytes else b""
        text = first.removeprefix(files.UTF8_BOM)
        has_lines = (
            not first.startswith(COMPRESSED_SIGNATURES)
            and not other_encoding(text)
            and foreign_format(text) is None
            and not files.is_single_document(str(path), text)
            and files.line_ending(text) == b"\n"
        )
        if not first or not has_lines:
            return [ByteRange()]
        ends, at = [0], range_bytes
        while (
            size - at > range_bytes // 2 and (cut := _next_match_start(file, at, size)) is not None
        ):
            ends.append(cut)
            at = max(at + range_bytes, cut + range_bytes // 2)
        if len(ends) == 1:
            return [ByteRange()]
        return [ByteRange(*both) for both in zip(ends, [*ends[1:], size], strict=True)]


def _next_match_start(file: IO[bytes], at: int, size: int) -> int | None:
    """Where the next text begins; None: not before a line would be too long."""
    file.seek(at)
    last, far = b"", min(size, at + MAX_LINE_BYTES)
    while at < far and (block := file.read(PROBE_BYTES)):
        found = (last + block).find(b"\n{")
        if found >= 0:
            return at - len(last) + found + 1
        at += len(block)
        last = block[-1:]
    return None


class _RangeStream(RawIOBase):
    """The bytes of a range, with its line feeds counted as they are read."""

    def __init__(self, file: IO[bytes], part: ByteRange) -> None:
        self.file, self.bytes_left = file, (part.end or 0) - part.start
        self.line_count = 0
        file.seek(part.start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(min(len(buffer), self.bytes_left))
        buffer[: len(data)] = data
        self.bytes_left -= len(data)
        self.line_count += data.count(b"\n")
        return len(data)


class RangeReader:
    """A range being read; `lines` is how many lines it has, once it has been."""

    def __init__(
        self, path: Path | S3Object, byte_range: ByteRange, name: str | None = None
    ) -> None:
        self.path, self.byte_range, self.name = path, byte_range, name or str(path)
        self.line_count = 0

    def batches(self) -> Iterator[files.Batch]:
        """Its texts with their lines counted from its beginning. OSError: it cannot be read."""
        if self.byte_range.end is None:
            with files.open_source(self.path) as file:
                yield from files.stream_batches(self.name, file)
            return
        with files.open_source(self.path, REQUEST_BYTES) as file:
            part = _RangeStream(file, self.byte_range)
            read = files.line_batches if self.byte_range.start else files.stream_batches
            for batch in read(self.name, cast(IO[bytes], part)):
                # a file with more behind it is not empty
                troubles = [one for one in batch.troubles if one.code != "empty-file"]
                yield batch._replace(troubles=troubles)
            self.line_count = part.line_count


def count_lines(path: Path | S3Object, byte_range: ByteRange) -> int:
    """How many lines a range has. OSError: it cannot be read."""
    with files.open_source(path, REQUEST_BYTES) as file:
        some = _RangeStream(file, byte_range)
        while some.read(files.READ_BYTES):
            pass
        return some.line_count
