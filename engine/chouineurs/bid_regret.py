"""Compares a bid card with the best one that was left (CR-2, CR-7).

The kernel replays the manche with each bid card to find its points; the match module knows which
cards are left.
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
    """Fill `found[seat]` with the mask of a seat's bid cards before a deal (CR-7).

    UNKNOWN_BIDS if the log does not record which left the game, or the match is over.
    """
    for seat in range(match.players):
        unknown = match.bids_unknown or match.unknown or match.over
        found[seat] = UNKNOWN_BIDS if unknown else ALL_BIDS & ~match.spent[seat]


@compiled
def fill_remaining_bids_of_deals(
    states: Any, rules: Any, rule_of: Any, scratch: Any, cuts: Any, first: Any, voids: Any, found: Any
) -> None:
    """Fill `found[deal, seat]` for the deals of n matches, given as for `bulk.count_matches`.

    `scratch` is a buffer of one match record.
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
    """Return, by seat, the mask of bid cards before a deal, or UNKNOWN_BIDS."""
    found = np.zeros(MAX_SEATS, np.int64)
    fill_remaining_bids(match, found)
    return [int(cards) for cards in found[: match["players"]]]


def remaining_bids_of_deals(states: NDArray[np.void], *deals: Any) -> IntArray:
    """Return `remaining_bids` of many deals, a row each; `deals` as for `bulk.count_matches`."""
    rules, rule_of, cuts, first, voids = deals
    found = np.full((len(states), MAX_SEATS), UNKNOWN_BIDS, np.int64)
    fill_remaining_bids_of_deals(states, rules, rule_of, np.zeros(1, Match), cuts, first, voids, found)
    return found


def bids_made(states: NDArray[np.void]) -> NDArray[np.int8]:
    """Return the bid of each seat, `found[deal, seat]`."""
    found: NDArray[np.int8] = states["bid"]
    return found


def points_by_bid(states: NDArray[np.void], rules: np.void, codes: NDArray[np.uint16]) -> IntArray:
    """Return what each bid card would have scored in a replayed deal, `found[seat, card]`."""
    found = np.zeros((int(states[0]["players"]), BID_COUNT), np.int64)
    again, faults = np.zeros_like(states), np.zeros(len(codes), np.int64)
    for bid in range(BID_COUNT):
        again[0] = states[0]
        again["bid"][0] = bid
        kernel.trace(again, faults, rules, codes)
        found[:, bid] = again["scored"][-1, : len(found)]
    return found


def points_by_bid_of_deals(*deals: Any) -> tuple[NDArray[np.void], IntArray, IntArray, IntArray]:
    """Replay many deals: return states, faults, stops and `points_by_bid`, a row per deal."""
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
    """Return why each deal's bids are not compared, as an index into `REASONS`; 0: they are."""
    seated = np.arange(MAX_SEATS) < states["players"][:, None]
    cards = np.where(seated, remaining, ALL_BIDS)
    # bids of a card that had already left the game
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
