"""Encodes log values as JSON without slow imports."""

import math
from collections.abc import Mapping
from typing import Any

from ingest.escaping import to_escaped_json


def without_infinities(value: Any) -> Any:
    """Return the value with infinities and NaN, which JSON does not have, replaced by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): without_infinities(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_infinities(one) for one in value]
    return value


def json_line(value: Mapping[str, Any]) -> bytes:
    """Encode an object as one line of JSON."""
    return to_escaped_json(without_infinities(value)).encode() + b"\n"
