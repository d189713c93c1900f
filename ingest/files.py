"""Files → matches as text: `.json`, `.jsonl`, gzip, zstd and zip, told by what is in them.

Nothing is unpacked beyond fixed bounds, and memory does not grow with the file's size.
"""

import gzip
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson
import zstandard

from ingest.parse import LINE_LIMIT

BLOCK = 1 << 22
BATCH = 1 << 23
"""Bytes of text handed on at a time."""
DOCUMENT_LIMIT = 1 << 28
"""Bytes of the largest `.json`, which has to be read in one piece."""
BOMB_SIZE, BOMB_RATIO = 1 << 28, 200
"""An archive that unpacks to more than both is refused."""

Progress = Callable[[int], None]
"""Told how many bytes of the file as it lies on disk have been read."""


class Text(NamedTuple):
    """One match as it came; `line` counts from 1."""

    line: int
    text: bytes


class Trouble(NamedTuple):
    """What could not be read as a match: a code of `ingest.messages`, and where."""

    file: str
    line: int
    code: str
    found: Any = None
    legal: Any = None


class Batch(NamedTuple):
    """Matches of one file, or member of a zip, in order, and what could not be read."""

    file: str
    texts: list[Text]
    troubles: list[Trouble]


class _Refused(Exception):
    def __init__(self, code: str, found: Any = None, legal: Any = None) -> None:
        super().__init__(code)
        self.trouble = (code, found, legal)


class _Counted(RawIOBase):
    """A stream that tells how far it has been read."""

    def __init__(self, stream: IO[bytes], progress: Progress) -> None:
        self.stream, self.progress = stream, progress
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        self.progress(self.count)
        return len(data)


class _Bounded:
    """Unpacked bytes, refused when there are far more of them than went in."""

    def __init__(self, stream: Any, packed: _Counted) -> None:
        self.stream, self.packed = stream, packed
        self.count = 0

    def read(self, size: int) -> bytes:
        data: bytes = self.stream.read(size)
        self.count += len(data)
        if self.count > BOMB_SIZE and self.count > BOMB_RATIO * self.packed.count:
            raise _Refused("zip-bomb", f"{self.count >> 20} MB")
        return data


def batches(path: Path, progress: Progress = lambda count: None) -> Iterator[Batch]:
    """Everything in a file, a batch at a time; what cannot be read comes as a trouble."""
    name = str(path)
    try:
        with path.open("rb") as file:
            yield from stream_batches(name, file, progress)
    except OSError as error:
        yield Batch(name, [], [Trouble(name, 1, "cannot-read", error.strerror or str(error))])


def stream_batches(
    name: str, file: IO[bytes], progress: Progress = lambda count: None
) -> Iterator[Batch]:
    """The same from an open, seekable stream, such as an upload."""
    head = file.read(4)
    file.seek(0)
    if head == b"PK\x03\x04" or head == b"PK\x05\x06":
        yield from _zip_batches(name, file, progress)
    else:
        yield from _batches(name, _Counted(file, progress), head)


def _zip_batches(name: str, file: IO[bytes], progress: Progress) -> Iterator[Batch]:
    read = 0
    try:
        with zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if not members:
                yield Batch(name, [], [Trouble(name, 1, "empty-file")])
            for member in members:
                inner = f"{name}/{member.filename}"
                size, packed = member.file_size, max(member.compress_size, 1)
                if size > BOMB_SIZE and size > BOMB_RATIO * packed:
                    found = f"{packed >> 10} kB → {size >> 20} MB"
                    yield Batch(inner, [], [Trouble(inner, 1, "zip-bomb", found)])
                    continue
                with archive.open(member) as stream:
                    yield from _batches(inner, _Counted(stream, lambda count: None), None)
                read += packed
                progress(read)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as error:
        yield Batch(name, [], [Trouble(name, 1, "bad-archive", str(error))])


