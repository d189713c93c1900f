"""What a log of Chouine is: its document, and the words of its actions."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.actions import DRAW_HIDDEN
from engine.cards import PIQUET, SUITS, UNTOLD
from engine.chouine import GAME, kernel
from engine.chouine import actions as this
from schemas.column_docs import Rows, by_kind, in_order
from schemas.french_deck import equipped as equipped
from schemas.french_deck import hand as hand
from schemas.french_deck import layout as layout
from schemas.french_deck import read as read
from schemas.french_deck import write as write
from schemas.match_setup import CodeAt, Problem, Table
from schemas.models import Deal, Match, Start, Told, action_pattern, cards_pattern


def words(faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Words → acts, such as `Kd`, `mariage-d~` (never shown) or `draw 9s`."""
    found = {name: this.PLAY + card for card, name in enumerate(PIQUET.names)}
    for combination in range(this.COMBINATIONS):
        word = this.kind_of(combination)
        if (suit := this.suit_of(combination)) >= 0:
            word += "-" + SUITS[suit]
        found[word] = this.ANNOUNCE + combination
        found[word + "~"] = this.UNSHOWN + combination
    found["sept"] = this.SEPT
    found["au-sept"] = this.AU_SEPT
    for i, irregularity in enumerate(this.IRREGULARITIES):
        found["fault " + irregularity] = this.FAULT + i
    found |= {"accept": this.ACCEPT, "replay": this.REPLAY, "resign": this.RESIGN}
    found |= {"draw " + name: this.DRAW + card for card, name in enumerate(PIQUET.names)}
    return found | {"draw " + UNTOLD: DRAW_HIDDEN}


_ACTION = action_pattern(words(), max(GAME.players))
_ANNOUNCEMENT = action_pattern(
    (word for word, act in words().items() if this.combination_of(act) >= 0), max(GAME.players)
)


class ChouineTold(Told):
    """A line of a sheet: the announcements of the partie, all of them where the key is there."""

    announcements: (
        list[Annotated[str, Field(json_schema_extra={"pattern": _ANNOUNCEMENT})]] | None
    ) = None


class ChouineDeal(Deal):
    """A partie of Chouine: a `deck`, or `hands` and `talon`, whole or in part."""

    dealer: int = Field(json_schema_extra={"minimum": 1, "maximum": 4})
    deck: str | None = Field(None, json_schema_extra={"pattern": cards_pattern(PIQUET, 32)})
    hands: list[str] | None = None
    talon: str | None = None
    actions: list[Annotated[str, Field(json_schema_extra={"pattern": _ACTION})]] = Field(
        default_factory=list
    )
    manche: int | None = Field(None, description="declared manche, from 1")
    told: ChouineTold | None = None


class ChouineStart(Start):
    """The parties of the match that were won, and of them those of the manche that goes on."""

    manche: int | None = Field(None, description="from 1, the first without it")
    parties: list[int] | None = Field(None, description="won in that manche; needed past the first")


class ChouineMatch(Match):
    """A match of Chouine, Mondoubleau or the second text's variant."""

    game: Literal["chouine"]
    cuts: list[list[str]] | None = None
    start: ChouineStart | None = None
    deals: list[ChouineDeal]


def told(line: Any, laid: Table, problems: list[Problem], code: CodeAt) -> dict[str, Any]:
    """The announcements."""
    if line.announcements is None:
        return {}
    said = enumerate(line.announcements)
    return {"announcements": tuple(code(word, f"/announcements/{at}") for at, word in said)}


MATCH: type[Match] = ChouineMatch
SHEET: Mapping[str, Any] = {}
CODES: Mapping[str, Rows] = {
    "outcome": (
        (str(kernel.BY_CHOUINE), "won by announcing a chouine"),
        (str(kernel.RESIGNED), "given up"),
        (str(kernel.PENALTY), "lost by a second drawing irregularity"),
        (str(kernel.REPLAYED), "to be replayed after an irregularity"),
    ),
    "deck": (in_order(PIQUET.names),),
    "actions": by_kind(words(), this.kind_of_act),
}
