"""Tests wait for something that comes, in `tests/waiting.py`, and never for a time."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
SLEEPS = {"sleep", "wait_for_timeout"}
OWN = {
    "waiting.py",
    # what only soaks does by design: it kills and stops at times drawn by lot, or is slow to be met
    "ingest/crash_worker.py",
    "ingest/kills.py",
    "ingest/lake_kills.py",
}


def sleeping(text: str) -> list[int]:
    """The lines of a program that call what sleeps, by whatever name it was imported."""
    called = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return sorted(
        one.lineno
        for one in called
        if (isinstance(one, ast.Name) and one.id in SLEEPS)
        or (isinstance(one, ast.Attribute) and one.attr in SLEEPS)
    )


@pytest.mark.parametrize("text", ["time.sleep(1)", "sleep(1)", "page.wait_for_timeout(9)"])
def test_what_sleeps_is_found(text: str) -> None:
    assert sleeping(f"import x\n{text}") == [2]


@pytest.mark.slow
def test_no_test_sleeps() -> None:
    files = {str(path.relative_to(ROOT)): path for path in ROOT.rglob("*.py")}
    found = {
        name: lines
        for name in files.keys() - OWN
        if (lines := sleeping(files[name].read_text(encoding="utf-8")))
    }
    assert found == {}
