"""Solving many endgames at once gives the values of one at a time."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

from engine import options, simulate
from engine.games import game
from engine.replay import Replay
from engine.solver import NO_ACTION, EndgameArrays, solve_deal, solve_deals, turn_starts
from engine.solver_results import REASONS, EndgameReport, NotSolved


def simulated(name: str, preset: str, players: int, count: int) -> tuple[Any, ...]:
    """Simulated deals as `solve_deals` takes them, and as replays."""
    this = game(name)
    rules = options.encode_rules(name, options.resolve_options(name, preset, players))
    matches = simulate.simulate_matches(this, rules, players, count, 18)
    deals = list(islice((deal for match in matches for deal in match.deals), count))
    offsets = np.cumsum([0, *(len(deal.codes) for deal in deals)])
    found = solve_deals(
        this,
        np.array([rules]),
        np.zeros(count, np.int64),
        np.full(count, players),
        np.array([deal.dealer for deal in deals]),
        np.array([deal.deck for deal in deals]),
        np.zeros(count, np.int64),
        np.concatenate([deal.codes for deal in deals]),
        offsets,
    )
    replays = [Replay(this, rules, players, one.dealer, one.deck, one.codes) for one in deals]
    return found, replays


def row(found: EndgameArrays, deal: int, seat: int) -> tuple[int, ...]:
    """The words about a seat."""
    columns = [found.cards_played, found.forced_cards, found.points_lost, found.costly_cards]
    columns += [found.worst_action, found.worst_loss]
    return tuple(int(column[deal, seat]) for column in columns)


def row_of(solved: EndgameReport, replay: Replay, seat: int) -> tuple[int, ...]:
    """The same, card by card."""
    own = [play for play in solved.plays if play.seat == seat]
    kind = replay.game.acts.kind_of_act
    forced = 0
    for play in own:
        cards = {one.act for one in replay[play.action].legal if kind(one.act) == "play"}
        forced += len(cards) == 1
    most = max((play.lost for play in own), default=0)
    costliest = next((play.action for play in own if play.lost == most), NO_ACTION)
    lost, costly = sum(play.lost for play in own), sum(play.lost > 0 for play in own)
    return len(own), forced, lost, costly, costliest if most else NO_ACTION, most


def compare(name: str, preset: str, players: int, count: int) -> int:
    """Hold so many deals against `solve_deal`; how many are solved."""
    found, replays = simulated(name, preset, players, count)
    solved = 0
    for deal, replay in enumerate(replays):
        one = solve_deal(replay)
        if isinstance(one, NotSolved):
            assert REASONS[found.not_solved[deal]] == one.reason
            continue
        solved += 1
        turning = None if found.turning_action[deal] == NO_ACTION else int(found.turning_action[deal])
        values = (
            int(found.not_solved[deal]),
            int(found.first_action[deal]),
            int(found.margin[deal]),
            turning,
        )
        assert values == (0, one.first_action, one.margin, one.turning_action)
        for seat in range(players):
            assert row(found, deal, seat) == row_of(one, replay, seat)
    return solved


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["lavardin", "mondoubleau", "regles-completes"])
def test_many_deals_of_chouine_come_to_what_each_comes_to(preset: str) -> None:
    assert compare("chouine", preset, 2, 300) > 290


@pytest.mark.slow
def test_many_deals_of_coinche_come_to_what_each_comes_to() -> None:
    assert compare("coinche", "tournoi-2018", 4, 150) > 140


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "solved"), [("classique", 28), ("contree", 30), ("coinchee", 27)])
def test_many_deals_of_belote_come_to_what_each_comes_to(preset: str, solved: int) -> None:
    assert compare("belote", preset, 4, 30) == solved


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "preset", "players"),
    [("chouine", "lavardin", 2), ("chouine", "mondoubleau", 2), ("coinche", "tournoi-2018", 4)],
)
def test_two_thousand_deals_come_to_what_each_comes_to(name: str, preset: str, players: int) -> None:
    assert compare(name, preset, players, 2000) > 1900


def test_a_table_that_is_not_solved_says_why_of_every_deal() -> None:
    found, _ = simulated("chouine", "lavardin", 3, 5)
    assert [REASONS[one] for one in found.not_solved] == ["players"] * 5


def test_a_turn_begins_with_its_announcements() -> None:
    """Of each action the first one of its turn: two announcements and a card, then a card."""
    wordings, places = True, False
    going_on = np.array([wordings, wordings, places, places, wordings, places, places])
    first = np.array([0, 0, 0, 0, 4, 4, 4])  # with the fifth action another deal begins
    assert turn_starts(going_on, first).tolist() == [0, 0, 0, 3, 4, 4, 6]
