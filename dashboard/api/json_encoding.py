"""Values of logs as JSON can have them, without what is slow to load."""

import math
from collections.abc import Mapping
from typing import Any

from ingest.reader.escaping import as_json


def finite(value: Any) -> Any:
    """The same where JSON has no word for a number: null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return value


def line(value: Mapping[str, Any]) -> bytes:
    """An object on a line of its own."""
    return as_json(finite(value)).encode() + b"\n"
