"""Rule options and presets of a game, and the record a kernel reads.

Each game's own tables are in its `options` module (`engine.games.Options`).
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from engine import games
from engine.games import Equipment
from engine.games import Option as Option
from engine.games import UnknownRule as UnknownRule


def game_options(name: str) -> tuple[Option, ...]:
    """Return the options a log of a game may set. KeyError: no such game."""
    return games.game(name).options.OPTIONS


def game_presets(name: str) -> Mapping[str, Mapping[str, Any]]:
    """Return preset → option → value; the first preset is the default. KeyError: no such game."""
    return games.game(name).options.PRESETS


def default_preset(name: str) -> str:
    """Return the preset of a log that names none."""
    return next(iter(game_presets(name)))


def resolve_options(name: str, rules: str | Mapping[str, Any] | None, players: int) -> dict[str, Any]:
    """Return option → value for all options of a game, from a log's `rules`.

    UnknownRule: a preset, an option or a value that the game does not have.
    """
    own = games.game(name).options
    chosen = {"preset": rules} if isinstance(rules, str) else dict(rules or {})
    preset = chosen.pop("preset", default_preset(name))
    if not isinstance(preset, str) or preset not in own.PRESETS:
        raise UnknownRule(f"preset: {preset!r}", tuple(own.PRESETS), "preset", preset)
    known = {option.name: option for option in own.OPTIONS}
    low = {name: one.low for name, one in known.items() if one.two_players_only and players != 2}
    values = {**own.PRESETS[preset], **low}
    for option, value in chosen.items():
        if option not in known:
            raise UnknownRule(f"option: {option!r}", tuple(known), "option", option)
        known[option].encode(value)
        values[option] = value
    return values


def rules_dtype(name: str) -> "np.dtype[np.void]":
    """Return the type of a kernel's rules record: one number per option, then the equipment."""
    own = games.game(name).options
    return _rules_dtype(tuple(option.name for option in own.OPTIONS), own.EQUIPMENT)


@cache
def _rules_dtype(names: tuple[str, ...], equipment: Equipment) -> "np.dtype[np.void]":
    return np.dtype([(name, "i4") for name in names] + list(equipment))


def encode_rules(name: str, values: Mapping[str, Any]) -> np.void:
    """Return a kernel's rules record for the values of all options, with equipment at zero."""
    record: np.void = np.zeros(1, rules_dtype(name))[0]
    for option in game_options(name):
        record[option.name] = option.encode(values[option.name])
    return record
