"""Deletes matches into the trash; undo takes them out again, until they are purged."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from ingest.i18n import N_
from ingest.redact.anonymize_log import MaskedPlayers, redact_log
from ingest.store import raw_texts
from ingest.store.batch_stream import map_ahead
from ingest.store.derived_rows import derive_rows
from ingest.store.factory import LockMode, Store, StoreError
from ingest.store.match_parts import join_returned
from ingest.store.match_versions import move_to_trash, replace_matches
from ingest.store.stored_texts import StoredBatch, batch_rows, check_stored
from ingest.validate.batch import CheckedBatch
from schemas import compressed_blocks
from schemas.migrations import number as one_number

VERSION_STORED = N_("This version is a match of its own in the store: {id}. Nothing was changed.")
_STORED_ELSEWHERE = "SELECT count(*) FROM matches WHERE match_id = ? AND match_no <> ?"

_PUT_BACK = """
SELECT m.match_no, t.match_id
FROM trash t JOIN change_log c USING (change) JOIN match_versions v USING (change, match_no)
    JOIN matches m ON m.match_id = v.match_id
WHERE change = $1 AND coalesce(t.match_no = $2, true) AND c.action = 'delete'
"""


@dataclass(frozen=True, slots=True)
class Deletion:
    """One deletion that can still be undone."""

    number: int
    at: datetime
    matches: int
    files: list[str]
    """Names of the files they came with."""


def select_matches(cursor: duckdb.DuckDBPyConnection, where: str, values: Sequence[Any]) -> NDArray[np.int64]:
    """Return the numbers of the matches (`m`) that meet a condition, in order."""
    found = cursor.execute(f"SELECT m.match_no FROM {where} ORDER BY 1", list(values))
    return found.fetchnumpy()["match_no"].astype(np.int64)


def delete_matches(store: Store, match_numbers: Sequence[int] | NDArray[np.int64]) -> int | None:
    """Delete matches by number, all or none; return the deletion's number, None if none exists.

    StoreError: the store cannot be written.
    """
    wanted = np.asarray(match_numbers, np.int64)
    with store.transaction():
        known = "SELECT count(*) FROM matches WHERE list_contains(?::BIGINT[], match_no)"
        count = one_number(store.connection, known, [wanted.tolist()])
        if not count:
            return None
        number = store.record_change("delete", count)
        move_to_trash(store, wanted, number, {})
    return number


def undo_upload(store: Store, files: Collection[int]) -> int | None:
    """Delete the matches of some files, and put back those of other files that they had replaced.

    A deleted match is then an earlier version of the one put back, until the deletion is undone.
    Returns the deletion's number, None if no match exists. StoreError: the store cannot be written.
    """
    with store.transaction():
        query = "SELECT match_no, match_id FROM matches WHERE list_contains(?::BIGINT[], file_no) ORDER BY 1"
        own = store.connection.execute(query, [[*files]]).fetchall()
        if not own:
            return None
        change = store.record_change("delete", len(own))
        put_back, replaced_by = dict[str, tuple[int, int]](), dict[int, str]()
        for match_no, match_id in own:
            for earlier_id, row in _replaced_by_upload(store.connection, match_id, files).items():
                if not one_number(store.connection, _STORED_ELSEWHERE, [earlier_id, match_no]):
                    put_back.setdefault(earlier_id, row)
                    replaced_by.setdefault(match_no, earlier_id)
        texts = [one for row in put_back.values() for one in read_deletion(store, *row)]
        for row in put_back.values():
            store.connection.execute("DELETE FROM trash WHERE (change, match_no) = (?, ?)", row)
        move_to_trash(store, [match_no for match_no, _ in own], change, replaced_by)
        restore_texts(store, map(check_stored, texts))
        join_returned(store, [match_no for _, match_no in put_back.values()])
    return change


def _replaced_by_upload(
    cursor: duckdb.DuckDBPyConnection, match_id: str, files: Collection[int]
) -> dict[str, tuple[int, int]]:
    """Return the newest versions of other files that a match of some files replaced.

    Id of each → change and number in the trash.
    """
    found, waiting, seen = dict[str, tuple[int, int]](), [match_id], set[str]()
    query = """SELECT match_id, change, match_no, file_no FROM trash WHERE replaced_by = ?
        ORDER BY change DESC, match_no"""
    while waiting:
        seen.add(later := waiting.pop())
        for earlier_id, *row, file_no in cursor.execute(query, [later]).fetchall():
            if file_no not in files:
                found.setdefault(earlier_id, (row[0], row[1]))
            elif earlier_id not in seen:
                waiting.append(earlier_id)
    return found


def count_put_back(cursor: duckdb.DuckDBPyConnection, change: int) -> int:
    """Count the deleted matches of an upload in whose place an earlier version was put back."""
    return one_number(
        cursor, "SELECT count(*) FROM trash WHERE change = ? AND replaced_by IS NOT NULL", [change]
    )


def list_deletions(cursor: duckdb.DuckDBPyConnection) -> list[Deletion]:
    """List the deletions that can be undone, latest first."""
    rows = cursor.execute(
        """
        SELECT t.change, any_value(c.changed_at), count(*),
            coalesce(list(DISTINCT f.name ORDER BY f.name) FILTER (f.name IS NOT NULL), [])
        FROM trash t JOIN change_log c USING (change) LEFT JOIN files f USING (file_no)
        WHERE replaced_by IS NULL OR c.action = 'delete' GROUP BY t.change ORDER BY t.change DESC
        """
    ).fetchall()
    return [Deletion(*row) for row in rows]


def first_texts(cursor: duckdb.DuckDBPyConnection, deletion: int, limit: int) -> list[bytes]:
    """Return the first texts of a deletion as every reader may see them: masked names are hidden."""
    people = MaskedPlayers(raw_texts.masked_players(cursor).values())
    rows = cursor.execute(
        """SELECT coalesce(bytes, encode(text)) FROM trash
           WHERE change = ? AND replaced_by IS NULL ORDER BY match_no LIMIT ?""",
        [deletion, limit],
    ).fetchall()
    return [redact_log(bytes(text), people) for (text,) in rows]


class DeletedMatch(NamedTuple):
    """One match in the trash."""

    deletion: int
    match_no: int
    match_id: str


def find_deleted(cursor: duckdb.DuckDBPyConnection, name: str) -> DeletedMatch | None:
    """Return the last deleted match with this id or prefix (at least 8 digits)."""
    row = cursor.execute(
        """SELECT change, match_no, match_id FROM trash
           WHERE replaced_by IS NULL
               AND (match_id = $1 OR (len($1) >= 8 AND starts_with(match_id, $1)))
           ORDER BY match_id = $1 DESC, change DESC, match_no LIMIT 1""",
        [name],
    ).fetchone()
    return None if row is None else DeletedMatch(*row)


def undelete_matches(store: Store, number: int, match_no: int | None = None) -> tuple[int, int]:
    """Store the texts of a deletion again like any other log, under their old match numbers.

    `match_no` restores only this match. Returns (restored, already stored again): a match that is
    stored by now, or more of it, has the restored one as an earlier version. KeyError: nothing to undo.
    StoreError: the store cannot be written.
    """
    these, which = ("FROM trash WHERE change = $1 AND coalesce(match_no = $2, true)", [number, match_no])
    numbers = [one for (one,) in store.cursor().execute(f"SELECT match_no {these}", which).fetchall()]
    if not numbers:
        raise KeyError(number)
    with store.transaction():
        # undoing an upload put earlier versions in the place of these: they are earlier versions again
        replacing = dict(store.connection.execute(_PUT_BACK, [number, match_no]).fetchall())
        replace_matches(store, replacing, keep_players=True)
        back = len(restore_texts(store, map_ahead(read_deletion(store, number, match_no), check_stored)))
        store.connection.execute(f"DELETE {these}", which)
        back -= len(join_returned(store, numbers))
        store.record_change("undelete", back)
    return back, len(numbers) - back


def restore_texts(
    store: Store, batches: Iterable[tuple[StoredBatch, CheckedBatch]], anew: Collection[str] = ()
) -> list[str]:
    """Store the texts not yet stored, under their old numbers; return their ids.

    `anew`: ids of matches that the texts replace. Call within `Store.transaction`.
    """
    back = list[str]()
    for stored, checked in batches:
        known = store.stored_ids(stored.match_id) - {*anew}
        remaining = list[int]()
        for place, one in enumerate(stored.match_id):
            if one not in known:
                remaining.append(place)
                known.add(one)
        left_out = set(range(len(stored.match_id))) - {*remaining}
        for table, rows in derive_rows(checked, stored.id_columns, store.player_numbers, left_out):
            store.insert_rows(table, rows)
        items = [checked.texts[place].text for place in remaining]
        store.insert_rows("raw", compressed_blocks.raw_rows(stored.match_no[remaining].tolist(), items))
        back += [stored.match_id[place] for place in remaining]
    return back


def empty_trash(store: Store) -> int:
    """Remove all deleted matches, and players without matches, for good; return how many matches.

    StoreError: the store cannot be written.
    """
    with store.transaction(lock_mode=LockMode.EXCLUSIVE):
        cursor = store.connection
        count = one_number(cursor, "SELECT count(*) FROM trash")
        if not count:
            return 0
        cursor.execute("DELETE FROM trash")
        for table in ("players", "masked", "aliases"):
            unused = f"{table} WHERE player_no NOT IN (SELECT player_no FROM seats)"
            removed = cursor.execute(f"SELECT player_no FROM {unused}").fetchall()
            store.release_claims(player_numbers=[one for (one,) in removed])
            cursor.execute(f"DELETE FROM {unused}")
        cursor.execute(
            """DELETE FROM aliases WHERE alias_no NOT IN (SELECT alias_no FROM seats)
               AND (player_no, name) NOT IN (SELECT (player_no, name) FROM players)"""
        )
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


def restore_version(store: Store, change: int, match_no: int | None = None) -> list[str]:
    """Put earlier versions, or one of them, in the place of the matches that replaced them.

    These become earlier versions in turn. Returns the ids of the matches put back, or of those that have
    them as earlier versions by now. KeyError: the change replaced nothing that is still there.
    StoreError: one is a match of its own by now, or the store cannot be written.
    """
    with store.transaction():
        rows = store.connection.execute(
            """SELECT t.match_no, t.match_id, m.match_no
               FROM trash t JOIN match_versions v USING (change, match_no)
                   JOIN matches m ON m.match_id = v.match_id
               WHERE change = $1 AND coalesce(t.match_no = $2, true) ORDER BY 1""",
            [change, match_no],
        ).fetchall()
        if not rows:
            raise KeyError(change)
        for _, match_id, replacing in rows:
            if one_number(store.connection, _STORED_ELSEWHERE, [match_id, replacing]):
                raise StoreError(VERSION_STORED, id=match_id)
        later = {replacing: match_id for _, match_id, replacing in rows}
        some = [number for number, _, _ in rows]
        texts = [one for number in some for one in read_deletion(store, change, number)]
        store.connection.execute(
            "DELETE FROM trash WHERE change = ? AND list_contains(?::BIGINT[], match_no)", [change, some]
        )
        replace_matches(store, later, keep_players=True)
        back = restore_texts(store, map(check_stored, texts))
        ids, joined = {number: match_id for number, match_id, _ in rows}, join_returned(store, some)
        now = {ids[number]: match_id for number, match_id in joined.items()}
        return [now.get(match_id, match_id) for match_id in back]
