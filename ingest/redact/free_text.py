"""Names looked for in free text, however they are written; and what is no name."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache

from engine.games import names as games
from engine.options import options, presets
from schemas.games import of

HIDDEN = "…"
"""Stands for a name in free text: a pseudonym there would tell by its neighbours whose it is."""

SHORT = 3  # letters of a part that is looked for within longer words; fewer are in too many of them

PARTICLES = frozenset(
    ["de", "du", "des", "la", "le", "les", "da", "di", "do", "dos", "del", "el", "van", "von"]
)
"""Words of names that say of nobody who it is; looked for where one is a whole name."""

Names = Iterable[str]
_WORDS = re.compile(r"[^\W\d_]+")
_CODES = re.compile(r"(?<=\d)[^\W\d_]{1,2}(?![^\W\d_])|(?<![^\W\d_])[^\W\d_]{1,2}(?=\d)")
"""One or two letters at a number: cards, faces and the letters of a date."""
_PLAIN = {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
"""Letters that do not come apart, as they are written where a keyboard lacks them."""


class Hiding:
    """Puts HIDDEN for names; `parts`: for their words too; `within`: also within longer words.

    What is `kept` is somebody else's name, which may have one of those in it.
    """

    def __init__(
        self, names: Names, parts: bool = False, within: bool = False, kept: Names = ()
    ) -> None:
        self._sought = {words for name in names for words in _sought(folded(name), parts)}
        self._kept = {words for name in kept for words in _sought(folded(name), False)}
        self._needles = {max(words, key=len) for words in self._sought}
        self._parts, self._within = parts, within

    @cached_property
    def _found(self) -> re.Pattern[str]:
        """The longest first, so that “Jean-Paul” is not taken for “Jean”; what is kept, a group."""
        every = sorted(self._sought | self._kept, key=lambda one: (-sum(map(len, one)), one))
        how, own = (self._parts, self._within), self._sought
        ways = (_pattern(one, *how) if one in own else f"({_pattern(one)})" for one in every)
        return re.compile("|".join(ways))

    def finds(self, text: str) -> bool:
        """Whether there is something to hide in a text."""
        return bool(self._spans(folded(text)))

    def __call__(self, text: str) -> str:
        flat = folded(text)
        spans = self._spans(flat)
        if not spans:
            return text
        places = [place for place, sign in enumerate(text) for _ in folded(sign)]
        told, done = list[str](), 0
        for begin, end in spans:
            told += [text[done : places[begin]], HIDDEN]
            done = places[end - 1] + 1
            while done < len(text) and not folded(text[done]):
                done += 1  # accents by themselves
        return "".join(told) + text[done:]

    def _spans(self, flat: str) -> list[tuple[int, int]]:
        if not any(needle in flat for needle in self._needles):  # as in most texts
            return []
        return [one.span() for one in self._found.finditer(flat) if one.lastindex is None]


_hiding = lru_cache(maxsize=256)(Hiding)


def hiding(names: Names, parts: bool = False, within: bool = False, kept: Names = ()) -> Hiding:
    """The same for the same names: one log after another has them."""
    return _hiding(frozenset(names), parts, within, frozenset(kept))


def is_sought(name: str) -> bool:
    """Whether a name is looked for at all: a number of two digits is in too many texts."""
    return any(_sought(folded(name), False))


def words(name: str) -> list[str]:
    """The words of a name that are looked for by themselves, folded."""
    # of letters and the signs that belong to them alone
    kept = (sign if unicodedata.category(sign)[0] in "LM" else " " for sign in folded(name))
    found = (word for word in "".join(kept).split() if word not in PARTICLES)
    return [word for word in found if len(word) > 1 or _is_alone(word)]


def _sought(flat: str, parts: bool) -> Iterator[tuple[str, ...]]:
    """What is looked for of a folded name, each as its words: all of them, either way round."""
    every = tuple(re.findall(r"[^\W_]+", flat))
    together = "".join(every)
    if any(map(str.isalpha, together)) or len(together) >= SHORT:
        yield every
        if len(every) == 2:  # the family's name first
            yield every[::-1]
    elif any(unicodedata.category(sign) == "So" for sign in flat):
        yield (flat.strip(),)
    if parts:
        yield from ((word,) for word in words(flat))


def _pattern(words: tuple[str, ...], loose: bool = False, within: bool = False) -> str:
    """Words as what finds them in a folded text; `loose`: digits may follow, as in `zoe2`."""
    letters = [sum(map(str.isalpha, word)) for word in words]
    between = r"[\W_]{0,3}" if min(letters) >= SHORT else r"[\W_]{1,3}"
    found = between.join(map(re.escape, words))
    if any(map(_is_alone, words)) or (within and sum(letters) >= SHORT):
        return found
    before, after = (
        r"[^\W\d_]" if loose and end.isalpha() else r"[^\W_]"
        for end in (words[0][0], words[-1][-1])
    )
    return f"(?<!{before}){found}(?!{after})"


def _is_alone(word: str) -> bool:
    """Whether a word is in a script without capitals, or a picture: spaces need not part those."""
    return any(unicodedata.category(sign) in ("Lo", "So") for sign in word)


@cache
def _fold(sign: str) -> str:
    apart = unicodedata.normalize("NFKD", sign.casefold())
    seen = (one for one in apart if unicodedata.category(one) != "Cf")
    plain = (_PLAIN.get(one, one) for one in seen if not unicodedata.combining(one))
    return "".join(plain).casefold()


def folded(text: str) -> str:
    """A text without accents, case and signs that nobody sees."""
    return text.casefold() if text.isascii() else "".join(map(_fold, text))


def is_play(text: str, keys: Iterable[str] = ()) -> bool:
    """Whether all of a text is cards, acts, rules, numbers and some keys: no name is in it."""
    more = {word for key in keys for word in _WORDS.findall(key)}
    found = _WORDS.findall(_CODES.sub(" ", text))
    return all(word in vocabulary() or word in more for word in found)


@cache
def vocabulary() -> frozenset[str]:
    """Every word that logs of the registered games are written in."""
    found = {"retourne", "maldonne", "replay", "abandoned", "true", "false", "null"}
    for game in games():
        known = [game, *of(game).words(()), *of(game).words(("b3",))]
        known += [option.name for option in options(game)]
        known.append(json.dumps(presets(game), ensure_ascii=False, default=str))
        for text in known:
            found.update(_WORDS.findall(text))
    return frozenset(found)
