"""Deletes matches with undo."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.store import endgame_rows, raw_texts
from ingest.store.derived_rows import DERIVED_TABLES, derive_rows
from ingest.store.factory import LockMode, Store
from ingest.store.ingest_files import map_ahead
from ingest.store.rows import trash_texts
from ingest.store.stored_texts import StoredBatch, batch_rows, check_stored
from ingest.validate.batch import CheckedBatch
from schemas import compressed_blocks
from schemas.migrations import number as one_number
from schemas.migrations import with_tables


@dataclass(frozen=True, slots=True)
class Deletion:
    """One deletion that can still be undone."""

    number: int
    at: datetime
    matches: int
    files: list[str]
    """Names of the files they came with."""


def select_matches(ask: duckdb.DuckDBPyConnection, where: str, values: Sequence[Any]) -> NDArray[np.int64]:
    """Return the numbers of the matches (`m`) that meet a condition, in order."""
    found = ask.execute(f"SELECT m.match_no FROM {where} ORDER BY 1", list(values))
    return found.fetchnumpy()["match_no"].astype(np.int64)


def delete_matches(store: Store, match_numbers: Sequence[int] | NDArray[np.int64]) -> int | None:
    """Delete matches by number, all or none; return the deletion's number, None if none exists.

    StoreError: the store cannot be written.
    """
    wanted = pa.table({"match_no": np.asarray(match_numbers, np.int64)})
    with store.transaction(), with_tables(store.connection, wanted=wanted):
        ask = store.connection
        known = "match_no IN (FROM wanted)"
        removed = ask.execute(f"SELECT match_id FROM matches WHERE {known}").fetchall()
        if not removed:
            return None
        number = store.record_change("delete", len(removed))
        found = raw_texts.read_texts(ask, wanted["match_no"].to_numpy())
        while some := list(islice(found, 1000)):
            fields = {"match_no": [no for no, _ in some]} | trash_texts([text for _, text in some])
            with with_tables(ask, thrown=pa.table(fields).to_reader()):
                ask.execute(
                    f"""
                    INSERT INTO trash
                    SELECT ?, match_no, match_id, file_no, line, text, bytes
                    FROM matches JOIN thrown USING (match_no) WHERE {known} ORDER BY match_no
                    """,
                    [number],
                )
        store.release_claims(match_ids=[one for (one,) in removed])
        raw_texts.remove_texts(ask, wanted["match_no"].to_pylist())
        for table in (*DERIVED_TABLES, *endgame_rows.VALUE_TABLES):
            ask.execute(f"DELETE FROM {table} WHERE {known}")
    return number


def list_deletions(ask: duckdb.DuckDBPyConnection) -> list[Deletion]:
    """List the deletions that can be undone, latest first."""
    rows = ask.execute(
        """
        SELECT t.change, any_value(c.changed_at), count(*),
            coalesce(list(DISTINCT f.name ORDER BY f.name) FILTER (f.name IS NOT NULL), [])
        FROM trash t JOIN change_log c USING (change) LEFT JOIN files f USING (file_no)
        GROUP BY t.change ORDER BY t.change DESC
        """
    ).fetchall()
    return [Deletion(*row) for row in rows]


class DeletedMatch(NamedTuple):
    """One match in the trash."""

    deletion: int
    match_no: int
    match_id: str


def find_deleted(ask: duckdb.DuckDBPyConnection, name: str) -> DeletedMatch | None:
    """Return the last deleted match with this id or prefix (at least 8 digits)."""
    row = ask.execute(
        """SELECT change, match_no, match_id FROM trash
           WHERE match_id = $1 OR (len($1) >= 8 AND starts_with(match_id, $1))
           ORDER BY match_id = $1 DESC, change DESC, match_no LIMIT 1""",
        [name],
    ).fetchone()
    return None if row is None else DeletedMatch(*row)


def undelete_matches(store: Store, number: int, match_no: int | None = None) -> tuple[int, int]:
    """Store the texts of a deletion again like any other log, under their old match numbers.

    `match_no` restores only this match. Returns (restored, already stored again). KeyError: nothing
    to undo. StoreError: the store cannot be written.
    """
    these, which = ("FROM trash WHERE change = $1 AND coalesce(match_no = $2, true)", [number, match_no])
    count = one_number(store.cursor(), f"SELECT count(*) {these}", which)
    if not count:
        raise KeyError(number)
    with store.transaction():
        back = len(restore_texts(store, map_ahead(read_deletion(store, number, match_no), check_stored)))
        store.connection.execute(f"DELETE {these}", which)
        store.record_change("undelete", back)
    return back, count - back


def restore_texts(
    store: Store, batches: Iterable[tuple[StoredBatch, CheckedBatch]], anew: Collection[str] = ()
) -> list[str]:
    """Store the texts not yet stored, under their old numbers; return their ids.

    `anew`: ids of matches that the texts replace. Call within `Store.transaction`.
    """
    back = list[str]()
    for stored, checked in batches:
        known = store.stored_ids(checked.ids) - {*anew}
        remaining = list[int]()
        for place, one in enumerate(checked.ids):
            if one not in known:
                remaining.append(place)
                known.add(one)
        left_out = set(range(len(checked.ids))) - {*remaining}
        for table, rows in derive_rows(checked, stored.id_columns, store.player_numbers, left_out):
            store.insert_rows(table, rows)
        items = [checked.texts[place].text for place in remaining]
        store.insert_rows("raw", compressed_blocks.raw_rows(stored.match_no[remaining].tolist(), items))
        back += [checked.ids[place] for place in remaining]
    return back


def empty_trash(store: Store) -> int:
    """Remove all deleted matches, and players without matches, for good; return how many matches.

    StoreError: the store cannot be written.
    """
    with store.transaction(lock_mode=LockMode.EXCLUSIVE):
        ask = store.connection
        count = one_number(ask, "SELECT count(*) FROM trash")
        if not count:
            return 0
        ask.execute("DELETE FROM trash")
        for table in ("players", "masked"):
            nobody = f"{table} WHERE player_no NOT IN (SELECT player_no FROM seats)"
            removed = ask.execute(f"SELECT player_no FROM {nobody}").fetchall()
            store.release_claims(player_numbers=[one for (one,) in removed])
            ask.execute(f"DELETE FROM {nobody}")
        store.record_change("empty", count)
    return count


def read_deletion(store: Store, number: int, match_no: int | None = None) -> Iterator[StoredBatch]:
    """Yield texts of a deletion, or one of them, about MAX_BATCH_BYTES at a time."""
    found = store.cursor().execute(
        "SELECT match_no, match_id, file_no, line, coalesce(bytes, encode(text)) FROM trash"
        " WHERE change = $1 AND coalesce(match_no = $2, true) ORDER BY match_no",
        [number, match_no],
    )
    yield from batch_rows(store.path, iter(found.fetchone, None))
