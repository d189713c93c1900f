"""Lists order names as people sort them, É with E and œ with oe, and every search folds alike."""

from pathlib import Path

import polars as pl
import pytest

from dashboard.queries import ladder, matches, player_search, players
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope, used_names
from ingest.store.export import Format, Table, write_table
from ingest.store.factory import Store
from tests.dashboard.test_head_to_head import fill, won_by

WINNERS = ["Oétienne", "eb", "Œdipe", "Éa"]
LOSERS = ["Zoé", "Ægir", "ac", "Àb"]
IN_ORDER = ["Àb", "ac", "Ægir", "Éa", "eb", "Œdipe", "Oétienne", "Zoé"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of four matches between eight players: all lists tie but for the names."""
    games = []
    for day, (winner, loser) in enumerate(zip(WINNERS, LOSERS, strict=True), start=1):
        seated = [{"id": f"w{day}", "name": winner}, {"id": f"l{day}", "name": loser}]
        games.append(won_by(1, 1) | {"id": f"m{day}", "players": seated, "event": {"name": winner}})
    fill(tmp_path / "names.duckdb", *games)
    return tmp_path / "names.duckdb"


def test_names_that_tie_are_in_the_order_of_people(path: Path) -> None:
    scope = Scope()
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        assert player_search.frequent_players(cursor)["label"].to_list() == IN_ORDER
        assert player_search.all_players(cursor)["name"].to_list() == IN_ORDER
        assert players.players_table(cursor, scope)["name"].to_list() == IN_ORDER
        ranked = ladder.ladder_standings(cursor, Scope(preset="lavardin"))["name"].to_list()
        events = ["Éa", "eb", "Œdipe", "Oétienne"]
        assert ranked == [*events, "Àb", "ac", "Ægir", "Zoé"]  # those who won, then those who lost
        assert used_names(cursor, "event") == events
        listed = matches.match_page(cursor, sort="event")["event"].to_list()
        assert listed == events


def test_an_export_of_players_is_in_the_order_of_people(path: Path, tmp_path: Path) -> None:
    with Store(path, read_only=True) as store:
        write_table(store, Table.PLAYERS, Format.PARQUET, file := tmp_path / "players.parquet")
    assert pl.read_parquet(file)["name"].to_list() == IN_ORDER


@pytest.mark.parametrize("words", ["oedi", "ŒDI", "œdi"])
def test_every_search_folds_alike(path: Path, words: str) -> None:
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        assert player_search.search_players(cursor, words)["name"].to_list() == ["Œdipe"]
        assert players.players_table(cursor, Scope(), words)["name"].to_list() == ["Œdipe"]
        assert ladder.ladder_standings(cursor, Scope(preset="lavardin"), words)["name"].to_list() == ["Œdipe"]
        assert matches.count_matches(cursor, MatchFilter(words=words)) == 1
