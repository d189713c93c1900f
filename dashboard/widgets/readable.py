"""What logs say in words of their own, without the names of masked players."""

from collections.abc import Callable

import polars as pl

from dashboard.queries import people
from dashboard.widgets.store import answer
from ingest.text.hiding import hiding

WORDS = ("event", "source", "log_id")


def readable(frame: pl.DataFrame, *words: str) -> pl.DataFrame:
    """A frame to be shown: nobody who is masked is named in its WORDS, and in the columns given."""
    say = reader()
    shown = [name for name in (*WORDS, *words) if name in frame.columns]
    return frame.with_columns(
        pl.Series(name, [None if one is None else say(one) for one in frame[name]], pl.String)
        for name in shown
    )


def reader() -> Callable[[str], str]:
    """What makes a text one that may be read."""
    names = answer(people.hidden)
    return hiding(names) if names else str
