"""Both languages are complete, and the French is set as French is."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from dashboard.text.language import markdown

DASHBOARD = Path(__file__).parents[2] / "dashboard"


def marked() -> set[str]:
    """Every text in `t("…")` or `N_("…")` under dashboard/."""
    found = set()
    for path in DASHBOARD.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                first = node.args[0]
                if node.func.id in ("t", "N_") and isinstance(first, ast.Constant):
                    found.add(str(first.value))
    return found


def french() -> dict[str, str]:
    with (DASHBOARD / "locale" / "fr.po").open("rb") as file:
        catalogue = read_po(file, locale="fr", abort_invalid=True)
    return {str(message.id): str(message.string) for message in catalogue if message.id}


def test_every_text_has_its_french_and_no_french_is_left_over():
    assert marked() == set(french())


def test_the_holes_of_a_text_are_the_same_in_both_languages():
    for english, text in french().items():
        assert set(re.findall(r"{(\w+)}", english)) == set(re.findall(r"{(\w+)}", text)), english


def test_french_signs_have_their_unbreakable_spaces():
    for text in french().values():
        bare = re.sub(r"`[^`]*`", "", text)
        assert not re.search("(?<![\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}])[;?!%»]", bare), (
            text
        )
        assert not re.search("(?<!\N{NO-BREAK SPACE}):", bare), text
        assert not re.search("«(?!\N{NO-BREAK SPACE})", bare), text
        assert "'" not in text, text


@pytest.mark.parametrize("text", ["*a* _b_", "<b>", "[x](y)", ":red[x]", "`c`", "$1$", "# h"])
def test_markdown_of_a_log_is_shown_as_it_stands(text):
    escaped = markdown(text)
    assert re.sub(r"\\(.)", r"\1", escaped) == text
    assert not re.search(r"(?<!\\)[*_<\[`$#:]", re.sub(r"\\.", "", escaped))
