"""Words somebody wrote one after another → the acts or cards they spell together."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

WORD = re.compile(r"[^\s,;:]+")
MOST = 4
"""Words of the longest act: `roi de pique`, `mariage de cœur`."""


class Word(NamedTuple):
    """A word, and the place of its first sign, from 1."""

    text: str
    line: int
    column: int
    joined: bool
    """Nothing but spaces is between it and the word before."""


class Spelt(NamedTuple):
    """What some words mean: one thing, several, or none that is known."""

    meant: tuple[str, ...]
    near: tuple[str, ...]
    """What they are a slip for, where they mean nothing."""
    text: str
    used: int
    """How many words."""


def words_in(text: str, line: int = 1, column: int = 1) -> Iterator[Word]:
    """The words of a text that begins at some place."""
    end = 0
    for found in WORD.finditer(text):
        joined = not text[end : found.start()].strip()
        yield Word(found[0], line, column + found.start(), joined)
        end = found.end()


def spelt(
    words: Sequence[Word],
    place: int,
    read: Callable[[str], tuple[str, ...]],
    near: Callable[[str], tuple[str, ...]],
) -> Spelt:
    """What the most words from a place on mean together."""
    most = 1
    while most < min(MOST, len(words) - place) and words[place + most].joined:
        most += 1
    sizes = range(most, 0, -1)
    texts = {size: " ".join(one.text for one in words[place : place + size]) for size in sizes}
    for size, text in texts.items():
        if meant := read(text):
            return Spelt(meant, (), text, size)
    for size, text in texts.items():
        if found := near(text):
            return Spelt((), found, text, size)
    return Spelt((), (), texts[1], 1)
