"""How a match of two teams of two begins, resumes and passes over deals: Coinche, Belote."""

import numpy as np

from engine.jit import compiled, inlined
from engine.match import NO_DEALS_BEFORE, NOBODY, UNKNOWN_START


@inlined
def begin_match(match, target, players, dealer):
    """Begin a match at 0 to 0; `dealer` may be -1."""
    match.score[0] = 0
    match.score[1] = 0
    match.target = target
    match.players = players
    match.manche = 0
    match.partie = 0
    match.dealer = dealer
    match.unknown = 0
    match.over = 0
    match.winner = NOBODY


@inlined
def resume_score(match, start):
    """Advance to where a log begins, a row of `parse_start`; return whether it sets the score."""
    if not len(start) or start[0] == NO_DEALS_BEFORE:
        return False
    if start[0] == UNKNOWN_START:
        match.unknown = 1
        match.dealer = NOBODY
        return False
    for side in range(2):
        match.score[side] = start[1 + side]
    return True


@inlined
def is_wrong_dealer(match, dealer):
    """Return whether another seat than `dealer` must deal."""
    return match.dealer >= 0 and match.dealer != dealer


@compiled
def skip_unknown_deal(match):
    """Pass over a deal without a result; later results can no longer be computed."""
    if not match.over:
        match.unknown = 1
        match.dealer = NOBODY


@inlined
def next_deal(match, state):
    """Count a deal and let the next seat deal."""
    match.partie += 1
    match.dealer = np.int64(state.dealer + 1) & 3
