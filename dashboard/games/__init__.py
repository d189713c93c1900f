"""What the board and the figures know of each game: hooks that its own module fills.

A game's module stands on the dashboard's floor (`engine.games.register`) and is found by the
game's name. What it has nothing to say of it takes from `dashboard.games.plain`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from dashboard.games.deal import Deal
from dashboard.games.records import Height, Mark, Statistics
from engine.games import names, part
from engine.replay import Ply


class Game(Protocol):
    """A game's module: what the board asks of it, then what the figures ask."""

    TITLE: str
    """The game's name as people read it; a proper name, in no catalogue."""
    RECALL: Literal["own", "last"]
    """Tricks a player may look at again: the `own` and each opponent's last, or the `last`."""
    MARKS: Mapping[str, Mark]
    """Kinds of marks on the timeline; a kind that two games have is one and the same."""

    def frame(self, deal: Deal) -> dict[str, Any]:
        """What holds for the whole deal: `back`, `opener`, `sides`, `auction`, `jumps`."""

    def ply(self, deal: Deal, index: int) -> dict[str, Any]:
        """One state, with what led to it from the state before, as `board.states` lists it."""

    def faces(self, deal: Deal) -> dict[str, dict[str, str]]:
        """Card name → its picture and its spoken name."""

    def card_names(self, deal: Deal) -> tuple[str, ...]:
        """The card of each code that a play may have."""

    def allowed(self, deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
        """(cards that may be played or turned, in words what else may be done), as they come."""

    def why(self, deal: Deal, now: Ply, best: int, laid: Sequence[int]) -> str:
        """By what `best` took the trick just completed; `laid` are its codes, -1 for none."""

    def veiled(self, deal: Deal, now: Ply, seen: Sequence[Sequence[str]]) -> str:
        """What those hear who may not see the card; empty where everybody sees what happens.

        `seen` are the cards of each hand that everybody knows by now.
        """

    def shown(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """The mask of a hand's cards that everybody has seen; before this action it was `known`."""

    def remarkable(self, deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        """(kind of MARKS, text or empty where the event says it) of what is worth a mark."""

    STATISTICS: Statistics
    HEIGHTS: tuple[Height, ...]
    """What can be bid, ascending, as `deals.contract` numbers it."""

    def turned(
        self,
        kind: Sequence[str],
        outcome: NDArray[np.integer],
        points: NDArray[np.integer],
        seat: NDArray[np.integer],
        worth: NDArray[np.integer],
    ) -> NDArray[np.bool_]:
        """Deal by deal, whether one more announcement would have won it for a seat (from 0).

        `points` are those of every seat, a row a deal; `worth` is what it would have counted.
        """


def of(name: str) -> Game:
    """The module that tells of a game here. KeyError: no such game."""
    return cast(Game, part(name, "dashboard"))


def bidding() -> tuple[str, ...]:
    """The games that have contracts, as registered."""
    return tuple(name for name in names() if of(name).HEIGHTS)
