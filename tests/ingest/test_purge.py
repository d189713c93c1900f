"""What is purged is in no byte of the store, and the rest is what a fresh store would hold."""

import json
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.store import pseudonyms, purge, ratings, saved_searches, trash, wal
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.store.name_scan import RemainingMentions
from ingest.store.tombstones import is_purged
from ingest.store.verify import verify_store
from tests.ingest.conftest import Command, Filled
from tests.ingest.logs import documents
from tests.ingest.raw_texts import blocks, raw

pytestmark = pytest.mark.slow

NAME, ID = "Gwendoline Quéméneur", "gwendoline-q"
WORDS = ("gwendoline", "quéméneur", "quemeneur")


def games() -> list[dict[str, Any]]:
    """Six matches: the player sits at three, and two others have her whole name."""
    every = [one | {"id": f"match-{place}"} for place, one in enumerate(documents(6))]
    for place in (0, 2, 4):
        every[place]["players"][place % 2] = {"id": ID, "name": NAME}
        every[place]["event"] = {"name": f"Chez {NAME.upper()}"}
        every[place]["deals"][0]["comments"] = [{"after": 0, "text": f"{NAME} !", "by": ID}]
    every[2]["players"][0]["name"] = "Gwendoline Q."
    every[1]["source"] = {"name": "tablette de gwendoline quéméneur"}
    every[3]["_note"] = "Gwendoline Que\u0301me\u0301neur arbitre"
    return every


def with_her(store: Store) -> None:
    for name, some in (("chez-gwendoline.jsonl", games()[:3]), ("b.jsonl", games()[3:])):
        list(ingest(store, [(name, BytesIO("\n".join(map(json.dumps, some)).encode()))]))
    ratings.refresh_ratings(store)
    trash.delete_matches(store, [4])
    saved_searches.save_search(store, "Chez Gwendoline", "won")
    saved_searches.save_search(store, "Hers", f'player:"{NAME}"')
    her = number(store)
    pseudonyms.mask_player(store, her)
    pseudonyms.unmask_player(store, her)


@pytest.fixture
def path(filled: Filled) -> Path:
    return filled(with_her)


def test_she_is_found_before_she_is_purged(path: Path) -> None:
    assert {where.partition(": ")[0] for where in traces(path)} >= {"bytes", "players", "block"}


def number(store: Store, player: str = ID) -> int:
    cursor = store.cursor().execute("SELECT player_no FROM players WHERE player_id = ?", [player])
    [(found,)] = cursor.fetchall()
    return int(found)


def traces(path: Path, words: tuple[str, ...] = WORDS) -> list[str]:
    """Where one of the words is: in the bytes of any file there, or in any row of any table."""
    found = []
    for file in path.parent.iterdir():
        data = file.read_bytes().lower()
        found += [f"bytes: {one}" for one in words if one.encode() in data]
    with duckdb.connect(str(path), read_only=True) as store:
        tables = store.execute("SELECT schema_name, table_name FROM duckdb_tables()").fetchall()
        for schema, table in tables:
            rows = str(store.execute(f"FROM {schema}.{table}").fetchall()).lower()
            found += [f"{table}: {one}" for one in words if one in rows]
        for packed in blocks(store):
            found += [f"block: {one}" for one in words if one.encode() in packed.lower()]
    return found


def everything(store: Store) -> dict[str, list[Any]]:
    """All that is derived, by players' ids, but for numbers that depend on the order of uploads."""
    cursor = store.cursor()
    found = {}
    for table in (*DERIVED_TABLES, "ratings"):
        rows = cursor.execute(
            f"SELECT m.match_id AS its, t.* EXCLUDE (match_no) FROM {table} t"
            " JOIN matches m USING (match_no) ORDER BY ALL"
        ).pl()
        hidden = [one for one in ("file_no", "line", "alias_no") if one in rows.columns]
        if "player_no" in rows.columns:
            names = dict(cursor.execute("SELECT player_no, player_id FROM players").fetchall())
            rows = rows.with_columns(rows["player_no"].replace_strict(names).alias("player_no"))
        found[table] = sorted(map(repr, rows.drop(hidden).rows()))
    return found


