"""Prints tables and long lines in a terminal, fitted to its width."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from rich.console import Console
from rich.text import Text

MIN_TEXT_CELLS = 12
"""Minimum width of wrapped text, however narrow the terminal is."""
MIN_LAST_COLUMN_CELLS = 32
"""If the last column has less width than this, it is printed below the others."""
COLUMN_GAP = "  "
Cell = str | Text


class TerminalConsole(Console):
    """A console that wraps lines itself, so that the terminal need not."""

    @property
    def is_read(self) -> bool:
        """Whether it is a terminal; with FORCE_COLOR, `is_terminal` is true of files too."""
        return self.is_terminal and self.file.isatty()

    def print(self, *objects: Any, **more: Any) -> None:
        """Print a text; in a terminal, wrapped lines are indented like the first."""
        text = objects[0] if len(objects) == 1 else None
        if not isinstance(text, str | Text) or not self.is_read:
            return super().print(*objects, **more)
        for line in _as_text(text).split("\n", allow_blank=True):
            # wrapping is no use if a single word, such as a path, is too wide
            helps = line.cell_len > self.width >= max(map(len, line.plain.split()), default=0)
            for piece in wrap_text(line, self.width) if helps else (line,):
                super().print(piece, **more)


def _as_text(cell: Cell) -> Text:
    return cell if isinstance(cell, Text) else Text(cell)


def to_one_line(text: str) -> str:
    """Return a text with each run of white space as one space; non-breaking spaces stay."""
    return re.sub("[ \t\n]+", " ", text).strip(" ")


def wrap_text(text: Text, width: int, indent: str = "", hanging: str | None = None) -> Iterator[Text]:
    """Wrap a text, and indent its lines; those after the first by `hanging`.

    Rich is not used: it breaks lines at non-breaking spaces, which are frequent in French.
    """
    own = " " * (len(text.plain) - len(text.plain.lstrip(" ")))
    indent, hanging = indent + own, (indent if hanging is None else hanging) + own
    room = max(width - max(len(indent), len(hanging)), MIN_TEXT_CELLS)
    lines = textwrap.wrap(
        text.plain, room, drop_whitespace=False, break_on_hyphens=False, break_long_words=False
    )
    ends = list(accumulate(len(line) for line in lines))
    for place, piece in enumerate(text.divide(ends[:-1])):
        piece.rstrip()
        remaining = piece[len(piece.plain) - len(piece.plain.lstrip(" ")) :]
        yield Text(hanging if place else indent).append(remaining)


def format_columns(rows: Iterable[Sequence[Cell]], width: int | None, margin: str = "") -> Iterator[Text]:
    """Yield the lines of rows in aligned columns; the last column is wrapped to `width`, if any."""
    every = [[_as_text(cell) for cell in row] for row in rows]
    widths = [max(cell.cell_len for cell in column) for column in [*zip(*every, strict=True)][:-1]]
    other = len(margin) + sum(widths) + len(COLUMN_GAP) * len(widths)
    below = width is not None and width - other < MIN_LAST_COLUMN_CELLS
    indent = " " * (len(margin) + 2 * len(COLUMN_GAP) if below else other)
    for *cells, last in every:
        line = Text(margin)
        for cell, wide in zip(cells, widths, strict=True):
            cell.align("left", wide)
            line.append(cell).append(COLUMN_GAP)
        lines = [Text(indent).append(last)] if width is None else [*wrap_text(last, width, indent)]
        if lines and not below:
            line.append(lines.pop(0)[len(indent) :])
        line.rstrip()
        yield from (line, *lines)


def print_table(out: TerminalConsole, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print rows under their heads: unwrapped in a pipe, wrapped in a terminal."""
    every = [[Text(one, style="bold") for one in heads], *rows]
    for line in format_columns(every, out.width if out.is_read else None):
        out.print(line)


def console(stderr: bool = False) -> TerminalConsole:
    """Return a console on the current standard streams, without markup and highlighting."""

    def broken() -> None:
        raise  # the current BrokenPipeError, for the caller to handle

    made = TerminalConsole(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)
    made.on_broken_pipe = broken  # type: ignore[method-assign]  # Rich would end the process
    return made
