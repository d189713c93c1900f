"""The log format of Chouine."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.actions import DRAW_HIDDEN
from engine.cards import HIDDEN_WORD, PIQUET, SUITS
from engine.chouine import GAME, kernel
from engine.chouine import actions as this
from schemas.column_docs import Rows, numbered_row, rows_by_kind
from schemas.french_deck import add_equipment as add_equipment
from schemas.french_deck import read_row as read_row
from schemas.french_deck import row_layout as row_layout
from schemas.french_deck import sorted_hand as sorted_hand
from schemas.french_deck import write_row as write_row
from schemas.match_setup import DealProblem, EncodeAction, MatchSetup
from schemas.models import Deal, Match, ScoreLine, Start, action_pattern, cards_pattern


def action_words(faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Map words such as `Kd`, `mariage-d~` (never shown) or `draw 9s` to acts."""
    found = {name: this.PLAY + card for card, name in enumerate(PIQUET.names)}
    for combination in range(this.COMBINATION_COUNT):
        word = this.combination_kind(combination)
        if (suit := this.combination_suit(combination)) >= 0:
            word += "-" + SUITS[suit]
        found[word] = this.ANNOUNCE + combination
        found[word + "~"] = this.UNSHOWN + combination
    found["sept"] = this.SEPT
    found["au-sept"] = this.AU_SEPT
    for i, irregularity in enumerate(this.IRREGULARITIES):
        found["fault " + irregularity] = this.FAULT + i
    found |= {"accept": this.ACCEPT, "replay": this.REPLAY, "resign": this.RESIGN}
    found |= {"draw " + name: this.FIRST_DRAW + card for card, name in enumerate(PIQUET.names)}
    return found | {"draw " + HIDDEN_WORD: DRAW_HIDDEN}


_ACTION_PATTERN = action_pattern(action_words(), max(GAME.players))
_ANNOUNCEMENT_PATTERN = action_pattern(
    (word for word, act in action_words().items() if this.combination_of(act) >= 0), max(GAME.players)
)


class ChouineScoreLine(ScoreLine):
    """A line of a score sheet; `announcements`, if given, lists all announcements of the partie."""

    announcements: (
        list[Annotated[str, Field(json_schema_extra={"pattern": _ANNOUNCEMENT_PATTERN})]] | None
    ) = None


class ChouineDeal(Deal):
    """A partie of Chouine: a `deck`, or `hands` and `talon`; cards that are not known are `??`."""

    dealer: int | None = Field(None, json_schema_extra={"minimum": 1, "maximum": 4})
    deck: str | None = Field(None, json_schema_extra={"pattern": cards_pattern(PIQUET, 32)})
    hands: list[str] | None = None
    talon: str | None = None
    actions: list[Annotated[str, Field(json_schema_extra={"pattern": _ACTION_PATTERN})]] = Field(
        default_factory=list
    )
    manche: int | None = Field(None, description="declared manche, from 1")
    score_line: ChouineScoreLine | None = None


class ChouineStart(Start):
    """The parties each player had won in the match, and in the manche that continues."""

    manche: int | None = Field(None, description="from 1, the first without it")
    parties: list[int] | None = Field(None, description="won in that manche; needed past the first")


class ChouineMatch(Match):
    """A match of Chouine, Mondoubleau or the second text's variant."""

    game: Literal["chouine"]
    cuts: list[list[str]] | None = None
    start: ChouineStart | None = None
    deals: list[ChouineDeal] = Field(default_factory=list)


def read_score_line(
    line: Any, setup: MatchSetup, problems: list[DealProblem], code: EncodeAction
) -> dict[str, Any]:
    """Return the codes of the announcements, nothing if the line does not list them."""
    if line.announcements is None:
        return {}
    result = enumerate(line.announcements)
    return {"announcements": tuple(code(word, f"/announcements/{at}") for at, word in result)}


MATCH_MODEL: type[Match] = ChouineMatch
MATCH_DEFAULTS: Mapping[str, Any] = {}
CODE_DOCS: Mapping[str, Rows] = {
    "outcome": (
        (str(kernel.BY_CHOUINE), "won by announcing a chouine"),
        (str(kernel.RESIGNED), "given up"),
        (str(kernel.PENALTY), "lost by a second drawing irregularity"),
        (str(kernel.REPLAYED), "to be replayed after an irregularity"),
    ),
    "deck": (numbered_row(PIQUET.names),),
    "actions": rows_by_kind(action_words(), this.kind_of_act),
}
