"""Chouineurs across manches: leader, score, spent bids, winner.

Compiled like the kernel, because bulk and explanation count with the same functions
(CR-1, CR-7 to CR-9).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine import bulk
from engine.chouineurs.faults import MATCH_FAULTS
from engine.chouineurs.kernel import NOBODY, NULL, RUNNING, total
from engine.games import NOT_DECLARED
from engine.jit import compiled, inlined
from engine.match import NO_DEALS_BEFORE, UNKNOWN_START, StartProblem, count_problems

Match = np.dtype(
    [
        ("total", np.int32, (5,)),
        ("last", np.int32, (5,)),  # points of the last manche that counted
        ("spent", np.int8, (5,)),  # bid cards that left the game, a bit each (CR-7)
        ("players", np.int8),
        ("manche", np.int16),  # that counted so far
        ("partie", np.int16),  # always 0: a manche is one deal
        ("leaders", np.int8),  # who may lead next, a bit each; 0 when nothing says
        ("dealer", np.int8),  # who must lead next, NOBODY when nothing says or several may
        ("untold", np.int8),  # bid cards may have left before the log begins
        ("unknown", np.int8),  # a manche without an end: what follows cannot be counted
        ("over", np.int8),
        ("winner", np.int8),
    ],
    align=True,
)

(
    WRONG_LEADER,
    DEAL_AFTER_MATCH,
    POINTS_DIFFER,
    WINNER_DIFFERS,
    SCORE_DIFFERS,
    RESULT_DIFFERS,
    INCOMPLETE,
    BID_SPENT,
) = (fault.bit for fault in MATCH_FAULTS.rows[:8])
RESULT_CONTRADICTS = MATCH_FAULTS.bit("result-contradicts")


@inlined
def set_leaders(match, leaders):
    """Say who may lead next: a bit each, 0 for nobody knows."""
    match.leaders = leaders
    match.dealer = NOBODY
    for seat in range(match.players):
        if leaders == 1 << seat:
            match.dealer = seat


@compiled
def open_match(match, rules, players, dealer, highest, belle_dealer):
    """Begin a match, led first by `dealer`, NOBODY when only the first deal names it (CR-8)."""
    for seat in range(5):
        match.total[seat] = 0
        match.last[seat] = 0
        match.spent[seat] = 0
    match.players = players
    match.manche = 0
    match.partie = 0
    match.untold = 0
    match.unknown = 0
    match.over = 0
    match.winner = NOBODY
    set_leaders(match, 1 << dealer if dealer >= 0 else 0)


@compiled
def resume_from(match, start):
    """Go on to where a log begins, `start` a row of `parse_start`: totals, who may lead (CR-8)."""
    if not len(start) or start[0] == NO_DEALS_BEFORE:
        return
    if start[0] == UNKNOWN_START:
        match.unknown = 1
        set_leaders(match, 0)
        return
    match.manche = start[0]
    match.untold = match.manche > 0
    best = -1
    leaders = 0
    for seat in range(match.players):
        match.total[seat] = start[1 + seat]
        if match.total[seat] > best:
            best = match.total[seat]
            leaders = 0
        if match.total[seat] == best:
            leaders |= 1 << seat
    if match.manche:
        set_leaders(match, leaders)


@compiled
def open_deal(match, dealer):
    """The faults of dealing now, `dealer` to lead; the deal is played whatever they are."""
    if match.over:
        return np.int64(DEAL_AFTER_MATCH)
    if match.leaders and not match.leaders >> dealer & 1:
        return np.int64(WRONG_LEADER)
    return np.int64(0)


@compiled
def skip_unknown_deal(match):
    """A deal that cannot be dealt: what follows cannot be counted."""
    if not match.over:
        match.unknown = 1
        match.manche += 1
        set_leaders(match, 0)


@inlined
def set_winner(match):
    """The winner: most points, then most in the last manche, then nobody (CR-9)."""
    best = NOBODY
    shared = False
    for seat in range(match.players):
        if best < 0:
            best = seat
            continue
        ahead = match.total[seat] - match.total[best]
        if ahead == 0:
            ahead = match.last[seat] - match.last[best]
        if ahead > 0:
            best = seat
            shared = False
        elif ahead == 0:
            shared = True
    match.over = 1
    match.winner = NOBODY if shared else best


@compiled
def close_deal(match, rules, state, void):
    """Count a manche: its points, the bids gone, the next leader, the end (CR-7 to CR-9)."""
    if match.over:
        return
    if void:
        # dealt again: whoever was to lead still is, and a tie stays decided
        if match.leaders >> state.dealer & 1 or not (match.leaders or match.unknown):
            set_leaders(match, 1 << state.dealer)
        return
    if state.outcome == RUNNING:
        skip_unknown_deal(match)
        return
    best = -1
    leaders = 0
    for seat in range(match.players):
        match.last[seat] = total(state, seat)
        match.total[seat] += match.last[seat]
        if state.made[seat]:
            match.spent[seat] |= 1 << state.bid[seat]
        if match.total[seat] > best:
            best = match.total[seat]
            leaders = 0
        if match.total[seat] == best:
            leaders |= 1 << seat
    match.manche += 1
    if match.unknown:
        return
    set_leaders(match, leaders)
    if match.manche == rules.manches:
        set_winner(match)


@compiled
def check_declared(match, state, void, points, count, winner, manche):
    """The faults of what a deal's sheet says, its bids too; points are the manche’s alone."""
    faults = np.int64(0)
    if not match.over:
        for seat in range(state.players):
            if state.bid[seat] >= 0 and match.spent[seat] >> state.bid[seat] & 1:
                faults |= BID_SPENT
    if winner != NOT_DECLARED and not 0 <= winner <= state.players:
        faults |= WINNER_DIFFERS  # nobody sits there, however the manche ends
    if void or state.outcome == RUNNING:
        return faults
    if count:
        if count != state.players:
            faults |= POINTS_DIFFER
        else:
            for seat in range(count):
                if points[seat] != total(state, seat):
                    faults |= POINTS_DIFFER
    if winner != NOT_DECLARED and winner != (0 if state.winner == NULL else state.winner + 1):
        faults |= WINNER_DIFFERS
    return faults


