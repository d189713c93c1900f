"""What most games say on this floor: no announcements, no bids before play, a pack all dealt.

A game takes from here what it has nothing of its own to say of; and what columns of its rows are
made with: numbers of which some are unknown, tricks counted.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.games import Announced, AtSeat, DeckCheck, Flags, Places, States
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
    states: States, rules: NDArray[np.void], rule_of: Places, part: Flags
) -> Announced | None:
    """None: the game has no announcements."""
    return None


def card_points(states: States) -> NDArray[Any] | None:
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


# what columns are made with


def unless(unknown: Flags, values: NDArray[Any]) -> NDArray[Any]:
    """The values but where they are unknown."""
    masked: NDArray[Any] = np.ma.masked_array(values, unknown)
    return masked


def small(values: NDArray[Any], base: int = 0) -> NDArray[Any]:
    """Small numbers, unknown where they are below zero; `base` is added to the others."""
    return unless(values < 0, (values + base).astype(np.uint8))


def taken(takers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """How many tricks each of five seats took, a row a deal."""
    seats = 5
    deal = np.repeat(np.arange(len(takers)) * (seats + 1), takers.shape[1])
    # nobody, -1, is counted before the first seat
    each = np.bincount(deal + (takers.reshape(-1) + 1), minlength=len(takers) * (seats + 1))
    return each.reshape(-1, seats + 1)[:, 1:].astype(np.uint8)


def points_of(totals: Any) -> Callable[[States, Places, Places], NDArray[np.int16]]:
    """The points of seats, by the `totals` of a game's kernel."""

    def points(states: States, deal: Places, seat: Places) -> NDArray[np.int16]:
        found = np.zeros(len(deal), np.int16)
        totals(states, deal, seat, found)
        return found

    return points


def named(seat: str, names: Sequence[str]) -> str:
    """Who sits at a seat as an action writes it; the seat itself where nobody does."""
    known = seat.isdigit() and 0 < int(seat) <= len(names)
    return names[int(seat) - 1] if known else seat
