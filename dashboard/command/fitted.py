"""A table of figures that breaks no word and no number, however wide the terminal is."""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from ingest.cli.console import Screen
from ingest.i18n import N_, Translate

LEFT_OUT = N_("No room for: {columns}. A wider terminal has them, and --format csv.")
INTERVALS = N_("intervals")
BETWEEN = 2
"""Columns of space between two columns."""
LEAST = 12
"""What is left of a long name."""


class Head(NamedTuple):
    """A column: its heading, and how it gives way."""

    label: str
    right: bool = False
    shrinks: bool = False
    """A text of a log, which may be longer than any screen is wide: it ends in … instead."""
    bound: bool = False
    """The end of an interval: it goes first."""


def show(
    out: Screen,
    heads: Sequence[Head],
    rows: Sequence[Sequence[str]],
    grey: Sequence[bool],
    t: Translate,
) -> None:
    """Print the rows; where there is no room for all columns, fewer, and which ones are missing.

    What is no terminal has all the room it takes.
    """
    widths = [_widths(place, head, rows) for place, head in enumerate(heads)]
    kept = list(range(len(heads)))
    if out.is_read:
        kept = _fitting(heads, [least for least, _ in widths], out.width)
    taken = _taken([widths[place] for place in kept], out.width if out.is_read else None)
    labels = [
        wrap(heads[place].label, taken[at], break_on_hyphens=False) for at, place in enumerate(kept)
    ]
    high = max(map(len, labels))
    titles = [[""] * (high - len(label)) + label for label in labels]
    for title in zip(*titles, strict=True):
        out.print(_line(heads, kept, taken, title, "bold"))
    for row, dim in zip(rows, grey, strict=True):
        out.print(_line(heads, kept, taken, [row[place] for place in kept], "dim" if dim else ""))
    missing = [head for place, head in enumerate(heads) if place not in kept]
    told = [one.label for one in missing if not one.bound]
    told += [t(INTERVALS)] if len(told) < len(missing) else []
    if told:
        out.print(Text(t(LEFT_OUT, columns=", ".join(told)), style="dim"))


def _line(
    heads: Sequence[Head],
    kept: Sequence[int],
    widths: Sequence[int],
    row: Sequence[str],
    style: str,
) -> Text:
    """The cells of a line, each as wide as its column."""
    cells = []
    for place, width, cell in zip(kept, widths, row, strict=True):
        text = Text(cell)
        text.truncate(width, overflow="ellipsis")
        text.align("right" if heads[place].right else "left", width)
        cells.append(text)
    line = Text(" " * BETWEEN, style=style).join(cells)
    line.rstrip()
    return line


def _taken(widths: Sequence[tuple[int, int]], room: int | None) -> list[int]:
    """How wide each column is: whole, or where there is too little room as wide as it has to be."""
    whole = [most for _, most in widths]
    if room is None:
        return whole
    over = sum(whole) + BETWEEN * (len(whole) - 1) - room
    for place, (least, most) in enumerate(widths):
        less = max(0, min(over, most - least))
        whole[place] -= less
        over -= less
    return whole


def _widths(place: int, head: Head, rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """(the least a column can do with, what it takes whole), in cells of a terminal."""
    title = max(map(cell_len, head.label.split(" ")))
    cells = max((cell_len(row[place]) for row in rows), default=0)
    return max(title, min(cells, LEAST) if head.shrinks else cells), max(title, cells)


def _fitting(heads: Sequence[Head], least: Sequence[int], room: int) -> list[int]:
    """The columns there is room for: without bounds if need be, then without the last ones."""
    kept = list(range(len(heads)))

    def wide() -> bool:
        return sum(least[place] for place in kept) + BETWEEN * (len(kept) - 1) > room

    if wide():
        kept = [place for place in kept if not heads[place].bound]
    while len(kept) > 1 and wide():
        kept.pop()
    return kept
