"""What a log of Brelin is: its document, and the words of its actions."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.cards import SUITS
from schemas.column_docs import Rows, numbered_row, rows_by_kind
from schemas.french_deck import add_equipment as add_equipment
from schemas.french_deck import read_row as read_row
from schemas.french_deck import row_layout as row_layout
from schemas.french_deck import sorted_hand as sorted_hand
from schemas.french_deck import write_row as write_row
from schemas.match_setup import DealProblem, EncodeAction, MatchSetup
from schemas.models import Deal, Match, Start, action_pattern, cards_pattern
from tests.newgame.engine import PACK
from tests.newgame.engine import actions as this


def action_words(faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Words → acts, such as `Kd`, `bid 4h` or `pair-d`."""
    found = {name: this.PLAY + card for card, name in enumerate(PACK.names)}
    for suit, letter in enumerate(SUITS):
        for level, tricks in enumerate(this.LEVELS):
            found[f"bid {tricks}{letter}"] = this.BID + 4 * level + suit
        found["pair-" + letter] = this.PAIR + suit
    return found


class BrelinDeal(Deal):
    """A deal of Brelin: a `deck`, or `hands`, whole or in part."""

    dealer: int = Field(json_schema_extra={"minimum": 1, "maximum": 2})
    deck: str | None = Field(None, json_schema_extra={"pattern": cards_pattern(PACK, len(PACK))})
    hands: list[str] | None = None
    actions: list[Annotated[str, Field(json_schema_extra={"pattern": action_pattern(action_words(), 2)})]] = (
        Field(default_factory=list)
    )


class BrelinMatch(Match):
    """A match of Brelin."""

    game: Literal["brelin"]
    start: Start | None = None
    deals: list[BrelinDeal] = Field(default_factory=list)


def read_score_line(
    line: Any, setup: MatchSetup, problems: list[DealProblem], code: EncodeAction
) -> dict[str, Any]:
    """Nothing: a sheet has the points alone."""
    return {}


MATCH_MODEL: type[Match] = BrelinMatch
MATCH_DEFAULTS: Mapping[str, Any] = {}
"""The sheet of a match says nothing besides what every game's does."""
CODE_DOCS: Mapping[str, Rows] = {
    "outcome": (),
    "deck": (numbered_row(PACK.names),),
    "actions": rows_by_kind(action_words(), this.kind_of_act),
}
