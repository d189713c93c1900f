"""A word nobody knows, and those it looks like."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from ingest.cli.terminal import Stop
from ingest.i18n import N_, Translate

MEANT = N_("{sentence} Did you mean {near}?")
MOST = 2


def did_you_mean(t: Translate, sentence: str, word: str, known: Iterable[str]) -> str:
    """A sentence about a word, with the known ones it looks like, whatever their case."""
    written = {one.casefold(): one for one in known}
    near = [written[one] for one in get_close_matches(word.casefold(), written, n=MOST)]
    return meant(t, sentence, near)


def meant(t: Translate, sentence: str, near: Sequence[str]) -> str:
    """A sentence about a word, with those that may have been meant."""
    return t(MEANT, sentence=sentence, near=t(" or ").join(near)) if near else sentence


class Mistyped(Stop):
    """A word of a command line that is none of those known."""

    def __init__(self, text: str, word: str, among: Iterable[str], /, **values: Any) -> None:
        super().__init__(text, **values)
        self.word, self.among = word, sorted(among)

    def say(self, t: Translate) -> str:
        return did_you_mean(t, super().say(t), self.word, self.among)
