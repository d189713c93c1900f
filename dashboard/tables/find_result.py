"""Runs a search inside games for the command, the API and the page, without names of masked players."""

from collections.abc import Mapping
from typing import Any

import duckdb
import polars as pl

from dashboard.queries import find, player_search
from dashboard.queries.intervals import with_share_interval
from dashboard.tables.redacted import SINGLE_WORD_COLUMNS, redact_frame, redactor_for, searchable_text
from dashboard.text.numbers import percent_text
from engine.cards import SYMBOLS, card_label
from ingest.escaping import escape_csv_cell
from ingest.i18n import Translate

MAX_DEALS = 500
"""Deals of one answer."""
MAX_SECONDS = 600
"""How long words about plays are counted at most."""
MAX_CSV_DEALS = 10_000
"""Deals of a CSV file."""


def run_search(
    cursor: duckdb.DuckDBPyConnection,
    /,
    text: str,
    limit: int,
    offset: int = 0,
    count: bool = True,
    **which: Any,
) -> find.FoundDeals:
    """Return the deals that a search finds. BadSearch: it cannot be read, or has an unknown name.

    `which`: options of `find.find_deals`.
    """
    found = find.find_deals(cursor, _read_search(cursor, text), limit, offset, count, **which)
    return found._replace(deals=redact_frame(found.deals, _redactor(cursor)))


def check_search(cursor: duckdb.DuckDBPyConnection, text: str) -> None:
    """Check that a search can be run. BadSearch: it cannot be read, or has an unknown name."""
    run_search(cursor, text, 0, count=False, file_no=-1)


def search_by_month(cursor: duckdb.DuckDBPyConnection, text: str) -> pl.DataFrame:
    """Return `find.count_by_month` with the `share` found and its interval, `low` to `high`."""
    counts = find.count_by_month(cursor, _read_search(cursor, text))
    return with_share_interval(counts, "found", "deals")


def played_cells(row: Mapping[str, Any], t: Translate) -> dict[str, str | int]:
    """Return a row of the cards played in a position by heading, as a table shows it."""
    return {
        t("Card"): played_card(row["card"], t),
        t("Times"): row["n"],
        t("Share"): percent_text(row["part"], t),
        t("Deals won"): "" if row["share"] is None else percent_text(row["share"], t),
        t("95% interval of it"): f"{percent_text(row['low'], t)} – {percent_text(row['high'], t)}"
        if row["known"]
        else "",
    }


def played_card(card: str | None, t: Translate) -> str:
    """Return a card of a position as players write it; one that the hand does not have is another one."""
    if card is None:
        return t("another card")
    label = card_label(f"{card[:-1]}s", t.language)[:-1]
    return f"{label} {t('trump')}" if card[-1] == "t" else label + SYMBOLS[card[-1]]


def rows_csv(frame: pl.DataFrame) -> str:
    """Write deals or months as CSV: a list, such as the names, in one cell; no cell is a formula."""
    lists = [name for name, kind in frame.schema.items() if kind.base_type() is pl.List]
    frame = frame.with_columns(
        pl.col(name).list.eval(pl.element().cast(pl.String).fill_null("")).list.join(" – ") for name in lists
    )
    return frame.with_columns(
        pl.Series(one.name, [None if text is None else escape_csv_cell(text) for text in one], pl.String)
        for one in frame
        if one.dtype == pl.String
    ).write_csv()


def _read_search(cursor: duckdb.DuckDBPyConnection, text: str) -> find.Search:
    search = find.read_search(text)
    find.require_known_players(cursor, search)
    redactor = _redactor(cursor)
    return find.with_texts(
        search, lambda word, value: searchable_text(value, redactor, SINGLE_WORD_COLUMNS[word]) or ""
    )


def _redactor(cursor: duckdb.DuckDBPyConnection) -> Any:
    return redactor_for(player_search.masked_player_names(cursor))
