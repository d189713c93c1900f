"""Chouine across deals: dealer, target score, ties, end of the match (CH-24 to CH-26).

Compiled like the kernel, so that bulk and single matches are counted by the same functions.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from engine import bulk
from engine.cards import PIQUET
from engine.chouine import kernel
from engine.chouine.faults import MATCH_FAULTS
from engine.chouine.kernel import NOBODY, NULL, REPLAYED, RUNNING
from engine.games import NOT_DECLARED
from engine.jit import compiled, inlined
from engine.match import NO_DEALS_BEFORE, UNKNOWN_START, StartProblem, count_problems, next_dealer
from engine.match import score as score

RANK_COUNT = len(PIQUET.ranks)

Match = np.dtype(
    [
        ("parties", np.int16, (4,)),  # won in this manche
        ("score", np.int16, (4,)),  # won in the match
        ("manches", np.int8, (4,)),
        ("before", np.int8, (4,)),  # manches won before the start of the log
        ("under", np.int8, (4,)),  # counted manches in which no other seat won a partie (CH-30)
        ("players", np.int8),
        ("needed", np.int16),  # parties that win a manche
        ("to_win", np.int8),  # manches that win the match
        ("manche", np.int8),  # from 0
        ("partie", np.int16),  # number counted in this manche
        ("dealer", np.int8),  # the seat that must deal next, NOBODY if unknown
        ("first_dealer", np.int8),  # of the match
        ("highest", np.int8),  # the seat that cut the highest card
        ("belle_dealer", np.int8),
        ("unknown", np.int8),  # number of deals without a result; later ones cannot be counted
        ("over", np.int8),
        ("winner", np.int8),
    ],
    align=True,
)

(
    WRONG_DEALER,
    DEAL_AFTER_MATCH,
    POINTS_DIFFER,
    WINNER_DIFFERS,
    MANCHE_DIFFERS,
    SCORE_DIFFERS,
    RESULT_DIFFERS,
    INCOMPLETE,
) = (fault.bit for fault in MATCH_FAULTS.rows[:8])
RESULT_CONTRADICTS = MATCH_FAULTS.bit("result-contradicts")


@compiled
def open_match(match, rules, players, dealer, highest, belle_dealer):
    """Begin a match; the three seats are -1 unless a cut names them (CH-2, CH-25)."""
    for seat in range(4):
        match.parties[seat] = 0
        match.score[seat] = 0
        match.manches[seat] = 0
        match.before[seat] = 0
        match.under[seat] = 0
    match.players = players
    match.needed = rules.parties
    match.to_win = rules.manches
    match.manche = 0
    match.partie = 0
    match.dealer = dealer
    match.first_dealer = dealer
    match.highest = highest
    match.belle_dealer = belle_dealer
    match.unknown = 0
    match.over = 0
    match.winner = NOBODY


@compiled
def next_manche(match):
    """Begin the next manche and set its first dealer (CH-25)."""
    match.manche += 1
    match.partie = 0
    for seat in range(4):
        match.parties[seat] = 0
    if match.manche == 1:
        match.dealer = match.highest
        if match.dealer == NOBODY and match.players == 2 and match.first_dealer >= 0:
            match.dealer = 1 - match.first_dealer
    else:
        match.dealer = match.belle_dealer


@compiled
def resume_from(match, start):
    """Advance to where a log begins, a row of `parse_start`: set score and dealer (CH-25)."""
    if not len(start) or start[0] == NO_DEALS_BEFORE:
        return
    if start[0] == UNKNOWN_START:
        match.unknown = 100
        match.dealer = NOBODY
        return
    while match.manche < start[0]:
        next_manche(match)
    for seat in range(4):
        match.parties[seat] = start[1 + seat]
        match.score[seat] = start[5 + seat]
        match.before[seat] = start[9 + seat]
        match.partie += match.parties[seat]
    if match.dealer >= 0:
        match.dealer = (match.dealer + match.partie) % match.players


@compiled
def open_deal(match, dealer):
    """Return the faults of a deal by seat `dealer` now; it is played even if it has some."""
    faults = np.int64(0)
    if match.over:
        faults |= DEAL_AFTER_MATCH
    elif match.dealer >= 0 and match.dealer != dealer:
        faults |= WRONG_DEALER
    if match.first_dealer == NOBODY and match.manche == 0:
        if match.partie == 0 or not match.unknown:
            match.first_dealer = (dealer - match.partie) % match.players
    return faults


@compiled
def skip_unknown_deal(match):
    """Pass over a deal without a result; later results can no longer be computed."""
    if not match.over:
        match.unknown = min(match.unknown + 1, 100)
        match.dealer = NOBODY


@compiled
def close_deal(match, rules, state, void):
    """Count a deal: its winner's partie, manche and match, and the next dealer (CH-24 to CH-26)."""
    if match.over:
        return
    if void or state.outcome == REPLAYED or state.winner == NULL:
        match.dealer = state.dealer
        return
    if state.outcome == RUNNING:
        skip_unknown_deal(match)
        return
    winner = state.winner
    match.partie += 1
    match.parties[winner] += 1
    match.score[winner] += 1
    match.dealer = (state.dealer + 1) % match.players
    if match.unknown:
        # uncounted deals may have completed the manche: then a cut decides the next dealer
        if rules.manches > 1 and match.parties[winner] + match.unknown >= rules.parties:
            match.dealer = NOBODY
    elif match.parties[winner] == rules.parties:
        match.manches[winner] += 1
        if match.partie == rules.parties:
            match.under[winner] += 1
        if match.manches[winner] + match.before[winner] == rules.manches:
            match.over = 1
            match.winner = winner
        else:
            next_manche(match)


