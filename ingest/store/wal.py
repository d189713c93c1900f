"""Detects a foreign or leftover DuckDB write-ahead log."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def wal_path(store: str | Path) -> Path:
    """Return the path of a store's journal."""
    return Path(f"{store}.wal")


def wal_size(store: str | Path) -> int:
    """Return the size of the journal in bytes; 0 if there is none."""
    try:
        return wal_path(store).stat().st_size
    except OSError:
        return 0


def read_wal_header(store: str | Path) -> bytes:
    """Return the journal's first 8 bytes; empty if there is none."""
    try:
        with wal_path(store).open("rb") as file:
            return file.read(8)
    except OSError:
        return b""


def is_wal_empty(store: str | Path) -> bool:
    """Return whether the store's file contains all of the store."""
    return wal_size(store) == 0


def is_wal_replayed(connection: "duckdb.DuckDBPyConnection", wal_bytes: int) -> bool:
    """Return whether DuckDB replayed a whole journal of this size when it opened the store.

    DuckDB ignores the rest of a broken journal, and a file that is none. It reports a rounded size:
    in a journal of megabytes, a rest below a tenth of one goes unnoticed.
    """
    if not wal_bytes:
        return True
    [(same,)] = connection.execute(
        "SELECT wal_size = format_bytes(?) FROM pragma_database_size()"
        " WHERE database_name = current_database()",
        [wal_bytes],
    ).fetchall()
    return bool(same)
