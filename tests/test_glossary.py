"""The texts keep to the glossary: no word that a term is never called (`docs/glossary.md`)."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from dashboard.games import all_definitions
from docs import glossary
from tests.catalogues import PACKAGES, french

DOCS = Path(glossary.__file__).parent
IN_FRENCH = {"bienvenue.md", "regles.md", "statistiques.md", "tutoriel.md"}
FRENCH = [word for one in all_definitions().values() for word in one.never]
ENGLISH = [word for one in all_definitions().values() for word in one.never_english]

ALLOWED = {
    "match": "a contract of Coinche, called so at the table",
    r"Write lines = .*|.*GET /api/v1/matches/.*": "words of a mapping file, an address",
    r".*\bIf-(None-)?Match\b.*": "headers of HTTP",
    r".*\bjournal\b.*": "the database's own file beside the store, which DuckDB calls so",
}
"""Patterns of texts, in English, that may have such a word in French; and why."""


def plain_text(text: str) -> str:
    """A text without code, commands, links, holes and names in italics."""
    text = re.sub(r"^```.*?^```|^ {4}[^\n]*$", "…", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<!\*)\*\w+\*(?!\*)", "…", text)
    return re.sub(r"`[^`]*`|\]\([^)]*\)|\{[^}]*\}|<[^>]*>|--\S+|\bretourne \w+|\w+\.\w+", "…", text)


def found(texts: Iterable[tuple[str, str]], never: list[str]) -> Iterator[tuple[str, str]]:
    """Words that are never used, each with the text it stands in."""
    known = re.compile(rf"\b({'|'.join(map(re.escape, never))})\w*", re.IGNORECASE)
    for key, text in texts:
        if not any(re.fullmatch(one, key, re.DOTALL) for one in ALLOWED):
            for one in known.finditer(plain_text(text)):
                yield one[0], text


def lines(name: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a document."""
    text = plain_text((DOCS / name).read_text(encoding="utf-8"))
    return (("", paragraph) for paragraph in re.split(r"\n\s*\n", text))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_french_text_says_what_the_glossary_says(package: str) -> None:
    assert list(found(french(package).items(), FRENCH)) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_an_english_text_says_what_the_glossary_says(package: str) -> None:
    assert list(found(((text, text) for text in french(package)), ENGLISH)) == []


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("*.md")))
def test_a_document_says_what_the_glossary_says(name: str) -> None:
    if name != glossary.PAGE.name:
        assert list(found(lines(name), FRENCH if name in IN_FRENCH else ENGLISH)) == []


@pytest.mark.parametrize("pattern", ALLOWED)
def test_what_is_allowed_would_be_found_otherwise(pattern: str) -> None:
    texts = (entry for package in PACKAGES for entry in french(package).items())
    allowed = [text for key, text in texts if re.fullmatch(pattern, key, re.DOTALL)]
    assert list(found((("", text) for text in allowed), FRENCH))


def test_a_word_is_found_by_its_beginning_and_not_in_code() -> None:
    text = "Les Camps `camp` {camp} *camp* décampe"
    assert list(found([("", text)], ["camp"])) == [("Camps", text)]


def test_the_glossary_is_written_from_what_the_pages_show() -> None:
    assert glossary.PAGE.read_text(encoding="utf-8") == glossary.page(), "python -m docs.glossary"
