"""What the board and the figures ask of a game, and that another one may be registered."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Protocol

import duckdb
import numpy as np
import pytest

from dashboard import games
from dashboard.board import words
from dashboard.board.states import states
from dashboard.figures.contracts import height
from dashboard.games import Board, Figures, Game, chouine, chouineurs, coinche
from dashboard.queries import (
    announcements,
    bids,
    duels,
    fairness,
    left_out,
    luck,
    players,
    points,
    records,
    results,
)
from dashboard.queries.scope import Scope, scopes
from engine.chouine import kernel
from engine.games import forget, game, names, register
from engine.replay import Replay
from ingest.i18n import translator
from ingest.judge.explain import explain
from ingest.store.store import Store
from schemas.table import Table
from tests.dashboard import made_up
from tests.dashboard.conftest import documents

ENGLISH = translator("en", "dashboard")
SHIPPED: dict[str, Game] = {"chouine": chouine, "coinche": coinche, "chouineurs": chouineurs}
"""Each module is a `Game`: mypy holds it to that here, where all of them have a name."""


class Drawn(Board, Figures, Protocol):
    """A game as far as boards and figures ask."""


OTHER: Drawn = made_up


@contextmanager
def registered() -> Iterator[str]:
    register(
        "made-up",
        engine="tests.dashboard.made_up",
        schemas="schemas.games.chouine",
        ingest="ingest.games.chouine",
        dashboard="tests.dashboard.made_up",
    )
    try:
        yield "made-up"
    finally:
        forget("made-up")


@pytest.fixture
def made() -> Iterator[str]:
    """A fourth game, for as long as a test needs it."""
    with registered() as name:
        yield name


@pytest.fixture
def renamed(games: Path, made: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A store whose matches are all said to be of the fourth game."""
    with Store(games) as store:
        store.connection.execute("UPDATE matches SET game = ? WHERE game IS NOT NULL", [made])
        yield store.cursor()


def played(seed: int = 1) -> tuple[Table, Replay]:
    """A deal of the fourth game in which nobody says a word: always the first legal card."""
    log = explain(json.dumps(documents()[0]).encode())
    assert log.table is not None
    deck = np.random.default_rng(seed).permutation(32)
    codes = list[int]()
    while True:
        replay = Replay(made_up.GAME, log.table.rules, 2, 0, deck, codes)
        if replay.last.over:
            return log.table, replay
        codes.append(next(one.code for one in replay.last.legal if one.act < 32))


def test_every_game_is_found_by_its_name() -> None:
    found: dict[str, ModuleType | Game] = {name: games.of(name) for name in names()}
    assert found == SHIPPED
    assert [game_of.TITLE for game_of in SHIPPED.values()] == ["Chouine", "Coinche", "Chouineurs"]
    with pytest.raises(KeyError):
        games.of("belote")


@pytest.mark.parametrize("name", SHIPPED)
def test_cards_have_a_worth_each_or_none_at_all(name: str) -> None:
    worth = games.of(name).STATISTICS.worth
    assert len(worth) in (0, len(game(name).pack))


def test_heights_are_those_of_the_first_game_that_has_contracts(made: str) -> None:
    assert games.bidding() == ("coinche",)
    assert [height(level, ENGLISH) for level in (0, 9, 10, 11)] == [
        "60",
        "150",
        "match",
        "générale",
    ]
    assert height(10, ENGLISH, "coinche") == "match"


def test_a_mark_has_one_meaning_in_all_games(made: str) -> None:
    every: dict[str, object] = {}
    for name in names():
        for kind, mark in games.of(name).MARKS.items():
            assert every.setdefault(kind, mark) == mark


# a game registered at run time


def test_another_game_has_a_board(made: str) -> None:
    table, replay = played()
    board = states(replay, table, ["Zoé", "Ali"], ENGLISH)
    assert len(board["plies"]) == len(replay)
    assert board["recall"] == "last"
    assert [len(trick["cards"]) for trick in board["tricks"]] == [2] * replay.last.trick
    assert all(board["plies"][trick["ply"]]["why"] for trick in board["tricks"])
    assert {mark["kind"] for mark in board["marks"]} == {"ace", "end"}
    assert (words(ENGLISH)["kinds"]["ace"]) == {
        "text": "ace",
        "shape": "M0 0H10V10H0Z",
        "colour": "violet",
    }
    for card in board["plies"][0]["legal"]:
        assert board["faces"][card]["label"]


def test_what_the_board_says_of_another_game_goes_with_it() -> None:
    with registered():
        assert "ace" in words(ENGLISH)["kinds"]
    assert "ace" not in words(ENGLISH)["kinds"]


def test_another_game_is_counted_as_every_game_is(
    renamed: duckdb.DuckDBPyConnection, made: str
) -> None:
    scope = Scope(made, 2)
    assert set(scopes(renamed)["game"]) == {made}
    table = players.table(renamed, scope)
    assert table.height > 1
    one, other = table["player_no"].to_list()[:2]
    assert points.averages(renamed, scope, one)["measure"].to_list() == ["points", "tricks"]
    assert (points.distribution(renamed, scope, one)["most"] % 10 == 9).all()
    assert points.events(renamed, scope, one)["what"].to_list() == ["der"]
    assert results.manches(renamed, scope, one)["what"].to_list() == ["match"]
    assert results.results(renamed, scope, one).height
    assert results.tables(renamed, scope, one)["game"].unique().to_list() == [made]
    assert records.records(renamed, scope, one).height
    assert duels.score(renamed, scope, (one,), (other,)).height == 2
    assert luck.luck(renamed, scope, one).height == 0  # its cards have no points
    assert bids.bid_cards(renamed, scope, one).height == 0
    assert announcements.frequencies(renamed, scope).height  # of the rows the store has
    assert not announcements.missed(renamed, scope)["turned"].sum()
    assert left_out.reasons(renamed, scope).columns == ["reason", "deals"]
    assert made in fairness.games()


def test_a_game_that_is_registered_no_more_is_left_out_of_a_players_tables(
    renamed: duckdb.DuckDBPyConnection, made: str
) -> None:
    [one, *_] = players.table(renamed, Scope(made, 2))["player_no"].to_list()
    assert results.tables(renamed, Scope(made, 2), one).height
    assert [name for name in names() if name != made] == list(SHIPPED)
    renamed.execute("UPDATE matches SET game = 'forgotten' WHERE game IS NOT NULL")
    assert not results.tables(renamed, Scope(made, 2), one).height


# what one more announcement would have changed


def turned(
    kind: str, points: list[int], seat: int, worth: int, outcome: int = kernel.PLAYED_OUT
) -> bool:
    [found] = chouine.turned(
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
