"""Coinche across deals: dealer, target score, ties, winner (CO-14 to CO-16).

Compiled like the kernel, so that bulk and single matches are counted by the same functions.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine import bulk
from engine.coinche import kernel
from engine.coinche.faults import MATCH_FAULTS
from engine.coinche.kernel import RUNNING, STOPPED, set_winner
from engine.jit import compiled, inlined
from engine.match import UNKNOWN_START, StartProblem, count_problems, next_dealer
from engine.match import score as score
from engine.team_match import begin_match, is_wrong_dealer, next_deal, resume_score
from engine.team_match import skip_unknown_deal as skip_unknown_deal

Match = np.dtype(
    [
        ("score", np.int32, (2,)),  # marks of each side, 0 for seats 0 and 2
        ("players", np.int8),
        ("target", np.int32),
        ("manche", np.int8),  # always 0: the game is one race
        ("partie", np.int16),  # number of deals counted, including null ones
        ("dealer", np.int8),  # the seat that must deal next, NOBODY if unknown
        ("unknown", np.int8),  # some deal has no result, so later ones cannot be counted
        ("begun", np.int8),  # the log records the marks before its first deal
        ("stopped", np.int8),  # a side stopped the game, rightly or not: nothing may follow
        ("over", np.int8),
        ("winner", np.int8),  # a side
    ],
    align=True,
)

(WRONG_DEALER, DEAL_AFTER_MATCH, POINTS_DIFFER, WINNER_DIFFERS, SCORE_DIFFERS, RESULT_DIFFERS, INCOMPLETE) = (
    fault.bit for fault in MATCH_FAULTS.rows[:7]
)
RESULT_CONTRADICTS = MATCH_FAULTS.bit("result-contradicts")


@compiled
def open_match(match, rules, players, dealer, highest, belle_dealer):
    """Begin a match at 0 to 0; `dealer` may be -1, the last two serve games with a cut."""
    begin_match(match, rules.target, players, dealer)
    match.begun = 0
    match.stopped = 0


@compiled
def resume_from(match, start):
    """Advance to where a log begins, a row of `parse_start`: set the marks (CO-14)."""
    if resume_score(match, start):
        match.begun = 1


@compiled
def open_deal(match, dealer):
    """Return the faults of a deal by seat `dealer` now; it is played even if it has some."""
    if match.over or match.stopped:
        return np.int64(DEAL_AFTER_MATCH)
    return np.int64(WRONG_DEALER if is_wrong_dealer(match, dealer) else 0)


@inlined
def check_stop(match, state):
    """Decide whether a stop was right; a side that stopped too soon loses its marks (CO-15).

    A stop that falls short stays undecided if the marks before it are not known: after a deal
    without a result, and in the first counted deal of a log that does not record them.
    """
    if state.outcome != STOPPED or state.stop_good >= 0 or match.over or match.stopped:
        return
    side = np.int64(state.stopper) & 1
    if match.score[side] + state.marks[side] >= state.target:
        state.stop_good = 1
    elif (match.partie or match.begun) and not match.unknown:
        state.stop_good = 0
        state.marks[side] = 0
        set_winner(state)


@inlined
def end_if_reached(match, state):
    """End the match if a side stopped it or reached the target (CO-14, CO-15)."""
    if state.outcome == STOPPED:
        if state.stop_good < 0:
            return
        side = np.int64(state.stopper) & 1
        match.over = 1
        match.winner = side if state.stop_good else 1 - side
        return
    first = match.score[0] >= state.target
    second = match.score[1] >= state.target
    if first or second:
        match.over = 1
        match.winner = 0 if first else 1
        if first and second:
            match.winner = state.declarer & 1


@compiled
def close_deal(match, rules, state, void):
    """Count a deal: decide a stop, then add marks, set the next dealer (CO-14 to CO-16).

    With an undecided stop only the other side's marks count: those of its own are not known.
    """
    if match.over or match.stopped:
        return
    if void:
        match.dealer = state.dealer
        return
    if state.outcome == RUNNING:
        skip_unknown_deal(match)
        return
    check_stop(match, state)
    match.stopped = state.outcome == STOPPED
    next_deal(match, state)
    for side in range(2):
        if not (match.stopped and state.stop_good < 0 and side == state.stopper & 1):
            match.score[side] += state.marks[side]
    if not match.unknown:
        end_if_reached(match, state)


declared_faults = bulk.compile_for_game(bulk.declared_faults, vars(kernel) | globals())


@compiled
def check_declared(match, state, void, points, count, winner, manche):
    """Return the faults of a line of a score sheet; `winner` is a side from 1, 0 if equal.

    A stop is decided first, which updates `state`.
    """
    decided = not void and state.outcome != RUNNING
    if decided:
        check_stop(match, state)
        decided = state.outcome != STOPPED or state.stop_good >= 0
    return declared_faults(state, 2, decided, points, count, winner)


@inlined
def result_contradicts(match, score, count, winner):
    """Return whether no match ends with this score and winner, a side from 1 (CO-14, CO-15).

    The winner may have fewer marks if both reached the target and it was the declarer, or if the
    other side stopped too soon, but not if only the other side reached the target.
    """
    if count != 2 or not 0 < winner <= 2:
        return False
    return score[winner - 1] < match.target <= score[2 - winner]


check_result = bulk.compile_for_game(bulk.check_result, globals())
count_matches = bulk.compile_for_game(bulk.count_matches, globals())


next_openers = next_dealer


def parse_start(
    declared: Mapping[str, Any], players: int, rules: np.void
) -> tuple[list[int], list[StartProblem]]:
    """Convert a log's `start` to a row: 0, then the marks by side, below the target (CO-14)."""
    wrong = count_problems("score", declared["score"], 2, int(rules["target"]) - 1)
    return ([UNKNOWN_START], wrong) if wrong else ([0, *declared["score"]], [])


def possible_winners(score: Sequence[int], players: int, rules: np.void) -> frozenset[int]:
    """Return the sides that may have won with these marks (CO-14, CO-15).

    If both reached the target it was the declarer, if neither did a side stopped too soon.
    """
    reached = [side for side in range(2) if score[side] >= rules["target"]]
    return frozenset(reached or range(2))
