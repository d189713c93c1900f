"""A list in columns, of which the last one is prose: whole in a pipe, folded in a terminal."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from ingest.cli.fold import folded
from ingest.cli.screen import Screen

BETWEEN = "  "
LEAST = 24
"""With less room beside the others the last column stands below them."""

Cell = str | Text


def show(out: Screen, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print the rows under their heads; no cell but those of the last column is ever folded."""
    every = [
        [Text(one, style="bold") for one in heads],
        *([one if isinstance(one, Text) else Text(one) for one in row] for row in rows),
    ]
    widths = [max(row[place].cell_len for row in every) for place in range(len(heads) - 1)]
    beside = sum(widths) + len(BETWEEN) * len(widths)
    below = out.is_read and out.width - beside < LEAST
    indent = " " * (2 * len(BETWEEN) if below else beside)
    for *cells, last in every:
        line = Text()
        for cell, width in zip(cells, widths, strict=True):
            cell.align("left", width)
            line.append(cell).append(BETWEEN)
        lines = (
            list(folded(last, out.width, indent)) if out.is_read else [Text(indent).append(last)]
        )
        if lines and not below:
            line.append(lines.pop(0)[len(indent) :])
        line.rstrip()
        for one in (line, *lines):
            out.print(one)
