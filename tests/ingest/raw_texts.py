"""The texts a store has, whatever they are packed in."""

import duckdb

from ingest.store.factory import Store
from ingest.store.raw_texts import read_texts
from schemas.compressed_blocks import decompress


def raw(store: Store | duckdb.DuckDBPyConnection) -> dict[int, bytes]:
    """Each match's text as it came, by number."""
    cursor = store.cursor()
    numbers = [number for (number,) in cursor.execute("SELECT match_no FROM raw").fetchall()]
    return dict(read_texts(cursor, numbers))


def blocks(store: Store | duckdb.DuckDBPyConnection) -> list[bytes]:
    """All blocks, unpacked: what of a text is still there, whether a match has it or not."""
    found = store.cursor().execute("SELECT zstd FROM raw WHERE match_no = block").fetchall()
    return [decompress(packed) for (packed,) in found]
