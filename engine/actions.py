"""Encodes an action (seat and act) as one small integer.

The seat is in the high bits, the act in the low eight; each game numbers its acts in
its own `acts` module. Seats count from 0 here; people and logs count them from 1.
"""

from typing import NamedTuple

SEAT_SHIFT = 8
ACT_MASK = 255
UNKNOWN_ACT = 255
"""The act of a word nobody knows: no kernel takes it."""
DRAW_HIDDEN = 254
"""A draw whose card nobody wrote down: no kernel takes it, `engine.hidden` says which it was."""


class Action(NamedTuple):
    """Who did what: `seat` from 0, `act` from the game's own table."""

    seat: int
    act: int

    @property
    def code(self) -> int:
        return self.seat << SEAT_SHIFT | self.act


def decode_action(code: int) -> Action:
    """The action behind a code."""
    return Action(int(code) >> SEAT_SHIFT, int(code) & ACT_MASK)
