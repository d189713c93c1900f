"""The whole match document of `retourne/1`, as pydantic models, one a registered game.

The models say what has which type, strictly; whether cards, words and acts make sense is
for `schemas.deal_codec` and the engine to say, so that one bad card does not hide the rest.
"""

from typing import Annotated, Any, NamedTuple, Union, cast, get_args

from pydantic import Field, TypeAdapter

from engine.games import game, names
from engine.options import encode, settings
from schemas.games import of
from schemas.match_setup import Table
from schemas.models import Deal, Match

AnyMatch = Match  # a match of whichever game


def models() -> dict[str, type[Match]]:
    """Game → the model of its matches, in the order the games were registered."""
    return {name: of(name).MATCH for name in names()}


def deal_model(name: str) -> type[Deal]:
    """The model of a game's deals. KeyError: no such game."""
    [found] = get_args(of(name).MATCH.model_fields["deals"].annotation)
    return cast(type[Deal], found)


def table(match: Any) -> Table:
    """The table of a match of whichever game. UnknownRule: rules nobody knows."""
    players = len(match.players)
    chosen = settings(match.game, match.rules, players)
    laid = Table(game(match.game), players, chosen, encode(match.game, chosen))
    return of(match.game).equipped(match, laid)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a match, as `retourne schema` prints it and `data/` keeps it."""
    known: Any = Union[tuple(models().values())]  # noqa: UP007 - as many as there are
    match: TypeAdapter[Match] = TypeAdapter(Annotated[known, Field(discriminator="game")])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **match.json_schema(),
        "title": "retourne/1 match",
    }


class Remark(NamedTuple):
    """What is said once `after` actions are done, by whom, and by which seat if it is a player."""

    after: int
    text: str
    by: str | None = None
    seat: int | None = None

    def ply(self, count: int) -> int:
        """The state it belongs to of `count`; outside of the deal it is the nearest end."""
        return max(0, min(self.after, count - 1))


def remarks(match: AnyMatch, deal: int) -> list[Remark]:
    """The comments of a deal, from 0; who goes by the id of a player, or else the name, is one."""
    ids = [player.id for player in match.players]
    known = [*ids, *(player.name for player in match.players)]
    found = []
    for one in match.deals[deal].comments or ():
        seat = known.index(one.by) % len(ids) if one.by and one.by in known else None
        found.append(Remark(one.after, one.text, one.by, seat))
    return found
