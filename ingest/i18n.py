"""French and English from one catalogue a package: English is the key, `locale/fr.po` the French.

A text is marked with `N_` where it is defined and said by a `Translate` where it is shown.
"""

import locale
import os
import shlex
from collections.abc import Sequence
from functools import cache, reduce
from importlib.resources import files
from string import Formatter
from typing import Any

from engine.games import floors, names

LANGUAGES = ("fr", "en")
SERVED = ("http://", "https://")
"""How the address begins that a store is served at."""


def N_(text: str) -> str:  # noqa: N802 (gettext's own name for a mark)
    """Mark a text for the catalogue without translating it yet."""
    return text


class _Filled(Formatter):
    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "w":
            option = "--server" if str(value).startswith(SERVED) else "--store"
            return f"{option} {shlex.quote(str(value))}"
        if conversion == "q":
            return shlex.quote(str(value))
        return super().convert_field(value, conversion)


def filled(text: str, /, **values: Any) -> str:
    """A text with its values; `{path!q}` is one in a command, as a shell takes it.

    `{path!w}` is the option by which a command reaches a store: a path, or where it is served.
    """
    # str.format knows no conversion but its own, and is several times as fast
    return _Filled().vformat(text, (), values) if "!" in text else text.format(**values)


def catalogue(text: str) -> dict[str, str]:
    """The texts of a `.po` file by their keys."""
    import polib  # which who speaks English does not wait for

    return {one.msgid: one.msgstr for one in polib.pofile(text) if one.msgstr}


@cache
def _french(package: str) -> dict[str, str]:
    return catalogue(files(package).joinpath("locale", "fr.po").read_text(encoding="utf-8"))


class Translate:
    """Says texts in one language: `t("{n} games", n=3)`; `t.language` is `fr` or `en`."""

    def __init__(self, language: str, *packages: str) -> None:
        self.language = language
        french = [_french(package) for package in packages] if language == "fr" else []
        self._texts = {key: text for texts in reversed(french) for key, text in texts.items()}

    def __call__(self, text: str, /, **values: Any) -> str:
        text = self._texts.get(text, text)
        return filled(text, **values) if values else text


def translator(language: str, *packages: str) -> Translate:
    """The texts of a language from the packages' catalogues, the first that has one wins.

    After them come our own, then those of each game that has a catalogue of its own.
    """
    own = dict.fromkeys(package for name in names() for package in floors(name).texts)
    return _translator(language, *packages, "ingest", *own)


@cache
def _translator(language: str, *packages: str) -> Translate:
    return Translate(language, *packages)


def choose(preferred: str | None) -> str:
    """`fr` or `en` for a browser's or terminal's language tag; French when it is neither."""
    return "en" if (preferred or "").lower().replace("_", "-").split("-")[0] == "en" else "fr"


def terminal_language() -> str:
    """The terminal's language, by the variables gettext reads."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return choose(value.split(":")[0])
    return choose(locale.getlocale()[0])


def count_of(number: int, t: Translate) -> str:
    """A whole number with the language's thousands."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}" if t.language == "fr" else ",")


def decimal_of(number: float, digits: int, t: Translate) -> str:
    """A number with so many decimals, the language's thousands, decimal sign and a minus sign."""
    whole, sign, decimals = f"{number:z,.{digits}f}".replace("-", "\N{MINUS SIGN}").partition(".")
    if t.language != "fr":
        return whole + sign + decimals
    return whole.replace(",", "\N{NARROW NO-BREAK SPACE}") + sign.replace(".", ",") + decimals


def games_of(titles: Sequence[str], t: Translate) -> str:
    """Games as they are listed after “games of”: `Chess, Go and Checkers`."""
    *first, last = titles
    if not first:
        return last
    before = reduce(lambda games, game: t("{games}, {game}", games=games, game=game), first)
    return t("{games} and {game}", games=before, game=last)
