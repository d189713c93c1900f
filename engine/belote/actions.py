"""The numbered acts of Belote."""

from collections.abc import Mapping

PLAY = 0  # + card, 32 of them
TAKE = 32  # + strain, 6 of them (BE-5)
BID = 38  # + 6 * level + strain, 42 levels (BE-6)
PASS = 290
CONTRE = 291
SURCONTRE = 292
ANNOUNCE = 293  # + announcement, 66 of them (BE-16)
BELOTE = 359
REBELOTE = 360
RENONCE = 361
ACT_COUNT = 362
FIRST_DRAW = -1
"""Belote has no draws: cards that come after the taking are dealt, not drawn (BE-4)."""

STRAINS = ("s", "h", "d", "c", "sa", "ta")
"""The strains of contracts: the suits, sans atout, tout atout (BE-23)."""
SANS_ATOUT, TOUT_ATOUT = 4, 5
NUMBERS = range(80, 490, 10)
LEVELS = ("take", *map(str, NUMBERS), "capot")
"""The levels of contracts, ascending: taken without a number, then the bids (BE-5, BE-6)."""
TAKEN, CAPOT = 0, len(LEVELS) - 1

NATURAL_RANKS = "789TJQKA"
"""The ranks in the order of sequences (BE-16)."""
SEQUENCE_KINDS = ("tierce", "cinquante", "cent")
"""Sequences of three, four and five cards."""
ANNOUNCEMENT_KINDS = (*SEQUENCE_KINDS, "carre", "belote")
CARRE_RANKS = "QKTA9J"
"""The ranks of carrés, the best last."""
SEQUENCES = tuple(
    (length, suit, top) for length in (3, 4, 5) for suit in range(4) for top in range(length - 1, 8)
)
"""The announcements before the carrés: cards, suit, highest rank in `NATURAL_RANKS`."""
FIRST_CARRE = len(SEQUENCES)
ANNOUNCEMENT_COUNT = FIRST_CARRE + len(CARRE_RANKS)

REQUIRED_KINDS: Mapping[str, str] = {"card-in-auction": "bid"}
"""Fault → the kind of act that should have come before the faulty one."""


def bid_level(act: int) -> int:
    """Return the index in `LEVELS` of a taking or a bid, -1 if an act is neither."""
    if TAKE <= act < BID:
        return TAKEN
    return (act - BID) // 6 + 1 if BID <= act < PASS else -1


def bid_strain(act: int) -> int:
    """Return the index in `STRAINS` of a taking or a bid, -1 if an act is neither."""
    return (act - TAKE) % 6 if TAKE <= act < PASS else -1


def announcement_of(act: int) -> int:
    """Return the announcement an act makes, -1 if it makes none."""
    return act - ANNOUNCE if ANNOUNCE <= act < BELOTE else -1


def kind_of_act(act: int) -> str:
    """Return `play`, `bid` (a taking or a pass, too), `contre`, `announce` or `renonce`."""
    bounds = (
        (TAKE, "play"),
        (CONTRE, "bid"),
        (ANNOUNCE, "contre"),
        (RENONCE, "announce"),
        (ACT_COUNT, "renonce"),
    )
    return next((kind for bound, kind in bounds if act < bound), "play")
