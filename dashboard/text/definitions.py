"""Definitions of terms: tooltips, page Rules and `docs/glossary.md` come from here.

A page of figures adds its terms to `figures.toml`, under the section they are read in; words that
are no figures stand in `glossary.toml`, those of one game in a file beside its module
(`dashboard.games.all_definitions` has all). `docs/glossary.md` is written from them, and a test
keeps the catalogues from saying a thing otherwise (`never`). Their texts need no mark to be
translated.
"""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from ingest.i18n import N_, Translate


class Definition(NamedTuple):
    """A term and what it means; `rule` where a rule says so, such as `CH-30`."""

    label: str
    text: str
    """Where it has `{games}`, what each game has to say of it stands there."""
    rule: str | None = None
    after: str = ""
    """The term it is listed after; empty: where it stands."""
    parts: tuple[str, ...] = ()
    """What the games have to say of it."""
    never: Sequence[str] = ()
    """What it is never called in French, the beginnings of words: a test looks for them."""
    never_english: Sequence[str] = ()

    def text_in(self, t: Translate) -> str:
        """What it means, in words."""
        said = ", ".join(t(part) for part in self.parts)
        return t(self.text, games=said) if "{games}" in self.text else t(self.text)


def terms(package: str, name: str) -> dict[str, Definition]:
    """Key → definition, as a file in TOML has them; lines of a text are one text."""
    told = tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
    return {
        key: Definition(**{**one, "text": one["text"].replace("\n", " ")})
        for key, one in told.items()
    }


SHARED_DEFINITIONS = terms("dashboard.text", "figures.toml")
"""Without those of one game."""
GLOSSARY_DEFINITIONS = terms("dashboard.text", "glossary.toml")
GLOSSARY_HEADINGS = {
    "match": N_("What is played"),
    "deck": N_("Cards"),
    "log": N_("What is written, and what a check says of it"),
    "store": N_("The program"),
    "n": N_("Figures"),
}
"""The term a heading stands before, where all terms are listed."""
