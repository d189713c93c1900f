"""Finds what a game declares for the format: models, notation, deck."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

import numpy as np

from engine.games import module_of
from schemas.column_docs import Rows
from schemas.match_setup import DealProblem, EncodeAction, MatchSetup, RowLayout
from schemas.models import Match


class GameSchemas(Protocol):
    """The interface of a game's `schemas` module, such as `schemas.games.chouine`."""

    MATCH_MODEL: type[Match]  # its `game` field is the literal name of the game
    MATCH_DEFAULTS: Mapping[str, Any]
    """Keys that a simulated match of this game has in addition to the common ones."""
    CODE_DOCS: Mapping[str, Rows]
    """Column of the store → the meaning of its codes in this game, for columns whose codes depend
    on the game: at least `deck`, `actions` and `outcome`."""

    def action_words(self, faces: tuple[str, ...]) -> dict[str, int]:
        """Map words such as `Kd` to acts; `faces` are those of the match's own deck, if any."""

    def add_equipment(self, match: Any, setup: MatchSetup) -> MatchSetup:
        """Return the setup with the match's own deck and bid cards, or with their problems."""

    def read_row(self, deal: Any, setup: MatchSetup, problems: list[DealProblem]) -> list[int] | None:
        """Return the row the kernel deals from, HIDDEN_CARD where unknown; None if unreadable."""

    def write_row(
        self, setup: MatchSetup, dealer: int, row: np.ndarray, as_hands: bool, actions: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return a deal's keys for its dealer (from 0) and cards; `as_hands`: hands, not a deck.

        `actions` are the deal's, where they decide which cards are dealt to whom.
        """

    def row_layout(self, setup: MatchSetup) -> RowLayout:
        """Map the cards as written to the kernel's row; the setup must have no problems."""

    def read_score_line(
        self, line: Any, setup: MatchSetup, problems: list[DealProblem], code: EncodeAction
    ) -> dict[str, Any]:
        """Return the facts of a score sheet line other than the end of the deal, for
        `engine.score_sheet_line.ScoreLine.details`.

        `code` encodes an action given its path within the line, and records its problems.
        """

    def sorted_hand(self, setup: MatchSetup, state: np.void, seat: int, known: int) -> list[str]:
        """Return the cards of a hand in the mask `known`, as players sort them."""


def schemas_of(name: str) -> GameSchemas:
    """Return a game's `schemas` module. KeyError: no such game."""
    return cast(GameSchemas, module_of(name, "schemas"))
