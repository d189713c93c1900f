"""Runs a search inside games for the command, the API and the page, without names of masked players."""

from typing import NamedTuple

import duckdb
import polars as pl

from dashboard.queries import find, player_search
from dashboard.tables.redacted import SINGLE_WORD_COLUMNS, redact_frame, redactor_for, searchable_text

MAX_DEALS = 500
"""Deals of one answer."""


class FindResult(NamedTuple):
    """The deals that a search found."""

    total: int
    """How many deals are found in all."""
    deals: pl.DataFrame
    """Some of them, with the columns of `find.find_deals`."""


def run_search(cursor: duckdb.DuckDBPyConnection, text: str, limit: int, offset: int = 0) -> FindResult:
    """Return the deals that a search finds. BadSearch: it cannot be read, or has an unknown name."""
    search = find.read_search(text)
    find.require_known_players(cursor, search)
    redactor = redactor_for(player_search.masked_player_names(cursor))
    hidden = find.with_texts(
        search, lambda word, value: searchable_text(value, redactor, SINGLE_WORD_COLUMNS[word]) or ""
    )
    count = find.count_deals(cursor, hidden)
    deals = find.find_deals(cursor, hidden, min(limit, MAX_DEALS), offset)
    return FindResult(count, redact_frame(deals, redactor))
