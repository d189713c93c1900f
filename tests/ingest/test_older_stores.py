"""A store of every earlier schema is opened, becomes one of today's, and says the same figures."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import schemas.store
from ingest.i18n import translator
from ingest.store import baseline, ratings
from ingest.store.derive import TABLES
from ingest.store.revalidate import refresh
from ingest.store.store import Store, StoreError
from tests.ingest.conftest import Command
from tests.ingest.raw import raw
from tests.schemas.stores import KEPT, fill, texts, unpack

NOW = schemas.store.migrations()[-1][0]
# who is masked is known by a key of each store's own; a run says when it was made
PLAYERS = """SELECT player_no, coalesce(k.player_id, p.player_id), coalesce(k.name, p.name),
    k.name IS NOT NULL FROM players p LEFT JOIN masked k USING (player_no) ORDER BY 1"""
LAYOUT = """SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
    FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"""


def schema(path: Path) -> list[Any]:
    with duckdb.connect(str(path), read_only=True) as store:
        return store.execute(
            "SELECT number, name FROM migrations WHERE number > 0 ORDER BY 1"
        ).fetchall()


def rows(store: Store) -> dict[str, Any]:
    ask = store.cursor()
    kept = (*TABLES, "ratings", "baseline.deal_seats", "baseline.announcements")
    found = {table: ask.execute(f"FROM {table} ORDER BY ALL").fetchall() for table in kept}
    trash = "SELECT * EXCLUDE (change) FROM trash ORDER BY match_no"
    return found | {
        "raw": raw(store),
        "players": ask.execute(PLAYERS).fetchall(),
        "trash": ask.execute(trash).fetchall(),
    }


def test_every_schema_before_todays_is_kept() -> None:
    assert {*KEPT, NOW} >= set(range(1, NOW + 1)) - {5}, "python -m tests.schemas.stores"


Fresh = Callable[[list[tuple[str, bytes]], bool], dict[str, Any]]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """What a store made today of some files holds: two answers, since schemas 1 and 2 had less."""
    known = dict[bool, dict[str, Any]]()

    def make(files: list[tuple[str, bytes]], everything: bool) -> dict[str, Any]:
        if everything not in known:
            path = tmp_path_factory.mktemp("fresh") / "fresh.duckdb"
            with Store(path) as store:
                fill(store, files, everything)
                known[everything] = rows(store)
        return known[everything]

    return make


@pytest.mark.slow
@pytest.mark.parametrize("number", KEPT)
def test_an_older_store_says_what_a_fresh_one_of_its_texts_says(
    tmp_path: Path, fresh: Fresh, number: int
) -> None:
    path = unpack(number, tmp_path / "club.duckdb")
    files = list(texts(path))
    assert len(files) == 4
    with Store(path) as old:
        list(refresh(old))
        ratings.refresh(old)
        if number < 6:
            baseline.simulate(old, "chouine", "lavardin", 2, deals=10)
        now, expected = rows(old), fresh(files, number > 2)
        assert [table for table in now if not now[table]] == (["trash"] if number < 3 else [])
        for table in expected:
            assert now[table] == expected[table], table


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 4, NOW - 1])
def test_an_older_store_becomes_todays_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = unpack(number, tmp_path / "club.duckdb")
    before, known = schema(path), schemas.store.migrations()
    for stopped in {number, NOW - 1}:  # the first it lacks, and the last
        at, name, sql = known[stopped]
        spoiled = known.copy()
        spoiled[stopped] = at, name, f"{sql}; SELECT no_such_function()"
        monkeypatch.setattr(schemas.store, "migrations", spoiled.copy)
        with pytest.raises(StoreError):
            Store(path)
        assert schema(path) == before
        assert not list(tmp_path.glob("*.wal"))
    monkeypatch.undo()
    with pytest.raises(StoreError) as caught:
        Store(path, read_only=True)
    assert re.search(
        "older version.*retourne revalidate --store", caught.value.say(translator("en"))
    )
    Store(path).close()
    assert schema(path) == [(number, name) for number, name, _ in known]


def test_the_command_an_older_store_asks_for_needs_nothing_to_add(
    retourne: Command, tmp_path: Path
) -> None:
    path = unpack(NOW - 1, tmp_path / "club.duckdb")
    asked = retourne("verify", "--store", str(path))
    assert asked.code == 2
    words = asked.err.split("Bring it up to date: retourne ")[1].split()
    assert retourne(*words, "--quiet").code in (0, 1)
    assert retourne("verify", "--store", str(path)).code == 0
