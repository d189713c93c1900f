"""Shared by the `match` modules of all games: result, winner, next dealer.

The `start` of a log that holds only the end of a match becomes a row of numbers. The first is the
manche, from 0, or NO_DEALS_BEFORE, or UNKNOWN_START if `start` is impossible or ambiguous.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

NO_DEALS_BEFORE, UNKNOWN_START = -1, -2
NOBODY = -1
"""No seat."""


MAX_SCORE = 20_000
"""More than any score of a whole match."""


class StartProblem(NamedTuple):
    """A value of `start` that no match can have; `path` is a JSON pointer below `start`."""

    path: str
    found: Any


def count_problems(key: str, declared: Sequence[int], sides: int, maximum: int) -> list[StartProblem]:
    """Return the problems of a list of one number per seat or side, each from 0 to `maximum`."""
    if len(declared) != sides:
        return [StartProblem(f"/{key}", list(declared))]
    return [StartProblem(f"/{key}/{i}", one) for i, one in enumerate(declared) if not 0 <= one <= maximum]


def best_sides(score: Sequence[int]) -> frozenset[int]:
    """Return the sides, from 0, with the highest score."""
    return frozenset(side for side, points in enumerate(score) if points == max(score))


def winner_in_log(state: Any) -> int | None:
    """Return a deal's winner as a log writes it: from 1, 0 for none, None while it runs."""
    winner = int(state["winner"])
    return None if winner == NOBODY else max(winner + 1, 0)


def score(match: Any) -> list[int]:
    """Return the score of a match in the form of a log's `result`, by seat or side."""
    return [int(one) for one in match["score"][: match["players"]]]


def next_dealer(match: Any) -> list[int]:
    """Return the seat, from 1, that must deal next, as a list; empty if unknown."""
    return [int(match["dealer"]) + 1] if match["dealer"] >= 0 else []
