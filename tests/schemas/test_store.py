"""Migrations: numbered, each applied once, whole or not at all."""

import duckdb
import pytest

from schemas import store


def tables(connection: duckdb.DuckDBPyConnection) -> set[str]:
    rows = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    return {name for (name,) in rows}


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _, _ in store.migrations()] == list(
        range(1, len(store.migrations()) + 1)
    )


def test_migrating_twice_applies_once() -> None:
    connection = duckdb.connect()
    assert store.migrate(connection) == [name for _, name, _ in store.migrations()]
    assert store.migrate(connection) == []
    assert {"matches", "deals", "migrations"} <= tables(connection)
    assert connection.execute("SELECT count(*) FROM migrations").fetchone() == (
        len(store.migrations()),
    )


def test_a_migration_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    broken = "CREATE TABLE half (n INTEGER); INSERT INTO half VALUES (1); SELECT no_such_function()"
    known = [(1, "good", "CREATE TABLE whole (n INTEGER)"), (2, "bad", broken)]
    monkeypatch.setattr(store, "migrations", lambda: known)
    with pytest.raises(duckdb.Error):
        store.migrate(connection)
    assert tables(connection) == {"migrations", "whole"}
    assert connection.execute("SELECT name FROM migrations").fetchall() == [("good",)]
    # put right, it goes on from there
    known[1] = (2, "better", "CREATE TABLE second (n INTEGER)")
    assert store.migrate(connection) == ["better"]


def test_a_store_from_the_future_is_left_alone() -> None:
    connection = duckdb.connect()
    store.migrate(connection)
    connection.execute("INSERT INTO migrations VALUES (99, 'later', now())")
    with pytest.raises(store.NewerStore):
        store.migrate(connection)
