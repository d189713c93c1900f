"""What most games say on this floor: no announcements, no bids before play, a pack all dealt.

A game takes from here what it has nothing of its own to say of.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.games import Announced, AtSeat, DeckCheck
from ingest.i18n import N_, Translate
from schemas.table import Table

KINDS: Mapping[str, str] = {}
OPENING: str = N_("{who} deals")
BETWEEN_CARDS: str = " "
ALL_DEALT: bool = True
CARD_LINES: Mapping[str, Callable[[Table, Sequence[str]], dict[str, Any]]] = {}
DECK_CHECK: DeckCheck | None = None
IN_ADVICE: Mapping[str, str] = {}


def announced(
    states: NDArray[np.void],
    rules: NDArray[np.void],
    rule_of: NDArray[np.int64],
    part: NDArray[np.bool_],
) -> Announced | None:
    """None: the game has no announcements."""
    return None


def card_points(states: NDArray[np.void]) -> NDArray[Any] | None:
    """None: no card counts by itself."""
    return None


def shorten(t: Translate, words: Sequence[Any]) -> list[Any]:
    """The actions as they are: a hand has few of them."""
    return list(words)


def cards(table: Table) -> Sequence[tuple[str, ...]]:
    """The pack, each card by its name."""
    return [(name,) for name in table.game.pack.names]


def bids(table: Table) -> Sequence[tuple[int, Sequence[int]]]:
    """None: what is bid is an action."""
    return ()


def at_seats(table: Table, match: np.void, state: np.void, deal: Any, code: str) -> list[AtSeat]:
    """None: the sheet says nothing of a seat alone."""
    return []
