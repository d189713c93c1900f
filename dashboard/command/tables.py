"""Figures in the terminal: lines for programs, and for people tables that break no word.

Not by Rich, which narrows the widest columns first, numbers too, until no cell is whole: here a
name gives way to a number, an interval to a name, and what has no room is named.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import zip_longest
from textwrap import wrap
from typing import Any, NamedTuple, cast

import polars as pl
from rich.cells import cell_len
from rich.text import Text

from dashboard.queries.intervals import FEW
from dashboard.tables.announcements import BESIDE, HABITS
from dashboard.tables.profile import SECTIONS, few, heading, section_rows
from dashboard.text.columns import with_sheets
from dashboard.text.numbers import decimal, finely, percent
from ingest.cli.console import Screen
from ingest.cli.terminal import console
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate
from ingest.text.signs import cell, json_lines, lines, plain

LEFT_OUT = N_("No room for: {columns}. A wider terminal has them, and --format csv.")
INTERVALS = N_("intervals")
BETWEEN = 2
"""Columns of space between two columns."""
LEAST = 12
"""What is left of a long name."""


class Column(NamedTuple):
    """A column of a table, and how it gives way where there is too little room."""

    label: str
    cells: Sequence[str]
    right: bool = False
    shrinks: bool = False
    """A text of a log, which may be longer than any screen is wide: it ends in … instead."""
    bound: bool = False
    """The end of an interval: it goes first."""

    @property
    def widest(self) -> int:
        """How many cells of a terminal all of its cells take, without the label."""
        return max(map(cell_len, self.cells), default=0)

    def width(self, least: bool = False) -> int:
        """What it takes whole, or at least; the label is broken between words."""
        own = min(self.widest, LEAST) if least and self.shrinks else self.widest
        return max(own, *map(cell_len, self.label.split(" ")))


def show(out: Screen, columns: Sequence[Column], grey: Sequence[bool], t: Translate) -> None:
    """Print rows; where there is no room for all columns, fewer, and which ones are missing.

    What is no terminal has all the room it takes.
    """
    kept, over = _fitting(columns, out.width) if out.is_read else (columns, 0)
    widths = []
    for column in kept:
        less = min(over, column.width() - column.width(least=True))
        widths.append(column.width() - less)
        over -= less

    def line(cells: Iterable[str], style: str) -> Text:
        padded = []
        for column, width, said in zip(kept, widths, cells, strict=True):
            padded.append(text := Text(said))
            text.truncate(width, overflow="ellipsis")
            text.align("right" if column.right else "left", width)
        joined = Text(" " * BETWEEN, style=style).join(padded)
        joined.rstrip()
        return joined

    labels = [
        wrap(column.label, width, break_on_hyphens=False)[::-1]
        for column, width in zip(kept, widths, strict=True)
    ]
    for titles in [*zip_longest(*labels, fillvalue="")][::-1]:
        out.print(line(titles, "bold"))
    for cells, dim in zip(zip(*(column.cells for column in kept), strict=True), grey, strict=True):
        out.print(line(cells, "dim" if dim else ""))
    missing = [one for one in columns if not any(one is other for other in kept)]
    told = [one.label for one in missing if not one.bound]
    told += [t(INTERVALS)] if len(told) < len(missing) else []
    if told:
        out.print(Text(t(LEFT_OUT, columns=", ".join(told)), style="dim"))


def _fitting(columns: Sequence[Column], room: int) -> tuple[Sequence[Column], int]:
    """The columns there is room for, without bounds if need be, then without the last ones.

    And how much wider than the room they would be whole.
    """

    def over(least: bool) -> int:
        return sum(one.width(least) + BETWEEN for one in columns) - BETWEEN - room

    if over(least=True) > 0:
        columns = [one for one in columns if not one.bound]
    while len(columns) > 1 and over(least=True) > 0:
        columns = columns[:-1]
    return columns, max(over(least=False), 0)


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
    columns = []
    for name in [name for name in LABELS if name in frame.columns]:
        digits = _digits(frame[name])
        cells = [_cell(name, value, digits, t) for value in frame[name]]
        right, label = frame.schema[name].is_numeric(), t(LABELS[name])
        columns.append(Column(label, cells, right, name in TEXTS, name in BOUNDS))
    show(out, columns, _few(frame), t)


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
        _write_csv(frame)
    elif format is Format.JSONL:
        sys.stdout.write(json_lines(frame.write_ndjson()))
    else:
        show_frame(console(), frame, t)


def _write_csv(frame: pl.DataFrame) -> None:
    """A frame as CSV without formulas; on a terminal no sign of a text steers it."""
    guarded = frame.with_columns(
        pl.Series(one.name, [None if text is None else cell(text) for text in one], pl.String)
        for one in frame
        if one.dtype == pl.String
    )
    text = guarded.write_csv()
    sys.stdout.write(lines(text) if sys.stdout.isatty() else text)


LONGEST = 12
"""Rows people are shown of a section that grows with time: the last ones."""
NUMBER = re.compile(r"[-−+]?[\d\s.,]+%?|–")
"""A cell that stands to the right, below the others' digits."""
LAST = N_("The last {n} of {all}.")
GREYED = N_("Grey: fewer than {n}.")


def _json_lines(found: Mapping[str, pl.DataFrame]) -> str:
    """JSON lines: each row of each section, with `section` first."""
    return "".join(_named(name, frame).write_ndjson() for name, frame in found.items())


def _one(found: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """One frame of all sections: every column of any of them, empty where a section has none."""
    frames = [
        _named(name, frame).with_columns(
            pl.col(pl.List(pl.String)).list.join(" – "), pl.col(pl.Datetime).cast(pl.String)
        )
        for name, frame in found.items()
    ]
    return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()


def _named(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.lit(name).alias("section"), pl.all())


def is_empty(found: Mapping[str, pl.DataFrame]) -> bool:
    """Whether no row of any section rests on anything."""
    return not any(
        frame["n"].sum() if "n" in frame.columns else frame.height for frame in found.values()
    )


def write_player(
    found: Mapping[str, pl.DataFrame], game: str, format: Format, t: Translate
) -> None:
    """Everything there is of one player, in the format asked for."""
    if format is Format.TABLE:
        _print(found, game, t, console())
    elif format is Format.CSV:
        _write_csv(_one(found))
    else:
        sys.stdout.write(json_lines(_json_lines(found)))


def _print(found: Mapping[str, pl.DataFrame], game: str, t: Translate, console: Screen) -> None:
    """Each section under its heading; one without columns of its own as any other frame."""
    for name, frame in found.items():
        section = SECTIONS[name]
        console.print(Text(heading(name, game, t), style="bold"))
        last = frame.tail(LONGEST) if section.grows else frame
        if section.columns:
            _show(name, last, game, t, console)
        else:
            show_frame(console, frame, t)
        if last.height < frame.height:
            console.print(Text(t(LAST, n=last.height, all=frame.height), style="dim"))
        console.print()
    console.print(Text(t(GREYED, n=FEW), style="dim"))


def _show(name: str, frame: pl.DataFrame, game: str, t: Translate, out: Screen) -> None:
    """A section with columns of its own."""
    rows = section_rows(name, frame, game, t)
    columns = []
    for place, column in enumerate(with_sheets(SECTIONS[name].columns, frame)):
        label = t(column.label)
        cells = [plain(str(row[label])) for row in rows]
        right = all(map(NUMBER.fullmatch, cells))
        bound = (column.about or "").startswith("interval")
        columns.append(Column(label, cells, right, shrinks=place == 0, bound=bound))
    show(out, columns, few(name, frame), t)
