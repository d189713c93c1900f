"""Belote across deals: dealer, target score, ties, points that wait, winner (BE-2, BE-20, BE-22).

Compiled like the kernel, so that bulk and single matches are counted by the same functions.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine import bulk
from engine.belote import kernel
from engine.belote.faults import MATCH_FAULTS
from engine.belote.kernel import (
    BELOTE_POINTS,
    BY_TAKING,
    LITIGE,
    LITIGE_NEXT,
    PASSED,
    RUNNING,
    belote_points,
    round_score,
)
from engine.jit import compiled, inlined
from engine.match import MAX_SCORE, UNKNOWN_START, StartProblem, best_sides, count_problems, next_dealer
from engine.match import score as score
from engine.team_match import begin_match, is_wrong_dealer, next_deal, resume_score
from engine.team_match import skip_unknown_deal as skip_unknown_deal

Match = np.dtype(
    [
        ("score", np.int32, (2,)),  # of each side, 0 for seats 0 and 2
        ("waiting", np.int32),  # points of litiges that the next contract decides (BE-20)
        ("carries", np.int8),  # whether points may wait at all
        ("target", np.int32),
        ("deals", np.int32),  # deals after which the match ends, 0 for no limit
        ("played", np.int32),  # deals that had a contract
        ("players", np.int8),
        ("manche", np.int8),  # always 0: the game is one race
        ("partie", np.int16),  # number of deals counted, including those all passed
        ("dealer", np.int8),  # the seat that must deal next, -1 if unknown
        ("unknown", np.int8),  # some deal has no result, so later ones cannot be counted
        ("over", np.int8),
        ("winner", np.int8),  # a side
    ],
    align=True,
)

(WRONG_DEALER, DEAL_AFTER_MATCH, POINTS_DIFFER, WINNER_DIFFERS, SCORE_DIFFERS, RESULT_DIFFERS, INCOMPLETE) = (
    fault.bit for fault in MATCH_FAULTS.rows[:7]
)
MOST_ANNOUNCED = 750
"""Six carrés (BE-16): nothing else of all cards brings more."""
RESULT_CONTRADICTS = MATCH_FAULTS.bit("result-contradicts")


@compiled
def open_match(match, rules, players, dealer, highest, belle_dealer):
    """Begin a match at 0 to 0; `dealer` may be -1, the last two serve games with a cut."""
    begin_match(match, rules.target, players, dealer)
    match.waiting = 0
    match.carries = rules.litige == LITIGE_NEXT
    match.deals = rules.deals
    match.played = 0


@compiled
def resume_from(match, start):
    """Advance to where a log begins, a row of `parse_start`: scores and waiting points (BE-20, BE-22)."""
    if resume_score(match, start):
        match.waiting = start[3]


@compiled
def open_deal(match, dealer):
    """Return the faults of a deal by seat `dealer` now; it is played even if it has some."""
    if match.over:
        return np.int64(DEAL_AFTER_MATCH)
    return np.int64(WRONG_DEALER if is_wrong_dealer(match, dealer) else 0)


@inlined
def add_waiting(match, state):
    """Add the points that wait to the marks of the contract's winner, once (BE-20)."""
    if state.carried >= 0 or match.over or match.unknown:
        return
    state.carried = 0
    if state.winner >= 0:
        state.carried = match.waiting
        state.marks[state.winner] += match.waiting


@inlined
def has_reached(match, rules, state, side):
    """Return whether a side has the target, other than only by a belote in a deal it lost (BE-22)."""
    if match.score[side] < match.target:
        return False
    taken = state.taken[side] + state.taken[side + 2]
    if state.winner == side or (state.winner < 0 and taken):
        return True
    return match.score[side] - round_score(rules, belote_points(state, side)) >= match.target


@inlined
def end_if_reached(match, rules, state):
    """End the match if a side has the target or the last deal was played (BE-22)."""
    first = has_reached(match, rules, state, 0)
    second = has_reached(match, rules, state, 1)
    if match.deals and match.played >= match.deals:
        first = second = True
    if (first or second) and match.score[0] != match.score[1]:
        match.over = 1
        match.winner = 0 if first else 1
        if first and second:
            match.winner = 0 if match.score[0] > match.score[1] else 1


