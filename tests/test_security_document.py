"""Every test and document that SECURITY.md and the table of OWASP ASVS name exists."""

import ast
import csv
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
with (ROOT / "docs/asvs.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
# of each section of ASVS 5.0.0 its last number of level 1, and of level 2
SECTIONS = """
1.1:0-2 1.2:5-9 1.3:2-11 1.4:0-3 1.5:1-2
2.1:1-3 2.2:2-3 2.3:1-4 2.4:0-1
3.2:2-2 3.3:1-4 3.4:2-6 3.5:3-5 3.7:0-2
4.1:1-3 4.2:0-1 4.3:0-2 4.4:1-4
5.1:0-1 5.2:2-3 5.3:2-2 5.4:0-3
6.1:1-3 6.2:8-12 6.3:2-4 6.4:2-4 6.5:0-5 6.6:0-3 6.8:0-4
7.1:0-3 7.2:4-4 7.3:0-2 7.4:2-5 7.5:0-2 7.6:0-2
8.1:1-2 8.2:2-3 8.3:1-1 8.4:0-1
9.1:3-3 9.2:1-4
10.1:0-2 10.2:0-2 10.3:0-4 10.4:5-11 10.5:0-5 10.6:0-2 10.7:0-3
11.1:0-2 11.2:0-3 11.3:2-3 11.4:1-4 11.5:0-1 11.6:0-1
12.1:1-3 12.2:2-2 12.3:0-4
13.1:0-1 13.2:0-5 13.3:0-2 13.4:1-5
14.1:0-2 14.2:1-4 14.3:1-3
15.1:1-3 15.2:1-3 15.3:1-7
16.1:0-1 16.2:0-5 16.3:0-4 16.4:0-3 16.5:0-3
17.1:0-1 17.2:0-4 17.3:0-2
"""
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_requirement_of_levels_1_and_2_stands_once() -> None:
    wanted = [
        (f"{section}.{number}", "1" if number <= int(first) else "2")
        for section, first, last in re.findall(r"([\d.]+):(\d+)-(\d+)", SECTIONS)
        for number in range(1, int(last) + 1)
    ]
    assert [(one["number"], one["level"]) for one in ROWS] == wanted
    assert (len(wanted), sum(level == "1" for _, level in wanted)) == (253, 70)


@pytest.mark.parametrize("state", ["held", "not applicable", "accepted"])
def test_a_state_comes_with_what_shows_it_or_a_reason(state: str) -> None:
    rows = [one for one in ROWS if one["state"] == state]
    assert rows
    column = "evidence" if state == "held" else "reason"
    assert [one["number"] for one in rows if not one[column]] == []


def test_no_requirement_is_without_a_state() -> None:
    assert {one["state"] for one in ROWS} <= {"held", "not applicable", "accepted", "open"}


def test_every_secret_is_random_and_has_128_bits_at_least() -> None:
    """Of another length are what is no secret: the ids of sheets on a page, the number in a pseudonym."""
    found, others = 0, set()
    for folder in ("engine", "schemas", "ingest", "dashboard"):
        for path in (ROOT / folder).rglob("*.py"):
            for size in re.findall(r"secrets\.token_\w+\((.*?)\)", path.read_text(encoding="utf-8")):
                found += 1
                if not (size == "" or (size.isdigit() and int(size) >= 16)):
                    others.add(path.name)
    assert found >= 9
    assert others == {"sheet_draft.py", "purge.py"}


def test_what_the_table_names_exists() -> None:
    missing = []
    for row in ROWS:
        path, _, name = row["evidence"].partition("::")
        if name:
            if name not in functions(path):
                missing.append(row["evidence"])
        elif path:
            path, _, anchor = path.partition("#")
            text = (ROOT / path).read_text(encoding="utf-8")
            anchors = {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in HEADING.findall(text)}
            if anchor and anchor not in anchors:
                missing.append(row["evidence"])
    assert missing == []


def test_every_threat_names_tests_that_exist() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    section = text.partition("\n## Attackers")[2].partition("\n## ")[0]
    threats = [one for one in section.splitlines() if one.startswith("- ")]
    assert threats
    for threat in threats:
        named = re.findall(r"\[`(test_\w+)`\]\((tests/[\w/]+\.py)\)", threat)
        assert named, threat
        assert [name for name, path in named if name not in functions(path)] == [], threat
