"""The numbered acts of Coinche."""

from collections.abc import Mapping

PLAY = 0  # + card, 36 of them
BID = 36  # + 4 * level + suit, 12 levels
PASS = 84
COINCHE = 85
SURCOINCHE = 86
CLAIM = 87
WON = 88
RESIGN = 89
ACT_COUNT = 90
FIRST_DRAW = -1
"""Coinche has no talon to draw from."""

LEVELS = (*(str(points) for points in range(60, 160, 10)), "match", "generale")
"""The levels of bids, ascending (CO-3)."""
MATCH_BID, GENERALE_BID = 10, 11

REQUIRED_KINDS: Mapping[str, str] = {"card-before-contract": "bid"}
"""Fault → the kind of act that should have come before the faulty one."""


def bid_level(act: int) -> int:
    """Return the index in `LEVELS` of an act's bid, -1 if it is not a bid."""
    return act - BID >> 2 if BID <= act < PASS else -1


def bid_suit(act: int) -> int:
    """Return the suit of an act's bid, 0 to 3, -1 if it is not a bid."""
    return act - BID & 3 if BID <= act < PASS else -1


def kind_of_act(act: int) -> str:
    """Return `play`, `bid` (or a pass), `coinche`, `surcoinche`, `claim`, `won` or `resign`."""
    bounds = (
        (BID, "play"),
        (COINCHE, "bid"),
        (SURCOINCHE, "coinche"),
        (CLAIM, "surcoinche"),
        (WON, "claim"),
        (RESIGN, "won"),
        (ACT_COUNT, "resign"),
    )
    return next((kind for bound, kind in bounds if act < bound), "play")
