"""A line of a score sheet: a deal of which nobody wrote down a card, and how it may have ended.

Each game's `told` module has the ends a line may stand for (`engine.games.Told`), as the states its
own kernel counts; what no deal can end with is `Wrong`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from engine.match import winner_word


class Line(NamedTuple):
    """What a line says, as numbers; None where it says nothing."""

    dealer: int
    """From 0; who led first, in a game where nobody deals."""
    points: tuple[int, ...] | None = None
    winner: int | None = None
    """From 1, 0 for nobody."""
    said: Mapping[str, Any] = MappingProxyType({})
    """What the game's own `told` has besides, its words as codes of actions."""


class Wrong(NamedTuple):
    """What no deal can have, by the code of a match fault."""

    code: str
    path: str
    """JSON pointer below the deal."""
    legal: tuple[Any, ...] = ()


class Ends(NamedTuple):
    """How the deal of a line may have ended: no state at all where that is left open."""

    states: list[np.void]
    wrong: list[Wrong]
    pointed: bool = True
    """Whether the states have the points of the deal, not its winner alone."""


class End(NamedTuple):
    """How the deal of a line ended."""

    state: np.void
    pointed: bool


def beside(winner: int | None, states: list[np.void]) -> Ends:
    """Those of some ends that a line's winner goes with, or that it goes with none."""
    if winner is None:
        return Ends(states, [])
    kept = [state for state in states if winner_word(state) == winner]
    legal = tuple(dict.fromkeys(map(winner_word, states)))
    return Ends(kept, []) if kept else Ends(states, [Wrong("winner-differs", "/winner", legal)])


POINTS = Wrong("points-impossible", "/points")
END = Wrong("end-impossible", "/told/end")
