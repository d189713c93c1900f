"""Steps on hands as bit masks that the endgame searches of several games share."""

import numpy as np

from engine.jit import inlined


@inlined
def lowest_card(cards):
    """Return the lowest code in a mask."""
    x = np.uint64((cards & -cards) - 1)
    x = x - (x >> np.uint64(1) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + (x >> np.uint64(2) & np.uint64(0x3333333333333333))
    x = x + (x >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(x * np.uint64(0x0101010101010101) >> np.uint64(56))


@inlined
def without_equivalents(cards, others, worthless):
    """Remove each worthless card that is equivalent to a higher one of the same hand."""
    remaining = cards
    todo = cards & worthless
    while todo:
        card = todo & -todo
        todo ^= card
        higher = card << 1
        while higher & worthless and not (cards | others) & higher:
            higher <<= 1
        if higher & worthless & cards:
            remaining ^= card
    return remaining
