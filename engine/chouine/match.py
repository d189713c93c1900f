"""Chouine across deals: dealer, score, end of the match (CH-24 to CH-26).

Compiled like the kernel, because bulk and explanation count with the same functions.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from engine import bulk
from engine.cards import PIQUET
from engine.chouine.faults import MATCH_FAULTS
from engine.chouine.kernel import NOBODY, NULL, REPLAYED, RUNNING, total
from engine.games import NOT_DECLARED
from engine.jit import compiled, inlined
from engine.match import NO_DEALS_BEFORE, UNKNOWN_START, StartProblem, count_problems, next_dealer

RANK_COUNT = len(PIQUET.ranks)

Match = np.dtype(
    [
        ("parties", np.int16, (4,)),  # won in this manche
        ("won", np.int16, (4,)),  # won in the match
        ("manches", np.int8, (4,)),
        ("before", np.int8, (4,)),  # manches won before the log begins
        ("under", np.int8, (4,)),  # of them, manches in which nobody else won a partie (CH-30)
        ("players", np.int8),
        ("needed", np.int16),  # parties that win a manche
        ("to_win", np.int8),  # manches that win the match
        ("manche", np.int8),  # from 0
        ("partie", np.int16),  # that counted, in this manche
        ("dealer", np.int8),  # who must deal next, NOBODY when nothing says
        ("first_dealer", np.int8),  # of the match
        ("highest", np.int8),  # who cut the highest card
        ("belle_dealer", np.int8),
        ("unknown", np.int8),  # deals without a result: what follows cannot be counted
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
    """Begin a match; each of the three seats may be NOBODY when no cut names it (CH-2, CH-25)."""
    for seat in range(4):
        match.parties[seat] = 0
        match.won[seat] = 0
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
    """Set who deals first in the manche that begins (CH-25)."""
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
    """Go on to where a log begins, `start` a row of `parse_start`: the score, who deals (CH-25)."""
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
        match.won[seat] = start[5 + seat]
        match.before[seat] = start[9 + seat]
        match.partie += match.parties[seat]
    if match.dealer >= 0:
        match.dealer = (match.dealer + match.partie) % match.players


@compiled
def open_deal(match, dealer):
    """The faults of dealing now, from seat `dealer`; the deal is played whatever they are."""
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
    """A deal that cannot be dealt: what follows cannot be counted."""
    if not match.over:
        match.unknown = min(match.unknown + 1, 100)
        match.dealer = NOBODY


@compiled
def close_deal(match, rules, state, void):
    """Count a deal: its winner's partie, manche and match, the next dealer (CH-24 to CH-26)."""
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
    match.won[winner] += 1
    match.dealer = (state.dealer + 1) % match.players
    if match.unknown:
        # with the deals nobody counted this may have won a manche: then a cut says who deals
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


@compiled
def check_declared(match, state, void, points, count, winner, manche):
    """The faults of what a deal's sheet says; `winner` 0 is a null partie."""
    faults = np.int64(0)
    if (
        manche != NOT_DECLARED
        and not match.unknown
        and not match.over
        and manche != match.manche + 1
    ):
        faults |= MANCHE_DIFFERS
    if winner != NOT_DECLARED and not 0 <= winner <= state.players:
        faults |= WINNER_DIFFERS  # nobody sits there, however the partie ends
    if void or state.outcome == RUNNING or state.outcome == REPLAYED:
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
    """Whether no match ends with that score and that winner, a seat from 1 (CH-25).

    With several manches a score may count parties: then the winner may have fewer than another,
    once they are enough to have won those manches.
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
    """The faults of the declared result: parties, or manches where the match has several."""
    faults = np.int64(0)
    if count and count != match.players:
        faults |= SCORE_DIFFERS
        count = 0  # none of them is anybody's
    as_parties = True
    as_manches = match.manche > 0
    if match.over:
        as_manches = match.manches.sum() + match.before.sum() > 1
    for seat in range(count):
        manches = match.manches[seat] + match.before[seat]
        as_parties &= score[seat] >= match.won[seat]
        as_manches &= score[seat] >= manches
        if match.over:
            as_parties &= score[seat] == match.won[seat]
            as_manches &= score[seat] == manches
    if count and not as_parties and not as_manches and not match.unknown:
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
    """The score of a match as `result` writes it: parties won, seat by seat."""
    return [int(won) for won in match["won"][: match["players"]]]


next_openers = next_dealer


def parse_start(
    declared: Mapping[str, Any], players: int, rules: np.void
) -> tuple[list[int], list[StartProblem]]:
    """A log's `start` as a row: the manche, parties of it, parties and manches won before (CH-25).

    `score` counts the parties of the match, those of its manche, `parties`, among them; in the
    first manche the two are the same. Who won the manches before follows from them.
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
    # every way in which the manches before, by which nobody won the match, brought those parties
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
