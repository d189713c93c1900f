"""`--help`: in the reader's language, without what the library has inside, whole at any width."""

import re

import pytest

from ingest.cli.commands import COMMANDS, GROUPS
from tests.ingest.conftest import Command

NAMES = [*COMMANDS, "demo", "serve", "stats", *GROUPS, ""]
INSIDES = re.compile(r"<\w+|\w>|\.\.\.|\[\[|x[<>]=|list\[|\{[A-Z]")


def shown(retourne: Command, name: str, language: str) -> list[str]:
    done = retourne(*name.split(), "--help", "--lang", language)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("name", NAMES, ids=[name or "retourne" for name in NAMES])
def test_help_is_whole_on_a_narrow_terminal_as_on_a_wide_one(
    name: str, language: str, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is too long, no word is cut in two, and what an option is called is never cut."""
    words = dict[int, list[str]]()
    for width in (60, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = shown(retourne, name, language)
        assert max(map(len, lines)) <= width
        assert not [line for line in lines if INSIDES.search(line.split(" > ")[0])]
        words[width] = [word for word in " ".join(lines).split() if word != "\\"]
    assert words[60] == words[200]


@pytest.mark.parametrize("name", ["", "check", "stats", "deck", "token add"])
def test_help_in_french_says_all_of_it_in_french(name: str, retourne: Command) -> None:
    text = "\n".join(shown(retourne, name, "fr"))
    english = {"Usage: ", "COMMAND ", "FILES", "PLAYER", "PATH", "default:", "Options:", "required"}
    english |= {"Show this message", "Install completion", "Commands"}
    assert [word for word in english if word in text] == []
    assert text.startswith("Usage\N{NO-BREAK SPACE}: retourne")
    assert "Montrer cette aide." in text


def test_what_excludes_each_other_stands_together(retourne: Command) -> None:
    lines = shown(retourne, "stats", "en")
    begin = lines.index("Choose what to count:")
    together = lines[begin + 1 : lines.index("", begin)]
    assert [line.split()[0] for line in together] == [
        "--compare",
        "--announcements",
        "--missed",
        "--winning",
        "--baseline",
        "--fairness",
        "--ladder",
    ]


def test_a_group_takes_the_language_too(retourne: Command) -> None:
    assert retourne("deck", "--lang", "en").out.startswith("Usage: retourne deck")
    missing = retourne("deck", "--lang", "en", "check", "nothing.json")
    assert (missing.code, missing.err) == (2, "Error: nothing.json cannot be read: file not found.\n")
    french = retourne("deck", "check", "rien.json", "--lang", "fr")
    assert french.err == (
        "Erreur : rien.json ne peut pas être lu : fichier introuvable.\n".replace(" :", "\u00a0:")
    )
