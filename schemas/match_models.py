"""Pydantic models of whole matches, one per game.

The models check types only, strictly. `schemas.deal_decoder` and the engine check cards, words and
acts, so that one bad card does not hide other problems.
"""

from typing import Any, NamedTuple, cast, get_args

from engine.games import game, game_names
from engine.options import encode_rules, resolve_options
from schemas.games import schemas_of
from schemas.match_setup import MatchSetup
from schemas.models import Deal, Match

AnyMatch = Match  # a match of any game


def match_models() -> dict[str, type[Match]]:
    """Map each game to the model of its matches, in registration order."""
    return {name: schemas_of(name).MATCH_MODEL for name in game_names()}


def deal_model(name: str) -> type[Deal]:
    """Return the model of a game's deals. KeyError: no such game."""
    [found] = get_args(schemas_of(name).MATCH_MODEL.model_fields["deals"].annotation)
    return cast(type[Deal], found)


def match_setup(match: Any) -> MatchSetup:
    """Return the setup of a match of any game. UnknownRule: the game has no such rules."""
    players = len(match.players)
    chosen = resolve_options(match.game, match.rules, players)
    played = MatchSetup(game(match.game), players, chosen, encode_rules(match.game, chosen))
    return schemas_of(match.game).add_equipment(match, played)


class DealComment(NamedTuple):
    """A comment made after `after` actions; `seat`, from 0, if its author is a player."""

    after: int
    text: str
    by: str | None = None
    seat: int | None = None

    def state_index(self, count: int) -> int:
        """Return the index of its state among `count` states, clipped to the deal."""
        return max(0, min(self.after, count - 1))


def deal_comments(match: AnyMatch, deal: int) -> list[DealComment]:
    """Return the comments of a deal (from 0); authors match players by id, then by name."""
    ids = [player.id for player in match.players]
    known = [*ids, *(player.name for player in match.players)]
    found = []
    for one in match.deals[deal].comments or ():
        seat = known.index(one.by) % len(ids) if one.by and one.by in known else None
        found.append(DealComment(one.after, one.text, one.by, seat))
    return found
