"""Statistics of Chouine deals, computed in bulk by the kernel."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import SUITS
from engine.chouine import kernel
from engine.chouine.actions import COMBINATION_COUNT, QUINTE, combination_kind, combination_suit
from engine.jit import compiled

Records = NDArray[np.void]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
AnyIntArray = NDArray[np.integer[Any]]

SUITLESS = len(SUITS)
"""The bit of a combination without a suit, after those of the suits."""

Announcement = np.dtype(
    [
        ("deal", np.int64),
        ("worth", np.int32),  # points it scored or would have scored
        ("seat", np.int8),
        ("combination", np.int8),
        ("trick", np.int8),  # complete tricks when it was announced, -1 for never
        ("lead", np.bool_),  # announced by the seat that led that trick
        ("closed", np.bool_),  # with nothing left to draw
        ("trump", np.bool_),  # of the final trump suit
        ("held", np.bool_),
        ("announced", np.bool_),
        ("shown", np.bool_),
        ("counted", np.bool_),
        ("missed", np.bool_),  # best held of its suit, and nothing of that suit announced
    ],
    align=True,
)


def announcements(states: Records, rules: Records, rule_of: IntArray, partly_hidden: BoolArray) -> Records:
    """Return an `Announcement` per combination held or announced, by deal, seat and combination.

    `rules[rule_of[i]]` are deal i's options. `partly_hidden[i]`: some cards of deal i are not
    recorded, so that only announcements that counted are known to have been held.
    """
    most = int(np.bitwise_count(states["held"] | states["announced"]).sum())
    found = np.zeros(most, Announcement)
    return found[: _announcements(states, rules, rule_of, partly_hidden, found)]


@compiled
def _announcements(
    states: Records, rules: Records, rule_of: IntArray, part: BoolArray, found: Records
) -> int:
    """Fill `found` and return how many there are."""
    count = 0
    for deal in range(len(states)):
        state = states[deal]
        for seat in range(len(state.held)):
            held = state.counted[seat] if part[deal] else state.held[seat]
            announced = state.announced[seat]
            if held | announced == 0:
                continue
            for combination in range(COMBINATION_COUNT):
                bit = 1 << combination
                if (held | announced) & bit == 0:
                    continue
                counted = state.counted[seat] & bit != 0
                trump = combination < QUINTE and combination & 3 == state.trump
                worth_double = state.worth_double[seat] & bit != 0 if counted else trump
                alike = kernel.same_suit_combinations(combination)
                better = alike & -(2 << combination)
                when = state.when[seat, combination]
                row = found[count]
                row.deal = deal
                row.seat = seat
                row.combination = combination
                row.worth = kernel.announcement_points(rules[rule_of[deal]], combination, worth_double)
                row.trick = when
                row.lead = when >= 0 and state.leads[when] == seat
                row.closed = when >= 0 and kernel.is_talon_empty_after(state, when)
                row.trump = trump
                row.held = held & bit != 0
                row.announced = announced & bit != 0
                row.shown = state.shown[seat] & bit != 0
                row.counted = counted
                row.missed = row.held and announced & alike == 0 and held & better == 0
                count += 1
    return count


@compiled
def card_points_dealt(states: Records, found: NDArray[np.int32]) -> None:
    """Set `found[i, card]` to the points a seat was dealt or drew with `card`.

    An exchange swaps the 7 of trump and the retourne between hand and talon, so each counts with
    the points of the other (CH-13).
    """
    for deal in range(len(states)):
        state = states[deal]
        for card in range(len(kernel.CARD_POINTS)):
            found[deal, card] = kernel.CARD_POINTS[card]
        if state.sept >= 0:
            found[deal, kernel.seven_of_trump(state)] = kernel.CARD_POINTS[state.retourne]
            found[deal, state.retourne] = kernel.CARD_POINTS[kernel.seven_of_trump(state)]


def combinations_dealt(hands: IntArray, players: int) -> Mapping[str, IntArray]:
    """Return kind → per hand (a mask of cards) the bit set of its suits, SUITLESS among them."""
    held = np.zeros(len(hands), np.int64)
    _combinations_held(np.zeros(1, kernel.State), np.ascontiguousarray(hands, np.int64), players, held)
    found = {combination_kind(one): np.zeros(len(hands), np.int64) for one in range(COMBINATION_COUNT)}
    for one in range(COMBINATION_COUNT):
        suit = combination_suit(one)
        found[combination_kind(one)] |= (held >> one & 1) << (SUITLESS if suit < 0 else suit)
    return found


def combination_points(kind: str, trump: bool, rules: np.void) -> int:
    """Return the points of a kind, double in trump (CH-18, CH-19); 0 for a chouine."""
    one = next(one for one in range(COMBINATION_COUNT) if combination_kind(one) == kind)
    return int(kernel.announcement_points(rules, one, trump))


@compiled
def _combinations_held(scratch: Records, hands: IntArray, players: int, held: IntArray) -> None:
    state: Any = scratch[0]
    state.players = players
    for i in range(len(hands)):
        state.hand[0] = hands[i]
        held[i] = kernel.combinations_held(state, 0)


def would_have_won(
    is_instant_win: BoolArray,
    outcome: AnyIntArray,
    points: AnyIntArray,
    seat: AnyIntArray,
    worth: AnyIntArray,
) -> BoolArray:
    """Return, for each deal, whether `seat` (from 0) would have won with `worth` more points.

    `points` are the totals of all seats, a row per deal. An `is_instant_win` announcement always
    wins (CH-22), any other only in a deal that was played out, by points (CH-23, CH-24).
    """
    found = np.asarray(is_instant_win, np.bool_).copy()
    columns = [np.ascontiguousarray(one, np.int64) for one in (outcome, points, seat, worth)]
    _recount_winners(np.zeros(1, kernel.State), *columns, found)
    return found


@compiled
def _recount_winners(
    scratch: Records, outcome: IntArray, points: IntArray, seat: IntArray, worth: IntArray, found: BoolArray
) -> None:
    state: Any = scratch[0]
    state.players = points.shape[1]
    state.der = kernel.NOBODY  # the totals include its ten points
    for i in range(len(found)):
        if not found[i] and outcome[i] == kernel.PLAYED_OUT:
            for one in range(points.shape[1]):
                state.cards[one] = points[i, one]
                state.bonus[one] = 0
            state.bonus[seat[i]] = worth[i]
            found[i] = kernel.leading_seat(state, kernel.NOBODY) == seat[i]
