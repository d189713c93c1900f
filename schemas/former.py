"""What matches were known by before ids changed: kept when a store is brought up to date."""

from collections.abc import Iterator

import duckdb
import orjson

from schemas import blocks
from schemas.identity import content, digest, former_content


def keep(connection: duckdb.DuckDBPyConnection) -> None:
    """Give matches the ids of today and note those they had, within a migration.

    Where two that were stored are one match, the second keeps the id it has.
    """
    import pyarrow as pa

    ask = "SELECT match_id FROM matches UNION ALL SELECT match_id FROM trash"
    taken = {one for (one,) in connection.execute(ask).fetchall()}
    changed = list[dict[str, object]]()
    for known, text in _texts(connection):
        perhaps = b'"times"' in text or b"\\u" in text
        if perhaps and (now := _today(text, known)) != known:
            changed.append({"former_id": known, "match_id": now, "free": now not in taken})
            taken.add(now)
    kinds = {"former_id": pa.string(), "match_id": pa.string(), "free": pa.bool_()}
    ids = pa.Table.from_pylist(changed, pa.schema(kinds))  # noqa: F841 (found by its name)
    connection.execute("INSERT INTO former_ids SELECT former_id, match_id FROM ids")
    for table in ("matches", "trash"):
        connection.execute(
            f"""UPDATE {table} SET match_id = ids.match_id FROM ids
                WHERE {table}.match_id = former_id AND free"""
        )


def _today(text: bytes, known: str) -> str:
    """What a stored text is known by; what it was known by where that is not its former id."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return known
    return digest(content(value, text)) if digest(former_content(value, text)) == known else known


def _texts(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, bytes]]:
    """The id and the text of every match, the deleted ones too."""
    blocks_ = connection.execute("SELECT DISTINCT block FROM raw ORDER BY 1").fetchnumpy()["block"]
    for first in range(0, len(blocks_), blocks.AT_ONCE // 64):
        some = blocks_[first : first + blocks.AT_ONCE // 64]
        rows = connection.execute(
            """SELECT match_id, raw.start, size, packed FROM raw JOIN matches USING (match_no)
               WHERE block BETWEEN ? AND ? ORDER BY block, raw.match_no <> block""",
            [int(some[0]), int(some[-1])],
        ).fetchall()
        whole = b""
        for known, start, size, packed in rows:
            whole = blocks.unpack(packed) if packed else whole
            yield known, whole[start : start + size]
    ask = "SELECT match_id, coalesce(bytes, encode(text)) FROM trash"
    yield from connection.execute(ask).fetchall()
