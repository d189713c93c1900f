"""French texts: what stands before ; ? and ! is a narrow space that does not break."""

import re
from pathlib import Path

import pytest

from ingest.i18n import catalogue

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("package", ["ingest", "dashboard"])
def test_the_space_before_a_semicolon_and_its_like_is_narrow(package: str) -> None:
    text = (ROOT / package / "locale" / "fr.po").read_text(encoding="utf-8")
    said = catalogue(text).values()
    assert [one for one in said if re.search("[ \N{NO-BREAK SPACE}][;?!]", one)] == []
