"""The last tricks of Coinche with all cards seen: against every way they can be played."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import options, simulate
from engine.actions import ACT_MASK
from engine.coinche import kernel
from engine.games import game
from engine.replay import Replay
from engine.solver import solve_deal
from engine.solver_results import EndgameReport, EndgameValues, NotSolved

COINCHE = game("coinche")
RULES = options.encode_rules("coinche", options.resolve_options("coinche", None, 4))


class Everything:
    """Every way to play a deal out, by the kernel's `legal` and `step` alone."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, ...], int] = {}
        self.codes = np.zeros(2048, np.uint16)

    def margin(self, state: np.void) -> int:
        """The points of side 1 minus those of side 2 at the end."""
        if state["over"] == kernel.OVER:
            return int(kernel.points(state, 0)) - int(kernel.points(state, 1))
        key = tuple(int(one) for field in ("hand", "cards", "taken") for one in state[field])
        key += (int(state["turn"]), int(state["best"]), int(state["trick_winner"]))
        if key not in self.known:
            sign = 1 - 2 * (int(state["turn"]) & 1)
            self.known[key] = sign * max(sign * value for _, value in self.ways(state))
        return self.known[key]

    def ways(self, state: np.void) -> Iterator[tuple[int, int]]:
        """Each card there is, with what its deal comes to."""
        count = kernel.legal(state, RULES, self.codes)
        for code in self.codes[:count].tolist():
            if code & ACT_MASK < 36:
                after = state.copy()
                kernel.step(after, RULES, np.int64(code))
                yield code & ACT_MASK, self.margin(after)


def endings(seed: int, left: int, most: int) -> Iterator[NDArray[np.void]]:
    """The last tricks of simulated deals, played out, as they were."""
    found = 0
    for match in simulate.simulate_matches(COINCHE, RULES, 4, most, seed):
        for deal in match.deals:
            replay = Replay(COINCHE, RULES, 4, deal.dealer, deal.deck, deal.codes)
            if replay.last.state["outcome"] == kernel.PLAYED_OUT:
                at = replay.at_trick(kernel.TRICKS - left).index
                yield replay.states[at:]
                found += 1
            if found == most:
                return


def validated(states: NDArray[np.void]) -> EndgameValues | NotSolved:
    assert COINCHE.solver is not None
    return COINCHE.solver.solve_states(states, RULES)


def compare(seed: int, left: int, positions: int) -> int:
    """Solve last tricks, and play each state of them in every way; how many were compared."""
    compared = 0
    for states in endings(seed, left, positions):
        solved = validated(states)
        assert isinstance(solved, EndgameValues)
        every = Everything()
        for at in range(0, len(states), 3):
            state = states[at]
            assert solved.final_margins[at] == every.margin(state)
            if state["over"] != kernel.OVER:
                best = {card for card, value in every.ways(state) if value == solved.final_margins[at]}
                assert set(COINCHE.pack.codes_in(int(solved.best_cards[at]))) == best
            compared += 1
    return compared


@pytest.mark.slow
@pytest.mark.parametrize(("left", "positions"), [(3, 40), (4, 1)])
def test_solved_is_what_playing_every_way_comes_to(left: int, positions: int) -> None:
    assert compare(1, left, positions) >= positions


@pytest.mark.soak
@pytest.mark.parametrize(("left", "positions"), [(3, 200), (4, 60), (5, 12)])
def test_solved_is_what_playing_every_way_comes_to_over_and_over(left: int, positions: int) -> None:
    assert compare(2, left, positions) >= positions


@pytest.mark.slow
def test_co_11_made_or_set_is_known_where_every_way_is() -> None:
    assert COINCHE.solver is not None
    for states in endings(3, 3, 20):
        margin = Everything().margin(states[0])
        declarer = 1 - 2 * (int(states[0]["declarer"]) & 1)
        points = 250 * (margin * declarer > 0) if abs(margin) > 157 else (157 + margin * declarer) // 2
        if states[0]["contract"] <= 9:
            made = points >= kernel.BID_POINTS[states[0]["contract"]]
            solved = validated(states)
            assert isinstance(solved, EndgameValues)
            assert solved.winners[0] == (declarer if made else -declarer)


@pytest.mark.slow
def test_no_card_ever_gains() -> None:
    for match in simulate.simulate_matches(COINCHE, RULES, 4, 6, 4):
        for deal in match.deals:
            replay = Replay(COINCHE, RULES, 4, deal.dealer, deal.deck, deal.codes)
            solved = solve_deal(replay)
            if not isinstance(solved, EndgameReport):
                continue
            assert all(play.lost >= 0 for play in solved.plays)
            last = replay.last.state
            if last["outcome"] == kernel.PLAYED_OUT:
                start = replay[solved.first_action].state["cards"]
                lost = sum(play.lost * (1 - 2 * (play.seat & 1)) for play in solved.plays)
                end = int(kernel.points(last, 0)) - int(kernel.points(last, 1))
                assert int(start[0]) - int(start[1]) + solved.margin - lost == end
