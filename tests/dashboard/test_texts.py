"""Both languages are complete, and the French is set as French is."""

import re

import pytest

from dashboard.text.numbers import escape_markdown
from tests.catalogues import PACKAGES, french, rooms

HOLE = r"{(\w+)(?:!\w)?}"


@pytest.mark.slow
def test_every_text_has_its_french_and_no_french_is_left_over():
    assert set(rooms("dashboard")) == set(french("dashboard"))


def test_the_holes_of_a_text_are_the_same_in_both_languages():
    for english, text in french("dashboard").items():
        assert set(re.findall(HOLE, english)) == set(re.findall(HOLE, text)), english


@pytest.mark.parametrize("package", PACKAGES)
def test_french_signs_have_their_unbreakable_spaces(package):
    for text in french(package).values():
        # code, a key of JSON, a time, a word of a search, an address
        bare = re.sub(r'`[^`]*`|"\w+": |\w:\w|\w+://[^ )]*|{\w+!\w}', "", text)
        assert not re.search("(?<![\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}])[;?!%»]", bare), text
        assert not re.search("(?<!\N{NO-BREAK SPACE}):", bare), text
        assert not re.search("«(?!\N{NO-BREAK SPACE})", bare), text
        assert "'" not in text, text


@pytest.mark.parametrize("text", ["*a* _b_", "<b>", "[x](y)", ":red[x]", "`c`", "$1$", "# h"])
def test_markdown_of_a_log_is_shown_as_it_stands(text):
    escaped = escape_markdown(text)
    assert re.sub(r"\\(.)", r"\1", escaped) == text
    assert not re.search(r"(?<!\\)[*_<\[`$#:]", re.sub(r"\\.", "", escaped))
