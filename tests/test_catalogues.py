"""The catalogues of translators: every text once, with the modules it is from."""

import re
from collections import Counter

import pytest

from tests import catalogues
from tests.catalogues import PACKAGES, french, rooms


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_a_catalogue_is_as_its_script_writes_it(package: str) -> None:
    found = catalogues.path(package).read_text(encoding="utf-8")
    assert found == catalogues.written(package), "python -m tests.catalogues"


@pytest.mark.parametrize("package", PACKAGES)
def test_each_text_is_in_a_catalogue_once(package: str) -> None:
    found = catalogues.path(package).read_text(encoding="utf-8")
    keys = re.findall(r'^msgid ((?:".*"\n)+)', found, re.MULTILINE)
    assert [key for key, n in Counter(keys).items() if n > 1] == []


def test_a_text_of_both_packages_has_one_french() -> None:
    """Who looks a text up in one of them finds what the other says."""
    ours, theirs = map(french, PACKAGES)
    assert [text for text in ours.keys() & theirs.keys() if ours[text] != theirs[text]] == []


@pytest.mark.slow
def test_a_text_names_every_room_that_says_it() -> None:
    assert rooms("ingest")["Error: "] == ["ingest/cli"]
    assert len(rooms("dashboard")["Matches"]) > 3
