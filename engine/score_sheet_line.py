"""A score-sheet line: a deal without recorded cards, and its possible ends.

Each game's `score_sheet_line` module finds the possible ends of a line (`engine.games.ScoreLineRules`) as
states of its kernel, and reports values that no deal can have as `ScoreLineProblem`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.match import winner_in_log


class ScoreLine(NamedTuple):
    """A line as numbers; None for values it does not record."""

    dealer: int
    """From 0, -1 if not recorded; in a game without a dealer, the seat that led first."""
    points: tuple[int, ...] | None = None
    winner: int | None = None
    """From 1, 0 for none."""
    details: Mapping[str, Any] = MappingProxyType({})
    """The line's other, game-specific fields, with words as action codes."""
    waiting: int | None = None
    """Points of earlier deals that this one decides, where the match knows them."""

    @property
    def end(self) -> tuple[int, int]:
        """The act that ended the deal and its seat, from 0; -1 for both if not recorded."""
        code = self.details.get("end")
        return (-1, -1) if code is None else (code & ACT_MASK, code >> SEAT_SHIFT)


class ScoreLineProblem(NamedTuple):
    """A value that no deal can have; `code` is that of a match fault."""

    code: str
    path: str
    """JSON pointer below the deal."""
    legal: tuple[Any, ...] = ()


class PossibleEnds(NamedTuple):
    """The possible final states of a line's deal; none if the line leaves the end open."""

    states: list[np.void]
    problems: list[ScoreLineProblem]
    has_points: bool = True
    """Whether the states hold the points of the deal, not only its winner."""


class DealEnd(NamedTuple):
    """The final state of a line's deal."""

    state: np.void
    has_points: bool


def points_waiting(match: np.void) -> int | None:
    """Return the points of earlier deals that the next one decides, as a line needs; None if unknown."""
    known = "waiting" in (match.dtype.names or ()) and not (match["unknown"] or match["over"])
    return int(match["waiting"]) if known else None


def ends_with_winner(winner: int | None, states: list[np.void]) -> PossibleEnds:
    """Return the states with a line's winner, or a problem if there are none."""
    if winner is None:
        return PossibleEnds(states, [])
    remaining = [state for state in states if winner_in_log(state) == winner]
    legal = tuple(dict.fromkeys(map(winner_in_log, states)))
    return (
        PossibleEnds(remaining, [])
        if remaining
        else PossibleEnds(states, [ScoreLineProblem("winner-differs", "/winner", legal)])
    )


def state_after_passes(
    kernel: Any, dealer: int, rules: np.void, pack: NDArray[np.uint8], pass_act: int, passes: int
) -> np.void:
    """Return the state of a deal of four after some passes and no bid."""
    state: np.void = np.zeros(1, kernel.State)[0]
    kernel.start(state, rules, 4, dealer, pack, 0)
    for _ in range(passes):
        kernel.step(state, rules, int(state["turn"]) << SEAT_SHIFT | pass_act)
    return state


IMPOSSIBLE_POINTS = ScoreLineProblem("points-impossible", "/points")
IMPOSSIBLE_END = ScoreLineProblem("end-impossible", "/score_line/end")
