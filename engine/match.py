"""What the `match` modules of all games share: the tail of a match, winners, who deals next.

Where a log begins that holds the tail of a match is a row of numbers: the manche from 0, NOTHING
where no deal came before, LOST where what is told cannot be, or leaves open what was won.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

NOTHING, LOST = -1, -2
NOBODY = -1
"""No seat."""


class Wrong(NamedTuple):
    """What no match stands at: `path` is a JSON pointer below `start`."""

    path: str
    found: Any


def counts(key: str, told: Sequence[int], sides: int, most: int) -> list[Wrong]:
    """What is wrong with a number a seat, or a side, each from 0 to `most`."""
    if len(told) != sides:
        return [Wrong(f"/{key}", list(told))]
    return [Wrong(f"/{key}/{i}", one) for i, one in enumerate(told) if not 0 <= one <= most]


def winner_word(state: Any) -> int | None:
    """A deal's winner as a log writes it: from 1, 0 for nobody, None while it runs."""
    winner = int(state["winner"])
    return None if winner == NOBODY else max(winner + 1, 0)


def next_dealer(match: Any) -> list[int]:
    """The seat, from 1, that must deal next; empty when nothing says."""
    return [int(match["dealer"]) + 1] if match["dealer"] >= 0 else []
