"""The cards played in deals, as the play words of a search inside games read them."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games.find_word import FindTerm
from engine.games import Game

Bools = NDArray[np.bool_]


class Plays(NamedTuple):
    """Every card played in some deals of one game, in order; each array has one entry a play."""

    game: Game
    deal: NDArray[np.int64]
    """Which of the deals, from 0."""
    action: NDArray[np.int64]
    """Number of the action in its deal, from 1."""
    seat: NDArray[np.int64]
    """From 0."""
    card: NDArray[np.int64]
    """The act: a card of the game's pack, or a face of the match's own deck."""
    winner: NDArray[np.int64]
    """The seat that took the trick, -1 if the trick is not complete or a log leaves it open."""
    states: NDArray[np.void]
    before: NDArray[np.int64]
    """The index in `states` of the state in which the card was played."""

    def field(self, name: str) -> NDArray[np.int64]:
        """Return a field of the state in which each card was played."""
        return np.asarray(self.states[name][self.before], np.int64)

    def fields(self, *names: str) -> SimpleNamespace:
        """Return such fields as attributes, for a kernel's functions."""
        return SimpleNamespace(**{name: self.field(name) for name in names})

    def hand(self) -> NDArray[np.int64]:
        """Return the cards in the player's hand before each play, a bit mask."""
        return np.asarray(self.states["hand"][self.before, self.seat], np.int64)


PlayTest = Callable[[Plays], Bools]
"""Returns whether a word is true of each play."""


class PlayWord(NamedTuple):
    """A word about one card that a player played."""

    names: tuple[str, ...]
    """As those of a `FindWord`."""
    meaning: str
    examples: tuple[str, ...]
    test: Callable[[FindTerm], PlayTest]
    """Returns the test of a term. BadSearch: the term cannot be read."""
    game: str | None = None
    """The only game of whose plays it can be true; None: of any."""
    about_seat: bool = True
    narrow: Callable[[FindTerm], Callable[[duckdb.DuckDBPyConnection, pl.DataFrame], pl.DataFrame]] | None = (
        None
    )
    """Returns what finds the deals of matches in which a term may be true; None: all."""
