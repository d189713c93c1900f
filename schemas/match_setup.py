"""What every deal of a match is read with: rules, deck, seats."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.faults import DealProblem as DealProblem
from engine.games import Game

EncodeAction = Callable[[str, str], int]  # an action as written and its path → the code


class MatchDeck(Protocol):
    """A deck that a match brings, of cards with two faces: `names[face]` and `codes[name]`."""

    names: tuple[str, ...]
    code_entries: dict[str, int]
    colour: NDArray[np.int8]  # of every face, as the game numbers colours

    @property
    def cards(self) -> tuple[str, ...]:
        """Every card as written, one face first."""

    def card_with_face_up(self, up: int) -> str:
        """The card that shows a face, that face first."""


class BidCardSet(Protocol):
    """The bid cards of a match: `names[bid]`, `codes[name]`."""

    names: tuple[str, ...]
    code_entries: dict[str, int]


class MatchSetup(NamedTuple):
    """`problems` says why no deal of the match can be read; `rules` is the kernel's record."""

    game: Game
    players: int
    settings: dict[str, Any]
    rules: np.void
    faces: tuple[str, ...] = ()  # the faces of the match's own deck, which are words of its actions
    deck: MatchDeck | None = None  # the match's own deck, None where all matches have the same pack
    bid_cards: BidCardSet | None = None  # the match's bid cards, None in a game without them
    problems: tuple[DealProblem, ...] = ()


class RowLayout(NamedTuple):
    """Where the cards a deal is written with lie in the row the kernel deals from.

    Cards of hands are counted seat after seat, those of the talon go on behind them.
    """

    cards: Mapping[str, int]  # a card as written → its byte in the row
    hand_size: int  # cards of a hand
    talon_size: int  # cards that are told besides the hands
    row_places: NDArray[np.int64]  # by dealer, the place in the row of each of these cards
    bid_codes: Mapping[str, int] = {}  # a bid card as written → its byte in the row,
    bids_offset: int = -1  # which begins with that of the first seat here; -1: no key tells bids
