"""Unpacks compressed files, zips and tars in bounded memory, for `files`; refuses zip bombs."""

import bz2
import gzip
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import partial
from io import RawIOBase
from lzma import LZMAError
from typing import IO, Any, cast

import zstandard

from ingest.reader.object_storage import LOG_SUFFIXES

READ_BYTES = 1 << 20
SLICE_BYTES = 1 << 10  # bytes unpacked at a time: a zstd block of 4 bytes can hold 128 kB
STREAM_BYTES = 1 << 13  # of bzip2 or xz: what follows a stream is copied, and a stream may have 14 bytes
MAX_XZ_MEMORY_BYTES = 1 << 28  # of one decompressor: `xz -9` needs 65 MB
TAR_HEADER_BYTES = 512
DAMAGE_ERRORS = (
    EOFError,
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    zlib.error,
    zstandard.ZstdError,
    tarfile.TarError,
)
"""Exceptions that unpacking a damaged file raises."""
ARCHIVE_DAMAGE_ERRORS = (
    *DAMAGE_ERRORS,
    *(RuntimeError, NotImplementedError),  # a password; an unsupported version or method
    *(LZMAError, OSError),  # truncated LZMA or bzip2; a negative offset
    *(ValueError, IndexError, OverflowError, struct.error),  # inconsistent headers
    MemoryError,  # LZMA that requests too much memory
)
"""Exceptions the readers of zip and tar raise for a damaged archive."""
MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO = (1 << 28, 200)
"""Bounds against zip bombs: an archive that exceeds both is refused."""

Progress = Callable[[int], None]
"""Called with the bytes read so far of the file, as stored on disk."""
UnpackProgress = Callable[[int], None]
"""Called with the number of bytes just unpacked; may raise to stop unpacking."""
_OWN_FILE = re.compile(r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\.directory$)")
"""Files that systems add to archives: AppleDouble, Finder, Windows Explorer, KDE."""
_CHECKSUM = slice(148, 156)
"""The place of the checksum in a tar header: the sum of its bytes, with blanks here."""


class FileRefusedError(Exception):
    """Stops reading a file; its arguments are `code`, `found` and `legal` of the `ReadError`."""


class UnpackedTotal:
    """Counts what the compressed members of one archive unpack to, all together."""

    def __init__(self, unpacking: UnpackProgress) -> None:
        self.count, self.unpacking = 0, unpacking

    def add(self, more: int) -> None:
        self.count += more
        self.unpacking(more)


class CountingStream(RawIOBase):
    """A stream that reports how many bytes have been read."""

    def __init__(
        self,
        stream: IO[bytes],
        progress: Progress = lambda count: None,
        unpacking: UnpackProgress = lambda more: None,
        head: bytes = b"",
        share: float = 1.0,
    ) -> None:
        self.stream, self.progress, self.unpacking = stream, progress, unpacking
        self.head = head  # bytes already read from the stream
        self.share = share  # bytes on disk for each byte of the stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data, self.head = self.head or self.stream.read(len(buffer)), b""
        buffer[: len(data)] = data
        self.count += len(data)
        self.progress(self.count)
        return len(data)


def unpack(pieces: Iterator[bytes], packed: CountingStream) -> Iterator[bytes]:
    """Yield blocks of unpacked bytes. FileRefusedError: a zip bomb; DAMAGE_ERRORS: damaged."""
    count, size, some = 0, 0, list[bytes]()
    try:
        for data in pieces:
            some.append(data)
            size, count = size + len(data), count + len(data)
            packed.unpacking(len(data))
            if count > MAX_UNPACKED_BYTES and count > MAX_UNPACKED_RATIO * packed.count * packed.share:
                raise FileRefusedError("zip-bomb", f"{count >> 20} MB")
            if size >= READ_BYTES:
                yield b"".join(some)
                size, some = 0, []
    except DAMAGE_ERRORS:
        if some:
            yield b"".join(some)
        raise
    if some:
        yield b"".join(some)


def bomb_problem(size: int, packed: int) -> str:
    """Describe a zip bomb by its sizes; empty if the archive is within bounds."""
    if size > MAX_UNPACKED_BYTES and size > MAX_UNPACKED_RATIO * packed:
        return f"{packed >> 10} kB → {size >> 20} MB"
    return ""


def is_of_system(name: str) -> bool:
    """Return whether a member of an archive is one that systems add."""
    return _OWN_FILE.search(name) is not None


