"""Which ends a line of a Coinche score sheet may describe.

Retourne enumerates how the tricks may have been shared, and the kernel computes the marks of each
case. Lines that fit none are rejected: piles consist of whole cards, and a side that took a trick
was not swept (CO-2, CO-10 to CO-13).
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.cards import JASS
from engine.coinche import kernel
from engine.coinche.actions import BID, CLAIM, COINCHE, PASS, RESIGN, SURCOINCHE, WON
from engine.jit import compiled
from engine.score_sheet_line import (
    IMPOSSIBLE_END,
    IMPOSSIBLE_POINTS,
    PossibleEnds,
    ScoreLine,
    ScoreLineProblem,
    ends_with_winner,
    state_after_passes,
)

PACK_IN_ORDER = np.arange(len(JASS), dtype=np.uint8)
CARD_POINTS_TOTAL = int(3 * kernel.PLAIN_POINTS.sum() + kernel.TRUMP_POINTS.sum())

CARD_POINT_SUMS = [0]
"""All sums of card points that some set of cards has, ascending."""
for points in [*kernel.PLAIN_POINTS] * 3 + [*kernel.TRUMP_POINTS]:
    CARD_POINT_SUMS = sorted({*CARD_POINT_SUMS, *(one + int(points) for one in CARD_POINT_SUMS)})


def possible_ends(line: ScoreLine, players: int, rules: np.void) -> PossibleEnds:
    """Return the possible ends of a line; left open if it records neither contract nor points."""
    recorded, (act, by) = line.details.get("contract"), line.end
    wrong = [] if recorded is None else _contract_problems(rules, *recorded)
    # a pass ends a deal only as the fourth one, by the dealer (CO-3, CO-4)
    passed = act == PASS and recorded is None and by == _after_passes(line.dealer, rules, 3)["turn"]
    if act not in (-1, CLAIM, WON, RESIGN) and not passed:
        wrong.append(IMPOSSIBLE_END)
    if wrong:
        return PossibleEnds([], wrong)
    if recorded is None and line.points is None and act != PASS:
        return PossibleEnds([], [])
    found = _possible_ends(recorded, act, by, rules.dtype, rules.tobytes()).copy()
    found["dealer"] = line.dealer
    if line.points is not None:
        # a side that stopped the game may have lost its marks (CO-15)
        marks, stopped = found["marks"], found["outcome"] == kernel.STOPPED
        own = np.arange(2) == (found["stopper"] & 1)[:, None]
        left = np.where(own & stopped[:, None], 0, marks)
        if len(line.points) == 2:
            whole = (marks == line.points).all(axis=1) | (left == line.points).all(axis=1)
            found = found[whole]
        if len(line.points) != 2 or not len(found):
            return PossibleEnds([], [IMPOSSIBLE_POINTS])
    return ends_with_winner(line.winner, list(found))


def _contract_problems(rules: np.void, bid: int, times: int) -> list[ScoreLineProblem]:
    """Return the problems of a contract: no bid, or a coinche the kernel rejects (CO-5)."""
    seat, act = bid >> SEAT_SHIFT, bid & ACT_MASK
    if not BID <= act < PASS:
        return [ScoreLineProblem("contract-impossible", "/score_line/contract/bid")]
    state = np.zeros(1, kernel.State)[0]
    kernel.start(state, rules, 4, 0, PACK_IN_ORDER, 0)
    state["turn"] = seat
    kernel.step(state, rules, bid)
    doubled = (seat + 1) % 4 << SEAT_SHIFT | COINCHE, seat << SEAT_SHIFT | SURCOINCHE
    good = times in range(3) and not any(kernel.step(state, rules, one) for one in doubled[:times])
    return [] if good else [ScoreLineProblem("contract-impossible", "/score_line/contract/coinche")]


def _after_passes(dealer: int, rules: np.void, passes: int) -> np.void:
    return state_after_passes(kernel, dealer, rules, PACK_IN_ORDER, PASS, passes)


@lru_cache(maxsize=1024)
def _possible_ends(
    marks: tuple[int, int] | None, act: int, by: int, kind: "np.dtype[np.void]", record: bytes
) -> NDArray[np.void]:
    """Return all possible ends, one for each distinct result.

    The bidding side matters, because it wins if both sides reach the target at once (CO-14); the
    bid itself, its suit and the declarer's seat do not.
    """
    rules = np.frombuffer(record, kind)[0]
    every = list[NDArray[np.void]]()
    if marks is not None:
        contracts = [(marks[0] >> SEAT_SHIFT, marks[0] & ACT_MASK, marks[1])]
    else:  # one declarer per side, each level, each doubling
        contracts = [
            (seat, bid, times)
            for seat, bid, times in product(range(2), range(BID, PASS, 4), range(3))
            if act != PASS and not _contract_problems(rules, seat << SEAT_SHIFT | bid, times)
        ]
    if marks is None and act != CLAIM:
        # four passes, or a resignation or stop before any bid (CO-4)
        early = act in (RESIGN, WON)
        state = _after_passes(0, rules, 0 if early else 4)
        if early:
            kernel.step(state, rules, by << SEAT_SHIFT | act)
        state["hand"] = 0
        every.append(np.array([state]))
    shares = np.array(list(_trick_shares(act, by)), np.int64)
    for contract in contracts:
        states = np.zeros(len(shares), kernel.State)
        _play_shares(states, rules, PACK_IN_ORDER, *contract, shares, act, by)
        every.append(states[np.unique(states["marks"], axis=0, return_index=True)[1]])
    if marks is not None:
        return every[0]
    states = np.concatenate(every)
    keys = np.column_stack([states["marks"], states["declarer"] & 1])
    return states[np.unique(keys, axis=0, return_index=True)[1]]


def _trick_shares(act: int, by: int) -> Iterator[tuple[int, ...]]:
    """Yield (card points by side, tricks by seat, side of the last trick or -1), flattened.

    One seat has all tricks of its side, except where a side took every trick: there it matters.
    """
    if act == WON:
        for one, other in product(CARD_POINT_SUMS, CARD_POINT_SUMS):
            if CARD_POINTS_TOTAL - one - other in _CARD_POINT_SUMS:
                yield one, other, 1, 1, 0, 0, -1
        for seat, cards in product(range(4), CARD_POINT_SUMS):
            yield (*((cards, 0) if seat % 2 == 0 else (0, cards)), *_one_trick_of(seat), -1)
    elif act == RESIGN:
        side = by & 1
        for cards in CARD_POINT_SUMS:
            # the kernel gives the other side the rest and the last trick
            yield (*_points_by_side(side, cards), *_one_trick_of(by), -1)
        for taken in ((0,) * 4, _one_trick_of(1 - side), _one_trick_of(3 - side), _one_trick_each(1 - side)):
            yield (*_points_by_side(side, 0), *taken, -1)
    else:
        for cards, side in product(CARD_POINT_SUMS, range(2)):
            yield cards, CARD_POINTS_TOTAL - cards, 1, 1, 0, 0, side
        alone = [tuple(kernel.TRICKS * one for one in _one_trick_of(seat)) for seat in range(4)]
        for taken in (*alone, _one_trick_each(0), _one_trick_each(1)):
            side = 0 if taken[0] or taken[2] else 1
            yield (*_points_by_side(side, CARD_POINTS_TOTAL), *taken, side)


_CARD_POINT_SUMS = frozenset(CARD_POINT_SUMS)


def _one_trick_of(seat: int) -> tuple[int, ...]:
    return tuple(int(one == seat) for one in range(4))


def _one_trick_each(side: int) -> tuple[int, ...]:
    return tuple(int(seat & 1 == side) for seat in range(4))


def _points_by_side(side: int, cards: int) -> tuple[int, int]:
    """Return card points by side: `cards` for one side, the rest for the other."""
    return (cards, CARD_POINTS_TOTAL - cards) if side == 0 else (CARD_POINTS_TOTAL - cards, cards)


@compiled
def _play_shares(
    states: Any,
    rules: Any,
    blank: NDArray[np.uint8],
    declarer: int,
    bid: int,
    times: int,
    shares: NDArray[np.int64],
    act: int,
    by: int,
) -> None:
    """Set `states[i]` to the end of a contract with the tricks shared as in `shares[i]`."""
    for i in range(len(shares)):
        state = states[i]
        kernel.start(state, rules, 4, 0, blank, 0)
        for seat in range(4):
            state.hand[seat] = 0
            state.taken[seat] = shares[i, 2 + seat]
            state.trick += shares[i, 2 + seat]
        kernel.apply_bid(state, declarer, bid - BID >> 2, bid - BID & 3)
        if times:
            kernel.apply_coinche(state, rules, declarer + 1 & 3, 1)
        if times == 2:
            kernel.apply_coinche(state, rules, declarer, 2)
        kernel.close_auction(state)
        for side in range(2):
            state.cards[side] = shares[i, side]
        if act == RESIGN:
            kernel.apply_resign(state, by)
        elif act == WON:
            kernel.apply_won(state, by)
        else:
            side = shares[i, 6]
            state.der = side
            if state.taken[1 - side] + state.taken[3 - side] == 0:
                state.sweeper = side
            kernel.score_deal(state, kernel.PLAYED_OUT, kernel.contract_outcome(state))
