"""Facts of ended manches in bulk, asked of the kernel."""

import numpy as np
from numpy.typing import NDArray

from engine.chouineurs.kernel import total
from engine.compiled import compiled


@compiled
def totals(
    states: NDArray[np.void],
    deals: NDArray[np.int64],
    seats: NDArray[np.int64],
    found: NDArray[np.int16],
) -> None:
    """Fill `found[i]`: the points of seat `seats[i]` in manche `deals[i]` (CR-7)."""
    for i in range(len(deals)):
        found[i] = total(states[deals[i]], seats[i])
