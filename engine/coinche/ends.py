"""The ends of many deals in one call: what `endgame` judges of a state, from the deals as told."""

import numpy as np

from engine.coinche.acts import GENERALE_BID, MATCH_BID
from engine.coinche.endgame import judge, so_far
from engine.coinche.kernel import ALL, ERRORS, OVER, TRICKS, VALUE, playable, start, trace
from engine.compiled import compiled, inlined
from engine.solved import IRREGULAR, NEVER, STOPPED

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
    return playable(state, rules, np.int64(state.turn))[0]


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
        if wrong:
            unsolved[i] = IRREGULAR
            continue
        starts[i] = first
        made[i] = so_far(states[first])
        low, high = offsets[i] + i + first, offsets[i] + i + applied + 1
        some = states[first : applied + 1]
        judge(some, rule, margins[low:high], best[low:high])
        winners(some, margins[low:high], won[low:high])
        for k in range(len(some)):
            free[low + k] = choices(some[k], rule)
