"""Tombstones of purged ids, stored as keyed hashes."""

import hashlib
import hmac
import re
from collections.abc import Iterable

import duckdb
import pyarrow as pa

from ingest.store.factory import Store
from schemas.migrations import with_tables

_ID_PREFIX = re.compile("[0-9a-f]{8,32}")
"""A match's hash or a prefix long enough to find it."""


def tombstone(key: bytes, id_text: str) -> str:
    """Return the hash of an id that a store with this key stores after a purge."""
    return hmac.new(bytes(key), f"address {id_text}".encode(), hashlib.sha256).hexdigest()


def is_purged(store: Store, id_or_prefix: str) -> bool:
    """Return whether a match or player with this id, or a match with this prefix, was purged."""
    names = {id_or_prefix} | ({id_or_prefix[:8]} if _ID_PREFIX.fullmatch(id_or_prefix) else set())
    return bool(id_or_prefix and purged_ids(store, names))


def purged_ids(store: Store, ids: Iterable[str]) -> list[str]:
    """Return those of some player or match ids that were purged and not added again."""
    cursor = store.cursor()
    if (key := _key(cursor)) is None:
        return []
    names = list(ids)
    hashed = pa.array([tombstone(key, one) for one in names], pa.string())
    requested = pa.table({"name": pa.array(names, pa.string()), "address": hashed})
    with with_tables(cursor, wanted=requested):
        found = cursor.execute("SELECT name FROM wanted SEMI JOIN purged USING (address)").fetchall()
    again = _there(cursor, [str(name) for (name,) in found]) if found else set()
    return [str(name) for (name,) in found if name not in again]


def current_tombstones(cursor: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return tombstones, except of players and matches that were added again."""
    purged, key = cursor.execute("FROM purged").to_arrow_table(), _key(cursor)
    if key is None or not purged.num_rows:
        return purged
    there = {tombstone(key, one) for one in _there(cursor)}
    return purged.filter(pa.array([one not in there for one in purged["address"].to_pylist()]))


def _key(cursor: duckdb.DuckDBPyConnection) -> bytes | None:
    row = cursor.execute("SELECT key FROM secret").fetchone()
    return None if row is None else bytes(row[0])


def _there(cursor: duckdb.DuckDBPyConnection, among: list[str] | None = None) -> set[str]:
    """Return match ids and true ids of seated players in the store, of `among` or all."""
    query = f"SELECT id FROM ({_THERE}) WHERE $among IS NULL OR id IN (SELECT unnest($among))"
    return {str(id) for (id,) in cursor.execute(query, {"among": among}).fetchall()}


_THERE = """
SELECT match_id AS id FROM matches UNION ALL
SELECT player_id FROM aliases WHERE alias_no IN (SELECT alias_no FROM seats)
"""
