"""Matches by what they are called: the store's id, its first digits, the id of the log itself."""

from collections.abc import Iterator
from contextlib import suppress

import duckdb

from ingest.store.hidden import masked
from ingest.store.texts import at_once
from ingest.text.json import value_of
from ingest.text.names import People

MOST = 1000
"""Matches that are looked at; no answer names so many."""


def called(
    ask: duckdb.DuckDBPyConnection, name: str, limit: int = 1, hidden: bool = False
) -> list[tuple[int, str]]:
    """(number, id) of the matches with this id, its first digits (8 at least) or its log's id.

    Of a whole id there is one alone. An id of a log that names who is masked finds nothing, else
    whoever guesses it would read the pseudonym there; `hidden`: it does.
    """
    rows = ask.execute(
        "SELECT match_no, match_id, match_id <> $1 AND log_id = $1 FROM matches"
        " WHERE match_id = $1 OR log_id = $1 OR (len($1) >= 8 AND starts_with(match_id, $1))"
        " ORDER BY match_id = $1 DESC, match_no",
        [name],
    ).fetchmany(MOST)
    if rows and rows[0][1] == name:
        return [rows[0][:2]]
    if not hidden:
        rows = list(_read(ask, name, rows))
    return [(number, match) for number, match, _ in rows][:limit]


def _read(
    ask: duckdb.DuckDBPyConnection, name: str, rows: list[tuple[int, str, bool]]
) -> Iterator[tuple[int, str, bool]]:
    """Those whose id, or the name as their log's id, a reader of the store may read."""
    people = People(masked(ask, logs=False).values())
    for row in rows:
        number, _, by_log = row
        if not by_log or not people.by_id:
            yield row
            continue
        with suppress(ValueError):
            for text in at_once(ask, [number]):
                if people.hide_in(value_of(text))(name, within=True) == name:
                    yield row
