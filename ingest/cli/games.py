"""The option that names a game: any that is registered when the command line is read."""

from collections.abc import Iterator
from enum import EnumType, StrEnum
from typing import Any

from engine.games import names


class _Registered(EnumType):
    """An enumeration whose members are asked for anew, so that none is left out or kept."""

    def __iter__(cls) -> Iterator[Any]:
        return iter(names())


class GameName(StrEnum, metaclass=_Registered):
    """A game's name on the command line; what a command is given is the plain word."""
