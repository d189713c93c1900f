"""Encodes an action (seat and act) as one small integer.

The seat is in the high bits, the act in the low nine; each game numbers its acts in
its own `actions` module. Seats count from 0 here; logs and pages count them from 1.
"""

from typing import NamedTuple

SEAT_SHIFT = 9
ACT_MASK = 511
UNKNOWN_ACT = 511
"""The act of an unknown word; kernels reject it."""
DRAW_HIDDEN = 510
"""A draw whose card is not recorded; `engine.hidden` replaces it, kernels reject it."""


class Action(NamedTuple):
    """An act of a seat: `seat` counts from 0, `act` is from the game's own table."""

    seat: int
    act: int

    @property
    def code(self) -> int:
        return self.seat << SEAT_SHIFT | self.act


def decode_action(code: int) -> Action:
    """Return the action of a code."""
    return Action(int(code) >> SEAT_SHIFT, int(code) & ACT_MASK)
