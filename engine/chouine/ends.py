"""The ends of many deals in one call: what `endgame` judges of a state, from the deals as told."""

import numpy as np

from engine import bulk
from engine.chouine.endgame import judge, wins_at_once
from engine.chouine.kernel import (
    ERRORS,
    EVERY,
    OVER,
    combinations_held,
    playable,
    start,
    total,
    trace,
)
from engine.compiled import compiled, inlined
from engine.solved import AT_ONCE, OPTION


@compiled
def begins(states):
    """The first state in which nothing is left to draw (CH-8), -1 for none."""
    for i in range(len(states)):
        state = states[i]
        if state.on_table == 0 and state.to_draw == 0 and state.drawn >= state.drawable:
            return i
    return -1


@compiled
def refuses(state, rules):
    """Why nothing is reckoned from a first state on, as a place in `REASONS`; 0: it is."""
    if wins_at_once(state, rules):
        return AT_ONCE
    if not rules.one_per_suit and state.trump < 0:
        # which of a suit's announcements makes trump, and which are made before, is not looked for
        for seat in range(2):
            if combinations_held(state, seat):
                return OPTION
    return 0


@compiled
def so_far(state):
    """What side 1 has made more than side 2."""
    return np.int64(total(state, 0)) - np.int64(total(state, 1))


@inlined
def winner(state, margin):
    """Who wins with best play, nobody when both make as much (CH-24); or who won, once it is."""
    if state.over == OVER:
        return 0 if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    return np.int64(margin > 0) - np.int64(margin < 0)


@inlined
def choices(state, rules):
    """The cards of which who has the turn lays one."""
    if state.over == OVER:
        return np.int64(0)
    return playable(state, rules, np.int64(state.turn))[0] & state.allowed & EVERY


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
