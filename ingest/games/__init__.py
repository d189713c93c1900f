"""The games on this floor: each one's module has its `GAME`, an `ingest.games.base.Game`."""

from engine.games import names, part
from ingest.games.base import Column as Column
from ingest.games.base import DeckCheck as DeckCheck
from ingest.games.base import Game as Game


def of(name: str) -> Game:
    """What this floor asks of a game. KeyError: no such game."""
    found: Game = part(name, "ingest").GAME
    return found


def every() -> dict[str, Game]:
    """All games, by name, in the order they were registered."""
    return {name: of(name) for name in names()}
