"""Reads `.json`, `.jsonl` and archives into match texts.

Unpacking stops at fixed bounds, and memory use does not grow with the file's size.
"""

import re
import zipfile
from collections.abc import Iterator
from errno import ENOENT
from functools import partial
from io import SEEK_END, BufferedReader
from itertools import chain
from os import strerror
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from ingest.reader.archives import (
    ARCHIVE_DAMAGE_ERRORS,
    DAMAGE_ERRORS,
    READ_BYTES,
    CountingStream,
    FileRefusedError,
    Progress,
    UnpackedTotal,
    UnpackProgress,
    bomb_problem,
    is_tar,
    log_members,
    open_member,
    tar_members,
    unpack,
    unpacked_blocks,
)
from ingest.reader.file_type import OFFICE_MEMBERS, foreign_format, paper_format
from ingest.reader.json_split import MatchSpan, bracket_depth, complete_match_spans, match_spans
from ingest.reader.json_text import MAX_LINE_BYTES, is_json, json_error_message, other_encoding
from ingest.reader.object_storage import REQUEST_BYTES, S3Object, StorageError

MAX_BATCH_BYTES = 1 << 23
"""Bytes of text per batch: each batch has a fixed cost of some milliseconds."""
TEXT_OVERHEAD_BYTES = 100  # bytes of memory per text on top of its content
MAX_DOCUMENT_BYTES = 1 << 28  # bytes of the largest `.json`, which is held in memory whole
MAX_ARRAY_MATCHES = 1_000_000  # matches read from one JSON text; files of lines have no limit
MAX_OTHER_TEXTS = 1000  # texts of a file that cannot be matches: the others are counted
UTF8_BOM = b"\xef\xbb\xbf"
"""A byte-order mark, ignored at the start of a file or of a line."""

CUT_SHORT_MESSAGE, MORE_CONTENT_MESSAGE = ("unexpected end of data", "unexpected content after document")
"""Prefixes of the JSON reader's error messages."""
_MATCH_START = b'{"format"'
"""The start of a match that follows another on its line; a long needle is found fastest."""
_FORMAT_KEY, _ESCAPED = b'"format"', rb"\u"
"""The key that each match has, and the escape by which one of its letters may be written."""
_MIN_MATCH_BYTES = len(b'{"format":"retourne/1","game":"","deals":[]}')
MORE_TEXTS = "more-texts"
_STARTS_MATCH = re.compile(rb'[^"{]*+\{\s*+"format"\s*+:\s*+"retourne/')
"""The start of a line that holds a match, even a damaged one."""
_STARTS_MATCH_AFTER_RETURN = re.compile(rb'\r[^"{\r]*+\{\s*+"format"\s*+:\s*+"retourne/')
"""The same after a carriage return."""


class MatchText(NamedTuple):
    """The text of one match as read; `line` and `column` are where it starts, from 1.

    `file` is its own in a batch joined of several files.
    """

    line: int
    text: bytes
    column: int = 1
    file: str = ""


class ReadError(NamedTuple):
    """Text that could not be read as a match: a code of `ingest.findings.codes` and its line."""

    file: str
    line: int
    code: str
    found: Any = None
    legal: Any = None
    problem: str = ""  # a catalogue text, for codes that need one


class Batch(NamedTuple):
    """Matches of one file or zip member, in order, and the read errors among them."""

    file: str
    texts: list[MatchText]
    troubles: list[ReadError]


def batches(path: Path | S3Object, progress: Progress = lambda count: None) -> Iterator[Batch]:
    """Read a file in batches; unreadable content yields a `ReadError`, never an exception."""
    name = str(path)
    try:
        with open_source(path) as file:
            yield from stream_batches(name, file, progress)
    except OSError as error:
        yield _error_batch(name, "cannot-read", error.strerror or str(error))


def _error_batch(name: str, code: str, found: Any = None, legal: Any = None) -> Batch:
    """Return a batch with one error, for a file or zip member that is not read."""
    return Batch(name, [], [ReadError(name, 1, code, found, legal)])


