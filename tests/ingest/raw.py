"""The texts a store has, whatever they are packed in."""

import duckdb

from ingest.store.store import Store
from ingest.store.texts import read
from schemas.blocks import unpack


def raw(store: Store | duckdb.DuckDBPyConnection) -> dict[int, bytes]:
    """Each match's text as it came, by number."""
    ask = store.cursor()
    numbers = [number for (number,) in ask.execute("SELECT match_no FROM raw").fetchall()]
    return dict(read(ask, numbers))


def blocks(store: Store | duckdb.DuckDBPyConnection) -> list[bytes]:
    """All blocks, unpacked: what of a text is still there, whether a match has it or not."""
    found = store.cursor().execute("SELECT packed FROM raw WHERE packed IS NOT NULL").fetchall()
    return [unpack(packed) for (packed,) in found]
