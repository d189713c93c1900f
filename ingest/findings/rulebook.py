"""The text of the rules, from `docs/rules.md` and `docs/regles.md`.

Rules are written only there; `tests/test_rules_documented.py` checks that code and pages agree.
A plug-in game has pages of the same names next to its catalogue, in a package of its `texts`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from engine.games import game_modules, game_names
from ingest.games import all_games
from ingest.i18n import Translate

BOOK_PAGES = {"fr": "regles.md", "en": "rules.md"}
FORMAT_PAGE = "format.md"

_ANCHOR_PATTERN = re.compile(r'<a id="([a-z0-9-]+)"></a>\n')
_RULE_HEADING = re.compile(r"\*\*(([A-Z]+)-\d+) (.+?)\*\* *")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule in one language; `title` and `text` are trusted Markdown."""

    id: str
    game: str  # empty for the log format
    title: str
    text: str

    @property
    def plain_text(self) -> str:
        """Title and text in one line, without Markdown and tables."""
        prose = " ".join(line for line in self.text.splitlines() if not line.startswith("|"))
        return " ".join(without_markdown(f"{self.title} {prose}").split())


def without_markdown(markdown: str) -> str:
    """Remove emphasis, code marks and links from Markdown."""
    without_links = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", markdown)
    return re.sub(r"\*\*|[*`]", "", without_links)


def find_rule(rule: str, t: Translate) -> Rule:
    """Return a rule by id, or `format`; without text if no page has its game. KeyError: no rule."""
    if rule == "format":
        text = t("docs/format.md describes the format of a log.")
        return Rule("format", "", t("The log format."), text)
    book = rules_by_id(t.language)
    if rule not in book:
        game = _games_by_prefix()[rule.partition("-")[0]]
        if game not in {known.game for known in book.values()}:
            return Rule(rule, game, rule, "")
    return book[rule]


def rules_by_id(language: str) -> Mapping[str, Rule]:
    """Return every rule of the registered games by id, in page order."""
    return _rules_by_id(language, game_names(), tuple(_book_packages()))


_DECISIONS = {
    "en": ("**D:**", "**Retourne’s decision:**"),
    "fr": ("**D\u00a0:**", "**Décision de Retourne\u00a0:**"),
}
"""The mark that the head of the rule pages explains, and the words in its place in a single rule."""


@cache
def _rules_by_id(language: str, games: tuple[str, ...], books: tuple[str, ...]) -> Mapping[str, Rule]:
    found, game_of = {}, _games_by_prefix()
    for piece in _text_by_anchor(language).values():
        head = _RULE_HEADING.match(piece)
        if head and head[2] in game_of:
            name, prefix, title = head.groups()
            body = piece[head.end() :].split("\n### ")[0].strip().replace(*_DECISIONS[language])
            found[name] = Rule(name, game_of[prefix], title, body)
    return found


def _games_by_prefix() -> dict[str, str]:
    """Map the prefix of each game's rule ids to the game."""
    return {own.RULE_PREFIX: name for name, own in all_games().items()}


def section_introduction(section: str, language: str) -> str:
    """Return a section's Markdown without its heading; `section`: `faults` or a game’s name."""
    piece = _text_by_anchor(language).get(section, "").split("\n### ")[0]
    return re.sub(r"\A#+ .+\n", "", piece).strip()


def rule_headings(language: str) -> Mapping[str, str]:
    """Map the id of the first rule below each heading within a game to the heading."""
    found, before = {}, ""
    for name, piece in _text_by_anchor(language).items():
        if "\n### " in before:
            found[name.upper()] = before.rsplit("\n### ", 1)[1].strip()
        before = piece
    return found


def _text_by_anchor(language: str) -> dict[str, str]:
    """Map each anchor of all rule pages to the text that follows it."""
    return {
        name: text for book in _book_packages() for name, text in _split_at_anchors(book, language).items()
    }


def _book_packages() -> list[str]:
    """Return the packages that may have rule pages: "" for Retourne's, then the games' `texts`."""
    return [*dict.fromkeys(["", *(own for name in game_names() for own in game_modules(name).texts)])]


@cache
def _split_at_anchors(book: str, language: str) -> Mapping[str, str]:
    """Map the anchors of one package's rule page to text; empty if it has no page."""
    page = _find_page(BOOK_PAGES[language], book)
    _, *cut = _ANCHOR_PATTERN.split(page.read_text(encoding="utf-8") if page.is_file() else "")
    return dict(zip(cut[::2], cut[1::2], strict=True))


@cache
def page_of(rule: str, language: str) -> Path | None:
    """Return the path of the page with a rule; None if it is not a file on disk."""
    if rule == "format":
        page = _find_page(FORMAT_PAGE)
    else:
        book = next(
            (book for book in _book_packages() if rule.lower() in _split_at_anchors(book, language)), ""
        )
        page = _find_page(BOOK_PAGES[language], book)
    return page if isinstance(page, Path) else None


def _find_page(name: str, package: str = "") -> Traversable:
    """Return a package's page, or Retourne's: in `data/` of a wheel, in `docs/` of a checkout."""
    if package:
        return files(package).joinpath(name)
    shipped = files("data").joinpath("rules", name)
    return shipped if shipped.is_file() else Path(__file__).parents[2] / "docs" / name