def fresh(store: Store, path: Path) -> dict[str, list[Any]]:
    """What a new store of its texts holds."""
    texts = raw(store).values()
    with Store(path) as other:
        list(ingest(other, [("a.jsonl", BytesIO(b"\n".join(texts)))]))
        ratings.refresh_ratings(other)
        return everything(other)


@pytest.mark.slow
@pytest.mark.parametrize("with_matches", [False, True])
def test_no_byte_of_a_purged_player_is_left(path: Path, with_matches: bool) -> None:
    with Store(path) as store:
        done = purge.purge_player(store, number(store), with_matches)
    assert traces(path) == []
    with Store(path) as store:
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
        [(count,)] = store.cursor().execute("SELECT count(*) FROM matches").fetchall()
        assert count == (3 if with_matches else 5)
        assert done.deleted_matches == 5 - count
        assert (done.pseudonym is None) == with_matches
        assert is_purged(store, ID)
        if done.pseudonym is not None:
            assert number(store, done.pseudonym) >= 0
            assert pseudonyms.player_behind(store, done.pseudonym) != ID
        ratings.refresh_ratings(store)
        assert everything(store) == fresh(store, path.parent / "fresh.duckdb")


def club(path: Path, *tables: tuple[tuple[str, str], ...], file: str = "club.jsonl") -> Path:
    """A store of a match a table, each with the same event and `table` among its keys."""
    every = []
    for place, (one, table) in enumerate(zip(documents(len(tables)), tables, strict=True)):
        called = "-vs-".join(player for player, _ in table)
        event = {"name": "Coupe Saint-Martin, chez Jean", "place": "La Martinière", "table": "5"}
        players = [{"id": player, "name": name} for player, name in table]
        every.append(one | {"players": players, "id": f"{called}-{place}", "event": event})
    with Store(path) as store:
        text = "\n".join(json.dumps(one, ensure_ascii=False) for one in every)
        list(ingest(store, [(file, BytesIO(text.encode()))]))
    return path


def stored(path: Path) -> list[tuple[str, str]]:
    """The id and the event of each match, as their texts have them."""
    with Store(path) as store:
        logs = [json.loads(text) for text in raw(store).values()]
    return [(one["id"], one["event"]["name"]) for one in logs]


JEAN, JEAN_MARTIN, LEROY = ("jean", "Jean"), ("jm", "Jean Martin"), ("ml", "Martin Leroy")
ZOE, WANG, JO, OTHER_JO = ("zoe", "Zoé"), ("w", "王芳"), ("jo", "Jo"), ("josiane", "Jo")


@pytest.mark.slow
def test_a_purge_leaves_games_of_others_alone_and_says_what_stays_in_them(tmp_path: Path) -> None:
    path = club(tmp_path / "club.duckdb", (JEAN_MARTIN, JEAN), (JEAN_MARTIN, LEROY), (JEAN, LEROY))
    with Store(path) as store:
        her = number(store, "jm")
        assert purge.preview_purge(store, her) == (0, 2, 0)
        assert purge.preview_purge(store, her, with_matches=True) == (2, 0, 0)
        before = store.read_match_text(2)
        done = purge.purge_player(store, her)
    assert stored(path) == [
        ("…-vs-…-0", "Coupe Saint-…, chez …"),
        ("…-vs-ml-1", "Coupe Saint-…, chez …"),
        ("jean-vs-ml-2", "Coupe Saint-Martin, chez Jean"),
    ]
    with Store(path) as store:
        assert store.read_match_text(2) == before
        assert number(store, "jean") >= 0
    assert done.remaining == RemainingMentions(
        sharing_players=("jean", "ml"), matches=3
    )  # La Martinière in two of them


@pytest.mark.slow
@pytest.mark.parametrize("player", [JO, WANG])
def test_no_byte_of_a_short_name_is_left(tmp_path: Path, player: tuple[str, str]) -> None:
    called, name = player
    path = club(tmp_path / "club.duckdb", (player, ZOE), (ZOE, LEROY), file=f"{name}-club.jsonl")
    with Store(path) as store:
        done = purge.purge_player(store, number(store, called))
    assert done.remaining == RemainingMentions()
    assert stored(path)[0][0] == "…-vs-zoe-0"
    if not name.isascii():  # the letters of the other one are in every text
        assert traces(path, (name,)) == []


