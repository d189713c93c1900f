"""Definitions of terms: tooltips, page Rules and `docs/glossary.md` come from here.

A page of figures adds its terms to `figures.toml`, in the section they are read in; other words
are in `glossary.toml`, those of one game in a file next to its module
(`dashboard.games.all_definitions` has all). `docs/glossary.md` is generated from them, and a test
keeps the catalogues from using other words (`never`). Their texts need no `N_` to be translated.
"""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from ingest.i18n import N_, Translate


class Definition(NamedTuple):
    """A term and its meaning; `rule` is the id of the rule that sets it, such as `CH-30`."""

    label: str
    text: str
    """`text_in` replaces `{games}` in it by the additions of the games (`parts`)."""
    rule: str | None = None
    after: str = ""
    """The key of the term it is listed after; empty: in file order."""
    parts: tuple[str, ...] = ()
    """The additions of the games, parts of a sentence."""
    never: Sequence[str] = ()
    """Beginnings of French words that must not name it: a test searches for them."""
    never_english: Sequence[str] = ()

    def text_in(self, t: Translate) -> str:
        message = ", ".join(t(part) for part in self.parts)
        return t(self.text, games=message) if "{games}" in self.text else t(self.text)


def terms(package: str, name: str) -> dict[str, Definition]:
    """Return key → definition from a TOML file; line breaks in a text become spaces."""
    fields = tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
    return {key: Definition(**{**one, "text": one["text"].replace("\n", " ")}) for key, one in fields.items()}


SHARED_DEFINITIONS = terms("dashboard.text", "figures.toml")
"""Terms of figures that no single game owns."""
GLOSSARY_DEFINITIONS = terms("dashboard.text", "glossary.toml")
GLOSSARY_HEADINGS = {
    "match": N_("Play"),
    "deck": N_("Cards"),
    "log": N_("Logs and checks"),
    "store": N_("The program"),
    "n": N_("Statistics"),
}
"""The term each heading precedes in the list of all terms."""
