"""Hashes a match by its values, independent of formatting."""

import hashlib
from typing import Any

import orjson

TIMES_KEY = "times"  # the list of a deal in which a number need not be whole
_MIN_INTEGER, _MAX_INTEGER = -(1 << 63), 1 << 64
"""Whole numbers between are read as such, all others as what is nearest."""


def canonical_bytes(value: Any, text: bytes) -> bytes:
    """What a match is known by: its values, however they are written, without `_` keys.

    A moment is known by how late it is: 3, 3.0 and 30e-1 are one. Elsewhere they are not: a dealer
    1.0 is refused, and no seat. A text that is no JSON object, or too deep to be written again, is
    known by its bytes.
    """
    if not isinstance(value, dict):
        return text
    kept = {key: part for key, part in value.items() if not key.startswith("_")}
    try:
        known_by = orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)
        if b'"times":[' in known_by:
            known_by = orjson.dumps(_with_whole_numbers(kept), option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return text
    return known_by


def _with_whole_numbers(value: Any, moments: bool = False) -> Any:
    """A value whose whole numbers are whole where they stand in a list of moments."""
    if (
        moments
        and isinstance(value, float)
        and value.is_integer()
        and _MIN_INTEGER <= value < _MAX_INTEGER
    ):
        return int(value)
    if isinstance(value, list):
        return [_with_whole_numbers(one, moments and not isinstance(one, list)) for one in value]
    if isinstance(value, dict):
        return {
            key: _with_whole_numbers(one, key == TIMES_KEY and isinstance(one, list))
            for key, one in value.items()
        }
    return value


def content_hash(canonical: bytes | memoryview) -> str:
    """32 hexadecimal digits of some content: the same game written twice is one game."""
    return hashlib.sha256(canonical).hexdigest()[:32]
