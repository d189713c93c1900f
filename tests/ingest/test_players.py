"""One player is one person, with every id and name that logs have."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.store import player_merges, purge, verify
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.pseudonyms import find_exact, mask_player
from tests.ingest.logs import documents

ELODIE, DECOMPOSED = "élodie", "e\u0301lodie"


def add_tables(store: Store, *tables: list[tuple[str, str]]) -> None:
    """Add a match for each table of (id, name), a day later each, from a file each."""
    for day, (table, log) in enumerate(zip(tables, documents(len(tables)), strict=True), 1):
        log |= {"id": f"m{day}", "played_at": f"2026-01-{day:02}", "players": []}
        log["players"] = [{"id": player, "name": name} for player, name in table]
        for _ in ingest(store, [(f"{day}.json", BytesIO(json.dumps(log).encode()))]):
            pass


def store_of(path: Path, *tables: list[tuple[str, str]]) -> Store:
    """Return a store with a match for each table of (id, name), a day later each."""
    store = Store(path)
    add_tables(store, *tables)
    return store


def rows(store: Store, query: str) -> list[Any]:
    return store.cursor().execute(query).fetchall()


def shown(store: Store) -> list[Any]:
    return rows(store, "SELECT player_no, player_id, name FROM players ORDER BY 1")


def inconsistencies(store: Store) -> list[Any]:
    return [one for step in verify.verify_store(store) for one in step.inconsistencies]


def test_ids_that_read_alike_are_one_player(tmp_path: Path) -> None:
    with store_of(
        tmp_path / "s.duckdb",
        [(ELODIE, "Élodie"), ("jean", "Jean")],
        [(DECOMPOSED, "E\u0301lodie"), ("JEAN", "Jean")],
    ) as store:
        assert shown(store) == [(0, ELODIE, "E\u0301lodie"), (1, "jean", "Jean")]
        assert inconsistencies(store) == []


def test_two_ids_of_one_match_stay_two_players(tmp_path: Path) -> None:
    with store_of(
        tmp_path / "s.duckdb",
        [("lucie", "Lucie"), ("jean", "Jean")],
        [("Lucie", "Lucie"), ("jean", "Jean")],
        [("lucie", "Lucie"), ("Lucie", "Lucie")],
    ) as store:
        seats = rows(store, "SELECT player_no FROM seats ORDER BY match_no, seat")
        assert [number for (number,) in seats] == [0, 1, 2, 1, 0, 2]
        assert inconsistencies(store) == []


def test_a_player_has_the_name_of_the_last_match_and_every_name_finds(tmp_path: Path) -> None:
    with store_of(
        tmp_path / "s.duckdb", [("p17", "Lucie Petit"), ("a", "A")], [("p17", "Lucie Grand"), ("a", "A")]
    ) as store:
        assert shown(store)[0] == (0, "p17", "Lucie Grand")
        for name in ("lucie petit", "Lucie Grand"):
            assert find_exact(store.cursor(), name) == [(0, "p17", "Lucie Grand")]


TWO = [("anne", "Anne"), ("jean", "Jean")], [("anna", "Anna"), ("jean", "Jean")]


def test_a_merge_moves_every_row_and_its_undo_brings_them_back(tmp_path: Path) -> None:
    with store_of(tmp_path / "s.duckdb", *TWO) as store:
        was = [rows(store, f"FROM {table} ORDER BY ALL") for table in ("players", "aliases", "seats")]
        change = player_merges.merge_players(store, 0, [2])
        assert shown(store) == [(0, "anne", "Anna"), (1, "jean", "Jean")]
        assert rows(store, "SELECT DISTINCT player_no FROM deal_seats ORDER BY 1") == [(0,), (1,)]
        assert inconsistencies(store) == []
        player_merges.undo_change(store, change)
        assert was == [rows(store, f"FROM {table} ORDER BY ALL") for table in ("players", "aliases", "seats")]
        assert inconsistencies(store) == []


def test_players_of_one_match_are_never_merged(tmp_path: Path) -> None:
    refused = pytest.raises(player_merges.SatTogether, match="Anne, Jean")
    with store_of(tmp_path / "s.duckdb", *TWO) as store, refused:
        player_merges.merge_players(store, 0, [1])


def test_a_name_the_admin_gave_stays(tmp_path: Path) -> None:
    with store_of(tmp_path / "s.duckdb", *TWO) as store:
        was = rows(store, "FROM aliases ORDER BY ALL")
        change = player_merges.rename_player(store, 0, "Anne Roy")
        assert shown(store)[0] == (0, "anne", "Anne Roy")
        player_merges.undo_change(store, change)
        assert shown(store)[0] == (0, "anne", "Anne")
        assert rows(store, "FROM aliases ORDER BY ALL") == was


UNSEEN = ("", " \t", "\u200b", "\u3164", "\u202eabc", "a\u2066b", "a\x00b", "\u200d", "Ana\ufeff")


@pytest.mark.parametrize("name", [*UNSEEN, "Joueur 1a2b3c4d5e", "JOUEUR 1A2B3C4D5E"], ids=ascii)
def test_an_unreadable_name_and_one_that_reads_as_a_pseudonym_are_refused(tmp_path: Path, name: str) -> None:
    with store_of(tmp_path / "s.duckdb", *TWO) as store:
        with pytest.raises(StoreError):
            player_merges.rename_player(store, 0, name)
        assert shown(store)[0] == (0, "anne", "Anne")
        assert player_merges.list_changes(store.cursor()) == []


@pytest.mark.parametrize(
    "name", ["José", "李娜", "نامه\u200cها", "👨\u200d👩\u200d👧", "Joueur 1", "O’Neill-Ü"], ids=ascii
)
def test_names_of_any_script_are_taken(tmp_path: Path, name: str) -> None:
    with store_of(tmp_path / "s.duckdb", *TWO) as store:
        player_merges.rename_player(store, 0, f"  {name} ")
        assert shown(store)[0] == (0, "anne", name)


def test_a_name_that_is_another_players_of_the_same_id_is_refused(tmp_path: Path) -> None:
    with store_of(
        tmp_path / "s.duckdb", [("invité", "Paul"), ("a", "A")], [("invité", "Anne"), ("a", "A")]
    ) as store:
        player_merges.split_player(store, 0, ["Anne"])
        with pytest.raises(StoreError, match="Another player"):
            player_merges.rename_player(store, 0, "Anne")
        player_merges.rename_player(store, 2, "Anne Roy")
        assert [name for *_, name in shown(store)] == ["Paul", "A", "Anne Roy"]


def test_two_names_of_one_id_are_split(tmp_path: Path) -> None:
    with store_of(
        tmp_path / "s.duckdb", [("invité", "Paul"), ("a", "A")], [("invité", "Anne"), ("a", "A")]
    ) as store:
        assert player_merges.split_player(store, 0, ["Anne"]) is not None
        assert shown(store) == [(0, "invité", "Paul"), (1, "a", "A"), (2, "invité", "Anne")]
        assert inconsistencies(store) == []


def test_merging_with_a_masked_player_masks_every_name(tmp_path: Path) -> None:
    with store_of(tmp_path / "s.duckdb", *TWO) as store:
        mask_player(store, 2)
        player_merges.merge_players(store, 0, [2])
        assert not find_exact(store.cursor(), "anne")
        assert not find_exact(store.cursor(), "anna")
        assert b"Ann" not in store.read_match_text(0) + store.read_match_text(1)


def merged_and_masked(path: Path) -> Store:
    store = store_of(path, [("e1", "Élodie"), ("j", "Jean")], [("e2", "Lodie"), ("j", "Jean")])
    player_merges.merge_players(store, 0, [2])
    mask_player(store, 0)
    return store


def test_undoing_a_merge_shows_no_name_that_was_masked_since(tmp_path: Path) -> None:
    with merged_and_masked(tmp_path / "s.duckdb") as store:
        [merge] = player_merges.list_changes(store.cursor())
        player_merges.undo_change(store, merge.number)
        assert rows(store, "SELECT player_no FROM masked ORDER BY 1") == [(0,), (2,)]
        assert not {"Élodie", "Lodie"} & {name for _, _, name in shown(store)}


def test_a_merge_of_a_purged_player_cannot_be_undone(tmp_path: Path) -> None:
    with merged_and_masked(tmp_path / "s.duckdb") as store:
        purge.purge_player(store, 0, False)
    with Store(tmp_path / "s.duckdb") as store:
        assert player_merges.list_changes(store.cursor()) == []
        assert inconsistencies(store) == []


THREE = [("anne", "Anne"), ("jean", "Jean")], [("paul", "Paul"), ("jean", "Jean")]


def answers(store: Store) -> list[tuple[str, list[str]]]:
    return [(one.action, one.names) for one in player_merges.list_changes(store.cursor())]


def test_a_merge_names_both_players_as_they_were_before_it(tmp_path: Path) -> None:
    with store_of(tmp_path / "s.duckdb", *THREE, [("rose", "Rose"), ("jean", "Jean")]) as store:
        player_merges.rename_player(store, 2, "Paul Roy")
        player_merges.merge_players(store, 0, [2])
        _, new = player_merges.split_player(store, 0, ["anne"]) or (0, 0)
        player_merges.merge_players(store, 3, [new])
        assert answers(store) == [
            ("player-merge", ["Rose", "Anne"]),
            ("player-split", ["Paul", "Anne"]),
            ("player-merge", ["Anne", "Paul Roy"]),
            ("player-rename", ["Paul Roy"]),
        ]


def test_no_answer_shows_a_masked_name_or_a_purged_player(tmp_path: Path) -> None:
    with store_of(tmp_path / "s.duckdb", *THREE) as store:
        player_merges.merge_players(store, 0, [2])
        hidden = mask_player(store, 0)
        assert answers(store) == [("player-merge", [hidden])]
        purge.purge_player(store, 0)
    with Store(tmp_path / "s.duckdb") as store:
        assert answers(store) == []


def test_the_name_after_a_merge_is_known_before_it(tmp_path: Path) -> None:
    with store_of(tmp_path / "s.duckdb", *THREE) as store:
        assert player_merges.name_after_merge(store.cursor(), 0, 2) == "Paul"
        player_merges.merge_players(store, 0, [2])
        assert shown(store)[0] == (0, "anne", "Paul")
        player_merges.rename_player(store, 1, "Jean Roy")
        assert player_merges.name_after_merge(store.cursor(), 1, 0) == "Jean Roy"
        mask_player(store, 0)
        assert player_merges.name_after_merge(store.cursor(), 1, 0) is None


def test_a_change_of_players_of_one_name_names_both_with_their_ids(tmp_path: Path) -> None:
    tables = [[("e1", "Élodie"), ("jean", "Jean")], [("e2", "Élodie"), ("jean", "Jean")]]
    with store_of(tmp_path / "s.duckdb", *tables) as store:
        player_merges.declare_different(store, 0, 2)
        player_merges.merge_players(store, 0, [2])
        both = ["Élodie (e1)", "Élodie (e2)"]
        assert [one.names for one in player_merges.list_changes(store.cursor())] == [both, both]
