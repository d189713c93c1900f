"""What logs say in words of their own, without the names of masked players."""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from dashboard.queries import people
from dashboard.widgets.store import answer
from ingest.text.names import People

JOINED = {"event": False, "source": True, "log_id": True}
"""Columns of texts that may name somebody; whether words are joined there, as in an id."""


def readable(frame: pl.DataFrame, *files: str) -> pl.DataFrame:
    """A frame to be shown, where nobody who is masked is named; `files`: columns with names of
    files.

    A part of a name is hidden where its player sits, which the column `names` says, or may sit.
    """
    known = answer(people.hidden)
    columns = {name: joined for name, joined in JOINED.items() if name in frame.columns}
    columns |= dict.fromkeys(files, True)
    if not known or not columns:
        return frame
    every = People(known)

    def told(row: Mapping[str, Any]) -> dict[str, str | None]:
        there = row.get("names")
        hide = every.hide(one.id for one in known if there is None or one.told in there)
        return {
            name: row[name] if row[name] is None else hide(row[name], joined)
            for name, joined in columns.items()
        }

    rows = [told(row) for row in frame.iter_rows(named=True)]
    return frame.with_columns(
        pl.Series(name, [row[name] for row in rows], pl.String) for name in columns
    )


def reader() -> Callable[[str], str]:
    """What makes a text one that may be read, whoever sat there."""
    known = answer(people.hidden)
    return People(known).hide(one.id for one in known) if known else str
