"""Bots for simulated Brelin; the kernel decides which actions are legal."""

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.jit import compiled
from tests.newgame.engine.actions import ACT_COUNT, PAIR
from tests.newgame.engine.kernel import ERRORS, OVER, check, start, step
from tests.newgame.engine.match import close_deal, open_deal, open_match

HABITS: tuple[str, ...] = ("random", "announcing")
MAX_ACTIONS = 24
"""Actions of the longest deal: a bid, twelve cards, and pairs."""


@compiled
def choose(state, rules, habit, rng):
    """A legal act of the one whose turn it is, as a code; who announces does so when they can."""
    base = np.int64(state.turn) << SEAT_SHIFT
    chosen = np.int64(-1)
    count = 0
    for act in range(ACT_COUNT):
        if check(state, rules, base | act) & ERRORS == 0:
            if act >= PAIR and habit == 1:
                return base | act
            count += 1
            if rng.integers(0, count) == 0:
                chosen = base | act
    return chosen


@compiled
def play_deal(state, rules, habits, rng, codes):
    """Play a started deal to its end; how many actions were written to `codes`."""
    count = 0
    while state.over != OVER:
        code = choose(state, rules, habits[state.turn], rng)
        codes[count] = code
        count += 1
        step(state, rules, code)
    return count


def finish_deal(state, rules, habit, rng, codes):
    """Play a deal on from where it stands, everybody by one habit; how many actions."""
    return play_deal(state, rules, np.full(int(state["players"]), habit), rng, codes)


@compiled
def play_match(rules, players, habits, rng, state, match, cuts, dealers, decks, codes, lengths):
    """Play one match; fills a row a deal, returns (deals, 0, 0): there is no cut to tell."""
    open_match(match, rules, players, rng.integers(0, 2), -1, -1)
    deals = 0
    while not match.over and deals < len(decks):
        decks[deals] = rng.permutation(12)
        dealers[deals] = match.dealer
        open_deal(match, match.dealer)
        start(state, rules, players, match.dealer, decks[deals], 0)
        lengths[deals] = play_deal(state, rules, habits, rng, codes[deals])
        close_deal(match, rules, state, False)
        deals += 1
    return deals, 0, 0
