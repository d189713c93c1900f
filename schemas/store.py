"""The store's tables: numbered SQL files, each applied once; those a store lacks all or none."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib.resources import files
from typing import Any

import duckdb

from schemas import blocks, comments, former

STEPS = {14: blocks.turn_over, 18: former.keep}
"""What a migration does that no SQL can say, behind its own."""
COUNTS = re.compile(r"^INSERT INTO \w+ FROM all_\w+\(\);$", re.MULTILINE)
"""What counts all rows of a store: to plan it takes a quarter of the time a new one is made in."""


class NewerStore(Exception):
    """The store was made by a later version than this one."""


def migrations() -> list[tuple[int, str, str]]:
    """(number, name, SQL) of every migration, in order."""
    found = []
    for entry in files("schemas").joinpath("sql").iterdir():
        number, _, name = entry.name.removesuffix(".sql").partition("_")
        if entry.name.endswith(".sql") and number.isdigit():
            found.append((int(number), name, entry.read_text(encoding="utf-8")))
    return sorted(found)


def pending(connection: duckdb.DuckDBPyConnection) -> list[tuple[int, str, str]]:
    """Migrations a store still needs. NewerStore: it has some that we do not know."""
    done = 0
    try:
        row: tuple[Any, ...] | None = connection.execute(
            "SELECT max(number) FROM migrations"
        ).fetchone()
        done = row[0] or 0 if row else 0
    except duckdb.CatalogException:
        pass  # not even that table
    known = migrations()
    if done > known[-1][0]:
        raise NewerStore(f"migration {done}, known up to {known[-1][0]}")
    return [migration for migration in known if migration[0] > done]


@contextmanager
def _lean(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Hundreds of statements that move no rows take half the time like this."""
    connection.execute("SET threads = 1; PRAGMA disable_optimizer")
    try:
        yield
    finally:
        with suppress(duckdb.Error):  # a transaction that failed takes no more orders
            connection.execute("RESET threads; PRAGMA enable_optimizer")


def migrate(connection: duckdb.DuckDBPyConnection, room: bool = True) -> list[str]:
    """Bring a store up to date, all the way or not at all; the names of what was applied.

    What its tables and columns say is written anew where another version has said it; alone that is
    not worth a full disk (`room`). NewerStore: it is ahead of us.
    """
    connection.begin()
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (number INTEGER, name VARCHAR, applied_at TIMESTAMPTZ)"
        )
        wanted = pending(connection)
        if wanted or (room and not comments.are_written(connection)):
            has_rows = bool(wanted) and wanted[0][0] > 1
            with nullcontext() if has_rows else _lean(connection):
                _apply(connection, wanted, has_rows)
        connection.commit()
    except BaseException:
        with suppress(duckdb.Error):  # the transaction may be gone already
            connection.rollback()
        raise
    return [name for _, name, _ in wanted]


def _apply(
    connection: duckdb.DuckDBPyConnection, wanted: list[tuple[int, str, str]], has_rows: bool
) -> None:
    for number, name, sql in wanted:
        connection.execute(sql if has_rows else COUNTS.sub("", sql))
        if number in STEPS:
            STEPS[number](connection)
        connection.execute("INSERT INTO migrations VALUES (?, ?, now())", [number, name])
    comments.write(connection)
