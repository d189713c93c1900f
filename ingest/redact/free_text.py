"""Finds names in free text, however they are written."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache

from engine.games import game_names as games
from engine.options import game_options, game_presets
from schemas.games import schemas_of

REDACTED = "…"
"""Stands for a name in free text: a pseudonym there would tell by its neighbours whose it is."""

MIN_INFIX_CHARACTERS = (
    3  # letters of a part that is looked for within longer words; fewer are in too many of them
)

NAME_PARTICLES = frozenset(
    ["de", "du", "des", "la", "le", "les", "da", "di", "do", "dos", "del", "el", "van", "von"]
)
"""Words of names that say of nobody who it is; looked for where one is a whole name."""

Names = Iterable[str]
_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_CODE_PATTERN = re.compile(r"(?<=\d)[^\W\d_]{1,2}(?![^\W\d_])|(?<![^\W\d_])[^\W\d_]{1,2}(?=\d)")
"""One or two letters at a number: cards, faces and the letters of a date."""
_LIGATURES = {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
"""Letters that do not come apart, as they are written where a keyboard lacks them."""


class TextRedactor:
    """Puts HIDDEN for names; `parts`: for their words too; `within`: also within longer words.

    What is `kept` is somebody else's name, which may have one of those in it.
    """

    def __init__(
        self, names: Names, parts: bool = False, within: bool = False, allowed: Names = ()
    ) -> None:
        self._searched_words = {
            words for name in names for words in _search_terms(fold_text(name), parts)
        }
        self._kept_words = {
            words for name in allowed for words in _search_terms(fold_text(name), False)
        }
        self._longest_words = {max(words, key=len) for words in self._searched_words}
        self._parts, self._within = parts, within

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The longest first, so that “Jean-Paul” is not taken for “Jean”; what is kept, a group."""
        every = sorted(
            self._searched_words | self._kept_words, key=lambda one: (-sum(map(len, one)), one)
        )
        how, own = (self._parts, self._within), self._searched_words
        ways = (
            _words_pattern(one, *how) if one in own else f"({_words_pattern(one)})" for one in every
        )
        return re.compile("|".join(ways))

    def has_name(self, text: str) -> bool:
        """Whether there is something to hide in a text."""
        return bool(self._spans(fold_text(text)))

    def __call__(self, text: str) -> str:
        flat = fold_text(text)
        spans = self._spans(flat)
        if not spans:
            return text
        places = [place for place, sign in enumerate(text) for _ in fold_text(sign)]
        told, done = list[str](), 0
        for begin, end in spans:
            told += [text[done : places[begin]], REDACTED]
            done = places[end - 1] + 1
            while done < len(text) and not fold_text(text[done]):
                done += 1  # accents by themselves
        return "".join(told) + text[done:]

    def _spans(self, flat: str) -> list[tuple[int, int]]:
        if not any(needle in flat for needle in self._longest_words):  # as in most texts
            return []
        return [one.span() for one in self._pattern.finditer(flat) if one.lastindex is None]


_cached_redactor = lru_cache(maxsize=256)(TextRedactor)


def text_redactor(
    names: Names, parts: bool = False, within: bool = False, allowed: Names = ()
) -> TextRedactor:
    """The same for the same names: one log after another has them."""
    return _cached_redactor(frozenset(names), parts, within, frozenset(allowed))


def is_searchable(name: str) -> bool:
    """Whether a name is looked for at all: a number of two digits is in too many texts."""
    return any(_search_terms(fold_text(name), False))


def searchable_words(name: str) -> list[str]:
    """The words of a name that are looked for by themselves, folded."""
    # of letters and the signs that belong to them alone
    kept = (sign if unicodedata.category(sign)[0] in "LM" else " " for sign in fold_text(name))
    found = (word for word in "".join(kept).split() if word not in NAME_PARTICLES)
    return [word for word in found if len(word) > 1 or _is_unspaced_script(word)]


def _search_terms(flat: str, parts: bool) -> Iterator[tuple[str, ...]]:
    """What is looked for of a folded name, each as its words: all of them, either way round."""
    every = tuple(re.findall(r"[^\W_]+", flat))
    together = "".join(every)
    if any(map(str.isalpha, together)) or len(together) >= MIN_INFIX_CHARACTERS:
        yield every
        if len(every) == 2:  # the family's name first
            yield every[::-1]
    elif any(unicodedata.category(sign) == "So" for sign in flat):
        yield (flat.strip(),)
    if parts:
        yield from ((word,) for word in searchable_words(flat))


def _words_pattern(words: tuple[str, ...], loose: bool = False, within: bool = False) -> str:
    """Words as what finds them in a folded text; `loose`: digits may follow, as in `zoe2`."""
    letters = [sum(map(str.isalpha, word)) for word in words]
    between = r"[\W_]{0,3}" if min(letters) >= MIN_INFIX_CHARACTERS else r"[\W_]{1,3}"
    found = between.join(map(re.escape, words))
    if any(map(_is_unspaced_script, words)) or (within and sum(letters) >= MIN_INFIX_CHARACTERS):
        return found
    before, after = (
        r"[^\W\d_]" if loose and end.isalpha() else r"[^\W_]"
        for end in (words[0][0], words[-1][-1])
    )
    return f"(?<!{before}){found}(?!{after})"


def _is_unspaced_script(word: str) -> bool:
    """Whether a word is in a script without capitals, or a picture: spaces need not part those."""
    return any(unicodedata.category(sign) in ("Lo", "So") for sign in word)


@cache
def _fold_character(sign: str) -> str:
    apart = unicodedata.normalize("NFKD", sign.casefold())
    seen = (one for one in apart if unicodedata.category(one) != "Cf")
    plain = (_LIGATURES.get(one, one) for one in seen if not unicodedata.combining(one))
    return "".join(plain).casefold()


def fold_text(text: str) -> str:
    """A text without accents, case and signs that nobody sees."""
    return text.casefold() if text.isascii() else "".join(map(_fold_character, text))


def is_notation_only(text: str, keys: Iterable[str] = ()) -> bool:
    """Whether all of a text is cards, acts, rules, numbers and some keys: no name is in it."""
    more = {word for key in keys for word in _WORD_PATTERN.findall(key)}
    found = _WORD_PATTERN.findall(_CODE_PATTERN.sub(" ", text))
    return all(word in notation_words() or word in more for word in found)


@cache
def notation_words() -> frozenset[str]:
    """Every word that logs of the registered games are written in."""
    found = {"retourne", "maldonne", "replay", "abandoned", "true", "false", "null"}
    for game in games():
        known = [game, *schemas_of(game).action_words(()), *schemas_of(game).action_words(("b3",))]
        known += [option.name for option in game_options(game)]
        known.append(json.dumps(game_presets(game), ensure_ascii=False, default=str))
        for text in known:
            found.update(_WORD_PATTERN.findall(text))
    return frozenset(found)
