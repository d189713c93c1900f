"""Texts of logs shown without the names of masked players."""

import secrets

import polars as pl

from ingest.redact.log_text import LogRedactor, MaskedPlayer, MaskedPlayers

SINGLE_WORD_COLUMNS = {"event": False, "source": True, "log_id": True}
"""Columns of texts that may name somebody; whether words are joined there, as in an id."""


MATCHES_NOTHING = secrets.token_hex()
"""What no text of a log begins with: nobody knows it."""


def searchable_text(
    text: str | None, redactor: LogRedactor | None, joined: bool = False
) -> str | None:
    """A text to look for; where it names who is masked, one that is nowhere.

    So whoever guesses a name finds what a name finds that never was.
    """
    if text is None or redactor is None or redactor(text, joined) == text:
        return text
    return MATCHES_NOTHING + text


def original_text(text: str | None) -> str | None:
    """What was asked for, of what is sought."""
    return text and text.removeprefix(MATCHES_NOTHING)


def redactor_for(masked: list[MaskedPlayer]) -> LogRedactor | None:
    """What hides any part of any of their names; None: nobody is masked.

    A part may be of somebody else's name; what is hidden where it is read is not lost.
    """
    return MaskedPlayers(masked).redactor_for(one.id for one in masked) if masked else None


def redact_frame(frame: pl.DataFrame, redactor: LogRedactor | None, *files: str) -> pl.DataFrame:
    """A frame to be read; `files`: columns with names of files."""
    if redactor is None:
        return frame
    columns = {
        name: joined for name, joined in SINGLE_WORD_COLUMNS.items() if name in frame.columns
    }
    columns |= dict.fromkeys(files, True)
    return frame.with_columns(
        pl.Series(
            name, [None if one is None else redactor(one, joined) for one in frame[name]], pl.String
        )
        for name, joined in columns.items()
    )
