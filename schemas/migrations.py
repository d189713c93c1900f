"""Opens DuckDB and applies the store's numbered migrations."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from schemas.column_docs import COMMENTS_SQL

APPLIED_MIGRATIONS_SQL = "SELECT * EXCLUDE (applied_at) FROM {table} ORDER BY number"
"""Number, name and digest; a store of an earlier development version has no digest."""
MIGRATIONS_TABLE_SQL = """
CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER, name VARCHAR, digest VARCHAR, applied_at TIMESTAMPTZ
)
"""
INSERT_MIGRATION_SQL = (
    "INSERT INTO {table} BY NAME SELECT ? AS number, ? AS name, ? AS digest, now() AS applied_at"
)


def connect(
    path: str | Path = ":memory:", read_only: bool = False, config: Mapping[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB database whose queries never read Python variables as tables."""
    fields = {"python_enable_replacements": False, **(config or {})}
    return duckdb.connect(str(path), read_only=read_only, config=fields)


@contextmanager
def with_tables(connection: duckdb.DuckDBPyConnection, **rows: Any) -> Iterator[None]:
    """Register Arrow tables on a connection by name while the context lasts.

    A transaction holds a registered table in memory until it ends: pass large data as a reader,
    which DuckDB reads once and releases as it goes.
    """
    for name, one in rows.items():
        connection.register(name, one)
    try:
        yield
    finally:
        for name in rows:
            with suppress(duckdb.Error):  # a failed transaction rejects every statement
                connection.unregister(name)


def number(cursor: duckdb.DuckDBPyConnection, query: str, values: Sequence[Any] = ()) -> int:
    """Return the one number a query yields; 0 for NULL."""
    [(found,)] = cursor.execute(query, list(values)).fetchall()
    return int(found or 0)


class NewerStoreError(Exception):
    """A later version of Retourne wrote the store."""


class OutdatedStoreError(Exception):
    """The store predates the first release: no version reads its tables."""


def all_migrations() -> list[tuple[int, str, str]]:
    """Return (number, name, SQL) of every migration, in order."""
    return list(_shipped_migrations())


@cache
def _shipped_migrations() -> Sequence[tuple[int, str, str]]:
    found = []
    for entry in files("schemas").joinpath("sql").iterdir():
        number, _, name = entry.name.removesuffix(".sql").partition("_")
        if entry.name.endswith(".sql") and number.isdigit():
            found.append((int(number), name, entry.read_text(encoding="utf-8")))
    return sorted(found)


def schema_digest(sql: str) -> str:
    """Return 16 hexadecimal digits of a migration's statements, whatever its comments and layout."""
    statements = " ".join(line.partition("--")[0] for line in sql.splitlines())
    return hashlib.sha256(" ".join(statements.split()).encode()).hexdigest()[:16]


def missing_migrations(applied: Sequence[tuple[Any, ...]]) -> list[tuple[int, str, str]]:
    """Return the migrations that `applied` lacks, rows of (number, name, digest).

    OutdatedStoreError: one of them was another when it was applied. NewerStoreError: one is not known.
    """
    known = all_migrations()
    expected = {number: (number, name, schema_digest(sql)) for number, name, sql in known}
    if any(one[:3] != expected.get(one[0], one[:3]) for one in applied):
        raise OutdatedStoreError
    done = max((one[0] for one in applied), default=0)
    if done > known[-1][0]:
        raise NewerStoreError(f"migration {done}, known up to {known[-1][0]}")
    return [migration for migration in known if migration[0] > done]


def table_names(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the names of all tables of an open database."""
    return {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def pending_migrations(
    connection: duckdb.DuckDBPyConnection, tables: Collection[str] | None = None
) -> list[tuple[int, str, str]]:
    """Return the migrations an open store needs. Raises NewerStoreError, OutdatedStoreError.

    `tables` are its `table_names`, if the caller has them.
    """
    if "migrations" not in (table_names(connection) if tables is None else tables):
        return all_migrations()
    return missing_migrations(
        connection.execute(APPLIED_MIGRATIONS_SQL.format(table="migrations")).fetchall()
    )


def migrate(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Apply every pending migration in one transaction and return their names."""
    connection.begin()
    try:
        wanted = pending_migrations(connection)
        connection.execute(MIGRATIONS_TABLE_SQL)
        for number, name, sql in wanted:
            connection.execute(sql)
            values = [number, name, schema_digest(sql)]
            connection.execute(INSERT_MIGRATION_SQL.format(table="migrations"), values)
        if wanted:
            connection.execute(COMMENTS_SQL)
        connection.commit()
    except BaseException:
        with suppress(duckdb.Error):  # the transaction may have ended already
            connection.rollback()
        raise
    return [name for _, name, _ in wanted]
