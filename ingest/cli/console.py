"""The console of all commands: where somebody reads along, lines end between words."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from rich.console import Console
from rich.text import Text

LEAST = 12
"""So much of a line is used, however narrow the terminal is."""
LEAST_BESIDE = 32
"""With less room beside the other columns the last one stands below them."""
BETWEEN = "  "
Cell = str | Text


class Screen(Console):
    """A console that a terminal need not break the lines of."""

    @property
    def is_read(self) -> bool:
        """Whether it is a terminal; what FORCE_COLOR paints may go into a file."""
        return self.is_terminal and self.file.isatty()

    def print(self, *objects: Any, **more: Any) -> None:
        """A text that is too wide in several lines, each as far in as its beginning."""
        text = objects[0] if len(objects) == 1 else None
        if not isinstance(text, str | Text) or not self.is_read:
            return super().print(*objects, **more)
        for line in _text(text).split("\n", allow_blank=True):
            # of a path that is too wide by itself the terminal breaks the line in any case
            helps = line.cell_len > self.width >= max(map(len, line.plain.split()), default=0)
            for piece in folded(line, self.width) if helps else (line,):
                super().print(piece, **more)


def _text(cell: Cell) -> Text:
    return cell if isinstance(cell, Text) else Text(cell)


def one_line(text: str) -> str:
    """A text without its line ends; spaces that do not break stay what they are."""
    return re.sub("[ \t\n]+", " ", text).strip(" ")


def folded(text: Text, width: int, indent: str = "", hanging: str | None = None) -> Iterator[Text]:
    """The lines of a text, as far in as it begins, indented; those after the first by `hanging`.

    Not by Rich, which breaks at spaces that do not break, of which French has many.
    """
    own = " " * (len(text.plain) - len(text.plain.lstrip(" ")))
    indent, hanging = indent + own, (indent if hanging is None else hanging) + own
    room = max(width - max(len(indent), len(hanging)), LEAST)
    lines = textwrap.wrap(
        text.plain, room, drop_whitespace=False, break_on_hyphens=False, break_long_words=False
    )
    ends = list(accumulate(len(line) for line in lines))
    for place, piece in enumerate(text.divide(ends[:-1])):
        piece.rstrip()
        kept = piece[len(piece.plain) - len(piece.plain.lstrip(" ")) :]
        yield Text(hanging if place else indent).append(kept)


def in_columns(
    rows: Iterable[Sequence[Cell]], width: int | None, margin: str = ""
) -> Iterator[Text]:
    """The lines of a list in columns; the last one, which is prose, is folded to a width if any."""
    every = [[_text(cell) for cell in row] for row in rows]
    widths = [max(cell.cell_len for cell in column) for column in [*zip(*every, strict=True)][:-1]]
    beside = len(margin) + sum(widths) + len(BETWEEN) * len(widths)
    below = width is not None and width - beside < LEAST_BESIDE
    indent = " " * (len(margin) + 2 * len(BETWEEN) if below else beside)
    for *cells, last in every:
        line = Text(margin)
        for cell, wide in zip(cells, widths, strict=True):
            cell.align("left", wide)
            line.append(cell).append(BETWEEN)
        lines = [Text(indent).append(last)] if width is None else [*folded(last, width, indent)]
        if lines and not below:
            line.append(lines.pop(0)[len(indent) :])
        line.rstrip()
        yield from (line, *lines)


def show(out: Screen, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print the rows under their heads: whole in a pipe, folded in a terminal."""
    every = [[Text(one, style="bold") for one in heads], *rows]
    for line in in_columns(every, out.width if out.is_read else None):
        out.print(line)
