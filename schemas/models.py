"""Pydantic models shared by all games."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, JsonValue
from pydantic_core import CoreSchema

from engine.cards import HIDDEN_WORD, Pack

FORMAT = "retourne/1"

Scalar = str | int | float | bool | None


class Document(BaseModel):
    """Base of all models: strict types; unknown keys are allowed, and reported unless they begin with `_`."""

    model_config = ConfigDict(strict=True, extra="allow")

    def known(self, name: str) -> Any:
        """Return a field's value, None if the game has no such field, even if the log has it."""
        return getattr(self, name) if name in type(self).model_fields else None


class Player(Document):
    """The player of a seat: `id` is unique in the match, pages show the `name`."""

    id: str = Field(min_length=1)
    name: str | None = None

    @property
    def display_name(self) -> str:
        """The name; the id if the name is missing or blank."""
        return self.name if self.name and not self.name.isspace() else self.id


class Result(Document):
    """The declared result: compared with the computed one; of a match without deals, all that is known."""

    score: list[int] | None = None
    winner: int | None = None


class Start(Document):
    """The standings before the first deal, of a log that lacks the deals before it; taken as given."""

    score: list[int] = Field(description="before the first deal, as the match counts it")


class Comment(Document):
    """A remark on a deal after a number of its actions; plain text, never markup."""

    after: int = Field(description="actions done, 0 before the first", json_schema_extra={"minimum": 0})
    text: str = Field(min_length=1)
    by: str | None = Field(None, description="the author; a player by id or name")


class ScoreLine(Document):
    """A line of a score sheet, in place of cards and actions; each game adds its fields."""

    end: str | None = Field(None, description="the act that ended the deal before its last card")


class Deal(Document):
    """Fields of a deal in every game."""

    OPENS: ClassVar[str] = "dealer"
    """The field with the seat that deals or, in a game without a dealer, leads first.

    A line of a score sheet may lack the dealer; every other deal has it.
    """

    actions: list[str] = Field(default_factory=list)
    times: list[float] | None = Field(None, description="seconds since the deal began")
    void: Literal["maldonne", "replay", "abandoned"] | None = None
    points: list[int] | None = Field(None, description="declared total per seat")
    winner: int | None = Field(None, description="declared seat, 0 for a null partie")
    score_line: ScoreLine | None = Field(None, description="a line of a score sheet, without any card")
    comments: list[Comment] | None = None

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Require the dealer but of a line of a score sheet."""
        found = handler(schema)
        if cls.OPENS == "dealer":
            handler.resolve_ref_schema(found)["anyOf"] = [{"required": ["dealer"]}, _SCORE_LINE_SCHEMA]
        return found


_SCORE_LINE_SCHEMA = {
    "anyOf": [{"required": [key]} for key in ("points", "winner", "score_line")],
    "not": {"anyOf": [{"required": [key]} for key in ("deck", "hands", "talon", "actions", "void")]},
}
"""The JSON Schema of a deal without cards and actions."""


class Match(Document):
    """Fields of a match in every game; each game adds its name and its kind of deal."""

    if TYPE_CHECKING:  # each game declares them, in the order of its schema
        game: str
        deals: list[Any]

    format: Literal["retourne/1"]
    rules: str | dict[str, JsonValue] | None = None
    players: list[Player]
    id: str | None = None
    played_at: str | None = Field(None, json_schema_extra={"format": "date-time"})
    event: dict[str, Scalar] | None = None
    source: dict[str, Scalar] | None = None
    result: Result | None = None

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Require deals, or a result with a score or a winner."""
        found = handler(schema)
        handler.resolve_ref_schema(found)["anyOf"] = [{"required": ["deals"]}, _RESULT_SCHEMA]
        return found

    @property
    def is_result_only(self) -> bool:
        """Whether it has no deals and a result that names a score or a winner."""
        result = self.result
        return not self.deals and result is not None and (bool(result.score) or result.winner is not None)


_RESULT_SHAPES = {"score": {"type": "array", "minItems": 1}, "winner": {"type": "integer"}}
_RESULT_SCHEMA = {
    "required": ["result"],
    "properties": {
        "result": {
            "anyOf": [{"required": [key], "properties": {key: one}} for key, one in _RESULT_SHAPES.items()]
        }
    },
}
"""The JSON Schema of a result that needs no deals."""


def cards_pattern(pack: Pack, count: int) -> str:
    """Return a regex for `count` cards separated by spaces; `??` means one or all."""
    ranks, suits = pack.ranks, "".join(dict.fromkeys(card[1] for card in pack.names))
    hidden = re.escape(HIDDEN_WORD)
    card = f"([{ranks}][{suits}]|{hidden})"
    return f"^({card}( {card}){{{count - 1}}}|{hidden})$"


def action_pattern(words: Iterable[str], seats: int) -> str:
    """Return a regex for one action: seat, space, word."""
    known = sorted(words, key=lambda word: (len(word), word))
    return f"^[1-{seats}] ({'|'.join(map(re.escape, known))})$"
