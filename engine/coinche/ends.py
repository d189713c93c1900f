"""The ends of many deals in one call: what `endgame` judges of a state, from the deals as told."""

import numpy as np

from engine import bulk
from engine.coinche.acts import GENERALE_BID, MATCH_BID
from engine.coinche.endgame import judge, so_far
from engine.coinche.kernel import ALL, ERRORS, OVER, TRICKS, VALUE, playable, start, trace
from engine.compiled import compiled, inlined

LAST = 5
"""Tricks that are solved."""
UNREACHED = 10_000
"""More points than there are."""


@compiled
def begins(states):
    """The first state of the last five tricks, -1 for none."""
    for i in range(len(states)):
        if states[i].trick >= TRICKS - LAST:
            return i
    return -1


@inlined
def refuses(state, rules):
    """0: from a first state on everything is reckoned."""
    return 0


@compiled
def aim(state):
    """How many points more than the others the bidders need (CO-10, CO-11)."""
    value = np.int64(VALUE[state.contract])
    if state.contract == GENERALE_BID and state.taken[state.bidder] < state.trick:
        return np.int64(UNREACHED)
    return value if state.contract >= MATCH_BID else 2 * value - ALL


@compiled
def winner(state, margin):
    """Who wins with best play: the bidders, if their points make the contract; or who won."""
    if state.over == OVER:
        return np.int64(0) if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    bidder = 1 - 2 * (np.int64(state.bidder) & 1)
    return bidder if margin * bidder >= aim(state) else -bidder


@inlined
def choices(state, rules):
    """The cards of which who has the turn lays one."""
    if state.over == OVER:
        return np.int64(0)
    return playable(state, rules, np.int64(state.turn))[0]


winners, judge_all = bulk.of_ends(
    __name__,
    start=start,
    trace=trace,
    begins=begins,
    refuses=refuses,
    so_far=so_far,
    judge=judge,
    winner=winner,
    choices=choices,
    ERRORS=ERRORS,
)