declared_faults = bulk.compile_for_game(bulk.declared_faults, vars(kernel) | globals())


@compiled
def check_declared(match, state, void, points, count, winner, manche):
    """Return the faults of a deal's line on a score sheet; `winner` 0 is a null partie."""
    faults = np.int64(0)
    if manche != NOT_DECLARED and not match.unknown and not match.over and manche != match.manche + 1:
        faults |= MANCHE_DIFFERS
    decided = not void and state.outcome != RUNNING and state.outcome != REPLAYED
    return faults | declared_faults(state, state.players, decided, points, count, winner)


@inlined
def result_contradicts(match, score, count, winner):
    """Return whether no match ends with this score and winner, a seat from 1 (CH-25).

    With several manches a score may count parties: then the winner may have fewer than another
    seat, but enough to have won the required manches.
    """
    if count != match.players or not 0 < winner <= match.players:
        return False
    own = score[winner - 1]
    enough = own >= match.needed * match.to_win
    for seat in range(match.players):
        if seat == winner - 1:
            continue
        if score[seat] > own and not (enough and match.to_win > 1):
            return True
        if match.to_win == 1 and score[seat] >= match.needed:
            return True
    return False


@compiled
def check_result(match, score, count, winner, winner_declared):
    """Return the faults of a declared result, in parties, or manches if there are several."""
    faults = np.int64(0)
    if count and count != match.players:
        faults |= SCORE_DIFFERS
        count = 0  # the scores match no seats
    as_parties = True
    as_manches = match.manche > 0
    if match.over:
        as_manches = match.manches.sum() + match.before.sum() > 1
    for seat in range(count):
        manches = match.manches[seat] + match.before[seat]
        as_parties &= score[seat] >= match.score[seat]
        as_manches &= score[seat] >= manches
        if match.over:
            as_parties &= score[seat] == match.score[seat]
            as_manches &= score[seat] == manches
    if count and not as_parties and not as_manches and not match.unknown:
        faults |= SCORE_DIFFERS
    if not 0 <= winner <= match.players or (match.over and winner_declared and winner != match.winner + 1):
        faults |= RESULT_DIFFERS
    elif not match.over and result_contradicts(match, score, count, winner):
        faults |= RESULT_CONTRADICTS
    return faults


count_matches = bulk.compile_for_game(bulk.count_matches, globals())


next_openers = next_dealer


def parse_start(
    declared: Mapping[str, Any], players: int, rules: np.void
) -> tuple[list[int], list[StartProblem]]:
    """Convert a log's `start` to a row: the manche, its parties, all parties, manches won (CH-25).

    `score` counts all parties of the match, including those of the current manche, `parties`; in
    the first manche the two are equal. The winners of earlier manches follow from them.
    """
    needed, to_win = int(rules["parties"]), int(rules["manches"])
    last = players * (to_win - 1) + 1
    manche, score = declared.get("manche"), declared["score"]
    manche = 1 if manche is None else manche
    parties = declared.get("parties")
    if parties is None and manche <= 1:
        parties = score
    wrong = [] if 1 <= manche <= last else [StartProblem("/manche", manche)]
    wrong += count_problems("score", score, players, needed * last)
    if parties is None:
        wrong.append(StartProblem("", None))
    elif not wrong:
        own = "score" if parties is score else "parties"
        wrong += count_problems(own, parties, players, needed - 1)
    if wrong or parties is None:
        return [UNKNOWN_START], wrong
    earlier = [every - one for every, one in zip(score, parties, strict=True)]
    # all distributions of the earlier manches that give these parties without winning the match
    ways = [
        way
        for way in product(range(to_win), repeat=players)
        if sum(way) == manche - 1
        and all(
            won * needed <= own <= won * needed + (manche - 1 - won) * (needed - 1)
            for won, own in zip(way, earlier, strict=True)
        )
    ]
    if len(ways) != 1:
        return [UNKNOWN_START], [] if ways else [StartProblem("/score", score)]
    none = [0] * (4 - players)
    return [manche - 1, *parties, *none, *score, *none, *ways[0], *none], []


def possible_winners(score: Sequence[int], players: int, rules: np.void) -> frozenset[int]:
    """Return who may have won a match with this score, in manches or in parties (CH-25)."""
    needed, to_win = int(rules["parties"]), int(rules["manches"])
    as_manches = [seat for seat in range(players) if score[seat] == to_win]
    if to_win > 1 and len(as_manches) == 1 and max(score) == to_win:
        return frozenset(as_manches)
    # all distributions of the manches that may give these parties
    ways = [way for way in product(range(to_win + 1), repeat=players) if way.count(to_win) == 1]
    return frozenset(
        way.index(to_win)
        for way in ways
        if all(
            won * needed <= own <= won * needed + (sum(way) - won) * (needed - 1)
            for won, own in zip(way, score, strict=True)
        )
    )