@compiled
def close_deal(match, rules, state, void):
    """Count a deal: add marks and waiting points, set the next dealer (BE-2, BE-20, BE-22, BE-24)."""
    if match.over:
        return
    if void:
        match.dealer = state.dealer
        return
    if state.outcome == RUNNING:
        skip_unknown_deal(match)
        return
    add_waiting(match, state)
    next_deal(match, state)
    if state.outcome == PASSED:
        return
    match.played += 1
    match.waiting = match.waiting + state.waiting if state.outcome == LITIGE else 0
    for side in range(2):
        match.score[side] += state.marks[side]
    if not match.unknown:
        end_if_reached(match, rules, state)


declared_faults = bulk.compile_for_game(bulk.declared_faults, vars(kernel) | globals())


@compiled
def check_declared(match, state, void, points, count, winner, manche):
    """Return the faults of a line of a score sheet; `winner` is a side from 1, 0 if equal.

    Points that waited are added first, which updates `state`.
    """
    decided = not void and state.outcome != RUNNING
    if decided:
        add_waiting(match, state)
        if match.unknown and match.carries:
            count = 0  # what waited before is not known
    return declared_faults(state, 2, decided, points, count, winner)


@inlined
def result_contradicts(match, score, count, winner):
    """Return whether no match ends with this score and winner, a side from 1 (BE-22).

    The winner may have less only if the other side had the target only by a belote.
    """
    if count != 2 or not 0 < winner <= 2:
        return False
    return score[winner - 1] < score[2 - winner] and score[winner - 1] < match.target


check_result = bulk.compile_for_game(bulk.check_result, globals())
count_matches = bulk.compile_for_game(bulk.count_matches, globals())


next_openers = next_dealer


def parse_start(
    declared: Mapping[str, Any], players: int, rules: np.void
) -> tuple[list[int], list[StartProblem]]:
    """Convert a log's `start` to a row: 0, the scores by side, the points that wait (BE-20, BE-22)."""
    wrong = count_problems("score", declared["score"], 2, MAX_SCORE)
    waiting = declared.get("litige") or 0
    if not 0 <= waiting <= MAX_SCORE or (rules["round"] and waiting % 10):
        wrong.append(StartProblem("/litige", waiting))
    if rules["round"] and not wrong:
        unrounded = ((side, points) for side, points in enumerate(declared["score"]) if points % 10)
        wrong += [StartProblem(f"/score/{side}", points) for side, points in unrounded]
    return ([UNKNOWN_START], wrong) if wrong else ([0, *declared["score"], waiting], [])


def _highest_score(other: int, rules: np.void) -> int:
    """Return a score that no match ends above if the other side has `other` (BE-18 to BE-22)."""
    by_taking = rules["auction"] == BY_TAKING
    belotes = BELOTE_POINTS * (4 if rules["sans_tout"] else 1)
    # below the target, or past it by belotes, or both equal: then the match goes on
    before = max(int(rules["target"]) + belotes, other)
    waiting = 0
    if rules["litige"] == LITIGE_NEXT:
        if not by_taking:
            return MAX_SCORE
        waiting = before + other  # of each litige the defence has as much
    best = 252 + belotes + (MOST_ANNOUNCED if rules["announcements"] else 0)
    if not by_taking:
        best = 4 * (best + max(int(rules["highest"]), 250)) + 5
    return before + waiting + best


def possible_winners(score: Sequence[int], players: int, rules: np.void) -> frozenset[int]:
    """Return the sides that may have won with these scores (BE-22)."""
    if rules["round"] and any(points % 10 for points in score):
        return frozenset()
    if max(score) > _highest_score(min(score), rules):
        return frozenset()
    reached = [side for side in range(2) if score[side] >= rules["target"]]
    if rules["deals"] and not reached:
        return best_sides(score) if score[0] != score[1] else frozenset()
    if len(reached) == 2 and score[0] != score[1]:
        # the lower one wins if the higher reached the target by nothing but its belotes
        most = BELOTE_POINTS * (4 if rules["sans_tout"] else 1)
        return frozenset(range(2)) if max(score) < rules["target"] + most else best_sides(score)
    if len(reached) == 2:
        return frozenset()
    return frozenset(reached)
