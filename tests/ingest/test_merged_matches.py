"""Two uploads of one match under two ids of a player are one match once the players are merged."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.store import match_versions, player_merges, trash
from ingest.store.factory import Store
from ingest.store.match_comparison import OnConflict, Relation
from ingest.store.merged_matches import JoinedMatch, list_joined
from ingest.store.transfer.copy import copy_store
from ingest.store.verify import verify_store
from tests.ingest.conftest import Command
from tests.ingest.test_upload_duplicates import add, first_deals, last_deals, log, texts

__all__ = ["log"]
Log = dict[str, Any]
TABLES = ("players", "aliases", "seats", "matches", "deal_seats", "match_seats")


def named(log: Log, player_id: str, **more: Any) -> Log:
    """The log with another id for the first player."""
    found = copy.deepcopy(log) | {"id": f"of-{player_id}"} | more
    found["players"][0] = {"id": player_id, "name": "Élodie"}
    return found


def number_of(store: Store, player_id: str) -> int:
    query = "SELECT player_no FROM aliases WHERE player_id = ?"
    [(number,)] = store.cursor().execute(query, [player_id]).fetchall()
    return int(number)


def merge(store: Store, one: str, *others: str) -> int:
    return player_merges.merge_players(
        store, number_of(store, one), [number_of(store, other) for other in others]
    )


def every_row(store: Store) -> list[Any]:
    return [store.cursor().execute(f"FROM {table} ORDER BY ALL").fetchall() for table in TABLES]


def is_sound(store: Store) -> bool:
    return [one for step in verify_store(store) for one in step.inconsistencies] == []


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(tmp_path / "s.duckdb") as store:
        yield store


def test_matches_that_a_merge_shows_to_be_one_count_once_until_it_is_undone(store: Store, log: Log) -> None:
    first, second = named(log, "elodie"), named(log, "e.lefevre", event={"name": "Tuesday"})
    add(store, first)
    assert add(store, second).relations == {Relation.OTHER_NAMES: 1}
    was, ids = every_row(store), store.cursor().execute("SELECT match_id FROM matches ORDER BY match_no")
    [(one,), (other,)] = ids.fetchall()
    change = merge(store, "elodie", "e.lefevre")
    assert texts(store) == [first]
    assert list_joined(store.cursor(), change) == [JoinedMatch(one, other)]
    assert [json.loads(v.text) for v in match_versions.list_versions(store.cursor(), one)] == [second]
    assert store.find_match(other) == store.find_match(one)
    assert is_sound(store)
    player_merges.undo_change(store, change)
    assert every_row(store) == was
    assert list_joined(store.cursor(), change) == []
    assert is_sound(store)


def test_a_split_of_the_player_parts_the_matches_too(store: Store, log: Log) -> None:
    first, second = named(log, "elodie"), named(log, "e.lefevre")
    add(store, first)
    add(store, second)
    merge(store, "elodie", "e.lefevre")
    assert texts(store) == [first]
    change, _ = player_merges.split_player(store, number_of(store, "elodie"), ["e.lefevre"]) or (0, 0)
    assert texts(store) == [first, second]
    assert is_sound(store)
    player_merges.undo_change(store, change)
    assert texts(store) == [first]
    assert is_sound(store)
    player_merges.split_player(store, number_of(store, "elodie"), ["e.lefevre"])
    assert texts(store) == [first, second]


def test_a_table_of_both_parts_the_players_and_their_matches(store: Store, log: Log) -> None:
    first, second = named(log, "elodie"), named(log, "e.lefevre")
    add(store, first)
    add(store, second)
    merge(store, "elodie", "e.lefevre")
    third = copy.deepcopy(log) | {"id": "third"}
    third["players"][:2] = [{"id": "elodie"}, {"id": "e.lefevre"}]
    third["deals"] = third["deals"][1:]
    report = add(store, third)
    assert len(report.merges_undone) == 1
    assert texts(store) == [first, second, third]
    assert is_sound(store)


def test_the_longer_log_takes_the_place_of_its_beginning(store: Store, log: Log) -> None:
    saved, whole, again = first_deals(named(log, "a"), 1), named(log, "b"), first_deals(named(log, "c"), 2)
    for one in (saved, whole, again):
        add(store, one)
    change = merge(store, "a", "b", "c")
    assert texts(store) == [whole]
    assert is_sound(store)
    player_merges.undo_change(store, change)
    assert texts(store) == [saved, whole, again]


def test_a_whole_match_takes_the_place_of_its_last_deals_until_the_merge_is_undone(
    store: Store, log: Log
) -> None:
    part, whole = named(last_deals(log, 1), "e.lefevre"), named(log, "elodie")
    add(store, part)
    assert add(store, whole).relations == {Relation.OVERLAP: 1}
    was = every_row(store)
    change = merge(store, "elodie", "e.lefevre")
    assert texts(store) == [whole]
    assert len(list_joined(store.cursor(), change)) == 1
    player_merges.undo_change(store, change)
    assert every_row(store) == was
    assert is_sound(store)


def test_a_log_under_any_id_of_a_merged_player_is_already_stored(store: Store, log: Log) -> None:
    first, second = named(log, "elodie"), named(log, "e.lefevre")
    add(store, first)
    add(store, second)
    merge(store, "elodie", "e.lefevre")
    for one in (second, named(log, "e.lefevre", event={"name": "Tuesday"})):
        report = add(store, one)
        assert (report.added, report.duplicates, report.relations) == (0, 1, {Relation.SAME_MATCH: 1})
    assert texts(store) == [first]
    longer = first_deals(second, 2)
    assert add(store, longer).relations == {Relation.BEGINNING: 1}
    assert add(store, second, on_conflict=OnConflict.REPLACE).replaced == 1
    assert texts(store) == [second]
    assert is_sound(store)


def test_a_merge_joins_no_match_of_other_cards_or_stored_on_purpose(store: Store, log: Log) -> None:
    both = named(log, "elodie", event={"name": "both"})
    other = named(log, "e.lefevre")
    other["deals"] = other["deals"][::-1]
    add(store, named(log, "elodie"))
    add(store, both, on_conflict=OnConflict.BOTH)
    add(store, other)
    change = merge(store, "elodie", "e.lefevre")
    assert texts(store) == [named(log, "elodie"), both, other]
    assert list_joined(store.cursor(), change) == []


@pytest.mark.parametrize("on_purpose", [False, True])
def test_matches_that_come_back_after_a_merge_are_joined_to_each_other(
    store: Store, log: Log, on_purpose: bool
) -> None:
    add(store, first_deals(named(log, "elodie"), 2))
    add(store, named(log, "elodie" if on_purpose else "e.lefevre"), on_conflict=OnConflict.BOTH)
    change = trash.delete_matches(store, [0, 1])
    assert change is not None
    if not on_purpose:
        merge(store, "elodie", "e.lefevre")
    assert trash.undelete_matches(store, change) == ((2, 0) if on_purpose else (1, 1))
    assert [len(one["deals"]) for one in texts(store)] == [2, len(log["deals"])][not on_purpose :]
    assert is_sound(store)


def test_a_merge_that_a_copy_brings_joins_matches_there(store: Store, log: Log, tmp_path: Path) -> None:
    first, second = named(log, "elodie"), named(log, "e.lefevre")
    with Store(tmp_path / "other.duckdb") as target:
        for one in (first, second):
            add(store, one)
            add(target, one)
        merge(store, "elodie", "e.lefevre")
        copy_store(store, target)
        assert texts(target) == [first]
        assert is_sound(target)


def test_the_command_names_the_matches_that_are_one_and_proposes_results(
    store: Store, log: Log, retourne: Command
) -> None:
    for player in ("elodie", "e.lefevre"):
        add(store, named(log, player))
        result = {"result": {"score": [2, 1]}, "played_at": "2026-05-02T20:00:00+02:00", "deals": []}
        add(store, named(log, player, **result, id=f"result-{player}", source={"name": player}))
    path = store.path
    ids = [one for (one,) in store.cursor().execute("SELECT match_id FROM matches ORDER BY 1").fetchall()]
    store.close()
    done = retourne("player", "merge", "elodie", "e.lefevre", "--store", path, "--lang", "en")
    shown, joined, pair, proposed = done.out.splitlines()
    assert shown == "Élodie (elodie)"
    assert joined.endswith("since their cards and acts are the same: 1")
    assert {one for one in pair.split() if one != "→"} < {*ids}
    assert proposed.startswith("Matches without cards that may be stored twice: 1.")
