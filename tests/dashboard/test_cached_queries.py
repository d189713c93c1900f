"""Pages and the API answer a query as of the newest change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard import store as opened
from dashboard.queries.scope import Cursor
from ingest.store.factory import Store
from ingest.store.player_merges import merge_players
from ingest.store.pseudonyms import mask_player
from tests.ingest.test_player_histories import ANA, BEA, OPPONENT, add


@pytest.fixture(autouse=True)
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve a store that was filled and changed by an earlier process."""
    with Store(tmp_path / "s.duckdb") as store:
        for number, one in enumerate((ANA, BEA)):
            add(store, number, one, OPPONENT)
        mask_player(store, 1)
    monkeypatch.setenv("RETOURNE_STORE", str(tmp_path / "s.duckdb"))
    yield
    opened.close_store()


def names(cursor: Cursor) -> list[str]:
    return [name for (name,) in cursor.execute("SELECT name FROM players ORDER BY player_no").fetchall()]


def test_a_mask_and_a_merge_are_seen_at_once_in_a_store_opened_again() -> None:
    before = opened.cached_query(names)
    mask_player(opened.open_store(), 0)
    masked = opened.cached_query(names)
    assert (before[0], masked[0][:7]) == ("Ana", "Joueur ")
    merge_players(opened.open_store(), 0, [2])
    assert opened.cached_query(names) == masked[:2]


def test_files_and_solved_deals_change_the_version_of_a_store_opened_again() -> None:
    store = opened.open_store()
    before = opened.store_version(store)
    add(store, 2, ANA, BEA)
    with store.transaction():
        store.connection.execute("INSERT INTO endgame_values (match_no, deal_index) VALUES (0, 0)")
    assert opened.store_version(store) == (before[0] + 1, before[1], before[2] + 1)


def test_a_query_that_ends_after_a_mask_is_not_the_answer_after_it() -> None:
    def slow(cursor: Cursor) -> list[str]:
        found = names(cursor)
        if found[0] == "Ana":
            mask_player(opened.open_store(), 0)
        return found

    assert opened.cached_query(slow)[0] == "Ana"
    assert opened.cached_query(slow)[0] != "Ana"
