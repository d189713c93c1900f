"""Encodes log values as JSON without slow imports."""

import math
from collections.abc import Mapping
from typing import Any

from ingest.reader.escaping import to_escaped_json


def without_infinities(value: Any) -> Any:
    """The same where JSON has no word for a number: null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): without_infinities(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_infinities(one) for one in value]
    return value


def json_line(value: Mapping[str, Any]) -> bytes:
    """An object on a line of its own."""
    return to_escaped_json(without_infinities(value)).encode() + b"\n"
