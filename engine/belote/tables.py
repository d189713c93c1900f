"""The points of each card, strain and announcement of Belote, as arrays a kernel reads."""

import numpy as np

from engine.belote.actions import CARRE_RANKS, NATURAL_RANKS, SANS_ATOUT, SEQUENCES, TOUT_ATOUT
from engine.cards import PIQUET

SUIT_OF = np.repeat(np.arange(4), 8).astype(np.int64)
RANK_OF = np.tile(np.arange(8), 4).astype(np.int64)
#                          7  8   9   J  Q  K   T   A
PLAIN_POINTS = np.array([0, 0, 0, 2, 3, 4, 10, 11], np.int64)
TRUMP_POINTS = np.array([0, 0, 14, 20, 3, 4, 10, 11], np.int64)
SANS_ATOUT_POINTS = np.array([0, 0, 0, 2, 3, 4, 10, 19], np.int64)
TOUT_ATOUT_POINTS = np.array([0, 0, 9, 13, 2, 3, 5, 6], np.int64)
TRUMP_STRENGTH = np.array([0, 1, 6, 7, 2, 3, 4, 5], np.int64)  # plain: the rank itself
# rank → the mask, within a suit, of the ranks that beat it as trumps
TRUMPS_ABOVE = np.array(
    [sum(1 << b for b in range(8) if TRUMP_STRENGTH[b] > own) for own in TRUMP_STRENGTH], np.int64
)
SUIT_MASK = np.int64(0xFF)
KING_AND_QUEEN = np.int64(0x30)

SCALED = 6
"""The values of tout atout where trumps keep theirs and the sum is scaled to 162 (BE-23)."""
SCALED_TOTAL = 258
CARD_VALUES = np.zeros((7, 32), np.int64)
"""Strain, or `SCALED` → card → points (BE-1, BE-23)."""
for _strain in range(4):
    CARD_VALUES[_strain] = np.where(_strain == SUIT_OF, TRUMP_POINTS[RANK_OF], PLAIN_POINTS[RANK_OF])
CARD_VALUES[SANS_ATOUT] = SANS_ATOUT_POINTS[RANK_OF]
CARD_VALUES[TOUT_ATOUT] = TOUT_ATOUT_POINTS[RANK_OF]
CARD_VALUES[SCALED] = TRUMP_POINTS[RANK_OF]

LEVEL_POINTS = np.array([0, *range(80, 490, 10), 250], np.int64)
"""The points that a contract of each level adds to the score (BE-18)."""

FIRST_PACKETS = np.array([[3, 2], [2, 3], [3, 2], [3, 3], [2, 3]], np.int64)
"""Way of dealing → its first two packets; the third has what is left of eight (BE-4)."""
FIRST_PACKETS_TO_TAKE = np.array([[3, 2], [2, 3], [3, 2], [3, 2], [2, 3]], np.int64)
"""The same where five cards are dealt before the taking."""


def _sequence_mask(length: int, suit: int, top: int) -> int:
    ranks = NATURAL_RANKS[top - length + 1 : top + 1]
    return sum(1 << 8 * suit + PIQUET.ranks.index(rank) for rank in ranks)


def _carre_mask(rank: str) -> int:
    return sum(1 << 8 * suit + PIQUET.ranks.index(rank) for suit in range(4))


ANNOUNCED_CARDS = np.array(
    [*(_sequence_mask(*one) for one in SEQUENCES), *map(_carre_mask, CARRE_RANKS)], np.int64
)
"""Announcement → its cards."""
ANNOUNCED_POINTS = np.array(
    [*({3: 20, 4: 50, 5: 100}[length] for length, _, _ in SEQUENCES), 100, 100, 100, 100, 150, 200], np.int64
)
ANNOUNCED_SUIT = np.array([*(suit for _, suit, _ in SEQUENCES), *[-1] * len(CARRE_RANKS)], np.int64)
ANNOUNCED_HEIGHT = np.array(
    [*(20 * length + 2 * top for length, _, top in SEQUENCES), *range(120, 120 + 2 * len(CARRE_RANKS), 2)],
    np.int64,
)
"""Announcement → a number, higher for a better one; trump adds 1 to a sequence's (BE-16)."""
