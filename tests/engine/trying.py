"""Tries every act at a state in one compiled call."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.actions import SEAT_SHIFT


class Tried(NamedTuple):
    """One entry an act: the faults of `step`, those of `check`, and whether `step` did anything."""

    codes: NDArray[np.int64]
    stepped: NDArray[np.int64]
    checked: NDArray[np.int64]
    changed: NDArray[np.bool_]


def every_act(kernel: Any, seats: int, acts: int) -> Callable[[np.void, np.void], Tried]:
    """What tries all of `acts` for each of some seats; what it is given stays as it is.

    Compiled anew in each process: what numba keeps of it would not learn that a kernel is another.
    """
    step, check = kernel.step, kernel.check
    codes = np.array([seat << SEAT_SHIFT | act for seat in range(seats) for act in range(acts)])

    @njit(nogil=True)
    def try_all(tried, state, rules, stepped, checked):
        for i in range(len(codes)):
            stepped[i] = step(tried[i], rules, codes[i])
            checked[i] = check(state, rules, codes[i])

    def trying(state: np.void, rules: np.void) -> Tried:
        before = np.array([state])
        tried = np.repeat(before, len(codes))
        stepped, checked = np.zeros((2, len(codes)), np.int64)
        try_all(tried, before[0], rules, stepped, checked)
        assert before[0] == state  # `check` changes nothing
        size = before.dtype.itemsize
        is_stored = tried.view(np.uint8).reshape(-1, size) == before.view(np.uint8)
        return Tried(codes, stepped, checked, ~is_stored.all(axis=1))

    return trying
