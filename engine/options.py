"""The rule options and presets of a game, and the record a kernel reads them from.

Each game's own tables are its `options` module (`engine.games.Options`).
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from engine import games


class UnknownRule(ValueError):
    """A preset, an option or an option's value that no rule of the game names."""

    def __init__(self, message: str, known: tuple[str, ...], what: str, found: object) -> None:
        super().__init__(message)
        self.known, self.what, self.found = known, what, found


class Option(NamedTuple):
    """One rule option: `values` are the words it may take, or None for a count from `low`."""

    name: str
    rule: str
    values: tuple[str | bool, ...] | None
    doc: str
    low: int = 0
    high: int = 10_000

    def encode(self, value: object) -> int:
        """The small integer the kernel sees. UnknownRule: a value the option does not take."""
        if self.values is None:
            if isinstance(value, int) and not isinstance(value, bool):
                if self.low <= value <= self.high:
                    return value
            known: tuple[str, ...] = (f"{self.low}–{self.high}",)
        else:
            for code, allowed in enumerate(self.values):
                if value == allowed and type(value) is type(allowed):
                    return code
            known = tuple(str(allowed).lower() for allowed in self.values)
        raise UnknownRule(f"{self.name}: {value!r}", known, self.name, value)


SWITCH = (False, True)
"""The values of an option that is on or off."""

Equipment = tuple[tuple[str, str, tuple[int, ...]], ...]
NOTHING_BROUGHT: Equipment = ()
"""A match brings nothing besides options: the pack is always the same."""


def at_every_table(preset: Mapping[str, Any], players: int) -> dict[str, Any]:
    """A preset's values, the same however many play."""
    return dict(preset)


# of a game by its name


def options(name: str) -> tuple[Option, ...]:
    """What a log of a game may set. KeyError: no such game."""
    return games.game(name).options.OPTIONS


def presets(name: str) -> Mapping[str, Mapping[str, Any]]:
    """A game's presets → option → value; the first is the default. KeyError: no such game."""
    return games.game(name).options.PRESETS


def default_preset(name: str) -> str:
    """The preset of a log that names none."""
    return next(iter(presets(name)))


def settings(name: str, rules: str | Mapping[str, Any] | None, players: int) -> dict[str, Any]:
    """Every option of a game with its value, from a log's `rules`.

    UnknownRule: a preset, an option or a value that the game does not have.
    """
    own = games.game(name).options
    chosen = {"preset": rules} if isinstance(rules, str) else dict(rules or {})
    preset = chosen.pop("preset", default_preset(name))
    if not isinstance(preset, str) or preset not in own.PRESETS:
        raise UnknownRule(f"preset: {preset!r}", tuple(own.PRESETS), "preset", preset)
    values = own.seated(own.PRESETS[preset], players)
    known = {option.name: option for option in own.OPTIONS}
    for option, value in chosen.items():
        if option not in known:
            raise UnknownRule(f"option: {option!r}", tuple(known), "option", option)
        known[option].encode(value)
        values[option] = value
    return values


def dtype(name: str) -> "np.dtype[np.void]":
    """The record a game's kernel reads: a number an option, then what a match is equipped with."""
    own = games.game(name).options
    return _dtype(tuple(option.name for option in own.OPTIONS), own.EQUIPMENT)


@cache
def _dtype(names: tuple[str, ...], equipment: Equipment) -> "np.dtype[np.void]":
    return np.dtype([(name, "i4") for name in names] + list(equipment))


def encode(name: str, values: Mapping[str, Any]) -> np.void:
    """The record a kernel reads, from every option's value; equipment is left at zero."""
    records = np.zeros(1, dtype(name))
    record: np.void = records[0]
    for option in options(name):
        record[option.name] = option.encode(values[option.name])
    return record
