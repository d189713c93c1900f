"""Writes the audit log: who uploaded, changed or deleted what, in the same transaction."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

import duckdb

ADD_ACTION = "add"
"""The action of storing a file; its subject is the file's number."""
_acting_token: ContextVar[int | None] = ContextVar("by", default=None)


@contextmanager
def acting_as(token_no: int | None) -> Iterator[None]:
    """Attribute this thread's actions within to a token; None: to the store's owner."""
    before = _acting_token.set(token_no)
    try:
        yield
    finally:
        _acting_token.reset(before)


def log_action(
    cursor: duckdb.DuckDBPyConnection,
    action: str,
    subject_no: int | None = None,
    match_count: int | None = None,
) -> None:
    """Record an action; call within its transaction."""
    cursor.execute(
        "INSERT INTO audit VALUES (now(), ?, ?, ?, ?)", [_acting_token.get(), action, subject_no, match_count]
    )


def file_numbers_by_token(
    cursor: duckdb.DuckDBPyConnection, token_no: int | None, action: str = ADD_ACTION
) -> set[int]:
    """Return the numbers of files stored with a token; none for None."""
    rows = cursor.execute(
        "SELECT about FROM audit WHERE token_no = ? AND action = ?", [token_no, action]
    ).fetchall()
    return {int(number) for (number,) in rows}


def has_added_all(
    cursor: duckdb.DuckDBPyConnection, token_no: int | None, match_numbers: Sequence[int]
) -> bool:
    """Return whether all of some matches came with files stored with a token."""
    query = "SELECT DISTINCT file_no FROM matches WHERE match_no IN (SELECT unnest(?::BIGINT[]))"
    files = {int(file) for (file,) in cursor.execute(query, [[*match_numbers]]).fetchall()}
    return files <= file_numbers_by_token(cursor, token_no)


deletions_by_token = partial(file_numbers_by_token, action="delete")
"""Return the numbers of deletions made with a token; none for None."""
