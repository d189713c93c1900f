"""Rule options and presets of Chouine."""

from collections.abc import Mapping
from typing import Any

from engine.games import Equipment, Option

SWITCH = (False, True)
"""The values of an option that is on or off."""

OPTIONS: tuple[Option, ...] = (
    Option("parties", "CH-25", None, "parties to win for a manche", 1, 100),
    Option("manches", "CH-25", None, "manches to win for the match", 1, 2, two_players_only=True),
    Option("turn_up", "CH-3", SWITCH, "a card is turned up and makes trump"),
    Option("quinte", "CH-18", None, "points of a quinte", 0, 1000),
    Option("announce_with", "CH-16", ("any", "combination"), "the card of an announcement"),
    Option("one_per_suit", "CH-20", SWITCH, "one announcement per player and suit"),
    Option("one_per_play", "CH-21", SWITCH, "one announcement per card played"),
    Option("overruff", "CH-11", SWITCH, "a ruff must beat an earlier ruff"),
    Option("trump_maker", "CH-29", ("trump", "plain"), "worth of the announcement making trump"),
    Option("au_sept", "CH-14", ("warn", "ignore"), "the penalty for a forgotten “au sept”"),
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

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "lavardin": _LAVARDIN,
    "mondoubleau": {**_LAVARDIN, "turn_up": False},
    "regles-completes": {
        **_LAVARDIN,
        "manches": 1,
        "quinte": 100,
        "announce_with": "combination",
        "au_sept": "ignore",
    },
}

EQUIPMENT: Equipment = ()
