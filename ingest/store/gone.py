"""Addresses of what was purged: hashes that only this store can make, so none can be read."""

import hashlib
import hmac
import re
from collections.abc import Iterable

import pyarrow as pa

from ingest.store.store import Store
from schemas.store import with_tables

_DIGITS = re.compile("[0-9a-f]{8,32}")
"""Of a match's hash, as many as find it."""


def address(key: bytes, text: str) -> str:
    """What a store with this key remembers of an id."""
    return hmac.new(bytes(key), f"address {text}".encode(), hashlib.sha256).hexdigest()


def is_gone(store: Store, asked: str) -> bool:
    """Whether a match or a player of this id was purged, or a match of these first digits."""
    names = {asked} | ({asked[:8]} if _DIGITS.fullmatch(asked) else set())
    return bool(asked and gone_among(store, names))


def gone_among(store: Store, ids: Iterable[str]) -> list[str]:
    """Those of some ids that were purged."""
    ask = store.cursor()
    row = ask.execute("SELECT key FROM secret").fetchone()
    if row is None:
        return []
    names = list(ids)
    hashed = pa.array([address(row[0], one) for one in names], pa.string())
    asked = pa.table({"name": pa.array(names, pa.string()), "address": hashed})
    with with_tables(ask, asked=asked):
        found = ask.execute("SELECT name FROM asked SEMI JOIN purged USING (address)").fetchall()
    return [str(name) for (name,) in found]
