"""Detects a foreign or leftover DuckDB write-ahead log."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def wal_path(store: str | Path) -> Path:
    """Where a store's journal lies while there is one."""
    return Path(f"{store}.wal")


def wal_size(store: str | Path) -> int:
    """How many bytes it has."""
    try:
        return wal_path(store).stat().st_size
    except OSError:
        return 0


def read_wal_header(store: str | Path) -> bytes:
    """Its first bytes; of none, none."""
    try:
        with wal_path(store).open("rb") as file:
            return file.read(8)
    except OSError:
        return b""


def is_wal_empty(store: str | Path) -> bool:
    """Whether all of a store is in its file."""
    return wal_size(store) == 0


def is_wal_replayed(connection: "duckdb.DuckDBPyConnection", wal_bytes: int) -> bool:
    """Whether DuckDB has read all of a journal of so many bytes, as it opened the store.

    It passes over the rest of one that breaks off, and over what is none, and says in words how
    much it has read: of a journal of megabytes a rest below a tenth of one is not seen.
    """
    [(same,)] = connection.execute(
        "SELECT wal_size = format_bytes(?) FROM pragma_database_size()"
        " WHERE database_name = current_database()",
        [wal_bytes],
    ).fetchall()
    return bool(same)
