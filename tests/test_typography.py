"""French texts: what stands before : ; ? ! and » does not break, nor what stands after «."""

import re
from pathlib import Path

import pytest

from ingest.i18n import parse_catalog
from tests.test_glossary import DOCS, IN_FRENCH, plain_text

ROOT = Path(__file__).parents[1]
BREAKS = re.compile(r" [:;?!»](?!-)|« ")


@pytest.mark.parametrize("package", ["ingest", "dashboard"])
def test_the_space_before_a_semicolon_and_its_like_is_narrow(package: str) -> None:
    text = (ROOT / package / "locale" / "fr.po").read_text(encoding="utf-8")
    result = parse_catalog(text).values()
    assert [one for one in result if re.search("[ \N{NO-BREAK SPACE}][;?!]", one)] == []


@pytest.mark.parametrize("package", ["ingest", "dashboard"])
def test_no_sign_stands_alone_on_a_line(package: str) -> None:
    text = (ROOT / package / "locale" / "fr.po").read_text(encoding="utf-8")
    assert [one for one in parse_catalog(text).values() if BREAKS.search(one)] == []


@pytest.mark.parametrize("name", sorted(IN_FRENCH))
def test_no_sign_of_a_document_stands_alone_on_a_line(name: str) -> None:
    text = plain_text((DOCS / name).read_text(encoding="utf-8"))
    assert [line for line in text.splitlines() if BREAKS.search(line)] == []
    assert [line for line in text.splitlines() if "'" in line] == []
