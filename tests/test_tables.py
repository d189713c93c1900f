"""`docs/tables.md` says what is there: the page, its queries, and what `retourne stats` prints."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from dashboard.tables.profile import SECTIONS
from dashboard.views.access import ACTION_LABELS
from docs import tables
from docs.sample_store import fill
from docs.stats_schema import ANSWERS, PLAYER, column, section, section_types
from engine.games import game_names
from schemas.column_docs import TABLE_DOCS, Rows
from schemas.games import schemas_of
from tests.ingest.conftest import Command, retourne
from tests.schemas import test_column_docs

__all__ = ["retourne"]  # the fixture

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store the page is written from."""
    fill(path := tmp_path_factory.mktemp("sample") / "sample.duckdb")
    return path


@pytest.fixture
def cursor(sample: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(sample), read_only=True) as store:
        store.execute("SET TimeZone = 'UTC'")
        yield store


def test_the_page_is_as_it_is_written_today(cursor: duckdb.DuckDBPyConnection) -> None:
    there = tables.PAGE.read_text(encoding="utf-8")
    assert there == tables.page(cursor), "write it again: python -m docs.tables"


@pytest.mark.parametrize("table", tables.EXAMPLES)
def test_an_example_asks_its_table_and_answers_rows(cursor: duckdb.DuckDBPyConnection, table: str) -> None:
    query = tables.EXAMPLES[table]
    assert table in query
    assert cursor.execute(query).fetchall()


def test_a_store_that_was_purged_says_what_its_tables_are(cursor: duckdb.DuckDBPyConnection) -> None:
    test_column_docs.test_the_file_says_what_stands_here(cursor)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_column_of_an_answer_is_documented(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
    found = section_types(cursor, ANSWERS[name])
    assert all(column(ANSWERS[name], one) for one in found)
    assert set(ANSWERS[name].columns) <= set(found)


@pytest.mark.parametrize("name", PLAYER)
def test_every_column_of_a_section_is_documented(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
    found = section(cursor, name)
    assert all(column(PLAYER[name], one) for one in found)
    assert set(PLAYER[name].columns) <= set(found)


def test_every_section_is_documented() -> None:
    assert list(PLAYER) == list(SECTIONS)


@pytest.mark.parametrize("command", [name for name in ANSWERS if "fairness" not in name])
def test_a_command_prints_the_columns_that_are_documented(
    cursor: duckdb.DuckDBPyConnection, command: str, sample: Path, retourne: Command, tmp_path: Path
) -> None:
    """Too few deals are in the samples for a test of their shuffle."""
    result = section_types(cursor, ANSWERS[command])
    seated = "SELECT player_id FROM seats JOIN players USING (player_no)"
    often = cursor.execute(f"{seated} GROUP BY 1 ORDER BY count(*) DESC, 1")
    names = [name for (name,) in often.fetchmany(2)]
    cursor.close()
    (copy := tmp_path / "copy.duckdb").write_bytes(sample.read_bytes())
    words = command.split()[1:]
    if "--compare" in words:
        words += [names[0], "--compare", names[1]]
    done = retourne(*words, "--store", copy, "--format", "jsonl")
    assert done.objects
    for row in done.objects:
        assert set(row) <= set(result)
        assert list(row) == [name for name in result if name in row]


# numbers of a game


def numbers(rows: Rows) -> set[int]:
    """Every number that some rows tell."""
    found = set[int]()
    for result, _ in rows:
        first, _, last = result.partition("–")
        found |= set(range(int(first), int(last or first) + 1))
    return found


OF_GAME = "SEMI JOIN (FROM matches WHERE game = ?) USING (match_no)"
STORED = {
    "deck": f"SELECT unnest(deck) FROM deals {OF_GAME}",
    "actions": f"SELECT unnest(actions) % 256 FROM deals {OF_GAME}",
    "outcome": f"SELECT outcome FROM deals {OF_GAME} WHERE outcome > 1",
    "contract": f"SELECT contract FROM deals {OF_GAME}",
    "coinched": f"SELECT coinched FROM deals {OF_GAME} WHERE coinched > 0",
    "bid": f"SELECT bid FROM deal_seats {OF_GAME}",
}


@pytest.mark.parametrize("game", game_names())
def test_every_number_of_a_game_in_the_store_is_documented(
    cursor: duckdb.DuckDBPyConnection, game: str
) -> None:
    for name, rows in schemas_of(game).CODE_DOCS.items():
        found = {number for (number,) in cursor.execute(STORED[name], [game]).fetchall()}
        assert found - {None} <= numbers(rows), name
        assert found or name == "outcome"


def test_every_act_is_documented() -> None:
    result = TABLE_DOCS["audit"].columns["action"] + TABLE_DOCS["change_log"].columns["action"]
    assert [act for act in ACTION_LABELS if f"`{act}`" not in result] == []
