"""What a game is to the rest of the project, and where each one is found."""

from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from engine.cards import Pack
from engine.faults import Faults

NAMES = ("chouine", "coinche", "chouineurs")

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

    def sides(self, players: int) -> int:
        """How many points and scores there are: one a seat, or one a pair of partners."""
        return players // 2 if self.partners else players


def game(name: str) -> Game:
    """The game of that name. KeyError: none."""
    if name not in NAMES:
        raise KeyError(name)
    found: Game = import_module(f"engine.{name}").GAME
    return found
