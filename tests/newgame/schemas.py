"""What a log of Brelin is: its document, and the words of its actions."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.cards import SUITS
from schemas.column_docs import Rows, by_kind, in_order
from schemas.french_deck import equipped as equipped
from schemas.french_deck import hand as hand
from schemas.french_deck import layout as layout
from schemas.french_deck import read as read
from schemas.french_deck import write as write
from schemas.match_setup import CodeAt, Problem, Table
from schemas.models import Deal, Match, Start, action_pattern, cards_pattern
from tests.newgame.engine import PACK
from tests.newgame.engine import actions as this


def words(faces: tuple[str, ...] = ()) -> dict[str, int]:
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
    actions: list[
        Annotated[str, Field(json_schema_extra={"pattern": action_pattern(words(), 2)})]
    ] = Field(default_factory=list)


class BrelinMatch(Match):
    """A match of Brelin."""

    game: Literal["brelin"]
    start: Start | None = None
    deals: list[BrelinDeal]


def told(line: Any, laid: Table, problems: list[Problem], code: CodeAt) -> dict[str, Any]:
    """Nothing: a sheet has the points alone."""
    return {}


MATCH: type[Match] = BrelinMatch
SHEET: Mapping[str, Any] = {}
"""The sheet of a match says nothing besides what every game's does."""
CODES: Mapping[str, Rows] = {
    "outcome": (),
    "deck": (in_order(PACK.names),),
    "actions": by_kind(words(), this.kind_of_act),
}
