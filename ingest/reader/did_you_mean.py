"""“Did you mean …?” suggestions."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from ingest.i18n import Translate


def did_you_mean(t: Translate, sentence: str, word: str, known: Iterable[str]) -> str:
    """Append to a sentence about a word the known words similar to it, ignoring case."""
    written = {one.casefold(): one for one in known}
    near = [written[one] for one in get_close_matches(word.casefold(), written, n=2)]
    return with_suggestions(t, sentence, near)


def with_suggestions(t: Translate, sentence: str, suggestions: Sequence[str]) -> str:
    """Append suggested words to a sentence; unchanged if there are none."""
    if not suggestions:
        return sentence
    return t("{sentence} Did you mean {near}?", sentence=sentence, near=t(" or ").join(suggestions))
