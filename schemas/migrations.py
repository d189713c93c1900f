"""Opens DuckDB and applies the store's numbered migrations."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from schemas.column_docs import COMMENTS_SQL

APPLIED_MIGRATIONS_SQL = "SELECT number, name FROM {table}"


def connect(
    path: str | Path = ":memory:", read_only: bool = False, config: Mapping[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB database in which a name that is no table is never a variable of Python's."""
    told = {"python_enable_replacements": False, **(config or {})}
    return duckdb.connect(str(path), read_only=read_only, config=told)


@contextmanager
def with_tables(connection: duckdb.DuckDBPyConnection, **rows: Any) -> Iterator[None]:
    """While this lasts, queries of a connection find Arrow tables by these names.

    What is within a transaction keeps a table in memory until its end: of what is large it is given
    a reader, which is read once and lets go of what it has read.
    """
    for name, one in rows.items():
        connection.register(name, one)
    try:
        yield
    finally:
        for name in rows:
            with suppress(duckdb.Error):  # a transaction that failed takes no more orders
                connection.unregister(name)


def number(ask: duckdb.DuckDBPyConnection, query: str, values: Sequence[Any] = ()) -> int:
    """The one number that a query answers; 0 for NULL."""
    [(found,)] = ask.execute(query, list(values)).fetchall()
    return int(found or 0)


class NewerStoreError(Exception):
    """The store was made by a later version than this one."""


class OutdatedStoreError(Exception):
    """The store was made before there was a first version: its tables are read by none."""


def all_migrations() -> list[tuple[int, str, str]]:
    """(number, name, SQL) of every migration, in order."""
    found = []
    for entry in files("schemas").joinpath("sql").iterdir():
        number, _, name = entry.name.removesuffix(".sql").partition("_")
        if entry.name.endswith(".sql") and number.isdigit():
            found.append((int(number), name, entry.read_text(encoding="utf-8")))
    return sorted(found)


def missing_migrations(applied: Sequence[tuple[int, str]]) -> list[tuple[int, str, str]]:
    """Migrations a store needs that had some. NewerStore, EarlierStore: it is none of ours."""
    known = all_migrations()
    if applied and known[0][:2] not in applied:
        raise OutdatedStoreError
    done = max((number for number, _ in applied), default=0)
    if done > known[-1][0]:
        raise NewerStoreError(f"migration {done}, known up to {known[-1][0]}")
    return [migration for migration in known if migration[0] > done]


def pending_migrations(connection: duckdb.DuckDBPyConnection) -> list[tuple[int, str, str]]:
    """Migrations that an open store still needs. NewerStore, EarlierStore: it is none of ours."""
    tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    if ("migrations",) not in tables:
        return all_migrations()
    return missing_migrations(
        connection.execute(APPLIED_MIGRATIONS_SQL.format(table="migrations")).fetchall()
    )


def migrate(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Bring a store up to date, all the way or not at all; the names of what was applied."""
    connection.begin()
    try:
        wanted = pending_migrations(connection)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (number INTEGER, name VARCHAR, applied_at TIMESTAMPTZ)"
        )
        for number, name, sql in wanted:
            connection.execute(sql)
            connection.execute("INSERT INTO migrations VALUES (?, ?, now())", [number, name])
        if wanted:
            connection.execute(COMMENTS_SQL)
        connection.commit()
    except BaseException:
        with suppress(duckdb.Error):  # the transaction may be gone already
            connection.rollback()
        raise
    return [name for _, name, _ in wanted]
