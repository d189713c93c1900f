"""Finds the side that a winner's letter or word means by the headings of a sheet: « B », « Eux », « V »."""

from collections.abc import Sequence

from ingest.importers.headings import HOME_WORDS, POINT_SIDES, SIDE_WORDS, normalized

BEFORE_SIDE = ("equipe", "l equipe", "les", "camp", "paire", "cote", "team", "side", "pair", "the")
"""Words before the name of a side."""
_HEADING_WORDS = frozenset(
    word
    for words in (*SIDE_WORDS, *POINT_SIDES, *HOME_WORDS)
    for text in words
    for word in text.split()
    if len(word) > 1
)
"""Words of headings that a letter may stand for."""


def sides_headed(text: str, headings: Sequence[Sequence[str]]) -> set[int]:
    """Return the sides, from 1, that a text means by their headings: a word of them, or its first letter."""
    before, _, word = normalized(text).rpartition(" ")
    if not word or (before and before not in BEFORE_SIDE):
        return set()
    words = [[normalized(one).split() for one in own] for own in headings]
    whole = {side for side, own in enumerate(words, 1) if any(one[-1:] == [word] for one in own)}
    if whole or len(word) > 1:
        return whole
    return {
        side
        for side, own in enumerate(words, 1)
        if any(part.startswith(word) and part in _HEADING_WORDS for one in own for part in one)
    }
