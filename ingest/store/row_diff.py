"""Rows made anew of stored matches, held against those that are stored."""

from collections.abc import Sequence

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.store import with_tables

KEYS = ("match_no", "deal", "seat", "finding")
_STORED = "SELECT {} FROM {} WHERE match_no BETWEEN {} AND {} AND match_no IN (FROM chosen)"
_DIFFERING = """
SELECT match_no, count(*)
FROM ((FROM stored EXCEPT ALL FROM now) UNION ALL (FROM now EXCEPT ALL FROM stored))
GROUP BY match_no
"""


def differing(
    ask: duckdb.DuckDBPyConnection,
    table: str,
    rows: pa.Table | None,
    numbers: NDArray[np.int64],
    columns: Sequence[str] = (),
) -> dict[int, int]:
    """Those of some matches whose stored rows of a table are not these, with how many are not.

    Some `columns` are compared, or all but by which version of the rules a match was judged.
    """
    asked = ", ".join(columns) or ("* EXCLUDE (rules_version)" if table == "matches" else "*")
    with with_tables(ask, chosen=pa.table({"match_no": numbers})):
        stored = ask.sql(_STORED.format(asked, table, *numbers[[0, -1]])).to_arrow_table()
    stored = _plain(stored)
    if rows is None:
        rows = stored.slice(0, 0)
    now = pa.table(
        {
            field.name: rows[field.name].cast(field.type)
            if field.name in rows.column_names
            else pa.nulls(len(rows), field.type)
            for field in stored.schema
        }
    )
    if all(now[name].equals(stored[name]) for name in now.column_names):
        return {}  # as most are, and sooner found than by a query
    with with_tables(ask, stored=stored, now=now):
        return dict(ask.sql(_DIFFERING).fetchall())


def _plain(rows: pa.Table) -> pa.Table:
    """Stored rows by their keys, as most lie there already, with words as words."""
    keys = [rows[name].to_numpy() for name in reversed(KEYS) if name in rows.column_names]
    later = np.ones(max(len(rows) - 1, 0), np.bool_)
    for column in keys:
        before, behind = column[:-1], column[1:]
        later = (behind > before) | (behind == before) & later
    if not later.all():
        rows = rows.take(pa.array(np.lexsort(keys)))
    for place, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            rows = rows.set_column(place, field.name, rows[field.name].cast(pa.string()))
    return rows
