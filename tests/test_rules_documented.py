"""Every rule is shown by a test, told in both languages, and every fault names one of them."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from engine.games import game, game_names
from engine.options import game_options, game_presets
from ingest.findings import rulebook
from ingest.findings.codes import code_entries
from ingest.findings.finding import NOTE, STATUSES, WARNING
from ingest.i18n import LANGUAGES, translator

ROOT = Path(__file__).parents[1]
RULES = ROOT / "docs" / "rules.md"
TEXT = RULES.read_text(encoding="utf-8")
FRENCH = (ROOT / "docs" / "regles.md").read_text(encoding="utf-8")
BOOKS = {"en": TEXT, "fr": FRENCH}
IDS = re.findall(r'<a id="((?:c[hor]|be)-\d+)"></a>', TEXT)


@cache
def shown() -> set[str]:
    """The names of all test functions."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_rules_are_numbered_without_a_gap() -> None:
    for letters, count in (("ch", 30), ("co", 16), ("cr", 9), ("be", 25)):
        own = [rule for rule in IDS if rule.startswith(letters)]
        assert own == [f"{letters}-{number}" for number in range(1, count + 1)]


@pytest.mark.parametrize("rule", IDS)
def test_every_rule_is_named_by_a_test(rule: str) -> None:
    letters, number = rule.split("-")
    named = re.compile(rf"_{letters}_?{number}(_|$)")
    assert any(named.search(name) for name in shown())


@pytest.mark.parametrize("name", game_names())
def test_every_fault_names_a_documented_rule(name: str) -> None:
    this = game(name)
    for fault in (*this.faults.rows, *this.match_faults.rows):
        assert fault.rule == "format" or fault.rule.lower() in IDS, fault


@pytest.mark.parametrize(
    ("name", "language"),
    # in French the page of rules and `retourne rules` list those of several presets
    [
        (name, one)
        for name in game_names()
        for one in LANGUAGES
        if one == "en" or len(game_presets(name)) == 1
    ],
)
def test_every_option_is_listed_with_the_value_of_each_preset(name: str, language: str) -> None:
    section = BOOKS[language].split(f'<a id="{name}-options"></a>')[1].partition("\n<a ")[0]
    items = re.findall(r"^- \[`(\w+)`\]\(#([\w-]+)\)(?: \([^)]*\))?\s?: (.+)$", section, re.MULTILINE)
    assert [(one, rule) for one, rule, _ in items] == [
        (option.name, option.rule.lower()) for option in game_options(name)
    ]
    for option, _, values_text in items:
        usual, *others = re.split(r"\s?; ", values_text)
        values = dict.fromkeys(game_presets(name), usual)
        for other in others:
            presets, value = re.findall(r"`([\w-]+)`", other), other.rpartition(" ")[2]
            assert set(presets) <= set(values)
            values |= dict.fromkeys(presets, value)
        for preset, value in values.items():
            assert value in (str(game_presets(name)[preset][option]).lower(), "–"), (option, preset)


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_within_the_rules_lead_somewhere(language: str) -> None:
    anchors = set(re.findall(r'<a id="([^"]+)"></a>', BOOKS[language]))
    for target in re.findall(r"\]\(#([^)]+)\)", BOOKS[language]):
        assert target in anchors


def test_both_languages_have_the_same_rules_decisions_and_codes() -> None:
    assert re.findall(r'<a id="(.+?)"></a>', FRENCH) == re.findall(r'<a id="(.+?)"></a>', TEXT)
    for rule, english in rulebook.rules_by_id("en").items():
        french = rulebook.rules_by_id("fr")[rule]
        assert len(re.findall(r"\*\*D.?:\*\*", english.text)) == len(
            re.findall(r"\*\*D.?:\*\*", french.text)
        ), rule
        assert re.findall(r"`[^`]+`", english.text) == re.findall(r"`[^`]+`", french.text), rule
        numbers = [set(re.findall(r"\d\d+", one.text)) for one in (english, french)]
        assert numbers[0] - {"10"} == numbers[1] - {"10"}, rule  # 10 is a card in French


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("severity", [WARNING, NOTE])
def test_what_is_no_error_is_listed_by_its_severity(severity: str, language: str) -> None:
    (row,) = re.findall(rf"^- `{severity}`.*$", BOOKS[language], re.MULTILINE)
    listed = set(re.findall(r"`([a-z]+-[a-z-]+)`", row))
    assert listed == {one.code for one in code_entries() if one.severity == severity}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verdict_is_reported_from_best_to_worst(language: str) -> None:
    section = BOOKS[language].split('<a id="faults"></a>')[1]
    assert ", ".join(f"`{status}`" for status in STATUSES) in " ".join(section.split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_can_be_shown_by_its_id(language: str) -> None:
    t = translator(language)
    for rule in IDS:
        result = rulebook.find_rule(rule.upper(), t)
        assert result.id.lower() == rule
        assert result.title.endswith(".")
        assert result.plain_text.startswith(result.title.replace("*", ""))
        assert not re.search(r"[*`|]|\]\(", result.plain_text)
    with pytest.raises(KeyError):
        rulebook.find_rule("CH-99", t)


def test_a_rule_ends_where_the_next_heading_begins() -> None:
    monter = rulebook.rules_by_id("fr")["CH-9"]
    assert monter.title == "Monter."
    assert monter.game == "chouine"
    assert monter.text.endswith("rien n’oblige à monter.")
    assert "###" not in rulebook.rules_by_id("en")["CH-4"].text
    assert rulebook.rule_headings("fr")["CH-15"] == "Les annonces"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rule_of_the_log_format_is_no_rule_of_a_game(language: str) -> None:
    assert rulebook.find_rule("format", translator(language)).game == ""


def test_the_french_rules_are_set_as_french_is() -> None:
    bare = re.sub(r"`[^`]*`|<a [^>]*>|\]\([^)]*\)", "", FRENCH)
    assert not re.search("(?<![\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}])[;?!»]", bare)
    assert not re.search("(?<!\N{NO-BREAK SPACE}):(?!-)", bare)
    assert "'" not in bare
