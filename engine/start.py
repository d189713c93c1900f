"""Where a log that holds the tail of a match begins, as a row of numbers for a game's match.

A row begins with the manche from 0, NOTHING where no deal came before, LOST where what is told
cannot be, or leaves open what was won.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

NOTHING, LOST = -1, -2


class Wrong(NamedTuple):
    """What no match stands at: `path` is a JSON pointer below `start`."""

    path: str
    found: Any


def counts(key: str, told: Sequence[int], sides: int, most: int) -> list[Wrong]:
    """What is wrong with a number a seat, or a side, each from 0 to `most`."""
    if len(told) != sides:
        return [Wrong(f"/{key}", list(told))]
    return [Wrong(f"/{key}/{i}", one) for i, one in enumerate(told) if not 0 <= one <= most]
