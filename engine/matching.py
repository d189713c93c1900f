"""Bipartite matchings of cards and places: existence, certain edges, a random one.

`allowed[card]` is the mask of the places a card can be in, `places[card]` its place, -1 for none
yet; there are as many places as cards.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jit import compiled


def complete_matching(allowed: list[int], places: list[int]) -> bool:
    """Complete `places` in place so that every card has its own; False if that is impossible.

    Uses augmenting paths, shortest first, so that cards already placed move only if necessary.
    """
    held = [-1] * len(allowed)
    for card, place in enumerate(places):
        if place >= 0:
            held[place] = card
    return all(
        _find_augmenting_path(card, allowed, places, held) for card, place in enumerate(places) if place < 0
    )


def _find_augmenting_path(card: int, may: list[int], at: list[int], held: list[int]) -> bool:
    wanted_by: dict[int, int] = {}
    seen = 0
    queue = [card]
    for one in queue:
        wanted = may[one] & ~seen
        seen |= wanted
        while wanted:
            place = (wanted & -wanted).bit_length() - 1
            wanted &= wanted - 1
            wanted_by[place] = one
            if held[place] < 0:
                while True:
                    taker = wanted_by[place]
                    place_before = at[taker]
                    at[taker], held[place] = place, taker
                    if taker == card:
                        return True
                    place = place_before
            queue.append(held[place])
    return False


def restricted_matching(allowed: list[int], initial: list[int], limits: dict[int, int]) -> list[int] | None:
    """Return a complete matching within `limits` (card → mask of places); None: there is none.

    `initial` is a matching to start from, of `allowed` or of a superset.
    """
    narrow = [places & limits.get(card, places) for card, places in enumerate(allowed)]
    found = [place if narrow[card] >> place & 1 else -1 for card, place in enumerate(initial)]
    return found if complete_matching(narrow, found) else None


def possible_places(allowed: list[int], places: list[int]) -> list[int]:
    """Return, for every card, the mask of the places it has in some complete matching.

    `places` is one complete matching; other places are possible if an alternating cycle has them.
    """
    leads = [0] * len(allowed)
    for card, place in enumerate(places):
        leads[place] = allowed[card]
    for middle, onward in enumerate(leads):
        for place in range(len(leads)):
            if leads[place] >> middle & 1:
                leads[place] |= onward
        # `leads[middle]` may change in this loop, but only by its own bits: `onward` stays valid
    found = []
    for card, place in enumerate(places):
        back = sum(1 << other for other in range(len(leads)) if leads[other] >> place & 1)
        found.append(allowed[card] & (back | 1 << place))
    return found


@compiled
def deal_at_random(
    allowed: NDArray[np.int64], sizes: NDArray[np.int64], rng: Any, found: NDArray[np.int64]
) -> int:
    """Fill each row of `found` with a random deal of cards 0, 1, …, and return the number of deals.

    A row lists the cards hand after hand. `allowed[card]` is the bit set of hands the card may be
    in; `sizes` are those of the hands and add up to the number of cards. The deals are counted
    exactly, by card and free places, and drawn by these counts, so that none is rejected. The order
    within a hand is random too, but does not make another deal.
    """
    cards, hands = len(allowed), len(sizes)
    stride = np.ones(hands + 1, np.int64)
    for hand in range(hands):
        stride[hand + 1] = stride[hand] * (sizes[hand] + 1)
    # ways[card, room]: number of ways in which the cards from this one on fill the free places
    ways = np.zeros((cards + 1, stride[hands]), np.int64)
    ways[cards, 0] = 1
    for card in range(cards - 1, -1, -1):
        for room in range(stride[hands]):
            for hand in range(hands):
                if allowed[card] >> hand & 1 and room % stride[hand + 1] >= stride[hand]:
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
                if allowed[card] >> hand & 1 and room % stride[hand + 1] >= stride[hand]:
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