def _batches(name: str, counted: _Counted, head: bytes | None) -> Iterator[Batch]:
    """One file or member: unpack, tell lines from a document, cut into matches."""
    raw = BufferedReader(counted, BLOCK)
    head = raw.peek(4)[:4] if head is None else head
    try:
        if head[:2] == b"PK":
            raise _Refused("zip-in-zip")
        stream: Any = raw
        if head[:2] == b"\x1f\x8b":
            stream = _Bounded(gzip.GzipFile(fileobj=raw), counted)
        elif head == b"\x28\xb5\x2f\xfd":
            reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
            stream = _Bounded(reader, counted)
        some = False
        for batch in _cut(name, stream):
            some = some or bool(batch.texts or batch.troubles)
            yield batch
        if not some:
            yield Batch(name, [], [Trouble(name, 1, "empty-file")])
    except _Refused as error:
        yield Batch(name, [], [Trouble(name, 1, *error.trouble)])
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        yield Batch(name, [], [Trouble(name, 1, "bad-archive", str(error))])


def _cut(name: str, stream: Any) -> Iterator[Batch]:
    first = stream.read(BLOCK).removeprefix(b"\xef\xbb\xbf")
    if _is_document(name, first):
        yield _document(name, first, stream)
    else:
        yield from _lines(name, first, stream)


def _is_document(name: str, first: bytes) -> bool:
    """Whether the text is one JSON value over many lines, not one match a line."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if ".jsonl" in suffixes or ".ndjson" in suffixes:
        return False
    start = first.lstrip()
    if start[:1] == b"[":
        return True
    line, newline, rest = start.partition(b"\n")
    if not newline or not rest.strip():
        return ".json" in suffixes
    try:
        orjson.loads(line)
    except ValueError:
        return start[:1] == b"{" and (".json" in suffixes or line.strip() == b"{")
    return False


def _lines(name: str, block: bytes, stream: Any) -> Iterator[Batch]:
    number, size, carry = 1, 0, b""
    skipping = False
    batch = Batch(name, [], [])
    while block:
        parts = (carry + block).split(b"\n")
        carry = parts.pop()
        for part in parts:
            if skipping:
                skipping = False
            elif len(part) > LINE_LIMIT:
                batch.troubles.append(_too_long(name, number))
            elif part and not part.isspace():
                batch.texts.append(Text(number, part))
                size += len(part)
            number += 1
        if len(carry) > LINE_LIMIT or skipping:
            if not skipping:
                batch.troubles.append(_too_long(name, number))
            skipping, carry = True, b""
        if size >= BATCH:
            yield batch
            batch, size = Batch(name, [], []), 0
        block = stream.read(BLOCK)
    if carry and not carry.isspace():
        batch.texts.append(Text(number, carry))
    if batch.texts or batch.troubles:
        yield batch


def _too_long(name: str, line: int) -> Trouble:
    return Trouble(name, line, "too-long", None, LINE_LIMIT >> 20)


_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)


def _document(name: str, first: bytes, stream: Any) -> Batch:
    """One match, or an array of them, each cut out as it is written."""
    blocks, size = [first], len(first)
    while block := stream.read(BLOCK):
        size += len(block)
        if size > DOCUMENT_LIMIT:
            raise _Refused("too-large", None, DOCUMENT_LIMIT >> 20)
        blocks.append(block)
    text = b"".join(blocks).rstrip()
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != b"[":
        line = text.count(b"\n", 0, start) + 1
        return Batch(name, [Text(line, text[start:])] if text[start:] else [], [])
    batch = Batch(name, [], [])
    depth, begin, line, counted = 0, start + 1, 1, 0
    for token in _TOKEN.finditer(text, start):
        mark = token.group()
        if mark in b"[{":
            depth += 1
        elif mark in b"]}":
            depth -= 1
        if (depth == 1 and mark == b",") or depth == 0:
            piece = text[begin : token.start()]
            at = begin + len(piece) - len(piece.lstrip())
            line, counted = line + text.count(b"\n", counted, at), at
            if piece.strip():
                batch.texts.append(Text(line, piece.strip()))
            begin = token.end()
            if depth == 0:
                break
    if depth > 0 and text[begin:].strip():
        # the array is cut off: what is left is told, not dropped
        line += text.count(b"\n", counted, begin)
        batch.texts.append(Text(line, text[begin:].strip()))
    return batch
