"""The rules, deck and seats with which every deal of a match is read."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.faults import DealProblem as DealProblem
from engine.games import Game

EncodeAction = Callable[[str, str], int]  # (action as written, its JSON pointer) → code


class MatchDeck(Protocol):
    """A match's own deck, of two-faced cards: `names[face]` and `code_entries[name]`."""

    names: tuple[str, ...]
    code_entries: dict[str, int]
    colour: NDArray[np.int8]  # colour of each face, in the game's numbering

    @property
    def cards(self) -> tuple[str, ...]:
        """Every card as written in the log, either face first."""

    def card_with_face_up(self, up: int) -> str:
        """Return the card with a face, as written with that face first."""


class BidCardSet(Protocol):
    """The bid cards of a match: `names[bid]`, `code_entries[name]`."""

    names: tuple[str, ...]
    code_entries: dict[str, int]


class MatchSetup(NamedTuple):
    """The common inputs of all deals; `rules` is the kernel's record of the rules."""

    game: Game
    players: int
    settings: dict[str, Any]
    rules: np.void
    faces: tuple[str, ...] = ()  # of the match's own deck; its actions name them
    deck: MatchDeck | None = None  # None in a game with one pack for all matches
    bid_cards: BidCardSet | None = None  # None in a game without bid cards
    problems: tuple[DealProblem, ...] = ()  # if any, no deal of the match can be read


class RowLayout(NamedTuple):
    """The places of a deal's cards, as written, in the row the kernel deals from.

    Cards are numbered hand after hand in seat order, then through the talon.
    """

    cards: Mapping[str, int]  # a card as written → its byte in the row
    hand_size: int  # cards per hand
    talon_size: int  # cards of the talon
    row_places: NDArray[np.int64]  # [dealer, card] → index in the row
    bid_codes: Mapping[str, int] = {}  # a bid card as written → its byte in the row
    bids_offset: int = -1  # index in the row of the first seat's bid; -1: no bid cards
