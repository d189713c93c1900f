"""Chouine at two with the talon seen: against every way the rest can be played."""

from collections.abc import Iterator

import numpy as np
import pytest

from engine import simulate
from engine.chouine import kernel
from engine.chouine.actions import SEPT, UNSHOWN
from engine.replay import Replay
from tests.engine.chouine.test_endgame import CHOUINE, Everything, rules_of

LAVARDIN = rules_of("lavardin")
LIMIT = 10**7
A_CHOUINE = 2000
"""More than all points."""


class WithTheTalon(Everything):
    """Every way to play on, as the kernel has it, the 7 exchanged or not."""

    def margin(self, state: np.void) -> int:
        if state["over"] != kernel.OPEN:
            won = state["outcome"] == kernel.BY_CHOUINE
            return A_CHOUINE * (1 - 2 * int(state["winner"])) if won else 0
        fields = ("turn", "best", "on_table", "drawn", "sept", "chouine", "announcements")
        key = (*map(int, (state[one] for one in fields)), *map(int, state["hand"][:2]))
        key += tuple(map(int, state["counted"][:2]))
        if key not in self.known:
            sign = 1 - 2 * int(state["turn"])
            self.known[key] = sign * max(sign * value for _, value in self.ways(state))
        return self.known[key]

    def ways(self, state: np.void) -> Iterator[tuple[int, int]]:
        count = kernel.legal(state, self.rules, self.codes)
        for code in self.codes[:count].tolist():
            act = code & 255
            if code >> 8 == state["turn"] and (act < UNSHOWN or act == SEPT):
                after = state.copy()
                kernel.step(after, self.rules, np.int64(code))
                yield act, self.made(after) - self.made(state) + self.margin(after)


def positions(talon: int, seed: int, most: int) -> Iterator[np.void]:
    """The beginnings of tricks with so many cards left to draw."""
    found = 0
    for match in simulate.simulate_matches(CHOUINE, LAVARDIN, 2, most, seed):
        for deal in match.deals:
            replay = Replay(CHOUINE, LAVARDIN, 2, deal.dealer, deal.deck, deal.codes)
            for state in replay.states:
                if state["drawn"] == 22 - talon and state["on_table"] == 0 and not state["over"]:
                    yield state
                    found += 1
                    break
            if found == most:
                return


def compare(talon: int, seed: int, most: int) -> int:
    """Solve positions, and play each in every way; how many."""
    assert CHOUINE.solver is not None
    compared = 0
    for state in positions(talon, seed, most):
        every = WithTheTalon(LAVARDIN)
        result = every.made(state) + every.margin(state)
        assert CHOUINE.solver.winner(state, LAVARDIN, LIMIT) == np.sign(result)
        margin = CHOUINE.solver.margin(state, LAVARDIN, LIMIT)
        assert margin is not None
        assert margin == result or min(abs(margin), abs(result)) > A_CHOUINE // 2
        compared += 1
    return compared


@pytest.mark.slow
def test_ch_13_solved_is_what_playing_every_way_comes_to() -> None:
    assert compare(2, 1, 2) == 2


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("talon", "most"), [(2, 200), (4, 6)])
def test_solved_is_what_playing_every_way_comes_to_over_and_over(talon: int, most: int) -> None:
    assert compare(talon, 2, most) == most


@pytest.mark.slow
def test_the_search_may_be_given_up() -> None:
    (state,) = positions(12, 1, 1)
    assert CHOUINE.solver is not None
    assert CHOUINE.solver.winner(state, LAVARDIN, 10) is None
    assert CHOUINE.solver.winner(state, LAVARDIN, LIMIT) in (-1, 0, 1)
