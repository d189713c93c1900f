"""Hashes the text of a match by its values; `match_hash` knows the same play in another text."""

import hashlib
from typing import Any

import orjson

TIMES_KEY = "times"  # the only list of a deal that may contain fractions
_MIN_INTEGER, _MAX_INTEGER = -(1 << 63), 1 << 64
"""orjson reads integers in this range exactly, others as the nearest float."""


def canonical_bytes(value: Any, text: bytes) -> bytes:
    """Return the bytes that identify a match: its values without `_` keys, in canonical form.

    In `times`, 3, 3.0 and 30e-1 are equal. Elsewhere they differ, as validation rejects a dealer
    1.0. A `text` that is not a JSON object, or nested too deeply to serialise, is returned unchanged.
    """
    if not isinstance(value, dict):
        return text
    remaining = {key: part for key, part in value.items() if not key.startswith("_")}
    try:
        known_by = orjson.dumps(remaining, option=orjson.OPT_SORT_KEYS)
        if b'"times":[' in known_by:
            known_by = orjson.dumps(_with_whole_numbers(remaining), option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return text
    return known_by


def _with_whole_numbers(value: Any, moments: bool = False) -> Any:
    """Return a copy in which integral floats in `times` lists are integers."""
    if moments and isinstance(value, float) and value.is_integer() and _MIN_INTEGER <= value < _MAX_INTEGER:
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
    """Return 32 hexadecimal digits that identify a match, however its log is formatted."""
    return hashlib.sha256(canonical).hexdigest()[:32]
