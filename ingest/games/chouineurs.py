"""What the rows of a manche of Chouineurs say besides what every game's do."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.chouineurs.kernel import total
from ingest.store.columns import nullable, small


def deal(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `deals`: none of its own."""
    return {}


def seat(
    states: NDArray[np.void], deal: NDArray[np.int64], seat: NDArray[np.int64]
) -> dict[str, Any]:
    """Columns of `deal_seats` for these seats of these deals."""
    at = deal, seat
    winner = states["winner"][deal]
    points = [total(states[int(d)], int(s)) for d, s in zip(deal, seat, strict=True)]
    takers = states["takers"]
    last = takers[np.arange(len(takers)), np.maximum(states["trick"] - 1, 0)]
    return {
        "points": np.array(points, np.int16),
        "bonus": states["taken"][at].astype(np.int16),
        "bid": small(states["bid"][at]),
        "met": states["made"][at] > 0,
        "tricks": states["won"][at].astype(np.uint8),
        "der": last[deal] == seat,
        "won": nullable(winner == seat, winner < 0, pa.bool_()),
    }


def card_points(states: NDArray[np.void]) -> None:
    """No card has points of its own: a trick is worth what the bid says."""


def announced(rows: object) -> None:
    """Chouineurs has no announcements."""