@pytest.mark.slow
def test_a_namesake_keeps_the_name_and_the_command_says_so(tmp_path: Path, retourne: Command) -> None:
    path = club(tmp_path / "club.duckdb", (JO, ZOE), (OTHER_JO, LEROY))
    requested = retourne("purge", "jo", "--store", path)
    assert "to rewrite: 1 · of these, matches of others: 0" in requested.out
    assert "Pass --yes" in requested.err
    done = retourne("purge", "jo", "--yes", "--store", path)
    assert "no byte" not in done.out
    assert "Another player has the same name and keeps it: josiane" in done.out
    assert stored(path)[1][0] == "josiane-vs-ml-1"
    done = retourne("purge", "zoe", "--yes", "--store", path)
    assert "no byte of it is in" in done.out


@pytest.mark.slow
def test_a_name_of_words_of_the_game_touches_no_game_of_others(tmp_path: Path) -> None:
    table = ("t", "Table Lavardin")
    path = club(tmp_path / "club.duckdb", (table, JEAN), (JEAN, LEROY), (("7", "7"), LEROY))
    with Store(path) as store:
        assert purge.preview_purge(store, number(store, "t")) == (0, 1, 0)
        done = purge.purge_player(store, number(store, "t"))
    assert done.remaining.words == ("lavardin", "table")
    with Store(path) as store:
        done = purge.purge_player(store, number(store, "7"))
        assert done.remaining == RemainingMentions(unsearched_names=("7",))
    with Store(path) as store:
        assert all(json.loads(store.read_match_text(one))["event"]["table"] == "5" for one in range(3))


@pytest.mark.slow
def test_the_question_says_how_many_games_of_others_are_counted_anew(tmp_path: Path) -> None:
    path = club(tmp_path / "club.duckdb", (JEAN, ZOE), (ZOE, LEROY), (JEAN_MARTIN, ZOE))
    with Store(path) as store:
        assert purge.preview_purge(store, number(store, "jean")) == (0, 3, 2)
        assert purge.purge_player(store, number(store, "jean")).rewritten_matches == 3
    assert {event for _, event in stored(path)} == {"Coupe Saint-Martin, chez …"}


@pytest.mark.slow
def test_a_purged_match_is_gone_and_the_others_stay(path: Path) -> None:
    with Store(path) as store:
        # a file of its own, whose name goes with it
        list(ingest(store, [("alone-9.json", BytesIO(json.dumps(documents(7)[6]).encode()))]))
        list(ingest(store, [("again-9.json", BytesIO(json.dumps(games()[1]).encode()))]))
        corrected = json.dumps(games()[5] | {"event": {"name": "On Friday " * 12}}).encode()
        list(ingest(store, [("corrected.json", BytesIO(corrected))], on_conflict=OnConflict.REPLACE))
        alone, chosen = store.find_match(documents(7)[6]["id"]), store.find_match("match-5")
        assert alone is not None
        assert chosen is not None
        texts = raw(store)
        text = texts.pop(chosen).decode()
        del texts[alone]
        cursor = store.cursor()
        [(hash_,)] = cursor.execute("SELECT match_id FROM matches WHERE match_no = ?", [chosen]).fetchall()
        cursor.close()
        assert purge.purge_matches(store, [chosen, alone]) == purge.PurgeResult(2, 0, deleted_versions=1)
    assert traces(path, ("alone-9",)) == []
    assert traces(path, ("again-9",))
    assert traces(path, ("match-5", hash_, text[200:260].lower())) == []
    with Store(path) as store:
        assert raw(store) == texts
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
        assert store.find_match("match-5") is None
        assert is_purged(store, "match-5")
        assert is_purged(store, hash_)
        assert not is_purged(store, "match-1")
        store.next_file_number()
        list(ingest(store, [("again.json", BytesIO(json.dumps(games()[5]).encode()))]))
        assert store.find_match("match-5") is not None


