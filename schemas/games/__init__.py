"""Finds what a game declares for the format: models, notation, deck."""

from collections.abc import Mapping
from typing import Any, Protocol, cast

import numpy as np

from engine.games import module_of
from schemas.column_docs import Rows
from schemas.match_setup import DealProblem, EncodeAction, MatchSetup, RowLayout
from schemas.models import Match


class GameSchemas(Protocol):
    """What the module of a game on this floor has."""

    MATCH_MODEL: type[Match]  # the model of a match, with the literal name of its game
    MATCH_DEFAULTS: Mapping[str, Any]
    """Keys that the sheet of a simulated match has besides those of every match."""
    CODE_DOCS: Mapping[str, Rows]
    """Column of the store → what its numbers mean in this game, where they are its own: `deck`,
    `actions` and `outcome` at least."""

    def action_words(self, faces: tuple[str, ...]) -> dict[str, int]:
        """Words → acts, such as `Kd`; `faces` are those of the match's deck, if it has one."""

    def add_equipment(self, match: Any, setup: MatchSetup) -> MatchSetup:
        """A table with the deck and the bids a match brings, or the problems they have."""

    def read_row(
        self, deal: Any, setup: MatchSetup, problems: list[DealProblem]
    ) -> list[int] | None:
        """The row the kernel deals from, HIDDEN where no card is told; None with any problem."""

    def write_row(
        self, setup: MatchSetup, dealer: int, row: np.ndarray, as_hands: bool
    ) -> dict[str, Any]:
        """The keys of a deal that say who deals, from 0, and its cards; `as_hands`: easy to
        read.
        """

    def row_layout(self, setup: MatchSetup) -> RowLayout:
        """How the cards of a deal lie in its texts, at a table without problems."""

    def read_score_line(
        self, line: Any, setup: MatchSetup, problems: list[DealProblem], code: EncodeAction
    ) -> dict[str, Any]:
        """What a `read_score_line` says besides how the deal ended, as
        `engine.score_line.ScoreLine.details` has it.

        `code` reads an action below `read_score_line`, and notes what is wrong with it.
        """

    def sorted_hand(self, setup: MatchSetup, state: np.void, seat: int, known: int) -> list[str]:
        """The cards of a hand that are in the mask `known`, as its player sorts them."""


def schemas_of(name: str) -> GameSchemas:
    """A game's module on this floor. KeyError: no such game."""
    return cast(GameSchemas, module_of(name, "schemas"))
