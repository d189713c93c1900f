"""The order of the table on the page Players."""

from io import BytesIO
from pathlib import Path

import pytest

from dashboard.queries import ladder, players
from dashboard.queries.scope import Scope
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.ratings import refresh_ratings
from tests.dashboard.conftest import Open, lines
from tests.dashboard.tables import tables_of

SCOPE = Scope(preset="lavardin")


@pytest.mark.slow
def test_players_come_by_rank_and_those_without_one_last(tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        refresh_ratings(store)
        cursor = store.cursor()
        ranks = ladder.player_ranks(cursor, SCOPE)
        [first, second, *_] = found = players.players_table(cursor, SCOPE, ranked=True)["player_no"].to_list()
        by_parties = players.players_table(cursor, SCOPE)["player_no"].to_list()
        assert [ranks[one] for one in found] == sorted(ranks.values())
        pages = [players.players_table(cursor, SCOPE, limit=2, offset=at, ranked=True) for at in (0, 2)]
        assert [one for page in pages for one in page["player_no"]] == found
        assert by_parties != found
        assert set(by_parties) == set(found)
        cursor.execute("DELETE FROM ratings WHERE player_no = ?", [first])
        left = players.players_table(cursor, SCOPE, ranked=True)
        assert left["player_no"].to_list()[0] == second
        assert left["rank"].to_list()[-1] is None


def test_the_page_of_players_begins_with_the_first_of_the_ladder(games: Path, open_page: Open) -> None:
    [table, *_] = tables_of(open_page("joueurs", lang="en"))
    ranks = [rank for rank in table["Rank"] if rank != "–"]
    assert ranks == sorted(ranks)
    assert ranks


def test_players_sorted_by_what_they_probably_win_show_it(games: Path, open_page: Open) -> None:
    [table, *_] = tables_of(open_page("joueurs", lang="en", sort="probable"))
    shares = [*table["Probably"]]
    assert len(shares) > 1
    assert shares == sorted(shares, reverse=True)
