"""Lists the notes and sheets in an archive, so that each is imported as a file of its own."""

import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import PurePosixPath
from typing import IO, NamedTuple

from ingest.i18n import N_
from ingest.importers.import_file import (
    ARCHIVE_SUFFIXES,
    LOG_PATTERN,
    MAX_FILE_BYTES,
    SPREADSHEET_PARTS,
    is_importable,
)
from ingest.reader.archives import (
    ARCHIVE_DAMAGE_ERRORS,
    READ_BYTES,
    is_of_system,
    is_tar,
    open_member,
    tar_members,
    unpacked_blocks,
)
from ingest.reader.object_storage import LOG_SUFFIXES

NOT_READ = N_("{path}: not read, as it is neither a note nor a score sheet.")
LOGS_TOO = N_("{path} has logs too: `retourne ingest` adds them.")
MAX_FILES = 200  # notes and sheets of one archive
_MAX_TAR_BYTES = 4 * MAX_FILE_BYTES  # unpacked
_READ_ME = ("readme", "read me", "read-me", "lisez-moi", "lisezmoi", "lisez moi", "licence", "license")


_Opener = Callable[[], IO[bytes]]


class FilesInArchive(NamedTuple):
    """The contents of an archive, without the files that systems add."""

    papers: list[tuple[str, bytes]]
    """Name and content of each file that is imported."""
    has_logs: bool
    others: list[str]
    """Names of files that are neither."""


def files_in_archive(name: str, file: IO[bytes]) -> FilesInArchive | None:
    """Read the notes and sheets in an archive; None if the file is not a readable archive with some."""
    if not name.lower().endswith(ARCHIVE_SUFFIXES):
        return None
    found, size = FilesInArchive([], False, []), 0
    try:
        for inner, open_content in _members(file):
            own = PurePosixPath(inner).name
            if own.lower().endswith(LOG_SUFFIXES):
                found = found._replace(has_logs=True)
            elif not is_importable(own):
                found.others.append(inner)
            elif not own.lower().startswith(_READ_ME):
                with open_content() as content:
                    data = content.read(MAX_FILE_BYTES + 1)
                size += len(data)
                if size > MAX_FILE_BYTES or len(found.papers) == MAX_FILES:
                    return None
                if LOG_PATTERN.match(data):
                    found = found._replace(has_logs=True)
                else:
                    found.papers.append((inner, data))
    except ARCHIVE_DAMAGE_ERRORS:
        return None
    finally:
        file.seek(0)
    return found if found.papers else None


def _members(file: IO[bytes]) -> Iterator[tuple[str, _Opener]]:
    """Yield the name of each file in a zip or a tar, and a function that opens it.

    ARCHIVE_DAMAGE_ERRORS: it is damaged.
    """
    head = file.read(4)
    file.seek(0)
    if head[:2] == b"PK":
        with zipfile.ZipFile(file) as archive:
            if {*SPREADSHEET_PARTS} & {*archive.namelist()}:
                return
            for member in archive.infolist():
                if not (member.is_dir() or is_of_system(member.filename)):
                    yield member.filename, partial(open_member, archive, member)
        return
    packed = unpacked_blocks(file, head)
    blocks = iter(partial(file.read, READ_BYTES), b"") if packed is None else packed
    first = next(blocks, b"")
    if is_tar(first):
        for name, content in tar_members(_at_most(_MAX_TAR_BYTES, chain([first], blocks)), every=True):
            yield name, partial(_same, content)


def _same(content: IO[bytes]) -> IO[bytes]:
    return content


def _at_most(size: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        size -= len(block)
        if size < 0:
            raise EOFError("too large")
        yield block
