"""Compares a bid card with the best one that was left (CR-2, CR-7).

What a card gives is asked of the kernel: it plays the manche again with each of them. Which are
left is asked of the match.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.chouineurs import kernel
from engine.chouineurs.deck import BID_COUNT, BIDS_OFFSET
from engine.chouineurs.kernel import ERRORS, RUNNING
from engine.chouineurs.match import Match, close_deal, open_match, resume_from
from engine.jit import compiled
from engine.solver_results import IRREGULAR, NOT_REACHED, NOT_RECORDED, STOPPED

MAX_SEATS = 5
ALL_BIDS = (1 << BID_COUNT) - 1
UNKNOWN_BIDS = -1

IntArray = NDArray[np.int64]


@compiled
def fill_remaining_bids(match: Any, found: IntArray) -> None:
    """Fill `found[seat]` with the bid cards a seat has before a deal, a bit each (CR-7).

    UNKNOWN where the log does not tell which left the game, and in a match that is over.
    """
    for seat in range(match.players):
        unknown = match.untold or match.unknown or match.over
        found[seat] = UNKNOWN_BIDS if unknown else ALL_BIDS & ~match.spent[seat]


@compiled
def fill_remaining_bids_of_deals(
    states: Any,
    rules: Any,
    rule_of: Any,
    scratch: Any,
    cuts: Any,
    first: Any,
    voids: Any,
    found: Any,
) -> None:
    """Fill `found[deal, seat]` for the deals of n matches, told as `count` takes them.

    `scratch` is a match, each of them in turn.
    """
    match = scratch[0]
    for i in range(len(first) - 1):
        head = first[i]
        if head == first[i + 1]:
            continue
        rule = rules[rule_of[head]]
        open_match(match, rule, np.int64(states[head].players), cuts[i, 0], cuts[i, 1], cuts[i, 2])
        resume_from(match, cuts[i, 3:])
        for d in range(head, first[i + 1]):
            fill_remaining_bids(match, found[d])
            close_deal(match, rule, states[d], voids[d] != 0)


def remaining_bids(match: np.void) -> list[int]:
    """Seat by seat, the bid cards there are before a deal, a bit each; UNKNOWN as of
    `fill_remaining_bids`.
    """
    found = np.zeros(MAX_SEATS, np.int64)
    fill_remaining_bids(match, found)
    return [int(cards) for cards in found[: match["players"]]]


def remaining_bids_of_deals(states: NDArray[np.void], *deals: Any) -> IntArray:
    """The same of many deals, a row each; match i owns deals `first[i]:first[i + 1]`."""
    rules, rule_of, cuts, first, voids = deals
    found = np.full((len(states), MAX_SEATS), UNKNOWN_BIDS, np.int64)
    fill_remaining_bids_of_deals(
        states, rules, rule_of, np.zeros(1, Match), cuts, first, voids, found
    )
    return found


def bids_made(states: NDArray[np.void]) -> NDArray[np.int8]:
    """The bid of each seat, `found[deal, seat]`."""
    found: NDArray[np.int8] = states["bid"]
    return found


def points_by_bid(states: NDArray[np.void], rules: np.void, codes: NDArray[np.uint16]) -> IntArray:
    """What each card would have scored, `found[seat, card]`, in a deal as it was replayed."""
    found = np.zeros((int(states[0]["players"]), BID_COUNT), np.int64)
    again, faults = np.zeros_like(states), np.zeros(len(codes), np.int64)
    for bid in range(BID_COUNT):
        again[0] = states[0]
        again["bid"][0] = bid
        kernel.trace(again, faults, rules, codes)
        found[:, bid] = again["scored"][-1, : len(found)]
    return found


def points_by_bid_of_deals(*deals: Any) -> tuple[NDArray[np.void], IntArray, IntArray, IntArray]:
    """Many deals as they were bid: states, faults, stops; then the same of each, a row a deal."""
    *tables, decks, explicit, codes, offsets = deals
    n = len(decks)
    states, faults, stops = np.zeros(n, kernel.State), *np.zeros((2, n), np.int64)
    kernel.replay_deals(states, faults, stops, *deals)
    found, again, bids = np.zeros((n, MAX_SEATS, BID_COUNT), np.int64), states.copy(), decks.copy()
    unread = np.zeros((2, n), np.int64)
    for bid in range(BID_COUNT):
        bids[:, BIDS_OFFSET:] = bid
        kernel.replay_deals(again, *unread, *tables, bids, explicit, codes, offsets)
        found[:, :, bid] = again["scored"]
    return states, faults, stops, found


def refusals(
    states: NDArray[np.void], faults: IntArray, stopped: NDArray[np.bool_], remaining: IntArray
) -> NDArray[np.uint8]:
    """Deal by deal, why nothing is said of its bids, as a place in `REASONS`; 0: it is."""
    seated = np.arange(MAX_SEATS) < states["players"][:, None]
    cards = np.where(seated, remaining, ALL_BIDS)
    # a card that has left the game was bid again
    spent = (cards >> np.maximum(states["bid"], 0) & 1) == 0
    reasons = (
        (stopped, STOPPED),
        (states["outcome"] == RUNNING, NOT_REACHED),
        (faults & ERRORS != 0, IRREGULAR),
        (np.any(cards < 0, axis=1), NOT_RECORDED),
        (np.any(spent & seated, axis=1), IRREGULAR),
    )
    found = np.select([where for where, _ in reasons], [why for _, why in reasons], 0)
    return found.astype(np.uint8)
