"""What board and figures need of a game, and that another game can be registered."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dashboard import games
from dashboard.board import board_texts
from dashboard.board.states import board_states
from dashboard.figures.announcement_charts import bid_label
from dashboard.games import belote, chouine, chouineurs, coinche
from dashboard.queries import announcements, exclusions, fairness, head_to_head, luck, players, results
from dashboard.queries.scope import Scope, available_scopes
from engine.chouine import kernel
from engine.games import game, game_names
from engine.replay import Replay
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.match_setup import MatchSetup
from schemas.simulated import simulate_matches, simulate_season, simulated_setup
from tests.newgame import registered

ENGLISH = translator("en", "dashboard")
SHIPPED = {
    "chouine": chouine.GAME,
    "coinche": coinche.GAME,
    "chouineurs": chouineurs.GAME,
    "belote": belote.GAME,
}


@pytest.fixture
def made() -> Iterator[str]:
    """Another game, for as long as a test needs it."""
    with registered() as name:
        yield name


@pytest.fixture
def stored_made(path: Path, made: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A store whose matches are all of the fourth game."""
    lines = "".join(json.dumps(match) + "\n" for match in simulate_season(made, 10, 1))
    with Store(path) as store:
        list(ingest(store, [("made.jsonl", BytesIO(lines.encode()))]))
        yield store.cursor()


def played(name: str, seed: int = 1) -> tuple[MatchSetup, Replay]:
    """The first deal of a simulated match of a game."""
    placed = simulated_setup(name, None, 2)
    deal = next(simulate_matches(placed, 1, seed)).deals[0]
    return placed, Replay(placed.game, placed.rules, 2, deal.dealer, deal.deck, deal.codes)


def test_every_game_is_found_by_its_name() -> None:
    found = {name: games.game_view(name) for name in game_names()}
    assert found == SHIPPED
    assert [game_of.TITLE for game_of in SHIPPED.values()] == ["Chouine", "Coinche", "Chouineurs", "Belote"]
    with pytest.raises(KeyError):
        games.game_view("tarot")


@pytest.mark.parametrize("name", SHIPPED)
def test_cards_have_a_worth_each_or_none_at_all(name: str) -> None:
    worth = games.game_view(name).STATISTICS.worth
    assert len(worth) in (0, len(game(name).pack))


def test_heights_are_those_of_the_first_game_that_has_contracts(made: str) -> None:
    assert games.games_with_bids() == ("coinche", "belote", made)
    assert [bid_label(level, ENGLISH) for level in (0, 9, 10, 11)] == ["60", "150", "match", "générale"]
    assert bid_label(10, ENGLISH, "coinche") == "match"
    assert bid_label(3, ENGLISH, made) == "6"


def test_a_mark_has_one_meaning_in_all_games(made: str) -> None:
    every: dict[str, object] = {}
    for name in game_names():
        for kind, mark in games.game_view(name).MARKS.items():
            assert every.setdefault(kind, mark) == mark


# a game registered at run time


def test_another_game_has_a_board(made: str) -> None:
    table, replay = played(made)
    board = board_states(replay, table, ["Zoé", "Ali"], ENGLISH)
    assert len(board["plies"]) == len(replay)
    assert board["recall"] == "last"
    assert [len(trick["cards"]) for trick in board["tricks"]] == [2] * replay.last.trick
    assert all(board["plies"][trick["ply"]]["trick_reason"] for trick in board["tricks"])
    assert {"pair", "end"} <= {mark["kind"] for mark in board["marks"]} <= {"pair", "ruff", "end"}
    own = games.game_view(made).MARKS["pair"]
    assert (board_texts(ENGLISH)["kinds"]["pair"]) == {
        "text": "pair",
        "shape": own.shape,
        "colour": "primary",
    }
    for card in board["plies"][1]["legal"]:
        assert board["faces"][card]["label"]


def test_what_the_board_says_of_another_game_goes_with_it() -> None:
    with registered():
        assert "pair" in board_texts(ENGLISH)["kinds"]
    assert "pair" not in board_texts(ENGLISH)["kinds"]


@pytest.mark.slow
def test_another_game_is_counted_as_every_game_is(stored_made: duckdb.DuckDBPyConnection, made: str) -> None:
    scope = Scope(made, 2)
    assert set(available_scopes(stored_made)["game"]) == {made}
    table = players.players_table(stored_made, scope)
    assert table.height > 1
    one, other = table["player_no"].to_list()[:2]
    assert results.average_measures(stored_made, scope, one)["measure"].to_list() == [
        "points",
        "bonus",
        "tricks",
    ]
    assert (results.points_distribution(stored_made, scope, one)["most"] % 2 == 1).all()
    assert results.deal_events(stored_made, scope, one)["figure"].to_list() == ["der"]
    assert results.match_results(stored_made, scope, one)["figure"].to_list() == ["match"]
    assert results.win_results(stored_made, scope, one).height
    assert results.results_by_table(stored_made, scope, one)["game"].unique().to_list() == [made]
    assert results.player_records(stored_made, scope, one).height
    assert head_to_head.score_table(stored_made, scope, (one,), (other,)).height == 2
    assert luck.card_luck(stored_made, scope, one).height == 0  # its cards have no points
    assert results.chosen_bid_cards(stored_made, scope, one).height == 0
    assert announcements.announcement_frequencies(stored_made, scope).height
    assert not announcements.missed_announcements(stored_made, scope)["would_have_won"].sum()
    assert exclusions.exclusion_counts(stored_made, scope).columns == ["reason", "deals"]
    assert made in fairness.testable_games()


def test_a_game_that_is_registered_no_more_is_left_out_of_a_players_tables(
    stored_made: duckdb.DuckDBPyConnection, made: str
) -> None:
    [one, *_] = players.players_table(stored_made, Scope(made, 2))["player_no"].to_list()
    assert results.results_by_table(stored_made, Scope(made, 2), one).height
    assert [name for name in game_names() if name != made] == list(SHIPPED)
    stored_made.execute("UPDATE matches SET game = 'forgotten' WHERE game IS NOT NULL")
    assert not results.results_by_table(stored_made, Scope(made, 2), one).height


# what one more announcement would have changed


def turned(kind: str, points: list[int], seat: int, worth: int, outcome: int = kernel.PLAYED_OUT) -> bool:
    [found] = chouine.GAME.would_have_won(
        [kind], np.array([outcome]), np.array([points]), np.array([seat]), np.array([worth])
    )
    return bool(found)


def test_ch_23_a_missed_announcement_turns_a_deal_by_its_points() -> None:
    assert turned("mariage", [70, 89], 0, 20)
    assert not turned("mariage", [70, 95], 0, 20)
    assert turned("trente", [70, 60, 99, 80], 0, 30)


def test_ch_24_an_equal_total_turns_nothing() -> None:
    assert not turned("mariage", [70, 90], 0, 20)


def test_ch_22_a_missed_chouine_would_have_won_whatever_the_points() -> None:
    assert turned("chouine", [0, 150], 0, 0)
    assert turned("chouine", [0, 150], 0, 0, kernel.BY_CHOUINE)


def test_points_turn_no_deal_that_was_not_played_out() -> None:
    assert not turned("mariage", [70, 75], 0, 20, kernel.RESIGNED)
