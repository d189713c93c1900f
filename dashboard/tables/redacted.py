"""What logs say in words of their own, without the names of masked players."""

import secrets

import polars as pl

from ingest.redact.log_text import Hide, People, Person

JOINED = {"event": False, "source": True, "log_id": True}
"""Columns of texts that may name somebody; whether words are joined there, as in an id."""


NEVER = secrets.token_hex()
"""What no text of a log begins with: nobody knows it."""


def sought(text: str | None, hide: Hide | None, joined: bool = False) -> str | None:
    """A text to look for; where it names who is masked, one that is nowhere.

    So whoever guesses a name finds what a name finds that never was.
    """
    if text is None or hide is None or hide(text, joined) == text:
        return text
    return NEVER + text


def asked(text: str | None) -> str | None:
    """What was asked for, of what is sought."""
    return text and text.removeprefix(NEVER)


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
