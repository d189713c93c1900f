"""The whole match document of `retourne/1`, as pydantic models.

The models say what has which type, strictly; whether cards, words and acts make sense is
for `schemas.deal` and the engine to say, so that one bad card does not hide the rest.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from schemas import patterns

FORMAT = "retourne/1"

Scalar = str | int | float | bool | None


class Document(BaseModel):
    """Strict about types, keeps unknown keys (the check warns of those without a `_`)."""

    model_config = ConfigDict(strict=True, extra="allow")

    def known(self, name: str) -> Any:
        """A field's value, None where this game has no such key, whatever the log calls so."""
        return getattr(self, name) if name in type(self).model_fields else None


class Player(Document):
    """A seat's player: `id` unique in the match, `name` shown."""

    id: str = Field(min_length=1)
    name: str | None = None


class Result(Document):
    """What was declared of the match: checked, never trusted."""

    score: list[int] | None = None
    winner: int | None = None


class Comment(Document):
    """What somebody says of a deal once `after` of its actions are done; prose, never markup."""

    after: int = Field(
        description="actions done, 0 before the first", json_schema_extra={"minimum": 0}
    )
    text: str = Field(min_length=1)
    by: str | None = Field(None, description="who says it; a player goes by id or name")


class Deal(Document):
    """What the deals of all games share."""

    actions: list[str] = Field(default_factory=list)
    times: list[float] | None = Field(None, description="seconds since the deal began")
    void: Literal["maldonne", "replay", "abandoned"] | None = None
    points: list[int] | None = Field(None, description="declared total per seat")
    winner: int | None = Field(None, description="declared seat, 0 for a null partie")
    comments: list[Comment] | None = None


class ChouineDeal(Deal):
    """A partie of Chouine: a `deck`, or `hands` and `talon`, whole or in part."""

    dealer: int = Field(json_schema_extra={"minimum": 1, "maximum": 4})
    deck: str | None = Field(None, json_schema_extra={"pattern": patterns.cards("chouine", 32)})
    hands: list[str] | None = None
    talon: str | None = None
    actions: list[
        Annotated[str, Field(json_schema_extra={"pattern": patterns.action("chouine")})]
    ] = Field(default_factory=list)
    manche: int | None = Field(None, description="declared manche, from 1")


class CoincheDeal(Deal):
    """A deal of Coinche: a `deck`, or `hands`, whole or in part; points are those of the sides."""

    dealer: int = Field(json_schema_extra={"minimum": 1, "maximum": 4})
    deck: str | None = Field(None, json_schema_extra={"pattern": patterns.cards("coinche", 36)})
    hands: list[str] | None = None
    actions: list[
        Annotated[str, Field(json_schema_extra={"pattern": patterns.action("coinche")})]
    ] = Field(default_factory=list)


class ChouineursDeal(Deal):
    """A manche of Chouineurs: hands with the chosen face first, and one bid card a seat."""

    leader: int = Field(json_schema_extra={"minimum": 1, "maximum": 5})
    hands: list[str] = Field(default_factory=list)
    bids: list[str] = Field(default_factory=list)


class Match(Document):
    """What the matches of all games share."""

    format: Literal["retourne/1"]
    rules: str | dict[str, JsonValue] | None = None
    players: list[Player]
    id: str | None = None
    played_at: str | None = Field(None, json_schema_extra={"format": "date-time"})
    event: dict[str, Scalar] | None = None
    source: dict[str, Scalar] | None = None
    result: Result | None = None


class ChouineMatch(Match):
    """A match of Chouine, Mondoubleau or the second text's variant."""

    game: Literal["chouine"]
    cuts: list[list[str]] | None = None
    deals: list[ChouineDeal]


class CoincheMatch(Match):
    """A game of Coinche, seats 1 and 3 against 2 and 4."""

    game: Literal["coinche"]
    deals: list[CoincheDeal]


class ChouineursMatch(Match):
    """A match of Chouineurs: its deck is part of the log, or one that ships, by name."""

    game: Literal["chouineurs"]
    deck: str | list[str] | None = Field(None, description="44 cards `b3/y30`, or a deck's name")
    bid_cards: dict[str, dict[str, int]] | None = Field(
        None, description="five cards, such as {'3-4+': {'3': 5, '4+': 10}}"
    )
    deals: list[ChouineursDeal]


AnyMatch = ChouineMatch | CoincheMatch | ChouineursMatch
MATCH: TypeAdapter[AnyMatch] = TypeAdapter(Annotated[AnyMatch, Field(discriminator="game")])
MODELS: dict[str, type[AnyMatch]] = {
    "chouine": ChouineMatch,
    "coinche": CoincheMatch,
    "chouineurs": ChouineursMatch,
}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a match, as `retourne schema` prints it and `data/` keeps it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **MATCH.json_schema(),
        "title": "retourne/1 match",
    }
