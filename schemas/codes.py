"""What small integers in the store mean in a game, as tables that `docs/tables.md` shows."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

Rows = Sequence[tuple[str, str]]
"""Numbers, `3` or `0–31`, and what they mean; words of the format stand in backquotes."""


def in_order(names: Sequence[str], first: int = 0) -> tuple[str, str]:
    """The row of some names that are numbered one after the other."""
    last = first + len(names) - 1
    numbers = f"{first}" if last == first else f"{first}–{last}"
    return numbers, " ".join(f"`{name}`" for name in names)


def by_kind(words: Mapping[str, int], kind: Callable[[int], str]) -> Rows:
    """A row for each kind of words, and another where a number is left out."""
    numbered = sorted((number, word) for word, number in words.items())
    runs = groupby(enumerate(numbered), lambda one: (kind(one[1][0]), one[1][0] - one[0]))
    found = [[one for _, one in run] for _, run in runs]
    return [in_order([word for _, word in run], run[0][0]) for run in found]
