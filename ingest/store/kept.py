"""Rows made anew of matches that were judged from their columns, beside those that are stored.

A verdict may stay as it is where something else of a row does not: what an announcement would have
counted, say. Newer rules leave a match alone where no row of play is another one; what is counted
beforehand (`ingest.store.totals`) follows from these.
"""

from collections.abc import Sequence

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.judge.decode import BESIDE, Head
from ingest.store import totals
from ingest.store.derive import rows_of
from ingest.store.from_columns import Again, in_order

KEYS = ("match_no", "deal", "seat")
_STORED = "SELECT * FROM {} WHERE match_no BETWEEN {} AND {} AND match_no IN (FROM chosen)"
_DIFFERING = """
SELECT DISTINCT match_no
FROM ((FROM stored EXCEPT ALL FROM now) UNION ALL (FROM now EXCEPT ALL FROM stored))
"""


def with_same_rows(ask: duckdb.DuckDBPyConnection, again: Again) -> NDArray[np.int64]:
    """Those matches whose verdict and whose rows are all what is stored."""
    keep = np.flatnonzero(again.same)
    numbers = again.match_no[keep]
    if not len(numbers):
        return numbers
    matches = _stored(ask, "matches", numbers)
    player_no = _stored(ask, "seats", numbers)["player_no"].to_numpy().astype(np.int64)
    players = again.stored.matches["players"].to_numpy()[keep]
    if len(matches) != len(numbers) or len(player_no) != int(players.sum()):
        return numbers[:0]

    def known(ids: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
        return player_no

    head = _head(again, matches, keep)
    named = ("match_no", "match_id", "file_no", "line", "status", "findings")
    base = {name: matches[name].combine_chunks() for name in named} | {"match_no": numbers}
    other = np.zeros(0, np.int64)
    for table, rows in rows_of(base, head, again.numbers, again.verdicts, known, keep):
        if table in totals.TABLES:
            break  # they come last
        other = np.union1d(other, _differing(ask, table, rows, numbers))
    return numbers[~np.isin(numbers, other)]


def _stored(ask: duckdb.DuckDBPyConnection, table: str, numbers: NDArray[np.int64]) -> pa.Table:
    """The stored rows of some matches in the order of their numbers, words as words."""
    chosen = pa.table({"match_no": numbers})  # noqa: F841 (found by its name)
    found = ask.sql(_STORED.format(table, numbers[0], numbers[-1])).to_arrow_table()
    found = in_order(found, [key for key in KEYS if key in found.column_names])
    for place, field in enumerate(found.schema):
        if pa.types.is_dictionary(field.type):
            found = found.set_column(place, field.name, found[field.name].cast(pa.string()))
    return found


def _head(again: Again, matches: pa.Table, keep: NDArray[np.int64]) -> Head:
    """The columns of the matches that are kept, each at its place among all."""
    places = np.zeros(len(again.same), np.int64)
    places[keep] = np.arange(len(keep))
    whole = matches.take(pa.array(places))
    words = {
        name: whole[name].to_numpy() for name in ("game", "preset", "options", "event", "details")
    }
    players = again.stored.matches["players"].to_numpy().astype(np.int64)
    blank = [[""] * seats for seats in players.tolist()]
    return Head(
        **words,
        source=whole["source"].to_numpy(),
        log_id=whole["log_id"].combine_chunks(),
        played_at=whole["played_at"].combine_chunks(),
        players=players,
        ids=blank,
        names=blank,
        beside={key: whole[key].combine_chunks() for key in BESIDE},
    )


def _differing(
    ask: duckdb.DuckDBPyConnection, table: str, rows: pa.Table, numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The matches whose stored rows of a table are not these."""
    stored = _stored(ask, table, numbers)
    if table == "matches":
        stored = stored.drop_columns("rules_version")
    now = pa.table(
        {
            field.name: rows[field.name].cast(field.type)
            if field.name in rows.column_names
            else pa.nulls(len(rows), field.type)
            for field in stored.schema
        }
    )
    if all(now[name].equals(stored[name]) for name in now.column_names):
        return np.zeros(0, np.int64)
    found = ask.sql(_DIFFERING).fetchnumpy()["match_no"]
    return np.asarray(found, np.int64)
