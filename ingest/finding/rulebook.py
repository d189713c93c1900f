"""The rules as text, from `docs/rules.md` and `docs/regles.md`, which a wheel has under `data/`.

No sentence of them stands anywhere else; `tests/test_rules_documented.py` holds the two together.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from engine.games import names
from ingest.games import every
from ingest.i18n import N_, Translate

PAGES = {"fr": "regles.md", "en": "rules.md"}
FORMAT_PAGE = "format.md"
FORMAT_TITLE = N_("The log format.")
FORMAT_TEXT = N_("What a log may hold, and how it is written, is in docs/format.md.")

_ANCHOR = re.compile(r'<a id="([a-z0-9-]+)"></a>\n')
_HEAD = re.compile(r"\*\*(([A-Z]+)-\d+) (.+?)\*\* *")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule in one language; `title` and `text` are Markdown of our own documents."""

    id: str
    game: str
    """Empty for the log format, which is of no game."""
    title: str
    text: str

    @property
    def sentence(self) -> str:
        """Title and text without Markdown, in one line; a table's rows are left out."""
        prose = " ".join(line for line in self.text.splitlines() if not line.startswith("|"))
        return " ".join(plain(f"{self.title} {prose}").split())


def plain(markdown: str) -> str:
    """Text of the rules without emphasis, code marks and links."""
    without_links = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", markdown)
    return re.sub(r"\*\*|[*`]", "", without_links)


def rule_text(rule: str, t: Translate) -> Rule:
    """A rule by its id, `CH-9`, or `format`; only the id where the book has no such game.

    KeyError: there is no such rule.
    """
    if rule == "format":
        return Rule("format", "", t(FORMAT_TITLE), t(FORMAT_TEXT))
    book = rules(t.language)
    if rule not in book:
        game = _by_prefix()[rule.partition("-")[0]]
        if game not in {known.game for known in book.values()}:
            return Rule(rule, game, rule, "")
    return book[rule]


def rules(language: str) -> Mapping[str, Rule]:
    """Every rule of the games there are, by its id, in the order of the book."""
    return _rules(language, names())


@cache
def _rules(language: str, games: tuple[str, ...]) -> Mapping[str, Rule]:
    found = {}
    game_of = _by_prefix()
    for piece in _pieces(language).values():
        head = _HEAD.match(piece)
        if head and head[2] in game_of:
            name, prefix, title = head.groups()
            body = piece[head.end() :].split("\n### ")[0].strip()
            found[name] = Rule(name, game_of[prefix], title, body)
    return found


def _by_prefix() -> dict[str, str]:
    """What the rule ids of each game begin with → the game."""
    return {own.RULES: name for name, own in every().items()}


@cache
def introduction(section: str, language: str) -> str:
    """The Markdown of a section that is no rule, such as `faults` or a game’s name.

    Its heading is left out. KeyError: there is no such section.
    """
    piece = _pieces(language)[section].split("\n### ")[0]
    return re.sub(r"\A#+ .+\n", "", piece).strip()


@cache
def headings(language: str) -> Mapping[str, str]:
    """The id of the first rule below each heading within a game, and the heading."""
    found = {}
    before = ""
    for name, piece in _pieces(language).items():
        if "\n### " in before:
            found[name.upper()] = before.rsplit("\n### ", 1)[1].strip()
        before = piece
    return found


@cache
def _pieces(language: str) -> dict[str, str]:
    """The book cut at its anchors: what follows each."""
    text = _page(PAGES[language]).read_text(encoding="utf-8")
    _, *cut = _ANCHOR.split(text)
    return dict(zip(cut[::2], cut[1::2], strict=True))


def page_of(rule: str, language: str) -> Path | None:
    """The document that has a rule, at the anchor of its id; None where it is not on a disk."""
    page = _page(FORMAT_PAGE if rule == "format" else PAGES[language])
    return page if isinstance(page, Path) else None


def _page(name: str) -> Traversable:
    """In a wheel below `data/`, where the build puts it; in a checkout where it is written."""
    shipped = files("data").joinpath("rules", name)
    return shipped if shipped.is_file() else Path(__file__).parents[2] / "docs" / name
