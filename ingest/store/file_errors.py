"""Explains why a store file cannot be opened."""

import os
from pathlib import Path

import duckdb

from ingest.compat import file_error_kind, locking_pid
from ingest.i18n import N_
from ingest.store.errors import DISK_FULL, NOTHING_CHANGED, STORE_FAILED, STORE_IN_USE, StoreError

PRIVATE_MODE = 0o600
"""File mode of a new store, which contains names behind pseudonyms, and hashes of tokens."""

NO_FOLDER = N_("No folder {folder} for the store. Create it, or choose another place with --store.")
OTHER_OWNER = N_(
    "The store {path} belongs to another user, and only they can read it: work as that user, "
    "or ask them for an export."
)
FILE_READ_ONLY = N_("The store {path} may only be read. Choose another place with --store.")
WRITE_FAILED = N_("The store {path} cannot be written: {reason}. Choose another place with --store.")
NOT_A_STORE = N_(
    "{path} is not a Retourne store: it is not a DuckDB database. Choose another place with "
    "--store, or restore a backup: retourne restore BACKUP {path!w}"
)
IS_FOLDER = N_("{path} is not a Retourne store: it is a folder. Choose another place with --store.")
IS_SQLITE = N_("{path} is not a Retourne store: it is a SQLite database. Choose another place with --store.")
EMPTY_FILE = N_(
    "{path} is not a Retourne store: it is empty. Remove it, or bring a backup back: "
    "retourne restore BACKUP {path!w}"
)
NAME_NOT_UTF8 = N_(
    "{path} cannot be the name of a store or of a backup: it is not written in UTF-8. Choose another."
)
NOT_A_DATABASE = N_("{path} is another kind of file. Choose another place with --store.")
OTHER_DATABASE = N_("{path} is the database of another program. Choose another place with --store.")
UNFINISHED_STORE = N_(
    "The store {path} is empty: its creation was interrupted. Add logs: retourne ingest FILES {path!w}"
)
TABLES_MISSING = N_(
    "The store {path} lacks some of its tables. Bring a backup back: retourne restore BACKUP {path!w}"
)
STORE_DAMAGED = N_(
    "The store {path} is damaged, or its end is missing. Bring a backup back: "
    "retourne restore BACKUP {path!w}"
)
WAL_DAMAGED = N_(
    "The journal {path}.wal is damaged or of another store: {reason}. Move it away to open the "
    "store without the last changes, or restore a backup: retourne restore BACKUP {path!w}"
)
NOT_A_WAL = N_(
    "{path}.wal is not the journal of the store {path}, and DuckDB would write over it. Move it "
    "away: the store itself is whole."
)
WAL_TRUNCATED = N_("The journal {path}.wal is truncated or not a journal: the last changes are missing.")


def explain_error(path: str, error: Exception, failure_note: str = NOTHING_CHANGED) -> StoreError:
    """Return a StoreError that explains a DuckDB error; `failure_note`: the part that was stored."""
    reason = str(error).splitlines()[0].removeprefix("IO Error: ").rstrip(".!")
    match file_error_kind(error):
        case "locked":
            pid = locking_pid(error)
            return StoreError(STORE_IN_USE, path=path, pid=f" (PID {pid})" if pid else "")
        case "full":
            return StoreError(DISK_FULL, left=failure_note)
        case "journal":
            return StoreError(WAL_DAMAGED, path=path, reason=reason)
        case "shown":
            return StoreError(NOT_A_DATABASE, path=path)
    file = Path(path)
    if not file.exists() or file_error_kind(error) == "refused":
        return StoreError(WRITE_FAILED, path=path, reason=reason)
    if file_error_kind(error) == "damaged":
        return StoreError(STORE_DAMAGED, path=path)
    if isinstance(error, duckdb.IOException | duckdb.SerializationException):
        with file.open("rb") as opened:
            is_sqlite = opened.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
        return StoreError(IS_SQLITE if is_sqlite else NOT_A_STORE, path=path)
    return StoreError(STORE_FAILED, path=path, reason=reason, left=failure_note)


_SQLITE_MAGIC = b"SQLite format 3\0"
"""The first bytes of a SQLite file."""


def is_utf8_path(path: str | Path) -> bool:
    """Return whether a path can be encoded in UTF-8, as DuckDB requires."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def file_id(path: str | Path) -> tuple[int, int] | None:
    """Return an id that differs for another file of the same name, None without a file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
