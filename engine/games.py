"""What a game is to the rest of the project, and where each one is found."""

from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from engine.cards import Pack
from engine.faults import Faults

UNSAID = -(2**31)
"""A declared winner or manche that the sheet does not give."""

TOLD = 8
"""What a deal's sheet says, as a row: five points, how many were told, the winner, the manche."""


class Game(NamedTuple):
    """One game: its pack, its acts, its kernel and its match flow, under the same names for all."""

    name: str
    pack: Pack
    players: tuple[int, ...]
    acts: ModuleType
    kernel: ModuleType
    match: ModuleType
    faults: Faults
    match_faults: Faults
    blank: tuple[int, ...]
    """A deck no one looks at, for a deal whose cards are not told."""
    partners: bool = False
    in_bulk: bool = False
    """Whether its documents are decoded in bulk: words are the same in every match, cards a deck
    or hands of `pack`. Where not, each match is explained."""

    def sides(self, players: int) -> int:
        """How many points and scores there are: one a seat, or one a pair of partners."""
        return players // 2 if self.partners else players


class Floors(NamedTuple):
    """The modules that know one game, one a floor, by name: each floor imports its own."""

    engine: str
    schemas: str
    ingest: str
    dashboard: str
    texts: tuple[str, ...] = ()
    """Packages with a catalogue (`locale/fr.po`) of the game's own texts."""


_FLOORS: dict[str, Floors] = {}


def register(
    name: str,
    *,
    engine: str,
    schemas: str,
    ingest: str,
    dashboard: str,
    texts: tuple[str, ...] = (),
) -> None:
    """Make a game known to every floor by the names of its modules; nothing is imported yet."""
    _FLOORS[name] = Floors(engine, schemas, ingest, dashboard, texts)


def forget(name: str) -> None:
    """Take a game back that was registered. KeyError: none of that name."""
    del _FLOORS[name]


def names() -> tuple[str, ...]:
    """The games there are, in the order they were registered."""
    return tuple(_FLOORS)


def floors(name: str) -> Floors:
    """The names of a game's modules. KeyError: no such game."""
    return _FLOORS[name]


def part(name: str, floor: str) -> ModuleType:
    """The module of a game on a floor: `engine`, `schemas`, `ingest` or `dashboard`.

    Each floor asks for its own alone. KeyError: no such game.
    """
    return import_module(getattr(_FLOORS[name], floor))


def game(name: str) -> Game:
    """The game of that name. KeyError: none."""
    found: Game = part(name, "engine").GAME
    return found


for _name in ("chouine", "coinche", "chouineurs"):
    register(
        _name,
        engine=f"engine.{_name}",
        schemas=f"schemas.games.{_name}",
        ingest=f"ingest.games.{_name}",
        dashboard=f"dashboard.games.{_name}",
    )
