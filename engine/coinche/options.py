"""Rule options and presets of Coinche."""

from collections.abc import Mapping
from typing import Any

from engine.games import Equipment, Option

OPTIONS: tuple[Option, ...] = (
    Option("target", "CO-14", None, "score to reach", 10, 10_000),
    Option("coinche_score", "CO-13", ("contract", "sum"), "the part of the score that a coinche multiplies"),
)

PRESETS: Mapping[str, Mapping[str, Any]] = {"tournoi-2018": {"target": 2000, "coinche_score": "contract"}}

EQUIPMENT: Equipment = ()
