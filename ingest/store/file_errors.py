"""What can be wrong with the file of a store, or what stands in its place, told to its user."""

from pathlib import Path

import duckdb

from ingest.compat import failure, holder
from ingest.i18n import N_
from ingest.store.errors import BUSY, FAILED, FULL, NOTHING, StoreError

PRIVATE = 0o600
"""The rights of a new store: it has names behind pseudonyms, and hashes of tokens."""

NO_FOLDER = N_("There is no folder {folder} for the store. Choose another place with --store.")
NOT_YOURS = N_(
    "The store {path} is another user’s, who alone may read it: work as that user, or ask them "
    "for an export."
)
ONLY_READ = N_("The store {path} may only be read. Choose another place with --store.")
READ_ONLY = N_("The store {path} cannot be written: {reason}. Choose another place with --store.")
NOT_A_STORE = N_(
    "{path} is not a store of this program: it is no DuckDB database. Choose another place with "
    "--store, or bring a backup back: retourne restore BACKUP {path!w}"
)
FOLDER = N_(
    "{path} is not a store of this program: it is a folder. Choose another place with --store."
)
SQLITE = N_(
    "{path} is not a store of this program: it is a SQLite database. Choose another place with "
    "--store."
)
EMPTY = N_(
    "{path} is not a store of this program: it is empty. Remove it, or bring a backup back: "
    "retourne restore BACKUP {path!w}"
)
BAD_NAME = N_(
    "{path} cannot be the name of a store or of a backup: it is not written in UTF-8. "
    "Choose another."
)
OTHER_FILE = N_("{path} is a file of something else. Choose another place with --store.")
OTHER_TABLES = N_("{path} is the database of another program. Choose another place with --store.")
UNFINISHED = N_(
    "The store {path} is empty: whoever began to make it was stopped. Put logs into it: "
    "retourne ingest FILES {path!w}"
)
INCOMPLETE = N_(
    "The store {path} lacks some of its tables. Bring a backup back: "
    "retourne restore BACKUP {path!w}"
)
DAMAGED = N_(
    "The store {path} is damaged, or its end is missing. Bring a backup back: "
    "retourne restore BACKUP {path!w}"
)
JOURNAL_DAMAGED = N_(
    "The journal {path}.wal is damaged or of another store: {reason}. Move it away, and the store "
    "opens without what was written last; or bring a backup back: "
    "retourne restore BACKUP {path!w}"
)
NO_JOURNAL = N_(
    "{path}.wal is not the journal of the store {path}, and DuckDB would write over it. Move it "
    "away: the store itself is whole."
)
JOURNAL_CUT = N_(
    "The journal {path}.wal breaks off, or is none: what was being written when the store was left "
    "is not in it."
)


def explain_error(path: str, error: Exception, left: str = NOTHING) -> StoreError:
    """What a DuckDB error means for the user; `left` says what is left of the work."""
    reason = str(error).splitlines()[0].removeprefix("IO Error: ").rstrip(".!")
    match failure(error):
        case "locked":
            pid = holder(error)
            return StoreError(BUSY, path=path, pid=f" (PID {pid})" if pid else "")
        case "full":
            return StoreError(FULL, left=left)
        case "journal":
            return StoreError(JOURNAL_DAMAGED, path=path, reason=reason)
        case "shown":
            return StoreError(OTHER_FILE, path=path)
    file = Path(path)
    if not file.exists() or failure(error) == "refused":
        return StoreError(READ_ONLY, path=path, reason=reason)
    if failure(error) == "damaged":
        return StoreError(DAMAGED, path=path)
    if isinstance(error, duckdb.IOException | duckdb.SerializationException):
        with file.open("rb") as opened:
            is_sqlite = opened.read(len(_SQLITE)) == _SQLITE
        return StoreError(SQLITE if is_sqlite else NOT_A_STORE, path=path)
    return StoreError(FAILED, path=path, reason=reason, left=left)


_SQLITE = b"SQLite format 3\0"
"""How its files begin."""


def is_text(path: str | Path) -> bool:
    """Whether a file can be called by its name in UTF-8, as DuckDB calls it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
