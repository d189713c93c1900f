"""The numbered acts of Chouine."""

from collections.abc import Mapping

from engine.actions import DRAW_HIDDEN

PLAY = 0  # + card, 32 of them
ANNOUNCE = 32  # + combination, 18 of them
COMBINATION_COUNT = 18
UNSHOWN = ANNOUNCE + COMBINATION_COUNT  # the same, but never shown
SEPT = 68
AU_SEPT = 69
FAULT = 70  # draw, peek, double
ACCEPT = 73
REPLAY = 74
RESIGN = 75
FIRST_DRAW = 76  # + card
ACT_COUNT = 108

KINDS = ("mariage", "tierce", "quarteron", "chouine")
MARIAGE, TIERCE, QUARTERON, CHOUINE = range(4)
# a combination is 4 * kind + suit, or one of the following two
QUINTE, TRENTE = 16, 17
SUIT_COMBINATIONS = 0x1111
"""The four combinations of spades as a bit set; shift by `suit` for another suit (CH-20)."""
IRREGULARITIES = ("draw", "peek", "double")
REQUIRED_KINDS: Mapping[str, str] = {
    "au-sept-missing": "au-sept",
    "draw-missing": "draw",
    "decision-missing": "decide",
}
"""Fault → the kind of act that should have come before the faulty one."""


def combination_kind(combination: int) -> str:
    """Return `mariage` … `chouine`, `quinte` or `trente`."""
    if combination == QUINTE:
        return "quinte"
    return "trente" if combination == TRENTE else KINDS[combination >> 2]


def combination_suit(combination: int) -> int:
    """Return the suit, 0 to 3, or -1 for a quinte or a trente."""
    return combination & 3 if combination < QUINTE else -1


def combination_of(act: int) -> int:
    """Return the combination an act announces, shown or not; -1 if it is not an announcement."""
    return (act - ANNOUNCE) % COMBINATION_COUNT if ANNOUNCE <= act < SEPT else -1


def kind_of_act(act: int) -> str:
    """Return `play`, `announce`, `sept`, `au-sept`, `fault`, `decide`, `resign` or `draw`."""
    if act == DRAW_HIDDEN:
        return "draw"
    bounds = (
        (ANNOUNCE, "play"),
        (SEPT, "announce"),
        (AU_SEPT, "sept"),
        (FAULT, "au-sept"),
        (ACCEPT, "fault"),
        (RESIGN, "decide"),
        (FIRST_DRAW, "resign"),
        (ACT_COUNT, "draw"),
    )
    return next((kind for bound, kind in bounds if act < bound), "play")
