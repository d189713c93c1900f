"""A text in lines no longer than a width, of which none breaks within a word."""

import re
import textwrap
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

LEAST = 12
"""So much of a line is used, however narrow the terminal is."""


def one_line(text: str) -> str:
    """A text without its line ends; spaces that do not break stay what they are."""
    return re.sub("[ \t\n]+", " ", text).strip(" ")


def folded(
    text: "Text", width: int, indent: str = "", hanging: str | None = None
) -> Iterator["Text"]:
    """The lines of a text, as far in as it begins, indented; those after the first by `hanging`.

    Spaces that do not break, of which French has many, are not broken at.
    """
    from rich.text import Text

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
