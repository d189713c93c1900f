"""The rule options of Brelin and its presets."""

from collections.abc import Mapping
from typing import Any

from engine.option import Option

OPTIONS: tuple[Option, ...] = (
    Option("target", "BR-6", None, "points that win the match", 1, 100),
    Option("pair", "BR-4", None, "points of a pair", 0, 20),
)

PRESETS: Mapping[str, Mapping[str, Any]] = {"plain": {"target": 15, "pair": 2}}
"""The first one is what a log without rules plays."""

EQUIPMENT: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
"""Nothing besides options: the pack is always the same."""


def seated(preset: Mapping[str, Any], players: int) -> dict[str, Any]:
    """A preset's values at a table: there is one size of it."""
    return dict(preset)
