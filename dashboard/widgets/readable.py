"""What logs say in words of their own, as a page shows it: without the names of masked players."""

from collections.abc import Callable

import polars as pl

from dashboard.queries import people
from dashboard.tables import readable as tables
from dashboard.widgets.store import answer
from ingest.text.names import Hide


def readable(frame: pl.DataFrame, *files: str) -> pl.DataFrame:
    """A frame to be shown; `files`: columns with names of files."""
    return tables.readable(frame, hide(), *files)


def hide() -> Hide | None:
    """What hides the names of masked players; None: nobody is masked."""
    return tables.hide_of(answer(people.hidden))


def reader() -> Callable[[str], str]:
    """What makes a text one that may be read."""
    return hide() or str
