"""Joins matches that were answered to be one, or remembers that they are two; with undo."""

from datetime import datetime
from typing import NamedTuple

import duckdb

from ingest.store import match_versions, trash
from ingest.store.factory import Store
from ingest.store.likely_duplicate_matches import DIFFERENT, SAME
from schemas.migrations import number


class MatchAnswer(NamedTuple):
    """An answer that can be undone."""

    change: int
    at: datetime
    answer: str
    match_id: str
    other_id: str


def join_matches(store: Store, match_no: int, match_id: str, other_id: str) -> int:
    """Make a match, by number and id, an earlier version of another; return the change's number.

    KeyError: one of them is stored no more. StoreError: the store cannot be written.
    """

    def write() -> int:
        cursor = store.connection
        known = "SELECT count(*) FROM matches WHERE (match_no, match_id) = (?, ?) OR match_id = ?"
        if number(cursor, known, [match_no, match_id, other_id]) != 2:
            raise KeyError(match_no)
        match_versions.replace_matches(store, {match_no: other_id})
        change = number(cursor, "SELECT max(change) FROM change_log")
        cursor.execute("INSERT INTO match_answers VALUES (?, ?, ?, ?)", [change, SAME, other_id, match_id])
        return change

    return store.written(write)


def declare_different(store: Store, match_id: str, other_id: str) -> int:
    """Remember that two matches are two, so that they are not proposed again; return the change's number.

    StoreError: the store cannot be written.
    """

    def write() -> int:
        change = store.record_change("match-different", 2)
        store.connection.execute(
            "INSERT INTO match_answers VALUES (?, ?, ?, ?)", [change, DIFFERENT, match_id, other_id]
        )
        return change

    return store.written(write)


def list_answers(cursor: duckdb.DuckDBPyConnection) -> list[MatchAnswer]:
    """List the answers that can be undone, latest first."""
    rows = cursor.execute(
        """SELECT change, changed_at, a.answer, match_id, other_id
           FROM match_answers a JOIN change_log c USING (change)
           WHERE a.answer = ? OR change IN (SELECT change FROM trash) ORDER BY change DESC""",
        [DIFFERENT],
    ).fetchall()
    return [MatchAnswer(*row) for row in rows]


def undo_answer(store: Store, answer: MatchAnswer) -> None:
    """Undo an answer: a match that was joined to another is stored again.

    KeyError: it was undone already. StoreError: the store cannot be written.
    """
    if answer.answer == SAME:
        trash.undelete_matches(store, answer.change)

    def write() -> None:
        cursor = store.connection
        if not cursor.execute(
            "DELETE FROM match_answers WHERE change = ? RETURNING 1", [answer.change]
        ).fetchall():
            raise KeyError(answer.change)
        store.record_change("match-answer-undo", 2)

    store.written(write)