def open_source(path: Path | S3Object, request_bytes: int = REQUEST_BYTES) -> IO[bytes]:
    """Open a file, or an object in requests of `request_bytes`. OSError: it cannot be opened."""
    if isinstance(path, S3Object):
        return path.open(request_bytes)
    try:
        return path.open("rb")
    except ValueError as error:  # a null or a lone surrogate in the name
        raise FileNotFoundError(ENOENT, strerror(ENOENT)) from error


def stream_batches(
    name: str,
    file: IO[bytes],
    progress: Progress = lambda count: None,
    unpacking: UnpackProgress = lambda more: None,
) -> Iterator[Batch]:
    """Read an open stream, such as an upload or a pipe, in batches."""
    head = b""
    while len(head) < 4 and (more := file.read(4 - len(head))):
        head += more
    read = head
    if file.seekable():
        file.seek(0)
        read = b""
    counted = CountingStream(file, progress, unpacking, read)
    if not head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _batches(name, counted, head)
    elif file.seekable():
        yield from _zip_batches(name, file, progress, unpacking)
    else:
        with TemporaryFile() as whole:  # a zip has its directory at the end
            copyfileobj(counted, whole)
            yield from _zip_batches(name, whole, progress, unpacking)


def _zip_batches(
    name: str, file: IO[bytes], progress: Progress, unpacking: UnpackProgress
) -> Iterator[Batch]:
    """Read the members of a zip in batches; an unreadable member does not stop the others."""
    read, whole = 0, file.seek(0, SEEK_END)
    try:
        archive = zipfile.ZipFile(file)
    except StorageError:
        raise
    except ARCHIVE_DAMAGE_ERRORS as error:
        yield _bad_archive_batch(name, error)
        return
    with archive:
        names = log_members(archive.namelist())
        if office := sorted(names & OFFICE_MEMBERS.keys()):
            yield _error_batch(name, "no-log", OFFICE_MEMBERS[office[0]])
            return
        members = [one for one in archive.infolist() if one.filename in names]
        if not members:
            yield _error_batch(name, "empty-file")
        size = sum(member.file_size for member in members)
        if bomb := bomb_problem(size, whole):
            yield _error_batch(name, "zip-bomb", bomb)
            return
        unpacking(size)
        nested = UnpackedTotal(unpacking)
        for member in members:
            if bomb := bomb_problem(nested.count, whole):  # of many, one by one within bounds
                yield _error_batch(name, "zip-bomb", bomb)
                return
            called, packed = f"{name}/{member.filename}", max(member.compress_size, 1)
            if bomb := bomb_problem(member.file_size, packed):
                yield _error_batch(called, "zip-bomb", bomb)
            else:
                try:
                    with open_member(archive, member) as stream:
                        share = packed / max(member.file_size, 1)
                        counted = CountingStream(stream, unpacking=nested.add, share=share)
                        yield from _batches(called, counted, None, is_member=True)
                except StorageError:
                    raise
                except ARCHIVE_DAMAGE_ERRORS as error:
                    yield _bad_archive_batch(called, error)
            read += member.compress_size
            progress(read)


def _bad_archive_batch(name: str, error: Exception) -> Batch:
    return _error_batch(name, "bad-archive", str(error) or type(error).__name__)


