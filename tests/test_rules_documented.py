"""Every rule of `docs/rules.md` is shown by a test, and every fault names one of them."""

import ast
import re
from pathlib import Path

import pytest

from engine.games import NAMES, game
from engine.rules import OPTIONS, PRESETS

ROOT = Path(__file__).parents[1]
RULES = ROOT / "docs" / "rules.md"
TEXT = RULES.read_text(encoding="utf-8")
IDS = re.findall(r'<a id="(c[hor]-\d+)"></a>', TEXT)


def shown() -> set[str]:
    """The names of all test functions."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_rules_are_numbered_without_a_gap() -> None:
    for letters, count in (("ch", 30), ("co", 16), ("cr", 9)):
        own = [rule for rule in IDS if rule.startswith(letters)]
        assert own == [f"{letters}-{number}" for number in range(1, count + 1)]


@pytest.mark.parametrize("rule", IDS)
def test_every_rule_is_named_by_a_test(rule: str) -> None:
    letters, number = rule.split("-")
    named = re.compile(rf"_{letters}_?{number}(_|$)")
    assert any(named.search(name) for name in shown())


@pytest.mark.parametrize("name", NAMES)
def test_every_fault_names_a_documented_rule(name: str) -> None:
    this = game(name)
    for fault in (*this.faults.rows, *this.match_faults.rows):
        assert fault.rule == "format" or fault.rule.lower() in IDS, fault


@pytest.mark.parametrize("name", list(OPTIONS))
def test_every_option_and_preset_is_in_the_table(name: str) -> None:
    section = TEXT.split(f'<a id="{name}-options"></a>')[1]
    for option in OPTIONS[name]:
        assert option.rule.lower() in IDS
        for row in section.splitlines():
            if row.startswith(f"| `{option.name}` |"):
                cells = [cell.strip() for cell in row.strip("|").split("|")]
                break
        else:
            pytest.fail(f"{option.name} is not in a table of docs/rules.md")
        told = cells[2 : 2 + len(PRESETS[name])]
        for cell, values in zip(told, PRESETS[name].values(), strict=True):
            assert cell in (str(values[option.name]).lower(), "–"), (option.name, cell)


def test_links_within_the_rules_lead_somewhere() -> None:
    anchors = set(re.findall(r'<a id="([^"]+)"></a>', TEXT))
    for target in re.findall(r"\]\(#([^)]+)\)", TEXT):
        assert target in anchors
