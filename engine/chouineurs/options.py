"""Rule options and presets of Chouineurs."""

from collections.abc import Mapping
from typing import Any

from engine.chouineurs.actions import FACE_COUNT
from engine.games import Equipment, Option

OPTIONS: tuple[Option, ...] = (
    Option("manches", "CR-1", None, "manches in the match; five bid cards last for five", 1, 5),
    Option("tricks", "CR-1", None, "tricks in a manche, and cards in a hand", 1, 8),
)

PRESETS: Mapping[str, Mapping[str, Any]] = {"blam": {"manches": 4, "tricks": 7}}

EQUIPMENT: Equipment = (
    ("colour", "i1", (FACE_COUNT,)),  # by face; `value` too
    ("value", "i2", (FACE_COUNT,)),
    ("cards", "i8", (2, 4)),  # masks by side and colour
    ("bid_points", "i2", (5, 9)),  # by bid card and tricks, -1 when not met
)
"""The deck and the bid cards of a match; `engine.chouineurs.deck.add_equipment` fills it."""
