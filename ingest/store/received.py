"""The cards that came to each hand and what they count for, of many deals at once, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.acts import ACT_MASK, SEAT_SHIFT
from engine.compiled import compiled


@compiled
def received(
    hands: NDArray[np.int64],
    worth: NDArray[np.int16],
    first: NDArray[np.int64],
    offsets: NDArray[np.int64],
    codes: NDArray[np.uint16],
    points: NDArray[np.int16],
    cards: NDArray[np.uint8],
) -> None:
    """Fill `points[i, seat]` and `cards[i, seat]`: of the cards played, and of those left in hand.

    Actions of deal i are `codes[offsets[first[i]]:offsets[first[i] + 1]]`; `hands` has a mask a
    seat, and `worth` a number a card.
    """
    seats, size = hands.shape[1], worth.shape[1]
    for i in range(len(first)):
        for seat in range(seats):
            left = hands[i, seat]
            came = count = 0
            card = 0
            while left:
                if left & 1:
                    came += worth[i, card]
                    count += 1
                left >>= 1
                card += 1
            points[i, seat], cards[i, seat] = came, count
        for k in range(offsets[first[i]], offsets[first[i] + 1]):
            code = np.int64(codes[k])
            act = code & ACT_MASK
            if act < size:
                holder = min(code >> SEAT_SHIFT, seats - 1)
                points[i, holder] += worth[i, act]
                cards[i, holder] += 1


def received_by(
    states: NDArray[np.void],
    worth: NDArray[Any],
    first: NDArray[np.int64],
    offsets: NDArray[np.int64],
    codes: NDArray[np.uint16],
) -> tuple[NDArray[np.int16], NDArray[np.uint8]]:
    """Points and number of these cards, a row a deal and a column a seat."""
    hands = np.ascontiguousarray(states["hand"], np.int64)
    points = np.empty(hands.shape, np.int16)
    cards = np.empty(hands.shape, np.uint8)
    each = np.ascontiguousarray(worth, np.int16)
    received(hands, each, first, offsets, codes, points, cards)
    return points, cards
