"""What `schemas` knows of each game: its models, its words, its deck and how a deal is written."""

from collections.abc import Mapping
from typing import Any, Protocol, cast

import numpy as np

from engine.games import part
from schemas.column_docs import Rows
from schemas.match_setup import CodeAt, Layout, Problem, Table
from schemas.models import Match


class GameSchemas(Protocol):
    """What the module of a game on this floor has."""

    MATCH: type[Match]  # the model of a match, with the literal name of its game
    SHEET: Mapping[str, Any]
    """Keys that the sheet of a simulated match has besides those of every match."""
    CODES: Mapping[str, Rows]
    """Column of the store → what its numbers mean in this game, where they are its own: `deck`,
    `actions` and `outcome` at least."""

    def words(self, faces: tuple[str, ...]) -> dict[str, int]:
        """Words → acts, such as `Kd`; `faces` are those of the match's deck, if it has one."""

    def equipped(self, match: Any, laid: Table) -> Table:
        """A table with the deck and the bids a match brings, or the problems they have."""

    def read(self, deal: Any, laid: Table, problems: list[Problem]) -> list[int] | None:
        """The row the kernel deals from, HIDDEN where no card is told; None with any problem."""

    def write(self, laid: Table, dealer: int, row: np.ndarray, hands: bool) -> dict[str, Any]:
        """The keys of a deal that say who deals, from 0, and its cards; `hands`: easy to read."""

    def layout(self, laid: Table) -> Layout:
        """How the cards of a deal lie in its texts, at a table without problems."""

    def told(self, line: Any, laid: Table, problems: list[Problem], code: CodeAt) -> dict[str, Any]:
        """What a `told` says besides how the deal ended, as `engine.score_line.Line.said` has it.

        `code` reads an action below `told`, and notes what is wrong with it.
        """

    def hand(self, laid: Table, state: np.void, seat: int, known: int) -> list[str]:
        """The cards of a hand that are in the mask `known`, as its player sorts them."""


def of(name: str) -> GameSchemas:
    """A game's module on this floor. KeyError: no such game."""
    return cast(GameSchemas, part(name, "schemas"))
