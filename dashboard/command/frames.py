"""A frame of figures in the terminal: lines for programs, a table for people."""

import sys
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

import polars as pl

from dashboard.command.fitted import Head, show
from dashboard.queries.intervals import FEW
from dashboard.tables.announcements import BESIDE, HABITS
from dashboard.text.numbers import decimal, finely, percent
from ingest.cli.console import Screen
from ingest.cli.terminal import console
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate
from ingest.text.signs import cell, json_lines, lines, plain


class Format(StrEnum):
    """How frames are written."""

    TABLE = "table"
    JSONL = "jsonl"
    CSV = "csv"


LABELS = {
    "rank": N_("Rank"),
    "name": N_("Name"),
    "kind": N_("Announcement"),
    "trump": N_("Trump"),
    "fact": N_("Fact"),
    "trick": N_("Trick"),
    "phase": N_("Phase"),
    "lead": N_("By the leader"),
    "player": N_("Player"),
    "event": N_("Event"),
    "month": N_("Month"),
    "source": N_("Source"),
    "test": N_("Test"),
    "matches": N_("Matches"),
    "parties": N_("Deals"),
    "wins": N_("Won"),
    "told": N_("of which on score sheets"),
    "dealt": N_("Dealt"),
    "held": N_("Held"),
    "announced": N_("Announced"),
    "announced_per": N_("Announcements per partie"),
    "said": N_("Announcements made"),
    "shown": N_("Shown"),
    "counted": N_("Counted"),
    "k": "k",
    "n": "n",
    "statistic": N_("Statistic"),
    "p": "p",
    "corrected": N_("p by Holm"),
    "fair": N_("Nothing unusual"),
    "missed": N_("Unannounced"),
    "lost": N_("Partie lost"),
    "turned": N_("Would have won"),
    "other_n": N_("Hands without"),
    "share": N_("Share"),
    "other": N_("Won without"),
    "chance": N_("Probability"),
    "difference": N_("Difference"),
    "low": N_("from"),
    "high": N_("to"),
    "least": N_("Simulated, least"),
    "least_habit": N_("Habit"),
    "most": N_("Simulated, most"),
    "most_habit": N_("Habit of most"),
    "worth": N_("Points"),
    "points": N_("Average points"),
    "points_low": N_("from"),
    "points_high": N_("to"),
    "value": "μ\u00a0−\u00a03σ",
    "mu": "μ",
    "sigma": "σ",
    "provisional": N_("provisional"),
    "last": N_("Played last on"),
}
"""What people are shown, in this order; programs get every column."""
SHARES = ("share", "other", "chance", "difference", "low", "high", "least", "most")
WORDS = {
    **BESIDE,
    "open": N_("open"),
    "closed": N_("closed"),
    "cards": N_("cards"),
    "points": N_("points"),
    "repeats": N_("repeats"),
    **HABITS,
}
CODED = ("kind", "fact", "phase", "test", "least_habit", "most_habit")
"""Columns whose values are among WORDS, or kinds of announcements."""
TEXTS = ("name", "player", "event", "source")
"""Columns of texts of a log, which may be longer than any screen is wide."""
BOUNDS = ("low", "high", "points_low", "points_high")
"""Ends of intervals."""


def show_frame(out: Screen, frame: pl.DataFrame, t: Translate) -> None:
    """The columns people are shown, those of few greyed."""
    shown = [name for name in LABELS if name in frame.columns]
    heads = [
        Head(t(LABELS[name]), frame.schema[name].is_numeric(), name in TEXTS, name in BOUNDS)
        for name in shown
    ]
    digits = {name: _digits(frame[name]) for name in shown}
    rows = [
        [_cell(name, value, digits[name], t) for name, value in zip(shown, row, strict=True)]
        for row in frame.select(shown).iter_rows()
    ]
    show(out, heads, rows, _few(frame), t)


def _few(frame: pl.DataFrame) -> list[bool]:
    """Which rows rest on fewer than FEW."""
    n = next((name for name in ("parties", "n") if name in frame.columns), None)
    return [False] * frame.height if n is None else (frame[n] < FEW).to_list()


def _digits(column: pl.Series) -> int:
    """How many digits all decimals of a column have: three that say something, or more."""
    if not column.dtype.is_float():
        return 0
    most = cast(float, column.abs().max() or 0)
    if not most:
        return 0
    return 3 if most < 1 else 2 if most < 10 else 1


def _cell(name: str, value: Any, digits: int, t: Translate) -> str:
    """A value as a person reads it; names are told plainly, whatever signs are in them."""
    if value is None:
        return "–"
    if name == "chance":
        return finely(value, t, 3)
    if name in SHARES:
        return percent(value, t)
    if isinstance(value, bool):
        return t(N_("yes")) if value else t(N_("no"))
    if isinstance(value, float):
        return decimal(value, t, digits)
    if name == "month":
        return f"{value:%m/%Y}" if t.language == "fr" else f"{value:%Y-%m}"
    if isinstance(value, datetime):
        return f"{value:%d/%m/%Y}" if t.language == "fr" else f"{value:%Y-%m-%d}"
    if name in CODED:
        return t({**KINDS, **WORDS}.get(value, value))
    return plain(str(value))


def write(frame: pl.DataFrame, format: Format, t: Translate) -> None:
    """A frame as lines for programs, or as a table for people."""
    if format is Format.CSV:
        write_csv(frame)
    elif format is Format.JSONL:
        sys.stdout.write(json_lines(frame.write_ndjson()))
    else:
        show_frame(console(), frame, t)


def write_csv(frame: pl.DataFrame) -> None:
    """A frame as CSV without formulas; on a terminal no sign of a text steers it."""
    guarded = frame.with_columns(
        pl.Series(one.name, [None if text is None else cell(text) for text in one], pl.String)
        for one in frame
        if one.dtype == pl.String
    )
    text = guarded.write_csv()
    sys.stdout.write(lines(text) if sys.stdout.isatty() else text)
