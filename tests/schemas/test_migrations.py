"""Migrations: numbered, each applied once, and those a store lacks all or none."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from schemas import migrations


def tables(connection: duckdb.DuckDBPyConnection) -> set[str]:
    rows = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    return {name for (name,) in rows}


def later(sql: str = "CREATE TABLE later (n INTEGER)") -> list[tuple[int, str, str]]:
    """The migrations there are, and one that a later version has besides."""
    known = migrations.all_migrations()
    return [*known, (len(known) + 1, "later", sql)]


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _, _ in migrations.all_migrations()] == list(
        range(1, len(migrations.all_migrations()) + 1)
    )


def test_migrating_twice_applies_once() -> None:
    connection = migrations.connect()
    assert migrations.migrate(connection) == [name for _, name, _ in migrations.all_migrations()]
    assert migrations.migrate(connection) == []
    assert {"matches", "deals", "migrations"} <= tables(connection)
    assert connection.execute("SELECT count(*) FROM migrations").fetchone() == (
        len(migrations.all_migrations()),
    )


def test_a_migration_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = migrations.connect()
    broken = "CREATE TABLE half (n INTEGER); INSERT INTO half VALUES (1); SELECT no_such_function()"
    known = [(1, "good", "CREATE TABLE whole (n INTEGER)"), (2, "bad", broken)]
    monkeypatch.setattr(migrations, "all_migrations", lambda: known)
    # of tables that are not made here nothing is reported
    monkeypatch.setattr(migrations, "COMMENTS_SQL", "COMMENT ON TABLE migrations IS 'whole'")
    with pytest.raises(duckdb.Error):
        migrations.migrate(connection)
    assert tables(connection) == set()
    # put right, it goes all the way
    known[1] = (2, "better", "CREATE TABLE second (n INTEGER)")
    assert migrations.migrate(connection) == ["good", "better"]
    assert tables(connection) == {"migrations", "whole", "second"}


@pytest.mark.slow
def test_a_store_gets_what_it_lacks_and_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.duckdb"
    with migrations.connect(path) as before:
        migrations.migrate(before)
        before.execute("INSERT INTO settings VALUES ('access', 'private')")
    more = later("ALTER TABLE settings ADD n INTEGER")
    monkeypatch.setattr(migrations, "all_migrations", lambda: more)
    with migrations.connect(path) as now:
        assert [name for _, name, _ in migrations.pending_migrations(now)] == ["later"]
        assert migrations.migrate(now) == ["later"]
    with migrations.connect(path, read_only=True) as now:
        assert now.execute("FROM settings").fetchall() == [("access", "private", None)]
        assert migrations.pending_migrations(now) == []


def test_a_store_from_the_future_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = migrations.connect()
    more = later()
    monkeypatch.setattr(migrations, "all_migrations", lambda: more)
    migrations.migrate(connection)
    monkeypatch.undo()
    with pytest.raises(migrations.NewerStoreError):
        migrations.migrate(connection)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE migrations SET name = 'first_tables'",
        "UPDATE migrations SET digest = '0123456789abcdef'",
        "ALTER TABLE migrations DROP digest",
    ],
)
def test_a_store_of_before_the_first_version_is_left_alone(change: str) -> None:
    connection = migrations.connect()
    migrations.migrate(connection)
    connection.execute(change)
    with pytest.raises(migrations.OutdatedStoreError):
        migrations.migrate(connection)


def test_a_digest_is_of_statements_not_of_comments_or_layout() -> None:
    digest = migrations.schema_digest("CREATE TABLE one (n INTEGER)")
    assert migrations.schema_digest("-- one\nCREATE TABLE one\n    (n INTEGER) -- n") == digest
    assert migrations.schema_digest("CREATE TABLE one (n BIGINT)") != digest


def test_a_column_that_is_never_empty_says_so() -> None:
    connection = migrations.connect()
    migrations.migrate(connection)
    with pytest.raises(duckdb.ConstraintException):
        connection.execute("INSERT INTO deals (match_no, deal_index) VALUES (0, 0)")


def test_a_name_that_is_no_table_is_no_variable_of_python_either() -> None:
    rows = pa.table({"n": [1, 2]})
    with migrations.connect() as connection:
        with pytest.raises(duckdb.CatalogException, match="Table with name rows does not exist"):
            connection.cursor().execute("FROM rows")
        with migrations.with_tables(connection, rows=rows):
            assert connection.execute("FROM rows").fetchall() == [(1,), (2,)]
        with pytest.raises(duckdb.CatalogException):
            connection.execute("FROM rows")
