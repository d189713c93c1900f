"""Splits a large file into byte ranges that can be read independently.

A line that starts with a brace always starts a text, so the ranges yield the texts of the whole
file. Lines count from the start of a range; the caller adds the lines of the ranges before it.
"""

from collections.abc import Iterator
from io import SEEK_END, RawIOBase
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from ingest.reader import files
from ingest.reader.archives import READ_BYTES, is_tar
from ingest.reader.file_type import foreign_format
from ingest.reader.json_text import MAX_LINE_BYTES, other_encoding
from ingest.reader.object_storage import S3Object

COMPRESSED_SIGNATURES = (b"PK", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
"""The first bytes of zip, gzip, zstd, bzip2 and xz."""
PROBE_BYTES = 1 << 16  # bytes per read while searching for a place to split, up to MAX_LINE_BYTES
REQUEST_BYTES = 4 << 20
"""Bytes per request for an object; part of the last request of a range is wasted."""


class ByteRange(NamedTuple):
    """A byte range of a file; `end` is None for the whole file."""

    start: int = 0
    end: int | None = None


def byte_ranges(path: Path | S3Object, range_bytes: int) -> list[ByteRange]:
    """Split a file into ranges of about `range_bytes`, or one range if it cannot be split.

    OSError: the file cannot be read.
    """
    with files.open_source(path, PROBE_BYTES) as file:
        size = file.seek(0, SEEK_END)
        file.seek(0)
        first = file.read(READ_BYTES) if size >= 2 * range_bytes else b""
        text = first.removeprefix(files.UTF8_BOM)
        has_lines = (
            not first.startswith(COMPRESSED_SIGNATURES)
            and not other_encoding(text)
            and not is_tar(first)
            and foreign_format(text) is None
            and not files.is_single_document(str(path), text)
            and files.line_ending(text) == b"\n"
        )
        if not first or not has_lines:
            return [ByteRange()]
        ends, at = [0], range_bytes
        while size - at > range_bytes // 2 and (cut := _next_match_start(file, at, size)) is not None:
            ends.append(cut)
            at = max(at + range_bytes, cut + range_bytes // 2)
        if len(ends) == 1:
            return [ByteRange()]
        return [ByteRange(*both) for both in zip(ends, [*ends[1:], size], strict=True)]


def _next_match_start(file: IO[bytes], at: int, size: int) -> int | None:
    """Return the offset of the next text; None if there is none within MAX_LINE_BYTES."""
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
    """A stream of the bytes of a range that counts line feeds as it is read."""

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
    """Reads a range; `line_count` is its number of lines once `batches` is exhausted."""

    def __init__(self, path: Path | S3Object, byte_range: ByteRange, name: str | None = None) -> None:
        self.path, self.byte_range, self.name = path, byte_range, name or str(path)
        self.line_count = 0

    def batches(self) -> Iterator[files.Batch]:
        """Yield texts with lines counted from the range's start. OSError: it cannot be read."""
        if self.byte_range.end is None:
            with files.open_source(self.path) as file:
                yield from files.stream_batches(self.name, file)
            return
        with files.open_source(self.path, REQUEST_BYTES) as file:
            part = _RangeStream(file, self.byte_range)
            read = files.line_batches if self.byte_range.start else files.stream_batches
            for batch in read(self.name, cast(IO[bytes], part)):
                # an empty range does not make the file empty
                yield batch._replace(troubles=[one for one in batch.troubles if one.code != "empty-file"])
            self.line_count = part.line_count


def count_lines(path: Path | S3Object, byte_range: ByteRange) -> int:
    """Count the lines of a range. OSError: it cannot be read."""
    with files.open_source(path, REQUEST_BYTES) as file:
        some = _RangeStream(file, byte_range)
        while some.read(READ_BYTES):
            pass
        return some.line_count
