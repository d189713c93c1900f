"""What the `match` modules of all games share: result, winner, next dealer.

Where a log begins that holds the tail of a match is a row of numbers: the manche from 0, NOTHING
where no deal came before, LOST where what is told cannot be, or leaves open what was won.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

NO_DEALS_BEFORE, UNKNOWN_START = -1, -2
NOBODY = -1
"""No seat."""


class StartProblem(NamedTuple):
    """What no match stands at: `path` is a JSON pointer below `start`."""

    path: str
    found: Any


def count_problems(
    key: str, declared: Sequence[int], sides: int, maximum: int
) -> list[StartProblem]:
    """What is wrong with a number a seat, or a side, each from 0 to `maximum`."""
    if len(declared) != sides:
        return [StartProblem(f"/{key}", list(declared))]
    return [
        StartProblem(f"/{key}/{i}", one)
        for i, one in enumerate(declared)
        if not 0 <= one <= maximum
    ]


def winner_in_log(state: Any) -> int | None:
    """A deal's winner as a log writes it: from 1, 0 for nobody, None while it runs."""
    winner = int(state["winner"])
    return None if winner == NOBODY else max(winner + 1, 0)


def next_dealer(match: Any) -> list[int]:
    """The seat, from 1, that must deal next; empty when nothing says."""
    return [int(match["dealer"]) + 1] if match["dealer"] >= 0 else []
