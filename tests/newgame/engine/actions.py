"""The action codes of Brelin; `schemas.py` has the format's words for them."""

from collections.abc import Mapping

PLAY = 0  # + card, 12 of them
BID = 12  # + 4 * level + suit, 4 levels
LEVELS = (3, 4, 5, 6)
"""Tricks that can be bid (BR-2)."""
PAIR = 28  # + suit
ACT_COUNT = 32
FIRST_DRAW = -1
"""Every card is dealt, so nobody draws."""

REQUIRED_KINDS: Mapping[str, str] = {"card-before-bid": "bid"}
"""Fault → the kind of act that was due before the one that has the fault."""


def kind_of_act(act: int) -> str:
    """`play`, `bid` or `announce`."""
    if BID <= act < PAIR:
        return "bid"
    return "announce" if PAIR <= act < ACT_COUNT else "play"
