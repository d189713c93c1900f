"""Compares stored rows with freshly computed ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.games import game
from ingest.validate.what_if import Change
from schemas.migrations import with_tables


@dataclass(slots=True)
class ChangedMatch:
    """A stored match with changes; `game` is None for a text that is not a match."""

    match_no: int
    match_id: str
    log_id: str | None = None
    game: str | None = None
    players: list[str] = field(default_factory=list)
    """Names in seat order."""
    changes: list[Change] = field(default_factory=list)


_CHANGED_MATCHES = """
SELECT o.match_no, o.status::VARCHAR, n.status, o.winning_side, n.winning_side
FROM matches o JOIN matches_now n USING (match_no)
WHERE o.match_no BETWEEN $1 AND $2
  AND (o.status::VARCHAR <> n.status OR o.winning_side IS DISTINCT FROM n.winning_side)
"""
# a deal without an outcome was never dealt, and has no winner to compare
_CHANGED_DEALS = """
SELECT match_no, deal_index, o.status::VARCHAR, n.status,
       o.outcome IS NOT NULL AND n.outcome IS NOT NULL, o.winning_side, n.winning_side
FROM deals o JOIN deals_now n USING (match_no, deal_index)
WHERE o.match_no BETWEEN $1 AND $2
  AND (o.status::VARCHAR <> n.status OR o.winning_side IS DISTINCT FROM n.winning_side)
"""
_CHANGED_POINTS = """
WITH differing AS (
    SELECT DISTINCT match_no, deal_index
    FROM deal_seats o JOIN seats_now n USING (match_no, deal_index, seat)
    WHERE o.match_no BETWEEN $1 AND $2 AND o.points <> n.points
)
SELECT match_no, deal_index, list(o.points ORDER BY seat), list(n.points ORDER BY seat)
FROM differing
JOIN deal_seats o USING (match_no, deal_index)
JOIN seats_now n USING (match_no, deal_index, seat)
WHERE o.match_no BETWEEN $1 AND $2
GROUP BY match_no, deal_index
"""
_COMPARED_COLUMNS = {
    "matches": ("match_no", "status", "winning_side"),
    "deals": ("match_no", "deal_index", "status", "winning_side"),
    "deal_seats": ("match_no", "deal_index", "seat", "points"),
}
_MATCH_INFO = """
SELECT m.match_no, m.match_id, m.log_id, m.game,
       coalesce(list(p.name ORDER BY s.seat) FILTER (s.seat IS NOT NULL), [])
FROM matches m LEFT JOIN seats s USING (match_no) LEFT JOIN players p USING (player_no)
WHERE m.match_no BETWEEN $1 AND $2 AND m.match_no IN (FROM chosen)
GROUP BY ALL
"""
_CHANGE_ORDER = ("result", "status", "points", "winner")
"""Order of the changes of one deal; those of the match follow all deals."""


def verdict_changes(
    cursor: duckdb.DuckDBPyConnection, rows: Mapping[str, pa.Table], numbers: NDArray[np.int64]
) -> list[ChangedMatch]:
    """Return what changes in matches if `rows` replace the stored ones.

    Finds the same differences as `ingest.validate.what_if.result_changes` for two explanations.
    """
    if not any(
        differing_matches(cursor, one, rows.get(one), numbers, of) for one, of in _COMPARED_COLUMNS.items()
    ):
        return []
    ends, found = [int(numbers[0]), int(numbers[-1])], dict[int, list[Change]]()
    with with_tables(cursor, matches_now=rows["matches"]):
        matches = cursor.execute(_CHANGED_MATCHES, ends).fetchall()
    for number, was, now, *winners in matches:
        of_match = ("result", *winners), ("status", was, now)
        some = [Change(field, None, old, new) for field, old, new in of_match if old != new]
        found.setdefault(number, []).extend(some)
    if "deals" in rows:
        with with_tables(cursor, deals_now=rows["deals"], seats_now=rows["deal_seats"]):
            deals = cursor.execute(_CHANGED_DEALS, ends).fetchall()
            points = cursor.execute(_CHANGED_POINTS, ends).fetchall()
        for number, deal, was, now, dealt, *winners in deals:
            of_deal = ("status", was, now), ("winner", *(winners if dealt else (0, 0)))
            some = [Change(field, deal, old, new) for field, old, new in of_deal if old != new]
            found.setdefault(number, []).extend(some)
        for number, deal, old, new in points:
            found.setdefault(number, []).append(Change("points", deal, old, new))
    fields = {number: some for number, some in found.items() if some}
    if not fields:
        return []
    with with_tables(cursor, chosen=pa.table({"match_no": [*fields]})):
        about = cursor.execute(_MATCH_INFO, [min(fields), max(fields)]).fetchall()
    moved = []
    for number, match_id, log_id, name, players in about:
        fields[number].sort(
            key=lambda one: (one.deal_index is None, one.deal_index, _CHANGE_ORDER.index(one.field))
        )
        for change in fields[number]:
            if change.field == "points":
                sides = game(name).side_count(len(players))
                change.before, change.after = change.before[:sides], change.after[:sides]
        moved.append(ChangedMatch(number, match_id, log_id, name, players, fields[number]))
    return sorted(moved, key=lambda one: one.match_no)


ROW_KEYS = ("match_no", "deal_index", "seat", "finding_index")
_STORED = "SELECT {} FROM {} WHERE match_no BETWEEN {} AND {}"
_IN_CHOSEN = " AND match_no IN (FROM chosen)"
_DIFFERING = """
SELECT match_no, count(*)
FROM ((FROM stored EXCEPT ALL FROM now) UNION ALL (FROM now EXCEPT ALL FROM stored))
GROUP BY match_no
"""


def differing_matches(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    rows: pa.Table | None,
    numbers: NDArray[np.int64],
    columns: Sequence[str] = (),
) -> dict[int, int]:
    """Return the matches whose stored rows of a table differ from `rows`, and by how many.

    Compares `columns`, or all columns except a match's rules version.
    """
    requested = ", ".join(columns) or ("* EXCLUDE (rules_version)" if table == "matches" else "*")
    first, last = int(numbers[0]), int(numbers[-1])
    query = _STORED.format(requested, table, first, last)
    if last - first >= len(numbers):  # a whole range is read faster than parts of it
        query += _IN_CHOSEN
    with with_tables(cursor, chosen=pa.table({"match_no": numbers})):
        stored = cursor.sql(query).to_arrow_table()
    stored = _sorted_plain(stored)
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
        return {}  # the usual case, and faster than a query
    with with_tables(cursor, stored=stored, now=now):
        return dict(cursor.sql(_DIFFERING).fetchall())


def _sorted_plain(rows: pa.Table) -> pa.Table:
    """Return stored rows ordered by their keys, as most already are, with enums as strings."""
    keys = [rows[name].to_numpy() for name in reversed(ROW_KEYS) if name in rows.column_names]
    later = np.ones(max(len(rows) - 1, 0), np.bool_)
    for column in keys:
        before, behind = column[:-1], column[1:]
        later = (behind > before) | (behind == before) & later
    if not later.all():
        rows = rows.take(pa.array(np.lexsort(keys)))
    for place, one in enumerate(rows.schema):
        if pa.types.is_dictionary(one.type):
            rows = rows.set_column(place, one.name, rows[one.name].cast(pa.string()))
    return rows
