"""Where a page of matches ended, as text that stands in an address as it is."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Any

import orjson

from dashboard.api.problems import Problem
from dashboard.queries.matches import KEYS, Place
from ingest.i18n import N_

NONE = N_("This cursor is none that was given for this order.")
MOST = (1 << 63) - 1


def written(sort: str, place: Place) -> str:
    """A place in a list, with the order that it is a place of."""
    return urlsafe_b64encode(orjson.dumps([sort, *place])).decode().rstrip("=")


def read(text: str, sort: str) -> Place:
    """The place again. Problem: it is none of this order."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        order, *values = orjson.loads(urlsafe_b64decode(padded))
        if order != sort or len(values) != len(KEYS[sort]):
            raise ValueError
        return tuple(_value(value, key.kind) for value, key in zip(values, KEYS[sort], strict=True))
    except (ValueError, TypeError, UnicodeError, OverflowError):
        raise Problem(422, NONE) from None


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "TIMESTAMPTZ":
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError
        return moment
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MOST:
        raise ValueError
    return value
