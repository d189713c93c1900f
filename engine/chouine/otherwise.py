"""What a deal of Chouine would have come to with one more announcement, all else as it was."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.chouine.kernel import NOBODY, PLAYED_OUT, State, highest
from engine.compiled import compiled


def would_win(
    at_once: NDArray[np.bool_],
    outcome: NDArray[np.integer[Any]],
    points: NDArray[np.integer[Any]],
    seat: NDArray[np.integer[Any]],
    worth: NDArray[np.integer[Any]],
) -> NDArray[np.bool_]:
    """Deal by deal, whether `seat` (from 0) would have won with `worth` more points.

    `points` are the totals of all seats, a row a deal. An announcement that wins `at_once` does
    (CH-22); any other only where the deal was played out and the points decide (CH-23, CH-24).
    """
    found = np.asarray(at_once, np.bool_).copy()
    _recount(
        np.zeros(1, State),
        np.ascontiguousarray(outcome, np.int64),
        np.ascontiguousarray(points, np.int64),
        np.ascontiguousarray(seat, np.int64),
        np.ascontiguousarray(worth, np.int64),
        found,
    )
    return found


@compiled
def _recount(
    scratch: NDArray[np.void],
    outcome: NDArray[np.int64],
    points: NDArray[np.int64],
    seat: NDArray[np.int64],
    worth: NDArray[np.int64],
    found: NDArray[np.bool_],
) -> None:
    state: Any = scratch[0]
    state.players = points.shape[1]
    state.der = NOBODY  # totals have its ten points already
    for i in range(len(found)):
        if not found[i] and outcome[i] == PLAYED_OUT:
            for one in range(points.shape[1]):
                state.cards[one] = points[i, one]
                state.bonus[one] = 0
            state.bonus[seat[i]] = worth[i]
            found[i] = highest(state, NOBODY) == seat[i]
