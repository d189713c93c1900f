"""The last tricks of Belote with all cards seen: against every way they can be played."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import options, simulate
from engine.actions import ACT_MASK
from engine.belote import kernel
from engine.belote.actions import TAKE, TOUT_ATOUT
from engine.belote.tables import SCALED
from engine.games import game
from engine.replay import Replay
from engine.solver import solve_deal
from engine.solver_results import EndgameValues, NotSolved

BELOTE = game("belote")
BY_TRUMP = "classique", "contree", "coinchee"
SANS_TOUT = {"preset": "contree", "sans_tout": True}


def encoded(rules: Any) -> np.void:
    return options.encode_rules("belote", options.resolve_options("belote", rules, 4))


class Everything:
    """Every way to play a deal out, by the kernel's `legal` and `step` alone."""

    def __init__(self, rules: np.void) -> None:
        self.rules = rules
        self.known: dict[tuple[int, ...], int] = {}
        self.codes = np.zeros(2048, np.uint16)

    def margin(self, state: np.void) -> int:
        """The points of side 1 minus those of side 2 at the end."""
        if state["over"] == kernel.OVER:
            return int(kernel.points(state, 0)) - int(kernel.points(state, 1))
        key = tuple(int(one) for field in ("hand", "cards", "taken") for one in state[field])
        key += tuple(int(state[field]) for field in ("turn", "best", "trick_winner", "word"))
        if key not in self.known:
            sign = 1 - 2 * (int(state["turn"]) & 1)
            self.known[key] = sign * max(sign * value for _, value in self.ways(state))
        return self.known[key]

    def ways(self, state: np.void) -> Iterator[tuple[int, int]]:
        """Each card there is, with what its deal comes to."""
        count = kernel.legal(state, self.rules, self.codes)
        for code in self.codes[:count].tolist():
            if code & ACT_MASK < TAKE:
                after = state.copy()
                kernel.step(after, self.rules, np.int64(code))
                yield code & ACT_MASK, self.margin(after)


def endings(rules: np.void, seed: int, left: int, most: int) -> Iterator[NDArray[np.void]]:
    """The last tricks of simulated deals, played out, as they were."""
    found = 0
    for match in simulate.simulate_matches(BELOTE, rules, 4, most, seed):
        for deal in match.deals:
            replay = Replay(BELOTE, rules, 4, deal.dealer, deal.deck, deal.codes)
            if replay.last.state["contract"] >= 0 and found < most:
                yield replay.states[replay.at_trick(kernel.TRICKS - left).index :]
                found += 1


def validated(states: NDArray[np.void], rules: np.void) -> EndgameValues:
    assert BELOTE.solver is not None
    solved = BELOTE.solver.solve_states(states, rules)
    assert isinstance(solved, EndgameValues)
    return solved


def compare(rules: np.void, seed: int, left: int, positions: int, step: int = 3) -> int:
    """Solve last tricks, and play each state of them in every way; how many were compared."""
    compared = 0
    for states in endings(rules, seed, left, positions):
        solved = validated(states, rules)
        every = Everything(rules)
        for at in range(0, len(states), step):
            state = states[at]
            assert solved.final_margins[at] == every.margin(state)
            if state["over"] != kernel.OVER:
                best = {card for card, value in every.ways(state) if value == solved.final_margins[at]}
                assert set(BELOTE.pack.codes_in(int(solved.best_cards[at]))) == best
            compared += 1
    return compared


@pytest.mark.slow
@pytest.mark.parametrize("rules", BY_TRUMP)
def test_solved_is_what_playing_every_way_comes_to(rules: str) -> None:
    assert compare(encoded(rules), 1, 3, 25) >= 25


@pytest.mark.slow
def test_be_23_solved_without_a_trump_suit_is_what_playing_every_way_comes_to() -> None:
    """The strain of a deal is replaced: who bids seldom bids so."""
    rules = encoded(SANS_TOUT)
    for strain in (TOUT_ATOUT - 1, TOUT_ATOUT):
        for states in endings(rules, 3, 3, 8):
            state = states[:1].copy()
            state["strain"], state["values"], state["trump"], state["word"] = strain, strain, -1, 0
            solved, every = validated(state, rules), Everything(rules)
            assert solved.final_margins[0] == every.margin(state[0])
            best = {card for card, value in every.ways(state[0]) if value == solved.final_margins[0]}
            assert set(BELOTE.pack.codes_in(int(solved.best_cards[0]))) == best


@pytest.mark.soak
@pytest.mark.parametrize("rules", BY_TRUMP)
@pytest.mark.parametrize(("left", "positions"), [(3, 200), (4, 40), (5, 3)])
def test_solved_is_what_playing_every_way_comes_to_over_and_over(
    rules: str, left: int, positions: int
) -> None:
    assert compare(encoded(rules), 2, left, positions, 1) >= positions


@pytest.mark.slow
@pytest.mark.parametrize("rules", [*BY_TRUMP, {"preset": "coinchee", "litige": "next"}], ids=str)
def test_be_17_be_18_the_last_trick_is_forced_so_its_contract_is_won_as_it_was(rules: Any) -> None:
    own = encoded(rules)
    ends = list(endings(own, 4, 1, 60))
    assert {int(states[-1]["winner"]) for states in ends} >= {0, 1}
    for states in ends:
        winner = int(states[-1]["winner"])
        expected = 0 if winner < 0 else 1 - 2 * winner
        assert validated(states, own).winners.tolist() == [expected] * len(states)


@pytest.mark.slow
def test_no_card_ever_gains() -> None:
    rules = encoded("coinchee")
    for match in simulate.simulate_matches(BELOTE, rules, 4, 2, 4):
        for deal in match.deals:
            replay = Replay(BELOTE, rules, 4, deal.dealer, deal.deck, deal.codes)
            solved = solve_deal(replay)
            if isinstance(solved, NotSolved):
                assert solved.reason == "never"
                continue
            assert all(play.lost >= 0 for play in solved.plays)
            start = replay[solved.first_action].state["cards"]
            lost = sum(play.lost * (1 - 2 * (play.seat & 1)) for play in solved.plays)
            last = replay.last.state
            end = int(kernel.points(last, 0)) - int(kernel.points(last, 1))
            assert int(start[0]) - int(start[1]) + solved.margin - lost == end


def test_be_23_points_that_are_scaled_are_not_solved() -> None:
    state = np.zeros(1, BELOTE.kernel.State)
    state["trick"], state["values"] = 7, SCALED
    assert BELOTE.solver is not None
    refused = BELOTE.solver.solve_states(state, encoded("classique"))
    assert refused == NotSolved("option", "sans_tout=true")
