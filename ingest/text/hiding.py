"""Names looked for in free text: any part of one, however it is written; and what is no name."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from engine.games import names as games
from engine.options import options, presets
from schemas.games import of

SHORT = 3
"""Letters a part of a name has at least to be looked for: `Al` is in too many words."""
_WORDS = re.compile(rf"[^\W\d_]{{{SHORT},}}")


class Hiding:
    """Puts something else for every name of a mapping, and for each of its parts."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._known = dict[str, str]()
        anywhere, alone = set[str](), set[str]()
        for name, told in names.items():
            for part in (name, *_WORDS.findall(name), *_WORDS.findall(folded(name))):
                if sum(map(str.isalpha, folded(part))) >= SHORT:
                    anywhere |= {part, folded(part)}
                    self._known.setdefault(folded(part), told)
            if len(name) >= SHORT and name not in anywhere:
                alone.add(name)  # it may be a date or a round: the whole of it, standing alone
                self._known.setdefault(folded(name), told)
        self._parts = {folded(part): self._known[folded(part)] for part in anywhere}
        words = [re.escape(one) for one in _longest(anywhere)]
        words += [rf"(?<!\w){re.escape(one)}(?!\w)" for one in _longest(alone)]
        self._found = re.compile("|".join(words) or r"(?!)", re.IGNORECASE)

    def __call__(self, text: str) -> str:
        """A text without them; one in which a name is written too strangely is the pseudonym."""
        if text.isascii():  # as most logs are: looking for a part costs next to nothing there
            low = text.casefold()
            if not any(part in low for part in self._known):
                return text
        told = self._found.sub(lambda found: self._known[folded(found[0])], text)
        strange = folded(self._found.sub(" ", text))
        return next((told for part, told in self._parts.items() if part in strange), told)


@lru_cache(maxsize=256)
def _hiding(names: tuple[tuple[str, str], ...]) -> Hiding:
    return Hiding(dict(names))


def hiding(names: Mapping[str, str]) -> Hiding:
    """The same for the same names: one log after another has them."""
    return _hiding(tuple(sorted(names.items())))


def folded(text: str) -> str:
    """A text without accents, case and signs that nobody sees."""
    if text.isascii():
        return text.casefold()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(
        one for one in apart if not unicodedata.combining(one) and unicodedata.category(one) != "Cf"
    ).casefold()


def is_play(text: str, keys: Iterable[str] = ()) -> bool:
    """Whether all of a text is cards, acts, rules, numbers and some keys: no name is in it."""
    more = {word for key in keys for word in _WORDS.findall(key)}
    return all(word in _vocabulary() or word in more for word in _WORDS.findall(text))


@cache
def _vocabulary() -> frozenset[str]:
    """Every word of SHORT letters that logs of the registered games are written in."""
    found = {"retourne", "maldonne", "replay", "abandoned", "true", "false", "null"}
    for game in games():
        known = [game, *of(game).words(()), *of(game).words(("b3",))]
        known += [option.name for option in options(game)]
        known += _strings(presets(game))
        for text in known:
            found.update(_WORDS.findall(text))
    return frozenset(found)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(key)
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _longest(parts: Iterable[str]) -> list[str]:
    """So that “Jean-Paul” is not taken for “Jean”."""
    return sorted(parts, key=lambda one: (-len(one), one))
