"""Migrations: numbered, each applied once, and those a store lacks all or none."""

from pathlib import Path

import duckdb
import pytest

from schemas import comments, store


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
    assert connection.execute("SELECT count(number) FROM migrations").fetchone() == (
        len(store.migrations()),
    )


def test_a_migration_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    broken = "CREATE TABLE half (n INTEGER); INSERT INTO half VALUES (1); SELECT no_such_function()"
    known = [(1, "good", "CREATE TABLE whole (n INTEGER)"), (2, "bad", broken)]
    monkeypatch.setattr(store, "migrations", lambda: known)
    # of tables that are not made here nothing is said
    monkeypatch.setattr(comments, "COMMENTS", {"migrations": comments.COMMENTS["migrations"]})
    with pytest.raises(duckdb.Error):
        store.migrate(connection)
    assert tables(connection) == set()
    # put right, it goes all the way
    known[1] = (2, "better", "CREATE TABLE second (n INTEGER)")
    assert store.migrate(connection) == ["good", "better"]
    assert tables(connection) == {"migrations", "whole", "second"}


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


OF_PLAY = {("deal_seats", column) for column in ("points", "tricks", "der")}
"""What a line of a score sheet may not say, so that it is empty there since 0011."""


def test_no_migration_forgets_which_columns_are_never_empty() -> None:
    first, last = duckdb.connect(), duckdb.connect()
    first.execute(store.migrations()[0][2])
    store.migrate(last)
    assert ("matches", "status") in never_empty(first) - OF_PLAY <= never_empty(last)
    with pytest.raises(duckdb.ConstraintException):
        last.execute("INSERT INTO deals (match_no, deal) VALUES (0, 0)")


OLD = Path(__file__).parent / "old" / "0001_kind_of_a_closed_type.sql"
"""The first tables as they were made when kinds of announcements were an ENUM."""


def of_old_kinds(path: Path) -> duckdb.DuckDBPyConnection:
    """A store as it was before `kinds_by_word`, with an announcement of each kind."""
    connection = duckdb.connect(str(path))
    connection.execute(
        "CREATE TABLE migrations (number INTEGER, name VARCHAR, applied_at TIMESTAMPTZ)"
    )
    connection.execute(OLD.read_text(encoding="utf-8"))
    for _, _, sql in store.migrations()[1:7]:
        connection.execute(sql)
    connection.execute("INSERT INTO migrations VALUES (7, 'not_null_again', now())")
    for schema in ("main", "baseline"):
        connection.execute(
            f"INSERT INTO {schema}.announcements (match_no, deal, seat, player_no, kind, trump,"
            " held, announced, shown, counted, points, worth)"
            " SELECT 0, 0, 1, 0, unnest(enum_range(NULL::kind)), true,"
            " true, true, true, true, 40, 40"
        )
    return connection


def announcements(connection: duckdb.DuckDBPyConnection, schema: str) -> list[tuple[object, ...]]:
    query = f"SELECT * REPLACE (kind::VARCHAR AS kind) FROM {schema}.announcements"
    return connection.execute(query).fetchall()


def layout(connection: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    query = (
        "SELECT schema_name, column_name, data_type, is_nullable FROM duckdb_columns()"
        " WHERE table_name = 'announcements' ORDER BY schema_name, column_index"
    )
    return connection.execute(query).fetchall()


def test_kinds_of_an_older_store_become_words_and_every_row_stays(tmp_path: Path) -> None:
    old = of_old_kinds(tmp_path / "store.duckdb")
    before = [announcements(old, schema) for schema in ("main", "baseline")]
    assert len(before[0]) == len(before[1]) == 6
    assert store.migrate(old)[0] == "kinds_by_word"
    assert [announcements(old, schema) for schema in ("main", "baseline")] == before
    new = duckdb.connect()
    store.migrate(new)
    assert layout(old) == layout(new)
    kind = {row[0]: row[2:] for row in layout(old) if row[1] == "kind"}
    assert kind == {"main": ("VARCHAR", False), "baseline": ("VARCHAR", True)}
    assert old.execute("SELECT * FROM duckdb_types() WHERE type_name = 'kind'").fetchall() == []
    # a game nobody knew when the store was made
    old.execute("UPDATE announcements SET kind = 'belote' WHERE kind = 'trente'")


def test_kinds_become_words_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, known = of_old_kinds(tmp_path / "store.duckdb"), store.migrations()
    was = layout(old)
    number, name, sql = known[7]
    broken = (number, name, sql.replace("baseline.announcements", "baseline.no_such_table"))
    monkeypatch.setattr(store, "migrations", lambda: [*known[:7], broken])
    with pytest.raises(duckdb.Error):
        store.migrate(old)
    assert layout(old) == was
    monkeypatch.setattr(store, "migrations", lambda: known)
    assert store.migrate(old)[0] == name


def test_kinds_that_became_words_are_read_from_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    old = of_old_kinds(path)
    before = announcements(old, "main")
    old.execute("CHECKPOINT")
    old.execute("PRAGMA disable_checkpoint_on_shutdown")
    old.execute("SET checkpoint_threshold = '1GB'")
    store.migrate(old)
    old.close()
    assert path.with_name("store.duckdb.wal").exists()
    assert announcements(duckdb.connect(str(path)), "main") == before