def log_members(names: Iterable[str]) -> set[str]:
    """Return the members of an archive to read, as of a folder: those with a suffix of logs.

    If none has one, all are read but those that systems add.
    """
    own = {name for name in names if not name.endswith("/") and not is_of_system(name)}
    return {name for name in own if name.lower().endswith(LOG_SUFFIXES)} or own


def unpacked_blocks(raw: IO[bytes], head: bytes) -> Iterator[bytes] | None:
    """Yield the unpacked bytes of a stream by its first bytes; None: it is not compressed.

    DAMAGE_ERRORS: it is damaged.
    """
    if head[:2] == b"\x1f\x8b":
        return iter(partial(gzip.GzipFile(fileobj=raw).read1, READ_BYTES), b"")
    if head == b"\x28\xb5\x2f\xfd":
        return _unpack_zstd(raw)
    if head[:3] == b"BZh":
        return _unpack_streams(raw, bz2.BZ2Decompressor)
    if head == b"\xfd7zX":
        return _unpack_streams(raw, partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, MAX_XZ_MEMORY_BYTES))
    return None


def _unpack_zstd(raw: IO[bytes]) -> Iterator[bytes]:
    """Unpack zstd frames in slices, to bound memory use. EOFError: a frame is truncated."""
    frame, left = None, b""
    while packed := left or raw.read(SLICE_BYTES):
        frame = frame or zstandard.ZstdDecompressor().decompressobj()
        data, left = frame.decompress(packed), b""
        if frame.eof:
            left, frame = frame.unused_data, None
        if data:
            yield data
    if frame is not None:
        raise EOFError("zstd: the end is missing")


def _unpack_streams(raw: IO[bytes], new_decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """Unpack bzip2 or xz streams that follow each other. EOFError: damaged, or truncated."""
    stream, left = None, b""
    while packed := left or raw.read(STREAM_BYTES):
        left = b""
        if stream is None:
            if not (packed := packed.lstrip(b"\0")):  # padding between and after the streams of xz
                continue
            stream = new_decompressor()
        while True:
            try:
                data = stream.decompress(packed, READ_BYTES)
            except (OSError, lzma.LZMAError) as error:
                raise EOFError(str(error)) from error
            if data:
                yield data
            if stream.eof or stream.needs_input:
                break
            packed = b""
        if stream.eof:
            left, stream = stream.unused_data, None
    if stream is not None:
        raise EOFError("the end is missing")


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    """Open a member of a zip. `zipfile` unpacks bzip2 4 kB at a time, which can hold gigabytes."""
    if member.compress_type != zipfile.ZIP_BZIP2:
        return archive.open(member)
    packed = copy(member)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, member.compress_size
    del packed.CRC  # of the unpacked bytes; bzip2 has its own
    blocks = _unpack_streams(archive.open(packed), bz2.BZ2Decompressor)
    return cast(IO[bytes], _BlockStream(_at_most(member.file_size, blocks)))


def _at_most(size: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        size -= len(block)
        if size < 0:
            raise zipfile.BadZipFile("a member is larger than its header says")
        yield block


def is_tar(first: bytes) -> bool:
    """Return whether a file begins with the header of a tar archive, by its checksum."""
    header = first[:TAR_HEADER_BYTES]
    digits = header[_CHECKSUM].strip(b" \0")
    if len(header) < TAR_HEADER_BYTES or not re.fullmatch(rb"[0-7]+", digits):
        return False
    return sum(header) - sum(header[_CHECKSUM]) + 8 * ord(" ") == int(digits, 8)


def tar_members(blocks: Iterator[bytes], *, every: bool = False) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield name and content of each file in a tar, in order. DAMAGE_ERRORS: it is damaged.

    A stream is read once, so members are chosen by their own name: those with a suffix of logs,
    and those without any suffix; all of them if `every`.
    """
    with tarfile.open(fileobj=_BlockStream(blocks), mode="r|") as archive:
        for member in archive:
            name = member.name
            plain = "." not in name.rpartition("/")[2]
            if not member.isfile() or is_of_system(name):
                continue
            if (every or plain or name.lower().endswith(LOG_SUFFIXES)) and (
                file := archive.extractfile(member)
            ):
                yield name, file


class _BlockStream(RawIOBase):
    """A stream over blocks of bytes."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._left = blocks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(self._blocks, b"")
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count
