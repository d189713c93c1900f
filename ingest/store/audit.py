"""Who did what to a store, and when: numbers, never names, in the transaction of the act itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

import duckdb

ADD = "add"
"""What the arrival of a file is called; its number is what it is about."""
_by: ContextVar[int | None] = ContextVar("by", default=None)


@contextmanager
def by(token_no: int | None) -> Iterator[None]:
    """What this thread does meanwhile was done with a token; None: by whoever has the file."""
    before = _by.set(token_no)
    try:
        yield
    finally:
        _by.reset(before)


def note(
    ask: duckdb.DuckDBPyConnection, what: str, about: int | None = None, n: int | None = None
) -> None:
    """Write down an act, within its transaction."""
    ask.execute("INSERT INTO audit VALUES (now(), ?, ?, ?, ?)", [_by.get(), what, about, n])


def files_of(ask: duckdb.DuckDBPyConnection, token_no: int | None, what: str = ADD) -> set[int]:
    """The numbers of the files that came with a token; of None there are none."""
    rows = ask.execute(
        "SELECT about FROM audit WHERE token_no = ? AND what = ?", [token_no, what]
    ).fetchall()
    return {int(number) for (number,) in rows}


deletions_of = partial(files_of, what="delete")
"""The same of the deletions that were made with a token."""