@inlined
def result_contradicts(match, score, count, winner):
    """Whether no match ends with those totals and that winner, a seat from 1 (CR-9)."""
    if count != match.players or not 0 < winner <= match.players:
        return False
    best = score[0]
    for seat in range(1, match.players):
        best = max(best, score[seat])
    return score[winner - 1] < best


@compiled
def check_result(match, score, count, winner, winner_declared):
    """The faults of the declared result: the total of each seat."""
    faults = np.int64(0)
    if count and count != match.players:
        faults |= SCORE_DIFFERS
        count = 0  # none of them is anybody's
    for seat in range(count):
        if match.over:
            if score[seat] != match.total[seat]:
                faults |= SCORE_DIFFERS
        elif not match.unknown and score[seat] < match.total[seat]:
            faults |= SCORE_DIFFERS
    if not 0 <= winner <= match.players or (
        match.over and winner_declared and winner != match.winner + 1
    ):
        faults |= RESULT_DIFFERS
    elif not match.over and result_contradicts(match, score, count, winner):
        faults |= RESULT_CONTRADICTS
    return faults


count_matches = bulk.compile_for_game(bulk.count_matches, globals())


def score(match: np.void) -> list[int]:
    """The score of a match as `result` writes it: totals, seat by seat."""
    return [int(points) for points in match["total"][: match["players"]]]


def next_openers(match: np.void) -> list[int]:
    """The seats, from 1, that may lead the next manche; empty when nothing says."""
    return [seat + 1 for seat in range(match["players"]) if int(match["leaders"]) >> seat & 1]


def spent_bids(match: np.void, seat: int) -> list[int]:
    """The bid cards that left a seat's hand for good (CR-7)."""
    return [bid for bid in range(5) if int(match["spent"][seat]) >> bid & 1]


MAX_SCORE = 10_000
"""Points no player comes to."""


def parse_start(
    declared: Mapping[str, Any], players: int, rules: np.void
) -> tuple[list[int], list[StartProblem]]:
    """A log's `start` as a row: the manche, and the totals before it, none before the first (CR-9).

    The bid cards that have left the game are not told (CR-7).
    """
    manche, score = declared["manche"], declared["score"]
    wrong = [] if 1 <= manche <= int(rules["manches"]) else [StartProblem("/manche", manche)]
    wrong += count_problems("score", score, players, 0 if manche == 1 else MAX_SCORE)
    return ([UNKNOWN_START], wrong) if wrong else ([manche - 1, *score], [])
