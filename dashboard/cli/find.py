"""`retourne find`: prints the deals that a search finds."""

import sys
from datetime import date
from enum import StrEnum
from typing import Any

import orjson
import polars as pl
from rich.text import Text

from dashboard.cli.search import read_searches
from dashboard.cli.stats import TextColumn, print_fitting_columns
from dashboard.games import game_titles
from dashboard.games.find_word import BadSearch
from dashboard.queries.find import examples, word_list
from dashboard.tables import find_result
from dashboard.tables.saved_searches import NAMES_MASKED
from dashboard.text.numbers import date_text, month_text, percent_text
from engine.games import game
from ingest.cli import common as cli
from ingest.cli.open_store import LocalStore, StoreOrServerRun
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_json_lines, escape_line, escape_lines
from ingest.i18n import N_, Translate
from ingest.operations import NotFound
from ingest.store.saved_searches import NO_SEARCH

Format = StrEnum("Format", {"TABLE": "table", "JSONL": "jsonl", "CSV": "csv"})
FOUND, FOUND_SOME = N_("Deals found: {count}."), N_("Deals found: {count}; shown: {first} to {last}.")
NOTHING_FOUND = N_("No deal of the store matches this search.")
NOT_FINISHED = N_(
    "Counted in the {read} matches played last, for {seconds} seconds: --seconds N counts longer."
)
NO_POSITION = N_("The search has no position: add one, as in position:7t,As,9h/10s.")
REPLAY_ONE = N_("To see one: retourne replay MATCH --deal N {store!w}")


def find(
    run: StoreOrServerRun,
    search: str | None = cli.argument(N_("The search; --words lists its words."), N_("SEARCH"), None),
    limit: int = cli.option(
        N_("Print at most this many deals."),
        "N",
        "--limit",
        "-n",
        default=10,
        min=1,
        max=find_result.MAX_DEALS,
    ),
    offset: int = cli.option(N_("Skip the first deals."), "N", default=0, min=0, max=10_000_000),
    seconds: int = cli.option(
        N_("How long words about plays are counted."), "N", default=10, min=1, max=find_result.MAX_SECONDS
    ),
    words: bool = cli.flag(N_("List the words of a search.")),
    saved: int | None = cli.option(N_("Run this saved search, by its number."), "N"),
    months: bool = cli.flag(N_("Print, by month, the deals found and all deals.")),
    played: bool = cli.flag(N_("Print the cards played in the position of the search instead.")),
    format: Format = cli.option(N_("table for people; jsonl and csv for programs."), default=Format.TABLE),
) -> None:
    """Print the deals of a store that a search finds."""
    t = run.t
    if saved is not None:
        search = _saved_search(run, saved)
    if words or search is None:
        _print_words(t)
        return
    cards: list[dict[str, Any]] | None = None
    read: int | None = None
    with run.open(read_only=True) as there:
        if isinstance(there, LocalStore):
            cursor = there.operation_context(lambda update: None).store.cursor()
            if months:
                count, frame = 0, find_result.search_by_month(cursor, search)
            else:
                found = find_result.run_search(cursor, search, limit, offset, seconds=seconds)
                count, frame = found.total or 0, found.deals
                read = None if found.is_counted else found.read
                cards = None if found.played is None else found.played.to_dicts()
            rows = [orjson.loads(line) for line in frame.write_ndjson().splitlines()]
        elif months:
            count, rows = 0, there.get_json("/find/months", q=search)["rows"]
        else:
            answer = there.get_json("/find", q=search, limit=limit, offset=offset, seconds=seconds)
            read = None if answer["is_counted"] else answer["read"]
            count, cards, rows = answer["count"], answer["played"], answer["rows"]
    if played:
        if cards is None:
            raise BadSearch(NO_POSITION)
        rows = cards
    if read is not None:
        cli.print_notice(t(NOT_FINISHED, read=read, seconds=seconds))
    if format is Format.CSV:
        text = find_result.rows_csv(pl.DataFrame(rows, infer_schema_length=None))
        sys.stdout.write(escape_lines(text) if sys.stdout.isatty() else text)
        return
    if format is Format.JSONL:
        sys.stdout.write(escape_json_lines("".join(f"{orjson.dumps(row).decode()}\n" for row in rows)))
        return
    if months:
        _print_months(rows, t)
        return
    if not rows:
        cli.print_notice(t(NOTHING_FOUND) if not count else t(FOUND, count=count))
        return
    if cards:
        _print_played(cards, t)
    if played:
        return
    _print_deals(rows, t)
    some = {"first": offset + 1, "last": offset + len(rows)}
    notes = [t(FOUND, count=count) if count == len(rows) else t(FOUND_SOME, count=count, **some)]
    notes.append(t(REPLAY_ONE, store=run.server or run.store))
    for note in notes:
        console(stderr=True).print(Text(note, style="dim"))


