"""Cards spread over hands of fixed sizes, each way that is allowed as likely as every other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiled import compiled


@compiled
def spread(
    may: NDArray[np.int64], sizes: NDArray[np.int64], rng: Any, found: NDArray[np.int64]
) -> int:
    """Fill each row of `found` with cards 0, 1, …, hand after hand; how many ways there are.

    `may[card]` is the set of hands it may be in, a bit each; there are as many cards as places in
    all hands. Ways are counted exactly, card by card and by what room is left, and drawn by those
    counts, so nothing drawn is refused. The order within a hand is drawn as well; it does not count
    as another way.
    """
    cards, hands = len(may), len(sizes)
    stride = np.ones(hands + 1, np.int64)
    for hand in range(hands):
        stride[hand + 1] = stride[hand] * (sizes[hand] + 1)
    # ways[card, room]: how the cards from this one on fill just that room
    ways = np.zeros((cards + 1, stride[hands]), np.int64)
    ways[cards, 0] = 1
    for card in range(cards - 1, -1, -1):
        for room in range(stride[hands]):
            for hand in range(hands):
                if may[card] >> hand & 1 and room % stride[hand + 1] >= stride[hand]:
                    ways[card, room] += ways[card + 1, room - stride[hand]]
    total = ways[0, stride[hands] - 1]
    if total == 0:
        return total
    place = np.zeros(hands, np.int64)
    for i in range(len(found)):
        room = stride[hands] - 1
        before = np.int64(0)
        for hand in range(hands):
            place[hand] = before
            before += sizes[hand]
        for card in range(cards):
            drawn = rng.integers(0, ways[card, room])
            for hand in range(hands):
                if may[card] >> hand & 1 and room % stride[hand + 1] >= stride[hand]:
                    drawn -= ways[card + 1, room - stride[hand]]
                    if drawn < 0:
                        found[i, place[hand]] = card
                        place[hand] += 1
                        room -= stride[hand]
                        break
        for hand in range(hands):
            first = place[hand] - sizes[hand]
            for one in range(place[hand] - 1, first, -1):
                other = first + rng.integers(0, one - first + 1)
                found[i, one], found[i, other] = found[i, other], found[i, one]
    return total
