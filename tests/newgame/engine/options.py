"""The rule options of Brelin and its presets."""

from collections.abc import Mapping
from typing import Any

from engine.games import Equipment, Option

OPTIONS: tuple[Option, ...] = (
    Option("target", "BR-6", None, "points that win the match", 1, 100),
    Option("pair", "BR-4", None, "points of a pair", 0, 20),
)

PRESETS: Mapping[str, Mapping[str, Any]] = {"plain": {"target": 15, "pair": 2}}
"""The first one is what a log without rules plays."""

EQUIPMENT: Equipment = ()
