"""What a log of Coinche is: its document, and the words of its actions."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.cards import JASS, SUITS
from engine.coinche import GAME, kernel
from engine.coinche import actions as this
from schemas.column_docs import Rows, by_kind, in_order
from schemas.french_deck import equipped as equipped
from schemas.french_deck import hand as hand
from schemas.french_deck import layout as layout
from schemas.french_deck import read as read
from schemas.french_deck import write as write
from schemas.match_setup import CodeAt, Problem, Table
from schemas.models import Deal, Document, Match, Start, Told, action_pattern, cards_pattern


def words(faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Words → acts, such as `Kd`, `bid 80h`, `bid match-s` or `pass`."""
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


_ACTION = action_pattern(words(), max(GAME.players))
_BID = action_pattern(
    (word for word, act in words().items() if this.BID <= act < this.PASS), max(GAME.players)
)


class Contract(Document):
    """The last bid, as an action, and how often it was doubled."""

    bid: str = Field(json_schema_extra={"pattern": _BID})
    coinche: int = Field(
        0, description="1 coinched, 2 surcoinched", json_schema_extra={"minimum": 0, "maximum": 2}
    )


class CoincheTold(Told):
    """A line of a sheet: the contract, none where all passed."""

    contract: Contract | None = None


class CoincheDeal(Deal):
    """A deal of Coinche: a `deck`, or `hands`, whole or in part; points are those of the sides."""

    dealer: int = Field(json_schema_extra={"minimum": 1, "maximum": 4})
    deck: str | None = Field(None, json_schema_extra={"pattern": cards_pattern(JASS, 36)})
    hands: list[str] | None = None
    actions: list[Annotated[str, Field(json_schema_extra={"pattern": _ACTION})]] = Field(
        default_factory=list
    )
    told: CoincheTold | None = None


class CoincheMatch(Match):
    """A game of Coinche, seats 1 and 3 against 2 and 4."""

    game: Literal["coinche"]
    start: Start | None = None
    deals: list[CoincheDeal]


def told(line: Any, laid: Table, problems: list[Problem], code: CodeAt) -> dict[str, Any]:
    """The contract: the last bid, and how often it was doubled."""
    if line.contract is None:
        return {}
    return {"contract": (code(line.contract.bid, "/contract/bid"), line.contract.coinche)}


MATCH: type[Match] = CoincheMatch
SHEET: Mapping[str, Any] = {}
CODES: Mapping[str, Rows] = {
    "outcome": (
        (str(kernel.BY_CLAIM), "a hand was laid down"),
        (str(kernel.RESIGNED), "given up"),
        (str(kernel.STOPPED), "“we have won” was said"),
        (str(kernel.PASSED), "all passed"),
    ),
    "deck": (in_order(JASS.names),),
    "actions": by_kind(words(), this.kind_of_act),
    "contract": (in_order(this.LEVELS),),
    "coinched": (("1", "coinched"), ("2", "surcoinched")),
}
