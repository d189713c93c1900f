"""Columns of rows as NumPy has them: numbers of which some are unknown, tricks counted."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


def unless(unknown: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[Any]:
    """The values but where they are unknown."""
    masked: NDArray[Any] = np.ma.masked_array(values, unknown)
    return masked


def named(seat: str, names: Sequence[str]) -> str:
    """Who sits at a seat as an action writes it; the seat itself where nobody does."""
    known = seat.isdigit() and 0 < int(seat) <= len(names)
    return names[int(seat) - 1] if known else seat


def small(values: NDArray[Any], base: int = 0) -> NDArray[Any]:
    """Small numbers, unknown where they are below zero; `base` is added to the others."""
    return unless(values < 0, (values + base).astype(np.uint8))


SEATS = 5


class Words(NamedTuple):
    """A column of a few words, by their places among `names`."""

    at: NDArray[Any]
    names: Sequence[str]


def taken(takers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """How many tricks each of five seats took, a row a deal."""
    deal = np.repeat(np.arange(len(takers)) * (SEATS + 1), takers.shape[1])
    # nobody, -1, is counted before the first seat
    each = np.bincount(deal + (takers.reshape(-1) + 1), minlength=len(takers) * (SEATS + 1))
    return each.reshape(-1, SEATS + 1)[:, 1:].astype(np.uint8)


Points = Callable[[NDArray[np.void], NDArray[np.int64], NDArray[np.int64]], NDArray[np.int16]]


def points_of(totals: Any) -> Points:
    """The points of seats, by the `totals` of a game's kernel."""

    def points(
        states: NDArray[np.void], deal: NDArray[np.int64], seat: NDArray[np.int64]
    ) -> NDArray[np.int16]:
        found = np.zeros(len(deal), np.int16)
        totals(states, deal, seat, found)
        return found

    return points
