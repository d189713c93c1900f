"""Every table and column says in the store's file what it is, in every store that is opened."""

from pathlib import Path

import duckdb
import pytest

from engine.games import game_names
from ingest.findings.finding import ERROR, NOTE, STATUSES, WARNING
from ingest.store.tokens import Role
from ingest.validate.fast_path.deal_arrays import VOID_WORDS
from schemas import migrations
from schemas.column_docs import DOCUMENTED_VIEWS, TABLE_DOCS
from schemas.games import schemas_of

UNITED = ("INT", "DOUBLE", "TIMESTAMP", "DATE")
"""In the type of a column that has a unit."""


@pytest.fixture
def made() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    migrations.migrate(connection)
    return connection


def tables(connection: duckdb.DuckDBPyConnection) -> dict[str, str | None]:
    """Table or view → its comment."""
    found = connection.execute(
        "SELECT schema_name, table_name, comment FROM duckdb_tables()"
        " UNION ALL SELECT schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal"
    )
    return {named(schema, table): comment for schema, table, comment in found.fetchall()}


def columns(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], tuple[str, str | None]]:
    """Table and column → its type and its comment."""
    found = connection.execute(
        "SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns()"
        " WHERE NOT internal"
    )
    return {(named(one, table), name): (kind, result) for one, table, name, kind, result in found.fetchall()}


def named(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"


def test_every_table_and_column_has_a_comment_and_none_is_left_over(made: duckdb.DuckDBPyConnection) -> None:
    assert set(tables(made)) == set(TABLE_DOCS)
    views = made.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    assert {view for (view,) in views} == set(DOCUMENTED_VIEWS)
    there: dict[str, set[str]] = {}
    for table, name in columns(made):
        there.setdefault(table, set()).add(name)
    for table, comment in TABLE_DOCS.items():
        assert there[table] == set(comment.columns), table


def test_the_file_says_what_stands_here(made: duckdb.DuckDBPyConnection) -> None:
    output, found = tables(made), columns(made)
    for table, comment in TABLE_DOCS.items():
        assert output[table] == comment.about
        for name, result in comment.columns.items():
            assert found[table, name][1] == result


def test_every_number_and_time_has_its_unit(made: duckdb.DuckDBPyConnection) -> None:
    for (table, name), (kind, result) in columns(made).items():
        assert str(result).endswith("]") == any(word in kind for word in UNITED), (table, name)


CODES = {
    ("matches", "status"): STATUSES,
    ("deals", "status"): STATUSES,
    ("deals", "void"): [void for void in VOID_WORDS if void],
    ("findings", "severity"): (ERROR, WARNING, NOTE),
    ("tokens", "role"): list(Role),
}


@pytest.mark.parametrize(("table", "name"), CODES)
def test_a_column_of_few_words_tells_them_all(table: str, name: str) -> None:
    result = TABLE_DOCS[table].columns[name]
    assert [word for word in CODES[table, name] if f"`{word}`" not in result] == []


@pytest.mark.parametrize("game", game_names())
def test_a_game_says_what_numbers_of_known_columns_mean(game: str) -> None:
    known = {**TABLE_DOCS["deals"].columns, **TABLE_DOCS["deal_seats"].columns}
    assert {"deck", "actions", "outcome"} <= set(schemas_of(game).CODE_DOCS) <= set(known)


@pytest.mark.slow
def test_a_store_left_while_it_was_made_has_its_comments_from_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("PRAGMA disable_checkpoint_on_shutdown; SET checkpoint_threshold = '1GB'")
    migrations.migrate(connection)
    expected = tables(connection), columns(connection)
    connection.close()
    assert path.with_name("store.duckdb.wal").exists()
    with duckdb.connect(str(path)) as again:
        assert (tables(again), columns(again)) == expected
