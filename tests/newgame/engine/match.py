"""Brelin across deals: who deals, what a deal adds, who wins (BR-6)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine import bulk
from engine.games import NOT_DECLARED
from engine.jit import compiled
from engine.match import NO_DEALS_BEFORE, UNKNOWN_START, StartProblem, best_sides, count_problems, next_dealer
from tests.newgame.engine.faults import MATCH_FAULTS
from tests.newgame.engine.kernel import NOBODY, NULL, RUNNING, total

Match = np.dtype(
    [
        ("score", np.int32, (2,)),
        ("players", np.int8),
        ("manche", np.int8),  # always 0
        ("partie", np.int16),  # deals that counted
        ("dealer", np.int8),  # who must deal next, NOBODY when nothing says
        ("unknown", np.int8),  # a deal without a result: what follows cannot be counted
        ("over", np.int8),
        ("winner", np.int8),
    ],
    align=True,
)

(WRONG_DEALER, DEAL_AFTER_MATCH, POINTS_DIFFER, WINNER_DIFFERS, SCORE_DIFFERS, RESULT_DIFFERS, INCOMPLETE) = (
    fault.bit for fault in MATCH_FAULTS.rows[:7]
)
RESULT_CONTRADICTS = MATCH_FAULTS.bit("result-contradicts")


@compiled
def open_match(match, rules, players, dealer, highest, belle_dealer):
    """Begin at 0 to 0; `dealer` may be NOBODY, the two others are for games with a cut."""
    match.score[0] = 0
    match.score[1] = 0
    match.players = players
    match.manche = 0
    match.partie = 0
    match.dealer = dealer
    match.unknown = 0
    match.over = 0
    match.winner = NOBODY


@compiled
def resume_from(match, start):
    """Go on to where a log begins, `start` a row of `parse_start`: the points (BR-6)."""
    if not len(start) or start[0] == NO_DEALS_BEFORE:
        return
    if start[0] == UNKNOWN_START:
        match.unknown = 1
        return
    for seat in range(2):
        match.score[seat] = start[1 + seat]


@compiled
def open_deal(match, dealer):
    """The faults of dealing now, from seat `dealer`; the deal is played whatever they are."""
    if match.over:
        return np.int64(DEAL_AFTER_MATCH)
    wrong = match.dealer >= 0 and match.dealer != dealer
    return np.int64(WRONG_DEALER if wrong else 0)


@compiled
def skip_unknown_deal(match):
    """A deal that cannot be dealt: what follows cannot be counted."""
    if not match.over:
        match.unknown = 1
        match.dealer = NOBODY


@compiled
def close_deal(match, rules, state, void):
    """Count a deal: points, the next dealer, the end (BR-6)."""
    if match.over:
        return
    if void:
        match.dealer = state.dealer
        return
    if state.outcome == RUNNING:
        skip_unknown_deal(match)
        return
    match.partie += 1
    match.dealer = 1 - state.dealer
    for seat in range(2):
        match.score[seat] += total(state, seat)
    ahead = match.score[0] - match.score[1]
    if not match.unknown and ahead and max(match.score[0], match.score[1]) >= rules.target:
        match.over = 1
        match.winner = 0 if ahead > 0 else 1


@compiled
def check_declared(match, state, void, points, count, winner, manche):
    """The faults of what a deal's sheet says: `count` points, and `winner` or UNSAID."""
    faults = np.int64(0)
    if winner != NOT_DECLARED and not 0 <= winner <= 2:
        faults |= WINNER_DIFFERS
    if void or state.outcome == RUNNING:
        return faults
    if count and (count != 2 or points[0] != total(state, 0) or points[1] != total(state, 1)):
        faults |= POINTS_DIFFER
    if winner != NOT_DECLARED and winner != (0 if state.winner == NULL else state.winner + 1):
        faults |= WINNER_DIFFERS
    return faults


@compiled
def check_result(match, score, count, winner, winner_declared):
    """The faults of the declared result; of a match that goes on a score can only be too low."""
    faults = np.int64(0)
    if count and count != 2:
        faults |= SCORE_DIFFERS
        count = 0
    for seat in range(count):
        if match.over:
            if score[seat] != match.score[seat]:
                faults |= SCORE_DIFFERS
        elif not match.unknown and score[seat] < match.score[seat]:
            faults |= SCORE_DIFFERS
    if not 0 <= winner <= 2 or (match.over and winner_declared and winner != match.winner + 1):
        faults |= RESULT_DIFFERS
    elif not match.over and count and winner and score[winner - 1] < score[2 - winner]:
        faults |= RESULT_CONTRADICTS
    return faults


count_matches = bulk.compile_for_game(bulk.count_matches, globals())


def score(match: np.void) -> list[int]:
    """The score of a match as `result` writes it: points, seat by seat."""
    return [int(points) for points in match["score"]]


next_openers = next_dealer


def parse_start(
    declared: Mapping[str, Any], players: int, rules: np.void
) -> tuple[list[int], list[StartProblem]]:
    """A log's `start` as a row: 0, and the points of each seat (BR-6)."""
    wrong = count_problems("score", declared["score"], 2, 10_000)
    return ([UNKNOWN_START], wrong) if wrong else ([0, *declared["score"]], [])


def possible_winners(score: Sequence[int], players: int, rules: np.void) -> frozenset[int]:
    """The seats that may have won with these points (BR-6)."""
    return best_sides(score) if max(score) >= rules["target"] else frozenset()
