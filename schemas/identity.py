"""What a match is known by: its values, however they are written, hashed."""

import hashlib
from collections.abc import Iterator
from typing import Any

import duckdb
import orjson

from schemas import blocks

TIMES = "times"
"""The list of a deal in which a number need not be whole."""
_LEAST, _MOST = -(1 << 63), 1 << 64
"""Whole numbers between are read as such, all others as what is nearest."""


def content(value: Any, text: bytes) -> bytes:
    """What a match is known by: its values, however they are written, without `_` keys.

    A moment is known by how late it is: 3, 3.0 and 30e-1 are one. Elsewhere they are not: a dealer
    1.0 is refused, and no seat. A text that is no JSON object, or too deep to be written again, is
    known by its bytes.
    """
    known_by = former_content(value, text)
    if known_by is text or b'"times":[' not in known_by:
        return known_by
    return former_content(_whole(value), text)


def former_content(value: Any, text: bytes) -> bytes:
    """The same as it was until schema 17, when 3 and 3.0 were two."""
    if not isinstance(value, dict):
        return text
    kept = {key: part for key, part in value.items() if not key.startswith("_")}
    try:
        return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return text


def _whole(value: Any, moments: bool = False) -> Any:
    """A value whose whole numbers are whole where they stand in a list of moments."""
    if moments and isinstance(value, float) and value.is_integer() and _LEAST <= value < _MOST:
        return int(value)
    if isinstance(value, list):
        return [_whole(one, moments and not isinstance(one, list)) for one in value]
    if isinstance(value, dict):
        return {
            key: _whole(one, key == TIMES and isinstance(one, list)) for key, one in value.items()
        }
    return value


def digest(known_by: bytes | memoryview) -> str:
    """32 hexadecimal digits of some content: the same game written twice is one game."""
    return hashlib.sha256(known_by).hexdigest()[:32]


# ids of before


def keep_former(connection: duckdb.DuckDBPyConnection) -> None:
    """Give matches the ids of today and note those they had, within a migration.

    Where two that were stored are one match, the second keeps the id it has.
    """
    import pyarrow as pa

    ask = "SELECT match_id FROM matches UNION ALL SELECT match_id FROM trash"
    taken = {one for (one,) in connection.execute(ask).fetchall()}
    changed = list[dict[str, Any]]()
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
