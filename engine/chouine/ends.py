"""The ends of many deals in one call: what `endgame` judges of a state, from the deals as told."""

import numpy as np

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
from engine.solved import AT_ONCE, IRREGULAR, NEVER, OPTION, STOPPED


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


@inlined
def winner(state, margin):
    """Who wins with best play, nobody when both make as much (CH-24); or who won, once it is."""
    if state.over == OVER:
        return 0 if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    return np.int64(margin > 0) - np.int64(margin < 0)


@compiled
def winners(states, margins, found):
    """Fill `found` with the winner of each state."""
    for i in range(len(states)):
        found[i] = winner(states[i], margins[i])


@inlined
def choices(state, rules):
    """The cards of which who has the turn lays one."""
    if state.over == OVER:
        return np.int64(0)
    return playable(state, rules, np.int64(state.turn))[0] & state.allowed & EVERY


@compiled
def judge_all(
    states, faults, rules, rule_of, players, dealers, decks, explicit, codes, offsets,
    unsolved, starts, made, margins, best, free, won,
):  # fmt: skip
    """Solve the ends of n deals told as `run` takes them, but for those with a reason already.

    `states` and `faults` are room for the longest. State k of deal i stands at `offsets[i] + i + k`
    of the last four; `unsolved` gets a place in `REASONS`, `starts` the first state that is solved,
    `made` what side 1 had more than side 2 there.
    """
    for i in range(len(dealers)):
        if unsolved[i]:
            continue
        rule = rules[rule_of[i]]
        count = offsets[i + 1] - offsets[i]
        start(states[0], rule, players[i], dealers[i], decks[i], explicit[i])
        applied = trace(states, faults, rule, codes[offsets[i] : offsets[i + 1]])
        first = begins(states[: applied + 1])
        if applied < count or first < 0:
            unsolved[i] = STOPPED if applied < count else NEVER
            continue
        wrong = False
        for k in range(first, applied):
            wrong |= faults[k] & ERRORS != 0
        unsolved[i] = IRREGULAR if wrong else refuses(states[first], rule)
        if unsolved[i]:
            continue
        starts[i] = first
        made[i] = total(states[first], 0) - total(states[first], 1)
        low, high = offsets[i] + i + first, offsets[i] + i + applied + 1
        some = states[first : applied + 1]
        judge(some, rule, margins[low:high], best[low:high])
        winners(some, margins[low:high], won[low:high])
        for k in range(len(some)):
            free[low + k] = choices(some[k], rule)
