"""A table of figures that breaks no word and no number, however wide the terminal is."""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ingest.cli.terminal import on_screen
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
    out: Console,
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
    if on_screen(out):
        kept = _fitting(heads, [least for least, _ in widths], out.width)
    table = Table(box=None, pad_edge=False, padding=(0, BETWEEN, 0, 0))
    for place in kept:
        head = heads[place]
        table.add_column(
            Text("\n".join(wrap(head.label, widths[place][1], break_on_hyphens=False))),
            justify="right" if head.right else "left",
            overflow="ellipsis",
            no_wrap=True,
            min_width=widths[place][0],
            vertical="bottom",
        )
    for row, dim in zip(rows, grey, strict=True):
        table.add_row(*(Text(row[place]) for place in kept), style="dim" if dim else None)
    whole = sum(widths[place][1] for place in kept) + BETWEEN * (len(kept) - 1)
    table.width = min(whole, out.width) if on_screen(out) else whole
    out.print(table)
    missing = [head for place, head in enumerate(heads) if place not in kept]
    told = [one.label for one in missing if not one.bound]
    told += [t(INTERVALS)] if len(told) < len(missing) else []
    if told:
        out.print(Text(t(LEFT_OUT, columns=", ".join(told)), style="dim"))


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
