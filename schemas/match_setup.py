"""The table of a match: what every deal of it is read and replayed with, or what is in the way."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.faults import Problem as Problem
from engine.games import Game

CodeAt = Callable[[str, str], int]  # an action as written and its path → the code


class Deck(Protocol):
    """A deck that a match brings, of cards with two faces: `names[face]` and `codes[name]`."""

    names: tuple[str, ...]
    codes: dict[str, int]
    colour: NDArray[np.int8]  # of every face, as the game numbers colours

    @property
    def cards(self) -> tuple[str, ...]:
        """Every card as written, one face first."""

    def card(self, up: int) -> str:
        """The card that shows a face, that face first."""


class Bids(Protocol):
    """The bid cards of a match: `names[bid]`, `codes[name]`."""

    names: tuple[str, ...]
    codes: dict[str, int]


class Table(NamedTuple):
    """`problems` says why no deal of the match can be read; `rules` is the kernel's record."""

    game: Game
    players: int
    settings: dict[str, Any]
    rules: np.void
    faces: tuple[str, ...] = ()  # the faces of the match's own deck, which are words of its actions
    deck: Deck | None = None  # the match's own deck, None where all matches have the same pack
    bids: Bids | None = None  # the match's bid cards, None in a game without them
    problems: tuple[Problem, ...] = ()


class Layout(NamedTuple):
    """Where the cards a deal is written with lie in the row the kernel deals from.

    Cards of hands are counted seat after seat, those of the talon go on behind them.
    """

    cards: Mapping[str, int]  # a card as written → its byte in the row
    hand: int  # cards of a hand
    talon: int  # cards that are told besides the hands
    places: NDArray[np.int64]  # by dealer, the place in the row of each of these cards
    bids: Mapping[str, int] = {}  # a bid card as written → its byte in the row,
    bids_at: int = -1  # which begins with that of the first seat here; -1: no key tells bids
