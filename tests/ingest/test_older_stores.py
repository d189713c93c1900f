"""A store of every earlier schema is opened, becomes one of today's, and says the same figures."""

import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pytest

import schemas.store
from ingest.i18n import translator
from ingest.judge.explain import explain
from ingest.store import baseline, purge, ratings, trash
from ingest.store.add import ingest
from ingest.store.copying.run import copy
from ingest.store.derive import TABLES
from ingest.store.gone import is_gone
from ingest.store.revalidate import refresh
from ingest.store.store import Store, StoreError
from ingest.store.verify import Wrong, verify
from schemas.identity import former_content
from tests.ingest.conftest import Command
from tests.ingest.logs import documents
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
            baseline.simulate(old, baseline.Run("chouine", "lavardin", 2, deals=10))
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


def test_ids_of_before_find_their_matches_and_nothing_is_stored_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until schema 17 a match whose `times` say 3.0 was another one than that with 3."""
    log = documents()[0]
    moments = range(len(log["deals"][0]["actions"]))
    log["deals"][0]["times"] = [*map(float, moments)]
    spelt = json.loads(json.dumps({**log, "id": "told twice"}))
    again = json.loads(json.dumps(spelt))
    again["deals"][0]["times"] = [*moments]
    logs = [*map(orjson.dumps, (log, documents()[1], spelt, again))]
    path = tmp_path / "store.duckdb"
    with Store(path) as store, monkeypatch.context() as before:
        before.setattr("ingest.judge.explain.content", former_content)
        before.setattr("ingest.text.canonical._without_points", lambda text: text)
        [report] = ingest(store, [("a.jsonl", BytesIO(b"\n".join(logs)))])
        assert (report.added, report.duplicates) == (4, 0)
        was = ids(store)
        trash.delete(store, [0])
    with duckdb.connect(str(path)) as old:
        old.execute("DROP TABLE former_ids; DELETE FROM migrations WHERE number = 18")
    with Store(path) as store:
        today = explain(logs[0]).match_id
        assert today not in was
        assert ids(store) == was[1:]  # of two that are one match, the second keeps its id
        deleted = trash.find(store.cursor(), was[0])
        assert deleted is not None
        assert deleted.match_id == today
        assert not wrong(store)
        trash.undelete(store, deleted.deletion)
        assert ids(store)[0] == today
        for size in (8, 32):
            assert [store.find(one[:size]) for one in was] == [0, 1, 2, 3]
        [report] = ingest(store, [("b.jsonl", BytesIO(b"\n".join(logs)))])
        assert (report.added, report.duplicates) == (0, 4)
        copied = Store(tmp_path / "other.duckdb")
        copy(store, copied)
        [report] = ingest(copied, [("own.json", BytesIO(orjson.dumps({**log, "id": was[0]})))])
        assert report.added == 1
        assert [copied.find(one) for one in was] == [0, 1, 2, 3]  # not what calls itself so
        copied.close()
        purge.purge_matches(store, [0])
    with Store(path) as store:
        assert [store.find(one) for one in was] == [None, 1, 2, 3]
        assert is_gone(store, was[0])
        assert was[0].encode() not in path.read_bytes()
        purge.purge_matches(store, [3])
    with Store(path) as store, Store(tmp_path / "third.duckdb") as third:
        assert [store.find(one) for one in was] == [None, 1, 2, None]
        copy(store, third)
        for one in (store, third):
            assert not wrong(one)


def wrong(store: Store) -> list[Wrong]:
    return [one for told in verify(store) for one in told.wrong]


def ids(store: Store) -> list[str]:
    rows = store.cursor().execute("SELECT match_id FROM matches ORDER BY match_no").fetchall()
    return [one for (one,) in rows]
