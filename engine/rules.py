"""Every rule option and preset, once: what a log may set, what each game's presets set.

A kernel gets its options as one NumPy record, `Game.rules`, one small integer each.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np


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

CHOUINE = (
    Option("parties", "CH-25", None, "parties to win for a manche", 1, 100),
    Option("manches", "CH-25", None, "manches to win for the match", 1, 2),
    Option("turn_up", "CH-3", SWITCH, "a card is turned up and makes trump"),
    Option("quinte", "CH-18", None, "points of a quinte", 0, 1000),
    Option("announce_with", "CH-16", ("any", "combination"), "the card an announcement goes with"),
    Option("one_per_suit", "CH-20", SWITCH, "one announcement per player and suit"),
    Option("one_per_play", "CH-21", SWITCH, "one announcement per card played"),
    Option("overruff", "CH-11", SWITCH, "a ruff must beat an earlier ruff"),
    Option("trump_maker", "CH-29", ("trump", "plain"), "worth of the announcement making trump"),
    Option("au_sept", "CH-14", ("warn", "ignore"), "what leaving out au sept brings"),
)

CHOUINEURS = (
    Option("manches", "CR-1", None, "manches in the match; five bid cards last for five", 1, 5),
    Option("tricks", "CR-1", None, "tricks in a manche, and cards in a hand", 1, 8),
)

COINCHE = (
    Option("target", "CO-14", None, "marks to reach", 10, 10_000),
    Option("coinche_score", "CO-13", ("contract", "sum"), "what a coinche multiplies"),
)

_LAVARDIN = {
    "parties": 5,
    "manches": 2,
    "turn_up": True,
    "quinte": 50,
    "announce_with": "any",
    "one_per_suit": True,
    "one_per_play": False,
    "overruff": False,
    "trump_maker": "trump",
    "au_sept": "warn",
}

OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "chouine": CHOUINE,
    "coinche": COINCHE,
    "chouineurs": CHOUINEURS,
}

PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "chouine": {
        "lavardin": _LAVARDIN,
        "mondoubleau": {**_LAVARDIN, "turn_up": False},
        "regles-completes": {
            **_LAVARDIN,
            "manches": 1,
            "quinte": 100,
            "announce_with": "combination",
            "au_sept": "ignore",
        },
    },
    "coinche": {"tournoi-2018": {"target": 2000, "coinche_score": "contract"}},
    "chouineurs": {"blam": {"manches": 4, "tricks": 7}},
}
"""game → preset → option → value; a game's first preset is its default."""

EQUIPMENT: Mapping[str, list[tuple[str, type, tuple[int, ...]]]] = {
    "chouineurs": [
        ("colour", np.int8, (88,)),  # of every face
        ("value", np.int16, (88,)),
        ("cards", np.int64, (2, 4)),  # by side and colour
        ("bid_points", np.int16, (5, 9)),  # by bid card and tricks, -1 when not met
    ]
}
"""What a match is played with besides options; `engine.chouineurs.deal.equip` fills it."""

DTYPES = {
    game: np.dtype([(option.name, np.int32) for option in options] + EQUIPMENT.get(game, []))
    for game, options in OPTIONS.items()
}


def default_preset(game: str) -> str:
    """The preset of a log that names none."""
    return next(iter(PRESETS[game]))


def settings(game: str, rules: str | Mapping[str, Any] | None, players: int) -> dict[str, Any]:
    """Every option of a game with its value, from a log's `rules`.

    UnknownRule: a preset, an option or a value that the game does not have.
    """
    chosen = {"preset": rules} if isinstance(rules, str) else dict(rules or {})
    preset = chosen.pop("preset", default_preset(game))
    if not isinstance(preset, str) or preset not in PRESETS[game]:
        raise UnknownRule(f"preset: {preset!r}", tuple(PRESETS[game]), "preset", preset)
    values = dict(PRESETS[game][preset])
    if game == "chouine" and players > 2:
        values["manches"] = 1  # CH-25: three and four play one manche
    options = {option.name: option for option in OPTIONS[game]}
    for name, value in chosen.items():
        if name not in options:
            raise UnknownRule(f"option: {name!r}", tuple(options), "option", name)
        options[name].encode(value)
        values[name] = value
    return values


def encode(game: str, values: Mapping[str, Any]) -> np.void:
    """The record a kernel reads, from every option's value."""
    records = np.zeros(1, DTYPES[game])
    record: np.void = records[0]
    for option in OPTIONS[game]:
        record[option.name] = option.encode(values[option.name])
    return record
