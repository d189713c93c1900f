"""The log format of Coinche."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.cards import JASS, SUITS
from engine.coinche import GAME, kernel
from engine.coinche import actions as this
from schemas.column_docs import Rows, numbered_row, rows_by_kind
from schemas.french_deck import TrumpOrder
from schemas.french_deck import add_equipment as add_equipment
from schemas.french_deck import read_row as read_row
from schemas.french_deck import row_layout as row_layout
from schemas.french_deck import write_row as write_row
from schemas.match_setup import DealProblem, EncodeAction, MatchSetup
from schemas.models import Deal, Document, Match, ScoreLine, Start, action_pattern, cards_pattern

TRUMP_ORDER = TrumpOrder("trump", kernel.TRUMP_STRENGTH)
"""Trumps are in their own order (CO-2)."""
sorted_hand = TRUMP_ORDER.sorted_hand


def action_words(faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Map words such as `Kd`, `bid 80h`, `bid match-s` or `pass` to acts."""
    found = {name: this.PLAY + card for card, name in enumerate(JASS.names)}
    for level, bid in enumerate(this.LEVELS):
        dash = "" if bid.isdigit() else "-"
        for i, suit in enumerate(SUITS):
            found[f"bid {bid}{dash}{suit}"] = this.BID + 4 * level + i
    return found | {
        "pass": this.PASS,
        "coinche": this.COINCHE,
        "surcoinche": this.SURCOINCHE,
        "claim": this.CLAIM,
        "won": this.WON,
        "resign": this.RESIGN,
    }


_ACTION_PATTERN = action_pattern(action_words(), max(GAME.players))
_BID_PATTERN = action_pattern(
    (word for word, act in action_words().items() if this.BID <= act < this.PASS), max(GAME.players)
)


class Contract(Document):
    """The last bid, as an action, and how often it was doubled."""

    bid: str = Field(json_schema_extra={"pattern": _BID_PATTERN})
    coinche: int = Field(
        0, description="1 coinched, 2 surcoinched", json_schema_extra={"minimum": 0, "maximum": 2}
    )


class CoincheScoreLine(ScoreLine):
    """A line of a score sheet: the contract; without one, all players passed."""

    contract: Contract | None = None


class CoincheDeal(Deal):
    """A deal of Coinche: a `deck` or `hands`; unknown cards are `??`, points are those of the two sides."""

    dealer: int | None = Field(None, json_schema_extra={"minimum": 1, "maximum": 4})
    deck: str | None = Field(None, json_schema_extra={"pattern": cards_pattern(JASS, 36)})
    hands: list[str] | None = None
    actions: list[Annotated[str, Field(json_schema_extra={"pattern": _ACTION_PATTERN})]] = Field(
        default_factory=list
    )
    score_line: CoincheScoreLine | None = None


class CoincheMatch(Match):
    """A match of Coinche with 36 cards; seats 1 and 3 play against 2 and 4."""

    game: Literal["coinche"]
    start: Start | None = None
    deals: list[CoincheDeal] = Field(default_factory=list)


def read_score_line(
    line: Any, setup: MatchSetup, problems: list[DealProblem], code: EncodeAction
) -> dict[str, Any]:
    """Return the contract: the code of the last bid, and how often it was doubled."""
    if line.contract is None:
        return {}
    return {"contract": (code(line.contract.bid, "/contract/bid"), line.contract.coinche)}


MATCH_MODEL: type[Match] = CoincheMatch
MATCH_DEFAULTS: Mapping[str, Any] = {}
CODE_DOCS: Mapping[str, Rows] = {
    "outcome": (
        (str(kernel.BY_CLAIM), "a hand was laid down"),
        (str(kernel.RESIGNED), "given up"),
        (str(kernel.STOPPED), "“we have won” was said"),
        (str(kernel.PASSED), "all passed"),
    ),
    "deck": (numbered_row(JASS.names),),
    "actions": rows_by_kind(action_words(), this.kind_of_act),
    "contract": (numbered_row(this.LEVELS),),
    "coinched": (("1", "coinched"), ("2", "surcoinched")),
}
