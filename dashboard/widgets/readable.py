"""What logs say in words of their own, without the names of masked players."""

from collections.abc import Callable

import polars as pl

from dashboard.queries import people
from dashboard.widgets.store import answer
from ingest.text.names import Hide, People

JOINED = {"event": False, "source": True, "log_id": True}
"""Columns of texts that may name somebody; whether words are joined there, as in an id."""


def readable(frame: pl.DataFrame, *files: str) -> pl.DataFrame:
    """A frame to be shown, where no part of a masked player's name is read; `files`: columns with
    names of files.

    A part may be of somebody else's name; what is hidden on a page is not lost.
    """
    hide = _hide()
    columns = {name: joined for name, joined in JOINED.items() if name in frame.columns}
    columns |= dict.fromkeys(files, True)
    if hide is None:
        return frame
    return frame.with_columns(
        pl.Series(
            name, [None if one is None else hide(one, joined) for one in frame[name]], pl.String
        )
        for name, joined in columns.items()
    )


def reader() -> Callable[[str], str]:
    """What makes a text one that may be read."""
    return _hide() or str


def _hide() -> Hide | None:
    """None: nobody is masked."""
    known = answer(people.hidden)
    return People(known).hide(one.id for one in known) if known else None
