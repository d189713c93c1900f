"""“Did you mean …?” suggestions."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from ingest.i18n import Translate


def did_you_mean(t: Translate, sentence: str, word: str, known: Iterable[str]) -> str:
    """A sentence about a word, with the known ones it looks like, whatever their case."""
    written = {one.casefold(): one for one in known}
    near = [written[one] for one in get_close_matches(word.casefold(), written, n=2)]
    return with_suggestions(t, sentence, near)


def with_suggestions(t: Translate, sentence: str, suggestions: Sequence[str]) -> str:
    """A sentence about a word, with those that may have been meant."""
    if not suggestions:
        return sentence
    return t("{sentence} Did you mean {near}?", sentence=sentence, near=t(" or ").join(suggestions))
