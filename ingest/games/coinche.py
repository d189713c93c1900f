"""What the rows of a Coinche deal say besides what every game's do."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.cards import JASS, SUITS
from engine.coinche.kernel import PLAIN_POINTS
from ingest.store.columns import nullable, small


def deal(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `deals`."""
    made = states["made"]
    return {
        "trump": small(states["trump"]),
        "contract": small(states["contract"]),
        "bidder": small(states["bidder"], 1),
        "coinched": small(states["coinched"]),
        "made": nullable(made > 0, made < 0, pa.bool_()),
    }


def seat(
    states: NDArray[np.void], deal: NDArray[np.int64], seat: NDArray[np.int64]
) -> dict[str, Any]:
    """Columns of `deal_seats` for these seats of these deals; points are the side's marks."""
    side = seat & 1
    winner = states["winner"][deal]
    return {
        "points": states["marks"][deal, side].astype(np.int16),
        "cards": states["cards"][deal, side].astype(np.int16),
        "tricks": states["taken"][deal, seat].astype(np.uint8),
        "der": states["der"][deal] == side,
        "won": nullable(winner == side, winner < 0, pa.bool_()),
    }


def card_points(states: NDArray[np.void]) -> NDArray[np.int64]:
    """What each of 36 cards is worth to whoever is dealt it: nothing is trump yet."""
    return np.broadcast_to(np.tile(PLAIN_POINTS, len(SUITS)), (len(states), len(JASS)))


def announced(rows: object) -> None:
    """Coinche has no announcements."""
