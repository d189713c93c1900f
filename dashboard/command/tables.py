"""Figures in the terminal: lines for programs, and for people tables that break no word.

Not by Rich, which narrows the widest columns first, numbers too, until no cell is whole: here a
name gives way to a number, an interval to a name, and what has no room is named.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

import polars as pl
from rich.cells import cell_len
from rich.text import Text

from dashboard.queries.intervals import FEW
from dashboard.tables import announcements as announced
from dashboard.tables.players import LADDER, players_columns
from dashboard.tables.profile import SECTIONS, few, heading
from dashboard.tables.stats_query import Found, Request, Subject, sectioned
from dashboard.text.columns import Column, table_rows, with_sheets
from ingest.cli.terminal import Screen, console
from ingest.i18n import N_, Translate
from ingest.text.signs import cell, json_lines, lines, plain

LEFT_OUT = N_("No room for: {columns}. A wider terminal has them, and --format csv.")
BETWEEN = 2
"""Columns of space between two columns."""
LEAST = 12
"""What is left of a long name."""


LONGEST = 12
"""Rows people are shown of a section that grows with time: the last ones."""
NUMBER = re.compile(r"[-−+]?[\d\s.,]+%?|–")
"""A cell that stands to the right, below the others' digits."""
LAST = N_("The last {n} of {all}.")


class Shown(NamedTuple):
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


def _show(out: Screen, columns: Sequence[Shown], grey: Sequence[bool], t: Translate) -> None:
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
    told += [t("intervals")] if len(told) < len(missing) else []
    if told:
        out.print(Text(t(LEFT_OUT, columns=", ".join(told)), style="dim"))


def _fitting(columns: Sequence[Shown], room: int) -> tuple[Sequence[Shown], int]:
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


def _without(columns: Sequence[Column], *about: str) -> list[Column]:
    return [one for one in columns if one.about not in about]


COLUMNS: Mapping[Subject, Callable[[str, str | None], Sequence[Column]]] = {
    # who has which rank and form is looked up for the players of a page alone
    Subject.PLAYERS: lambda game, key: _without(players_columns(game), "rank", "form"),
    Subject.ANNOUNCEMENTS: lambda game, key: announced.by_key(announced.FREQUENCIES, key),
    Subject.MISSED: lambda game, key: announced.MISSED,
    Subject.WINNING: lambda game, key: announced.WINNING,
    Subject.FAIRNESS: lambda game, key: announced.SHUFFLES,
    Subject.LADDER: lambda game, key: _without(LADDER, "form"),
}
"""What people are shown of a subject at one game, as its page shows it."""
AS_OF_ALL = {"player": Subject.PLAYERS, "announcements": Subject.ANNOUNCEMENTS}
"""A player's sections that are shown as those of all players are."""


def write(found: Found, asked: Request, game: str, format: Format, t: Translate) -> None:
    """What answers, as lines for programs, or as tables for people."""
    if format is Format.TABLE:
        _print(found, asked, game, t)
    elif format is Format.JSONL:
        lines_of = (frame.write_ndjson() for frame in sectioned(found))
        sys.stdout.write(json_lines("".join(lines_of)))
    else:
        _write_csv(found)


def _print(found: Found, asked: Request, game: str, t: Translate) -> None:
    """Each section of a player and each fact beside chance under its heading, all else alone."""
    out = console()
    if not isinstance(found, pl.DataFrame):
        for name, frame in found.items():
            section = SECTIONS[name]
            out.print(Text(heading(name, game, t), style="bold"))
            last = frame.tail(LONGEST) if section.grows else frame
            grey = few(name, last) if section.columns else _few(last)
            columns = section.columns or COLUMNS[AS_OF_ALL[name]](game, None)
            show_frame(out, columns, last, grey, game, t)
            if last.height < frame.height:
                out.print(Text(t(LAST, n=last.height, all=frame.height), style="dim"))
            out.print()
        out.print(Text(t("Grey: fewer than {n}.", n=FEW), style="dim"))
    elif asked.subject is Subject.CHANCE:
        held = announced.by_key(announced.HELD, asked.by)
        for (fact,), rows in found.partition_by("fact", as_dict=True).items():
            out.print(Text(t(announced.BESIDE[str(fact)]), style="bold"))
            columns = announced.DEALT if fact == "dealt" else held
            show_frame(out, columns, rows, _few(rows), game, t)
            out.print()
    else:
        show_frame(out, COLUMNS[asked.subject](game, asked.by), found, _few(found), game, t)


def _few(frame: pl.DataFrame) -> list[bool]:
    """Which rows rest on fewer than FEW."""
    n = "parties" if "parties" in frame.columns else "n"
    return (frame[n] < FEW).to_list()


def show_frame(
    out: Screen,
    columns: Sequence[Column],
    frame: pl.DataFrame,
    grey: Sequence[bool],
    game: str,
    t: Translate,
) -> None:
    """The rows of a frame under the columns of its page; the first text of a row may be cut."""
    columns = with_sheets(columns, frame)
    rows = table_rows(columns, frame, t, {"game": game})
    shown = list[Shown]()
    for column in columns:
        label = t(column.label)
        cells = [plain(str(row[label])) for row in rows]
        right = all(map(NUMBER.fullmatch, cells))
        first = not right and all(one.right for one in shown)
        bound = (column.about or "").startswith("interval")
        shown.append(Shown(label, cells, right, shrinks=first, bound=bound))
    _show(out, shown, grey, t)


def _write_csv(found: Found) -> None:
    """CSV without formulas, with every column of any section; no text steers a terminal."""
    frames = sectioned(found)
    if not isinstance(found, pl.DataFrame):
        texts = pl.col(pl.List(pl.String)).list.join(" – "), pl.col(pl.Datetime).cast(pl.String)
        frames = [frame.with_columns(texts) for frame in frames]
    whole = pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()
    guarded = whole.with_columns(
        pl.Series(one.name, [None if text is None else cell(text) for text in one], pl.String)
        for one in whole
        if one.dtype == pl.String
    )
    text = guarded.write_csv()
    sys.stdout.write(lines(text) if sys.stdout.isatty() else text)


def is_empty(found: Found) -> bool:
    """Whether no row, of a player none of any section, rests on anything."""
    if isinstance(found, pl.DataFrame):
        return found.is_empty()
    return not any(
        frame["n"].sum() if "n" in frame.columns else frame.height for frame in found.values()
    )
