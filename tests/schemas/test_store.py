"""Migrations: numbered, each applied once, whole or not at all."""

from pathlib import Path

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


def test_verdicts_of_an_older_store_survive_and_so_does_one_cut_off_while_migrating(
    tmp_path: Path,
) -> None:
    path, known = tmp_path / "store.duckdb", store.migrations()
    connection = duckdb.connect(str(path))
    connection.execute(
        "CREATE TABLE migrations (number INTEGER, name VARCHAR, applied_at TIMESTAMPTZ)"
    )
    for _, _, sql in known[:4]:
        connection.execute(sql)
    connection.execute("INSERT INTO migrations VALUES (4, 'what_was_dealt', now())")
    connection.execute(
        "INSERT INTO matches (match_no, match_id, file_no, line, status, findings, deals,"
        " rules_version) VALUES (0, 'a', 0, 1, 'irregular', 0, 1, 1)"
    )
    connection.execute("INSERT INTO deals (match_no, deal, status) VALUES (0, 0, 'broken')")
    connection.execute("CHECKPOINT")
    connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    connection.execute("SET checkpoint_threshold = '1GB'")
    assert store.migrate(connection)[0] == "unproven"
    connection.close()
    assert path.with_name("store.duckdb.wal").exists()  # all of it is in the journal
    again = duckdb.connect(str(path))
    assert again.execute("SELECT status::VARCHAR FROM matches").fetchall() == [("irregular",)]
    assert again.execute("SELECT status::VARCHAR FROM deals").fetchall() == [("broken",)]
    assert again.execute("SELECT 'unproven'::verdict > 'legal'::verdict").fetchone() == (True,)


def never_empty(connection: duckdb.DuckDBPyConnection) -> set[tuple[str, str]]:
    rows = connection.execute(
        "SELECT table_name, column_name FROM duckdb_columns()"
        " WHERE schema_name = 'main' AND NOT is_nullable"
    ).fetchall()
    return {(str(table), str(column)) for table, column in rows}


def test_no_migration_forgets_which_columns_are_never_empty() -> None:
    first, last = duckdb.connect(), duckdb.connect()
    first.execute(store.migrations()[0][2])
    store.migrate(last)
    assert ("matches", "status") in never_empty(first) <= never_empty(last)
    with pytest.raises(duckdb.ConstraintException):
        last.execute("INSERT INTO deals (match_no, deal) VALUES (0, 0)")