def _batches(
    name: str, counted: CountingStream, head: bytes | None, is_member: bool = False
) -> Iterator[Batch]:
    """Read one file or member: unpack it, detect lines or a document, split it into matches."""
    raw = BufferedReader(counted, READ_BYTES)
    try:
        head = raw.peek(4)[:4] if head is None else head
        if is_member and head[:2] == b"PK" and (paper := paper_format(name, head)):
            raise FileRefusedError("no-log", paper)
        if head[:2] == b"PK":
            raise FileRefusedError("nested-archive")
        packed = unpacked_blocks(raw, head)
        blocks = iter(partial(raw.read, READ_BYTES), b"") if packed is None else unpack(packed, counted)
        first = next(blocks, b"").removeprefix(UTF8_BOM)
        if is_tar(first):
            if is_member:
                raise FileRefusedError("nested-archive")
            yield from _tar_batches(name, chain([first], blocks), counted)
            return
        if encoding := other_encoding(first):
            raise FileRefusedError("not-utf8", encoding)
        if (kind := foreign_format(first)) is not None:
            raise FileRefusedError("no-log", kind)
        if is_member and (kind := paper_format(name, first)) is not None:
            raise FileRefusedError("no-log", kind)
        cut = _document_batches if is_single_document(name, first) else _line_batches
        some = False
        for batch in _without_other_texts(name, cut(name, first, blocks)):
            if batch.texts or batch.troubles:
                some = True
                yield batch
        if not some:
            yield _error_batch(name, "empty-file")
    except FileRefusedError as error:
        yield _error_batch(name, *error.args)
    except DAMAGE_ERRORS as error:
        yield _bad_archive_batch(name, error)


