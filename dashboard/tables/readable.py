"""What logs say in words of their own, without the names of masked players."""

import polars as pl

from ingest.text.names import Hide, People, Person

JOINED = {"event": False, "source": True, "log_id": True}
"""Columns of texts that may name somebody; whether words are joined there, as in an id."""


def hide_of(masked: list[Person]) -> Hide | None:
    """What hides any part of any of their names; None: nobody is masked.

    A part may be of somebody else's name; what is hidden where it is read is not lost.
    """
    return People(masked).hide(one.id for one in masked) if masked else None


def readable(frame: pl.DataFrame, hide: Hide | None, *files: str) -> pl.DataFrame:
    """A frame to be read; `files`: columns with names of files."""
    if hide is None:
        return frame
    columns = {name: joined for name, joined in JOINED.items() if name in frame.columns}
    columns |= dict.fromkeys(files, True)
    return frame.with_columns(
        pl.Series(
            name, [None if one is None else hide(one, joined) for one in frame[name]], pl.String
        )
        for name, joined in columns.items()
    )
