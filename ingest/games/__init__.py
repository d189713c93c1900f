"""Finds a game's `GAME` for ingest (`ingest.games.base`)."""

from engine.games import game_names, module_of
from ingest.games.base import DeckCheck as DeckCheck
from ingest.games.base import GameSupport as GameSupport
from ingest.games.base import SheetColumn as SheetColumn


def game_support(name: str) -> GameSupport:
    """Return a game's support for ingest. KeyError: no such game."""
    found: GameSupport = module_of(name, "ingest").GAME
    return found


def all_games() -> dict[str, GameSupport]:
    """Return every game's support for ingest by name, in registration order."""
    return {name: game_support(name) for name in game_names()}
