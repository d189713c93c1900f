"""Opens a command's output file without overwriting stores or foreign files.

Commands check before they work or open a store: by the rules of POSIX, closing a file that this
process has open for a store releases the store's lock.
"""

import os
import re
from codecs import getincrementaldecoder
from enum import Enum, auto
from pathlib import Path

from ingest.i18n import N_
from ingest.reader.file_type import CONTROL_CHARACTERS, SNIFF_BYTES, is_duckdb
from ingest.store import server_hosts, wal
from ingest.store.errors import StoreError

A_STORE = N_("{path} is a store or belongs to one: nothing is written over it. Name another file.")
OTHER_KIND = N_("{path} is another kind of file: name another one, or pass --force.")


class Kind(Enum):
    """Kinds of files that commands write, recognized by their first bytes."""

    JSON = auto()
    TEXT = auto()
    PAGE = auto()
    PARQUET = auto()
    WORKBOOK = auto()
    BACKUP = auto()


def check(target: Path, kind: Kind, force: bool = False, store: Path | None = None) -> None:
    """Raise StoreError if a target is a store, or a file of another kind without `force`.

    `store` is the store that the command works on.
    """
    if kind is not Kind.BACKUP and (is_duckdb(str(target)) or (store is not None and _same(target, store))):
        raise StoreError(A_STORE, path=target)
    if belongs(target):
        raise StoreError(A_STORE, path=target)
    if not force and target.is_file():
        with target.open("rb") as file:
            first = file.read(SNIFF_BYTES)
        if first and _kind_of(first) is not kind:
            raise StoreError(OTHER_KIND, path=target)


def is_open_already(path: Path) -> bool:
    """Return whether a path such as `/dev/stdout` or `/dev/fd/3` names a file that a process has open."""
    folders = [path.parent] + ([(path.parent / path.readlink()).parent] if path.is_symlink() else [])
    return any(one.resolve().is_relative_to("/proc") for one in folders)


def belongs(target: Path) -> bool:
    """Return whether a file name is that of a store's journal or server file."""
    real = target.resolve()
    if real.suffix not in (".wal", ".server") or not real.parent.is_dir():
        return False
    # by names only: this process may have one of the files open for a store
    every = real.parent.iterdir()
    return any(real in (wal.wal_path(one), server_hosts.server_file_path(one)) for one in every)


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return os.path.samefile(one, other)
    return one.resolve() == other.resolve()


_WORKBOOK = re.compile(rb"\[Content_Types\]\.xml|docProps/|xl/")
"""Names of a workbook's parts, which a ZIP file contains."""
_BOM = b"\xef\xbb\xbf"


def _kind_of(first: bytes) -> Kind | None:
    """Return the kind of a file by its first bytes; None: no command writes such files."""
    if first[8:12] == b"DUCK":
        return Kind.BACKUP
    if first.startswith(b"PAR1"):
        return Kind.PARQUET
    if first.startswith(b"PK\3\4") and _WORKBOOK.search(first):
        return Kind.WORKBOOK
    try:
        getincrementaldecoder("utf-8")().decode(first)  # the last character may be cut
    except UnicodeDecodeError:
        return None
    if CONTROL_CHARACTERS.search(first):
        return None
    text = first.removeprefix(_BOM).lstrip()
    if text.startswith((b"{", b"[")):
        return Kind.JSON
    is_page = re.match(rb"<(!doctype )?html", text, re.IGNORECASE)
    return Kind.PAGE if is_page else Kind.TEXT
