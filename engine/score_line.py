"""A score-sheet line: a deal without recorded cards, and its possible ends.

Each game's `told` module has the ends a line may stand for (`engine.games.ScoreLineRules`), as the
states its own kernel counts; what no deal can end with is `ScoreLineProblem`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from engine.match import winner_in_log


class ScoreLine(NamedTuple):
    """What a line says, as numbers; None where it says nothing."""

    dealer: int
    """From 0; who led first, in a game where nobody deals."""
    points: tuple[int, ...] | None = None
    winner: int | None = None
    """From 1, 0 for nobody."""
    details: Mapping[str, Any] = MappingProxyType({})
    """What the game's own `told` has besides, its words as codes of actions."""


class ScoreLineProblem(NamedTuple):
    """What no deal can have, by the code of a match fault."""

    code: str
    path: str
    """JSON pointer below the deal."""
    legal: tuple[Any, ...] = ()


class PossibleEnds(NamedTuple):
    """How the deal of a line may have ended: no state at all where that is left open."""

    states: list[np.void]
    problems: list[ScoreLineProblem]
    has_points: bool = True
    """Whether the states have the points of the deal, not its winner alone."""


class DealEnd(NamedTuple):
    """How the deal of a line ended."""

    state: np.void
    has_points: bool


def ends_with_winner(winner: int | None, states: list[np.void]) -> PossibleEnds:
    """Those of some ends that a line's winner goes with, or that it goes with none."""
    if winner is None:
        return PossibleEnds(states, [])
    kept = [state for state in states if winner_in_log(state) == winner]
    legal = tuple(dict.fromkeys(map(winner_in_log, states)))
    return (
        PossibleEnds(kept, [])
        if kept
        else PossibleEnds(states, [ScoreLineProblem("winner-differs", "/winner", legal)])
    )


IMPOSSIBLE_POINTS = ScoreLineProblem("points-impossible", "/points")
IMPOSSIBLE_END = ScoreLineProblem("end-impossible", "/told/end")
