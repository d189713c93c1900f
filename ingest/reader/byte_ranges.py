"""A long file of lines in ranges of bytes that can each be read alone, by whoever has the file.

A line that begins with a brace begins a text, whatever stands before it, so the texts of the ranges
are those of the whole file. How many lines came before is for the reader of the others to say.
"""

from collections.abc import Iterator
from io import SEEK_END, RawIOBase
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from ingest.reader import files
from ingest.reader.file_type import no_log
from ingest.reader.json_text import LINE_LIMIT, other_encoding
from ingest.reader.object_storage import S3Object

PACKED = (b"PK", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # how zip, gzip and zstd begin
LOOK = 1 << 16  # bytes looked at at a time for a place to cut, up to the longest line there may be
SOME = 4 << 20
"""Bytes of an object that are asked for at once: some of the last ones are read in vain."""


class Range(NamedTuple):
    """Bytes of a file; `end` is None for all of a file."""

    start: int = 0
    end: int | None = None


def ranges(path: Path | S3Object, most: int) -> list[Range]:
    """The ranges of some `most` bytes a file can be cut into, or one of all. OSError: unread."""
    with files.opened(path, LOOK) as file:
        size = file.seek(0, SEEK_END)
        file.seek(0)
        first = file.read(files.BLOCK) if size >= 2 * most else b""
        text = first.removeprefix(files.MARK)
        has_lines = (
            not first.startswith(PACKED)
            and not other_encoding(text)
            and no_log(text) is None
            and not files.is_document(str(path), text)
            and files.line_end(text) == b"\n"
        )
        if not first or not has_lines:
            return [Range()]
        ends, at = [0], most
        while size - at > most // 2 and (cut := _next_text(file, at, size)) is not None:
            ends.append(cut)
            at = max(at + most, cut + most // 2)
        if len(ends) == 1:
            return [Range()]
        return [Range(*both) for both in zip(ends, [*ends[1:], size], strict=True)]


def _next_text(file: IO[bytes], at: int, size: int) -> int | None:
    """Where the next text begins; None: not before a line would be too long."""
    file.seek(at)
    last, far = b"", min(size, at + LINE_LIMIT)
    while at < far and (block := file.read(LOOK)):
        found = (last + block).find(b"\n{")
        if found >= 0:
            return at - len(last) + found + 1
        at += len(block)
        last = block[-1:]
    return None


class _Part(RawIOBase):
    """The bytes of a range, with its line feeds counted as they are read."""

    def __init__(self, file: IO[bytes], part: Range) -> None:
        self.file, self.left = file, (part.end or 0) - part.start
        self.lines = 0
        file.seek(part.start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(min(len(buffer), self.left))
        buffer[: len(data)] = data
        self.left -= len(data)
        self.lines += data.count(b"\n")
        return len(data)


class Reading:
    """A range being read; `lines` is how many lines it has, once it has been."""

    def __init__(self, path: Path | S3Object, part: Range, name: str | None = None) -> None:
        self.path, self.part, self.name = path, part, name or str(path)
        self.lines = 0

    def batches(self) -> Iterator[files.Batch]:
        """Its texts with their lines counted from its beginning. OSError: it cannot be read."""
        if self.part.end is None:
            with files.opened(self.path) as file:
                yield from files.stream_batches(self.name, file)
            return
        with files.opened(self.path, SOME) as file:
            part = _Part(file, self.part)
            read = files.lines_of if self.part.start else files.stream_batches
            for batch in read(self.name, cast(IO[bytes], part)):
                # a file with more behind it is not empty
                troubles = [one for one in batch.troubles if one.code != "empty-file"]
                yield batch._replace(troubles=troubles)
            self.lines = part.lines


def count_lines(path: Path | S3Object, part: Range) -> int:
    """How many lines a range has. OSError: it cannot be read."""
    with files.opened(path, SOME) as file:
        some = _Part(file, part)
        while some.read(files.BLOCK):
            pass
        return some.lines
