"""The bid cards of a manche against those that were left to bid, by the tricks won (CR-2, CR-7).

What a card gives is asked of the kernel: it plays the manche again with each of them. Which are
left is asked of the match.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.chouineurs import kernel
from engine.chouineurs.deck import BIDS, BIDS_AT
from engine.chouineurs.kernel import ERRORS, RUNNING
from engine.chouineurs.match import Match, begin, close_deal, open_match
from engine.jit import compiled
from engine.solver_results import IRREGULAR, NEVER, STOPPED, UNTOLD

SEATS = 5
EVERY = (1 << BIDS) - 1
UNKNOWN = -1

Ints = NDArray[np.int64]


@compiled
def left_now(match: Any, found: Ints) -> None:
    """Fill `found[seat]` with the bid cards a seat has before a deal, a bit each (CR-7).

    UNKNOWN where the log does not tell which left the game, and in a match that is over.
    """
    for seat in range(match.players):
        unknown = match.untold or match.unknown or match.over
        found[seat] = UNKNOWN if unknown else EVERY & ~match.spent[seat]


@compiled
def left_all(
    states: Any, rules: Any, rule_of: Any, room: Any, cuts: Any, first: Any, voids: Any, found: Any
) -> None:
    """Fill `found[deal, seat]` for the deals of n matches, told as `count` takes them.

    `room` is a match, each of them in turn.
    """
    match = room[0]
    for i in range(len(first) - 1):
        head = first[i]
        if head == first[i + 1]:
            continue
        rule = rules[rule_of[head]]
        open_match(match, rule, np.int64(states[head].players), cuts[i, 0], cuts[i, 1], cuts[i, 2])
        begin(match, cuts[i, 3:])
        for d in range(head, first[i + 1]):
            left_now(match, found[d])
            close_deal(match, rule, states[d], voids[d] != 0)


def left(match: np.void) -> list[int]:
    """Seat by seat, the bid cards there are before a deal, a bit each; UNKNOWN as of `left_now`."""
    found = np.zeros(SEATS, np.int64)
    left_now(match, found)
    return [int(cards) for cards in found[: match["players"]]]


def left_of(states: NDArray[np.void], *deals: Any) -> Ints:
    """The same of many deals, a row each; match i owns deals `first[i]:first[i + 1]`."""
    rules, rule_of, cuts, first, voids = deals
    found = np.full((len(states), SEATS), UNKNOWN, np.int64)
    left_all(states, rules, rule_of, np.zeros(1, Match), cuts, first, voids, found)
    return found


def cards(states: NDArray[np.void]) -> NDArray[np.int8]:
    """The bid of each seat, `found[deal, seat]`."""
    found: NDArray[np.int8] = states["bid"]
    return found


def points(states: NDArray[np.void], rules: np.void, codes: NDArray[np.uint16]) -> Ints:
    """What each card would have scored, `found[seat, card]`, in a deal as it was replayed."""
    found = np.zeros((int(states[0]["players"]), BIDS), np.int64)
    again, faults = np.zeros_like(states), np.zeros(len(codes), np.int64)
    for bid in range(BIDS):
        again[0] = states[0]
        again["bid"][0] = bid
        kernel.trace(again, faults, rules, codes)
        found[:, bid] = again["scored"][-1, : len(found)]
    return found


def points_of(*deals: Any) -> tuple[NDArray[np.void], Ints, Ints, Ints]:
    """Many deals as they were bid: states, faults, stops; then the same of each, a row a deal."""
    *tables, decks, explicit, codes, offsets = deals
    n = len(decks)
    states, faults, stops = np.zeros(n, kernel.State), *np.zeros((2, n), np.int64)
    kernel.run(states, faults, stops, *deals)
    found, again, bids = np.zeros((n, SEATS, BIDS), np.int64), states.copy(), decks.copy()
    unread = np.zeros((2, n), np.int64)
    for bid in range(BIDS):
        bids[:, BIDS_AT:] = bid
        kernel.run(again, *unread, *tables, bids, explicit, codes, offsets)
        found[:, :, bid] = again["scored"]
    return states, faults, stops, found


def refused(
    states: NDArray[np.void], faults: Ints, stopped: NDArray[np.bool_], left: Ints
) -> NDArray[np.uint8]:
    """Deal by deal, why nothing is said of its bids, as a place in `REASONS`; 0: it is."""
    seated = np.arange(SEATS) < states["players"][:, None]
    cards = np.where(seated, left, EVERY)
    # a card that has left the game was bid again
    spent = (cards >> np.maximum(states["bid"], 0) & 1) == 0
    reasons = (
        (stopped, STOPPED),
        (states["outcome"] == RUNNING, NEVER),
        (faults & ERRORS != 0, IRREGULAR),
        (np.any(cards < 0, axis=1), UNTOLD),
        (np.any(spent & seated, axis=1), IRREGULAR),
    )
    found = np.select([where for where, _ in reasons], [why for _, why in reasons], 0)
    return found.astype(np.uint8)