def test_a_journal_that_cannot_be_put_into_the_file_stops_a_purge(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(path).close()
    monkeypatch.setattr(wal, "wal_path", lambda one: path)  # as if it were full
    with pytest.raises(StoreError, match="nothing was deleted"), purge._exclusive_file(path):
        pass
    monkeypatch.undo()
    with Store(path) as store:
        assert number(store) >= 0


@pytest.mark.slow
def test_what_killed_processes_left_beside_the_store_goes_with_a_purge(path: Path) -> None:
    """DuckDB lays rows beside a store for lack of memory, and never looks there again."""
    with subprocess.Popen(["true"]) as dead:
        pass
    parts = [f"{path}.{dead.pid}-1.part", f"{path}.{dead.pid}-1.part.{dead.pid}-2.part"]
    names = [name for part in parts for name in (part, f"{part}.wal")]
    for folder in (f"{path}.tmp", *(f"{part}.tmp" for part in parts)):
        Path(folder).mkdir()
        names.append(f"{folder}/duckdb_temp_storage_DEFAULT-0.tmp")
    for name in names:
        Path(name).write_text(NAME)
    with Store(path) as store:
        purge.purge_player(store, number(store))
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert traces(path) == []


def test_a_new_file_that_is_not_whole_takes_no_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that is nearly full what was written last stays in the journal of the new file."""
    writing = purge._Purge._insert_rewritten

    def full(self: Any, fresh: Store, *what: Any) -> int:
        monkeypatch.setattr(Store, "_has_free_space", lambda store: False)
        left = writing(self, fresh, *what)
        fresh.connection.execute("PRAGMA disable_checkpoint_on_shutdown")  # which would fail too
        return left

    monkeypatch.setattr(purge._Purge, "_insert_rewritten", full)
    with Store(path) as store, pytest.raises(StoreError, match="disk is full"):
        purge.purge_player(store, number(store))
    monkeypatch.undo()
    with Store(path) as store:
        assert number(store) >= 0
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []


def test_what_another_program_stored_meanwhile_is_not_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taking = purge._exclusive_file

    def late(path: Path) -> Any:  # as if it had come between closing and taking the file
        with Store(path) as other:
            one = json.dumps(documents(7)[6]).encode()
            list(ingest(other, [("late.json", BytesIO(one))]))
        return taking(path)

    monkeypatch.setattr(purge, "_exclusive_file", late)
    with Store(path) as store, pytest.raises(StoreError, match="in use"):
        purge.purge_player(store, number(store))
    with Store(path) as store:
        assert store.find_match(documents(7)[6]["id"]) is not None
        assert number(store) >= 0


def test_a_backup_under_another_name_of_the_same_file_is_left_alone(path: Path) -> None:
    remaining = path.with_name("kept.duckdb")
    remaining.hardlink_to(path)
    before = remaining.read_bytes()
    with Store(path) as store:
        purge.purge_player(store, number(store))
    assert remaining.read_bytes() == before


@pytest.mark.slow
def test_the_command_says_what_is_gone_and_which_backups_are_not(path: Path, retourne: Command) -> None:
    backup = path.with_name("club-2026-11-22-031500.duckdb")
    begun = path.with_name("club-2026-11-21-031500.duckdb.99999999-1.part")
    begun.write_text(NAME)
    below = path.parent / "backups" / "club-2026-11-20-031500.duckdb"
    below.parent.mkdir()
    words = ("--store", path)
    assert retourne("backup", backup, *words).code == 0
    assert retourne("backup", below, *words).code == 0
    assert "Pass --yes" in retourne("purge", ID, *words).err
    assert "--with-matches needs a player" in (
        retourne("purge", "match-5", "--with-matches", "--yes", *words).err
    )
    done = retourne("purge", ID, "--yes", *words)
    assert done.code == 0
    assert "Matches deleted: 0" in done.out
    assert "is now Joueur " in done.out
    items = {Path(line) for line in done.out.splitlines()}
    assert {backup, begun, below} <= items
    assert "is already deleted permanently" in retourne("purge", ID, "--yes", *words).err
    assert retourne("purge", "match-5", "--yes", *words).code == 0
    assert "is already deleted permanently" in retourne("purge", "match-5", "--yes", *words).err
    assert "No match or player" in retourne("purge", "nobody", "--yes", *words).err


def test_who_is_not_there_cannot_be_purged(path: Path) -> None:
    with Store(path) as store, pytest.raises(KeyError):
        purge.purge_player(store, 99)
