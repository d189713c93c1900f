"""The bid cards: which numbers of tricks each one wins with, and for how many points (CR-2)."""

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.chouineurs.deck import Problem

BIDS = 5
MOST_TRICKS = 8
NO_MATCH = -1
"""`points[bid, tricks]` when a bid card is not met by that many tricks."""

PUBLISHED: Mapping[str, Mapping[str, int]] = {
    "0-1": {"0": 8, "1": 3},
    "0-1-2": {"0": 2, "1": 8, "2": 5},
    "1-2-3": {"1": 4, "2": 8, "3": 4},
    "2-3-4": {"2": 3, "3": 9, "4": 4},
    "3-4+": {"3": 5, "4+": 10},
}
"""name → tricks → points; `4+` is four or more."""

_TRICKS = re.compile(r"([0-8])(\+?)")


def problems(cards: Mapping[str, Mapping[str, int]]) -> list[Problem]:
    """What is wrong with a match's own bid cards: there are five, each `{"2": 3, "4+": 9}`."""
    found = []
    if len(cards) != BIDS:
        found.append(Problem("bid-cards", "", len(cards), (str(BIDS),)))
    for name, bid in cards.items():
        where = "/" + name.replace("~", "~0").replace("/", "~1")
        if not bid:
            found.append(Problem("bid-cards", where, {}))
        met: set[int] = set()
        for tricks, points in bid.items():
            covered = _covered(tricks)
            whole = isinstance(points, int) and not isinstance(points, bool)
            if not covered or met & covered or not whole or not 0 <= points <= 1000:
                found.append(Problem("bid-cards", f"{where}/{tricks}", points))
            met |= covered
    return found


def _covered(tricks: str) -> set[int]:
    found = _TRICKS.fullmatch(tricks)
    if not found:
        return set()
    low = int(found[1])
    return set(range(low, (MOST_TRICKS if found[2] else low) + 1))


class BidCards:
    """Five bid cards: `names[bid]`, `codes[name]` and `points[bid, tricks]` (5 × 9, -1: not met).

    They are numbered in the order of their names, however a log has written them: the keys of an
    object have no order. ValueError: cards that have `problems`.
    """

    def __init__(self, cards: Mapping[str, Mapping[str, int]] = PUBLISHED) -> None:
        if found := problems(cards):
            raise ValueError("; ".join(f"{wrong.path}: {wrong.found}" for wrong in found))
        self.names = tuple(sorted(cards))
        self.codes = {name: code for code, name in enumerate(self.names)}
        self.points: NDArray[np.int16] = np.full((BIDS, MOST_TRICKS + 1), NO_MATCH, np.int16)
        for bid, name in enumerate(self.names):
            for tricks, points in cards[name].items():
                for number in _covered(tricks):
                    self.points[bid, number] = points
