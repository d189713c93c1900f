"""Translations and the choice of a language: English is the key, `locale/fr.po` the French.

Code marks a text with `N_` where it defines it and translates it with a `Translate` to show it.
"""

import locale
import os
import shlex
from collections.abc import Sequence
from functools import cache, reduce
from importlib.resources import files
from string import Formatter
from typing import Any

from engine.games import game_modules, game_names

LANGUAGES = ("fr", "en")
SERVED = ("http://", "https://")
"""Beginnings of the addresses of served stores."""


def N_(text: str) -> str:  # noqa: N802 (gettext's own name for a mark)
    """Mark a text for the catalogue; return it untranslated."""
    return text


class _CatalogFormatter(Formatter):
    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "w":
            option = "--server" if str(value).startswith(SERVED) else "--store"
            return f"{option} {shlex.quote(str(value))}"
        if conversion == "q":
            return shlex.quote(str(value))
        return super().convert_field(value, conversion)


def fill_text(text: str, /, **values: Any) -> str:
    """Fill in the values of a text; `{path!q}` quotes one for a shell.

    `{path!w}` is the option that names a store: `--store PATH`, or `--server URL` if it is served.
    """
    # str.format has no custom conversions, but is several times as fast
    return _CatalogFormatter().vformat(text, (), values) if "!" in text else text.format(**values)


def parse_catalog(text: str) -> dict[str, str]:
    """Return the translations in a `.po` file by their English keys."""
    import polib  # loaded lazily: English needs no catalogue

    return {one.msgid: one.msgstr for one in polib.pofile(text) if one.msgstr}


@cache
def _french_texts(package: str) -> dict[str, str]:
    return parse_catalog(files(package).joinpath("locale", "fr.po").read_text(encoding="utf-8"))


class Translate:
    """Translates texts to one language: `t("{n} games", n=3)`; `t.language` is `fr` or `en`."""

    def __init__(self, language: str, *packages: str) -> None:
        self.language = language
        french = [_french_texts(package) for package in packages] if language == "fr" else []
        self._texts = {key: text for texts in reversed(french) for key, text in texts.items()}

    def __call__(self, text: str, /, **values: Any) -> str:
        text = self._texts.get(text, text)
        return fill_text(text, **values) if values else text

    def with_values(self, **values: Any) -> "Translate":
        """Return one that also fills these values into every text that has a place for them."""
        return _FilledTranslate(self, values)


class _FilledTranslate(Translate):
    def __init__(self, t: Translate, values: dict[str, Any]) -> None:
        self.language, self._texts, self._values = t.language, t._texts, values

    def __call__(self, text: str, /, **values: Any) -> str:
        return super().__call__(text, **self._values | values)


def translator(language: str, *packages: str) -> Translate:
    """Return the `Translate` of a language; the first of `packages` that has a text wins.

    After `packages` come the catalogue of `ingest`, then those of the games.
    """
    own = dict.fromkeys(package for name in game_names() for package in game_modules(name).texts)
    return _translator(language, *packages, "ingest", *own)


@cache
def _translator(language: str, *packages: str) -> Translate:
    return Translate(language, *packages)


def choose_language(preferred: str | None) -> str:
    """Map a browser's or terminal's language tag to `fr` or `en`; French if it is neither."""
    return "en" if (preferred or "").lower().replace("_", "-").split("-")[0] == "en" else "fr"


def terminal_language() -> str:
    """Return the terminal's language, from the environment variables that gettext reads."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return choose_language(value.split(":")[0])
    return choose_language(locale.getlocale()[0])


def format_count(number: int, t: Translate) -> str:
    """Format an integer with the language's thousands separator."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}" if t.language == "fr" else ",")


def format_decimal(number: float, digits: int, t: Translate) -> str:
    """Format a number with `digits` decimals, the language's separators and a true minus."""
    whole, sign, decimals = f"{number:z,.{digits}f}".replace("-", "\N{MINUS SIGN}").partition(".")
    if t.language != "fr":
        return whole + sign + decimals
    return whole.replace(",", "\N{NARROW NO-BREAK SPACE}") + sign.replace(".", ",") + decimals


def join_game_titles(titles: Sequence[str], t: Translate) -> str:
    """Join game titles as a list after “games of”: `Chess, Go and Checkers`."""
    *first, last = titles
    if not first:
        return last
    before = reduce(lambda games, game: t("{games}, {game}", games=games, game=game), first)
    return t("{games} and {game}", games=before, game=last)
