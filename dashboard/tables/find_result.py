"""Runs a search inside games for the command, the API and the page, without names of masked players."""

import duckdb

from dashboard.queries import find, player_search
from dashboard.tables.redacted import SINGLE_WORD_COLUMNS, redact_frame, redactor_for, searchable_text

MAX_DEALS = 500
"""Deals of one answer."""


def run_search(
    cursor: duckdb.DuckDBPyConnection, text: str, limit: int, offset: int = 0, count: bool = True
) -> find.FoundDeals:
    """Return the deals that a search finds. BadSearch: it cannot be read, or has an unknown name."""
    search = find.read_search(text)
    find.require_known_players(cursor, search)
    redactor = redactor_for(player_search.masked_player_names(cursor))
    hidden = find.with_texts(
        search, lambda word, value: searchable_text(value, redactor, SINGLE_WORD_COLUMNS[word]) or ""
    )
    found = find.find_deals(cursor, hidden, min(limit, MAX_DEALS), offset, count)
    return found._replace(deals=redact_frame(found.deals, redactor))
