"""What announcements hands of Chouine hold as they are dealt, many hands at once."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import SUITS
from engine.chouine.acts import COMBINATIONS, kind_of, suit_of
from engine.chouine.kernel import State, combinations_held, worth
from engine.compiled import compiled

SUITLESS = len(SUITS)
"""The bit of a kind that has no suit, after those of the suits."""


def dealt(hands: NDArray[np.int64], players: int) -> Mapping[str, NDArray[np.int64]]:
    """Kind → hand by hand (masks of cards) the suits it is held in, a bit each, or SUITLESS."""
    held = np.zeros(len(hands), np.int64)
    _held(np.zeros(1, State), np.ascontiguousarray(hands, np.int64), players, held)
    found = {kind_of(one): np.zeros(len(hands), np.int64) for one in range(COMBINATIONS)}
    for one in range(COMBINATIONS):
        suit = suit_of(one)
        found[kind_of(one)] |= (held >> one & 1) << (SUITLESS if suit < 0 else suit)
    return found


def dealt_worth(kind: str, trump: bool, rules: np.void) -> int:
    """The points of a kind, doubled in trump (CH-18, CH-19); 0 of a chouine, which wins at once."""
    one = next(one for one in range(COMBINATIONS) if kind_of(one) == kind)
    return int(worth(rules, one, trump))


@compiled
def _held(
    scratch: NDArray[np.void], hands: NDArray[np.int64], players: int, held: NDArray[np.int64]
) -> None:
    state: Any = scratch[0]
    state.players = players
    for i in range(len(hands)):
        state.hand[0] = hands[i]
        held[i] = combinations_held(state, 0)
