"""Shows texts of logs without the names of masked players, which are redacted."""

import secrets

import polars as pl

from ingest.redact.anonymize_log import LogRedactor, MaskedPlayer, MaskedPlayers

SINGLE_WORD_COLUMNS = {"event": False, "source": True, "log_id": True}
"""Columns of log texts that may contain a name; True: words are joined, as in an id."""


MATCHES_NOTHING = secrets.token_hex()
"""A random prefix that no log text has."""


def searchable_text(text: str | None, redactor: LogRedactor | None, joined: bool = False) -> str | None:
    """Return a text to search for; if it contains a masked player's name, one that matches nothing.

    So a guessed name finds the same as a name that does not exist.
    """
    if text is None or redactor is None or redactor(text, joined) == text:
        return text
    return MATCHES_NOTHING + text


def original_text(text: str | None) -> str | None:
    """Return the text the user searched for, without the prefix of `searchable_text`."""
    return text and text.removeprefix(MATCHES_NOTHING)


def redactor_for(masked: list[MaskedPlayer]) -> LogRedactor | None:
    """Return a redactor for any part of a masked player's name; None: no player is masked.

    A part may also belong to another name: the redactor then hides it there too.
    """
    return MaskedPlayers(masked).redactor_for(one.id for one in masked) if masked else None


def redact_frame(frame: pl.DataFrame, redactor: LogRedactor | None, *files: str) -> pl.DataFrame:
    """Return a frame with masked names hidden; `files` are columns with file names."""
    if redactor is None:
        return frame
    columns = {name: joined for name, joined in SINGLE_WORD_COLUMNS.items() if name in frame.columns}
    columns |= dict.fromkeys(files, True)
    return frame.with_columns(
        pl.Series(name, [None if one is None else redactor(one, joined) for one in frame[name]], pl.String)
        for name, joined in columns.items()
    )
