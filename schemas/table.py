"""The table of a match: its game, seats, rules and whatever it is equipped with besides."""

from typing import Any

from engine.games import game
from engine.options import encode, settings
from schemas.equipment import Problem, Table
from schemas.games import of

__all__ = ["Problem", "Table", "table"]


def table(match: Any) -> Table:
    """The table of a match (`schemas.log.AnyMatch`). UnknownRule: rules nobody knows."""
    players = len(match.players)
    chosen = settings(match.game, match.rules, players)
    laid = Table(game(match.game), players, chosen, encode(match.game, chosen))
    return of(match.game).equipped(match, laid)