def _saved_search(run: StoreOrServerRun, number: int) -> str:
    """Return the text of a saved search. StoreError: there is none, or it names a masked player."""
    for one in read_searches(run):
        if one["number"] == number:
            if one["search"] is None:
                raise BadSearch(NAMES_MASKED, number=number)
            return str(one["search"])
    raise NotFound(NO_SEARCH, number=number)


def _print_months(rows: list[dict[str, Any]], t: Translate) -> None:
    shares = [[percent_text(row[name], t) for name in ("share", "low", "high")] for row in rows]
    days = [date.fromisoformat(row["month"]) for row in rows]
    columns = [
        TextColumn(t("Month"), [month_text(day, t) for day in days]),
        TextColumn(t("Deals found"), [str(row["found"]) for row in rows], align_right=True),
        TextColumn(t("of deals"), [str(row["deals"]) for row in rows], align_right=True),
        TextColumn(t("Share"), [share for share, _, _ in shares], align_right=True),
        TextColumn(t("95% interval of it"), [f"{low} – {high}" for _, low, high in shares], align_right=True),
    ]
    print_fitting_columns(console(), columns, [False] * len(rows), t)


def _print_played(rows: list[dict[str, Any]], t: Translate) -> None:
    """Print the cards played in the position of a search, above the deals."""
    texts = [find_result.played_cells(row, t) for row in rows]
    columns = [
        TextColumn(name, [str(one[name]) for one in texts], align_right=place > 0)
        for place, name in enumerate(texts[0])
    ]
    print_fitting_columns(console(), columns, [False] * len(rows), t)
    console().print()


def _print_deals(rows: list[dict[str, Any]], t: Translate) -> None:
    days = pl.Series([row["played_on"] for row in rows], dtype=pl.String).str.to_date().to_list()
    titles = game_titles()
    columns = [
        TextColumn(t("Day"), [date_text(day, t) for day in days]),
        TextColumn(t("Game"), [titles.get(row["game"], row["game"]) for row in rows]),
        TextColumn(t("Players"), [escape_line(_players_text(row)) for row in rows], can_shrink=True),
        TextColumn(t("Points"), [_points_text(row) for row in rows], align_right=True),
        TextColumn(t("Deal"), [str(row["deal_number"]) for row in rows], align_right=True),
        TextColumn(t("Match"), [row["match_id"][:12] for row in rows]),
    ]
    print_fitting_columns(console(), columns, [False] * len(rows), t)


def _players_text(row: dict[str, Any]) -> str:
    """Return the names of the table; those for whom the search is true are marked."""
    marked = row["seats"] or ()
    return ", ".join(f"▸{name}" if seat in marked else name for seat, name in enumerate(row["names"], 1))


def _points_text(row: dict[str, Any]) -> str:
    """Return the points of each side."""
    sides = game(row["game"]).side_count(len(row["names"]))
    return " – ".join("?" if one is None else str(one) for one in (row["points"] or ())[:sides])


def _print_words(t: Translate) -> None:
    out = console()
    described = word_list()
    columns = [
        TextColumn(t("Word"), [" · ".join(word.names) for word in described]),
        TextColumn(t("Finds"), [t(word.meaning) for word in described], can_shrink=True),
        TextColumn(t("Example"), [" · ".join(examples(word, t.language)) for word in described]),
    ]
    print_fitting_columns(out, columns, [False] * len(described), t)
