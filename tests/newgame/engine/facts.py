"""Facts of ended deals in bulk, asked of the kernel: what is told of them beside their states."""

import numpy as np
from numpy.typing import NDArray

from engine.compiled import compiled
from tests.newgame.engine.kernel import total


@compiled
def totals(
    states: NDArray[np.void],
    deals: NDArray[np.int64],
    seats: NDArray[np.int64],
    found: NDArray[np.int16],
) -> None:
    """Fill `found[i]`: the points of seat `seats[i]` in deal `deals[i]` (BR-5)."""
    for i in range(len(deals)):
        found[i] = total(states[deals[i]], seats[i])