def _without_other_texts(name: str, found: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches with at most MAX_OTHER_TEXTS texts that cannot be matches, and an error for the rest.

    A text of three bytes takes as long to explain as a page: so many of them would take hours.
    None is a match without its keys, or shorter than they are.
    """
    count, line = 0, 1
    for batch in found:
        texts = list[MatchText]()
        for one in batch.texts:
            named = _FORMAT_KEY in one.text or _ESCAPED in one.text
            if not named or len(one.text) < _MIN_MATCH_BYTES:
                count += 1
                if count > MAX_OTHER_TEXTS:
                    line = one.line if count == MAX_OTHER_TEXTS + 1 else line
                    continue
            texts.append(one)
        yield batch if len(texts) == len(batch.texts) else batch._replace(texts=texts)
    if count > MAX_OTHER_TEXTS:
        more = ReadError(name, line, MORE_TEXTS, count - MAX_OTHER_TEXTS, MAX_OTHER_TEXTS)
        yield Batch(name, [], [more])


def _tar_batches(name: str, blocks: Iterator[bytes], packed: CountingStream) -> Iterator[Batch]:
    """Read the members of a tar in batches."""
    last, nested = _error_batch(name, "empty-file"), UnpackedTotal(packed.unpacking)
    try:
        for member, file in tar_members(blocks):
            if bomb := bomb_problem(nested.count, packed.count):
                yield _error_batch(name, "zip-bomb", bomb)
                return
            counted = CountingStream(file, unpacking=nested.add)
            for last in _batches(f"{name}/{member}", counted, None, is_member=True):
                yield last
    except StorageError:
        raise
    except ARCHIVE_DAMAGE_ERRORS as error:
        if not any(one.code == "bad-archive" for one in last.troubles):  # else reported with its member
            yield _bad_archive_batch(name, error)
    else:
        if last.file == name:
            yield last


def is_named_as_lines(name: str) -> bool:
    """Return whether a file's suffix means one match per line."""
    return any(suffix.lower() in (".jsonl", ".ndjson") for suffix in Path(name).suffixes)


def is_single_document(name: str, first: bytes) -> bool:
    """Return whether a text is one JSON value over many lines, not one match per line."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if is_named_as_lines(name):
        return False
    start = first.lstrip()
    if start[:1] == b"[":
        return True
    line, newline, rest = start.partition(b"\n")
    if not newline or not rest.strip():
        return ".json" in suffixes
    spread = start[:1] == b"{" and (".json" in suffixes or line.strip() == b"{")
    return spread and not is_json(line)


def line_batches(name: str, file: IO[bytes]) -> Iterator[Batch]:
    """Read a stream that starts at a line of a file and ends its lines with line feeds."""
    blocks = iter(partial(BufferedReader(CountingStream(file), READ_BYTES).read, READ_BYTES), b"")
    yield from _line_batches(name, next(blocks, b""), blocks, b"\n")


def _line_batches(name: str, block: bytes, blocks: Iterator[bytes], newline: bytes = b"") -> Iterator[Batch]:
    """Split blocks at `newline` (default: detected) into batches of match texts."""
    number, size, carry = 1, 0, b""
    newline = newline or line_ending(block)
    limit = MAX_BATCH_BYTES >> 3  # a small first batch, so that workers can start soon
    too_long = "too-long", None, MAX_LINE_BYTES >> 20
    skipping = False
    lines, troubles = _LineJoiner(each=is_named_as_lines(name)), list[ReadError]()
    while block:
        parts = block.split(newline)
        parts[0] = carry + parts[0]
        carry = parts.pop()
        for part in parts:
            if skipping:
                skipping = False
            elif len(part) > MAX_LINE_BYTES:
                troubles.append(ReadError(name, number, *too_long))
            else:
                lines.add(number, part)
                size += len(part) + TEXT_OVERHEAD_BYTES
            number += 1
        if skipping:
            carry = b""
        elif len(carry) > MAX_LINE_BYTES:
            troubles.append(ReadError(name, number, *too_long))
            skipping, carry = True, b""
        if size >= limit:
            yield Batch(name, lines.take_complete(), troubles)
            troubles, size, limit = [], 0, MAX_BATCH_BYTES
        try:
            block = next(blocks, b"")
        except DAMAGE_ERRORS:
            yield Batch(name, lines.take_all(), troubles)  # complete lines before the damage
            raise
    lines.add(number, carry)
    yield Batch(name, lines.take_all(), troubles)


def line_ending(block: bytes) -> bytes:
    """Detect the line ending of a file from its first block: a line feed or a carriage return.

    A carriage return ends lines only if the block has no line feed and it separates matches. Within a
    match it is white space, as in JSON, so that a match reads the same on its own or among others.
    """
    block = block.strip()
    first, found, _ = block.partition(b"\r")
    if not found or b"\n" in block:
        return b"\n"
    return b"\r" if is_json(first) or _STARTS_MATCH_AFTER_RETURN.search(block) else b"\n"


class _LineJoiner:
    """Joins lines into match texts: one per line, or several if a match spans lines.

    Lines that follow an open bracket belong to its match. Other content is one text, and so is
    reported once, unless the file's suffix means one match per line (`each`).
    """

    def __init__(self, each: bool) -> None:
        self.one_per_line = each
        self.texts: list[MatchText] = []
        self.pieces: list[bytes] = []  # lines of the last text, if it has several
        self.size = self.depth = 0  # bytes in `pieces`; brackets they leave open
        self.match = False  # whether `pieces` start like a match

    def add(self, number: int, line: bytes) -> None:
        if line[:1] == b"{" and not self.pieces and line.find(_MATCH_START, 1) < 0:
            self.texts.append(MatchText(number, line))  # fast path for most lines
            return
        line = line.removeprefix(UTF8_BOM)
        if not line or line.isspace():
            if self.pieces:
                self.pieces.append(line)
        elif line[:1] != b"{" and self._continues_match(number, line):
            self.pieces.append(line)
            self.size += len(line)
            self.depth += bracket_depth(line)
        else:
            self._close_match()
            # one text, unless complete matches follow each other on the line
            behind = line.find(_MATCH_START, 1) > 0 and line.lstrip()[:1] == b"{"
            if (
                behind
                and len(line) <= READ_BYTES
                and json_error_message(line).startswith(MORE_CONTENT_MESSAGE)
            ):
                pieces = _span_batches("", line, match_spans(line, 0, False))
                self.texts += [one._replace(line=number) for some in pieces for one in some.texts]
            else:
                self.texts.append(MatchText(number, line))

    def _continues_match(self, number: int, line: bytes) -> bool:
        """Return whether a line continues the last text."""
        if not self.texts or self.size > MAX_LINE_BYTES:
            return False
        last = self.texts[-1]
        if not self.pieces:
            self.match = last.text.lstrip()[:1] == b"{"
            is_open = self.match and json_error_message(last.text).startswith(CUT_SHORT_MESSAGE)
            self.depth = bracket_depth(last.text) if is_open else 0
        if self.depth <= 0 if self.match else self.one_per_line or line.lstrip()[:1] == b"{":
            return False  # the match is complete, or a match starts after other content
        if not self.pieces:
            self.pieces = [last.text, *[b""] * (number - last.line - 1)]
            self.size = len(last.text)
        return True

    def _close_match(self) -> None:
        """Join the lines of the last text, or split them if they are several damaged matches."""
        lines, self.pieces, self.size = self.pieces, [], 0
        begins = {place for place, line in enumerate(lines) if place and _STARTS_MATCH.match(line)}
        text = b"\n".join(lines).rstrip()
        if not begins or is_json(text):
            if lines:
                self.texts[-1] = self.texts[-1]._replace(text=text)
            return
        first, second = self.texts[-1].line, min(begins)
        text = b"\n".join(lines[:second]).rstrip()
        self.texts[-1] = self.texts[-1]._replace(text=text)
        for place, line in enumerate(lines[second:], second):
            if place in begins:
                self._close_match()
                self.texts.append(MatchText(first + place, line))
            else:
                self.add(first + place, line)

    def take_complete(self) -> list[MatchText]:
        """Remove and return the texts that no later line can continue."""
        texts, self.texts = self.texts[:-1], self.texts[-1:]
        return texts

    def take_all(self) -> list[MatchText]:
        self._close_match()
        texts, self.texts = self.texts, []
        return texts


def _document_batches(name: str, first: bytes, blocks: Iterator[bytes]) -> Iterator[Batch]:
    """Split a document into the texts of one match or of an array, and any trailing content."""
    every, size = [first], len(first)
    for block in blocks:
        size += len(block)
        if size > MAX_DOCUMENT_BYTES:
            raise FileRefusedError("too-large", None, MAX_DOCUMENT_BYTES >> 20)
        every.append(block)
    text = b"".join(every).rstrip()
    start = len(text) - len(text.lstrip())
    among = text[start : start + 1] == b"["
    if not among and (start == len(text) or is_json(text)):
        pieces = iter([MatchSpan(start, len(text))])
    else:
        pieces = complete_match_spans(text, start, among)
    yield from _span_batches(name, text, pieces)


def _span_batches(name: str, text: bytes, pieces: Iterator[MatchSpan]) -> Iterator[Batch]:
    """Batch the spans of a text with line and column; at most MAX_ARRAY_MATCHES matches."""
    batch, size, many, limit = Batch(name, [], []), 0, 0, MAX_BATCH_BYTES >> 3
    line, column, counted, before = 1, 1, 0, ""
    for low, high, problem in pieces:
        piece = text[low:high].lstrip().removeprefix(UTF8_BOM).lstrip()
        at, piece = high - len(piece), piece.rstrip()
        if newlines := text.count(b"\n", counted, at):
            line, column = line + newlines, 1
            counted = text.rindex(b"\n", counted, at) + 1
        column += len(text[counted:at].decode(errors="replace"))
        counted = at
        if many == MAX_ARRAY_MATCHES and piece:
            batch.troubles.append(ReadError(name, line, "too-many-matches", None, MAX_ARRAY_MATCHES))
            break
        if size >= limit:
            yield batch
            batch, size, limit = Batch(name, [], []), 0, MAX_BATCH_BYTES
        if piece:
            batch.texts.append(MatchText(line, piece, column))
            many, size = many + 1, size + len(piece) + TEXT_OVERHEAD_BYTES
        if problem and (is_json(piece) if piece else problem != before):  # else already reported
            where = line + piece.count(b"\n")
            batch.troubles.append(ReadError(name, where, "not-json", problem=problem))
        before = "" if piece else problem
    yield batch
