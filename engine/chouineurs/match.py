"""Chouineurs across manches: leader, score, ties, spent bids, winner.

Compiled like the kernel, so that bulk and single matches are counted by the same functions
(CR-1, CR-7 to CR-9).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine import bulk
from engine.chouineurs import kernel
from engine.chouineurs.faults import MATCH_FAULTS
from engine.chouineurs.kernel import NOBODY, RUNNING, total
from engine.jit import compiled, inlined
from engine.match import NO_DEALS_BEFORE, UNKNOWN_START, StartProblem, best_sides, count_problems
from engine.match import score as score

Match = np.dtype(
    [
        ("score", np.int32, (5,)),
        ("last", np.int32, (5,)),  # points of the last manche that counted
        ("spent", np.int8, (5,)),  # bit set of the bid cards that left the game (CR-7)
        ("players", np.int8),
        ("manche", np.int16),  # number counted so far
        ("partie", np.int16),  # always 0: a manche is one deal
        ("leaders", np.int8),  # bit set of the seats that may lead next; 0 if unknown
        ("dealer", np.int8),  # the seat that must lead next, NOBODY if unknown or several
        ("bids_unknown", np.int8),  # bid cards may have left before the start of the log
        ("unknown", np.int8),  # some manche has no result, so later ones cannot be counted
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
    BID_ALREADY_USED,
) = (fault.bit for fault in MATCH_FAULTS.rows[:8])
RESULT_CONTRADICTS = MATCH_FAULTS.bit("result-contradicts")


@inlined
def set_leaders(match, leaders):
    """Set the seats that may lead next, a bit set; 0: unknown."""
    match.leaders = leaders
    match.dealer = NOBODY
    for seat in range(match.players):
        if leaders == 1 << seat:
            match.dealer = seat


@compiled
def open_match(match, rules, players, dealer, highest, belle_dealer):
    """Begin a match that `dealer` leads first; -1 if only the first deal names it (CR-8)."""
    for seat in range(5):
        match.score[seat] = 0
        match.last[seat] = 0
        match.spent[seat] = 0
    match.players = players
    match.manche = 0
    match.partie = 0
    match.bids_unknown = 0
    match.unknown = 0
    match.over = 0
    match.winner = NOBODY
    set_leaders(match, 1 << dealer if dealer >= 0 else 0)


@compiled
def resume_from(match, start):
    """Advance to where a log begins, a row of `parse_start`: set totals and leaders (CR-8)."""
    if not len(start) or start[0] == NO_DEALS_BEFORE:
        return
    if start[0] == UNKNOWN_START:
        match.unknown = 1
        set_leaders(match, 0)
        return
    match.manche = start[0]
    match.bids_unknown = match.manche > 0
    best = -1
    leaders = 0
    for seat in range(match.players):
        match.score[seat] = start[1 + seat]
        if match.score[seat] > best:
            best = match.score[seat]
            leaders = 0
        if match.score[seat] == best:
            leaders |= 1 << seat
    if match.manche:
        set_leaders(match, leaders)


@compiled
def open_deal(match, dealer):
    """Return the faults of a deal that `dealer` leads now; it is played even if it has some."""
    if match.over:
        return np.int64(DEAL_AFTER_MATCH)
    if match.leaders and not match.leaders >> dealer & 1:
        return np.int64(WRONG_LEADER)
    return np.int64(0)


@compiled
def skip_unknown_deal(match):
    """Pass over a manche without a result; later results can no longer be computed."""
    if not match.over:
        match.unknown = 1
        match.manche += 1
        set_leaders(match, 0)


@inlined
def set_winner(match):
    """Set the winner: most points, then most in the last manche, then none (CR-9)."""
    best = NOBODY
    shared = False
    for seat in range(match.players):
        if best < 0:
            best = seat
            continue
        ahead = match.score[seat] - match.score[best]
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
    """Count a manche: points, spent bids, the next leader, the end (CR-7 to CR-9)."""
    if match.over:
        return
    if void:
        # dealt again: the leader stays the same, and a tie between leaders stays decided
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
        match.score[seat] += match.last[seat]
        if state.made[seat]:
            match.spent[seat] |= 1 << state.bid[seat]
        if match.score[seat] > best:
            best = match.score[seat]
            leaders = 0
        if match.score[seat] == best:
            leaders |= 1 << seat
    match.manche += 1
    if match.unknown:
        return
    set_leaders(match, leaders)
    if match.manche == rules.manches:
        set_winner(match)


declared_faults = bulk.compile_for_game(bulk.declared_faults, vars(kernel) | globals())


@compiled
def check_declared(match, state, void, points, count, winner, manche):
    """Return the faults of bids and of a line of a score sheet; points of this manche only."""
    faults = np.int64(0)
    if not match.over:
        for seat in range(state.players):
            if state.bid[seat] >= 0 and match.spent[seat] >> state.bid[seat] & 1:
                faults |= BID_ALREADY_USED
    decided = not void and state.outcome != RUNNING
    return faults | declared_faults(state, state.players, decided, points, count, winner)


@inlined
def result_contradicts(match, score, count, winner):
    """Return whether no match ends with these totals and winner, a seat from 1 (CR-9)."""
    if count != match.players or not 0 < winner <= match.players:
        return False
    best = score[0]
    for seat in range(1, match.players):
        best = max(best, score[seat])
    return score[winner - 1] < best


check_result = bulk.compile_for_game(bulk.check_result, globals())
count_matches = bulk.compile_for_game(bulk.count_matches, globals())


def next_openers(match: np.void) -> list[int]:
    """Return the seats, from 1, that may lead the next manche; empty if unknown."""
    return [seat + 1 for seat in range(match["players"]) if int(match["leaders"]) >> seat & 1]


def spent_bids(match: np.void, seat: int) -> list[int]:
    """Return the bid cards of a seat that left the game (CR-7)."""
    return [bid for bid in range(5) if int(match["spent"][seat]) >> bid & 1]


MAX_SCORE = 10_000
"""More points than any player can reach."""


def parse_start(
    declared: Mapping[str, Any], players: int, rules: np.void
) -> tuple[list[int], list[StartProblem]]:
    """Convert a log's `start` to a row: the manche and the totals before it (CR-9).

    A log does not record which bid cards left the game before its start (CR-7).
    """
    manche, score = declared["manche"], declared["score"]
    wrong = [] if 1 <= manche <= int(rules["manches"]) else [StartProblem("/manche", manche)]
    wrong += count_problems("score", score, players, 0 if manche == 1 else MAX_SCORE)
    return ([UNKNOWN_START], wrong) if wrong else ([manche - 1, *score], [])


def possible_winners(score: Sequence[int], players: int, rules: np.void) -> frozenset[int]:
    """Return the seats that may have won with these totals; a tie may be drawn (CR-9)."""
    best = best_sides(score)
    return best if len(best) == 1 else best | {NOBODY}
