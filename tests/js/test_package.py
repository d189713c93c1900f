"""The package for JavaScript: what it holds, how much of it, how it is loaded and recorded with."""

import gzip
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.games import game_names
from schemas.simulated import simulate_season
from tests.js.agreement import by_javascript, in_node

pytestmark = pytest.mark.slow  # builds the package

ROOT = Path(__file__).parents[2]
MOST_PACKED = 40 * 1024


def a_match(name: str) -> dict[str, Any]:
    return next(simulate_season(name, 1, 7))


def test_has_a_kernel_and_a_table_of_each_game(dist: Path) -> None:
    games = {f"{name}.{end}" for name in game_names() for end in ("json", "wasm")}
    assert {path.name for path in dist.iterdir()} == games | {"retourne.mjs", "retourne.d.mts"}


def test_has_the_version_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert json.loads((ROOT / "js" / "package.json").read_bytes())["version"] == project["version"]


@pytest.mark.parametrize("name", game_names())
def test_one_game_is_small(dist: Path, name: str) -> None:
    files = ("retourne.mjs", f"{name}.wasm", f"{name}.json")
    assert sum(len(gzip.compress((dist / file).read_bytes())) for file in files) <= MOST_PACKED


def test_module_imports_nothing_but_what_reads_its_files(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert re.findall(r"^import .*|import\([^)]*\)", text, re.MULTILINE) == ['import("node:fs/promises")']


@pytest.mark.parametrize("name", game_names())
def test_a_match_is_recorded_act_by_act(module: Path, name: str) -> None:
    log = a_match(name)
    answer = json.loads(in_node("recorder.mjs", module, json.dumps(log)))
    assert (answer["illegal"], answer["refused"], answer["findings"]) == ([], [], [])
    assert answer["whole"] == log
    assert answer["played"] == {"ok": True, "findings": [], "reason": None}
    assert answer["turn"] == int(log["deals"][0]["actions"][0][0])


def test_steps_that_cannot_be_are_values(module: Path) -> None:
    answer = json.loads(in_node("recorder.mjs", module, json.dumps(a_match("chouine"))))
    assert [one["code"] for one in answer["steps"]["impossible"]["findings"]] == ["no-such-seat"]
    assert answer["steps"]["impossible"]["ok"] is False
    assert (answer["steps"]["undone"], answer["steps"]["tooMany"]) == (False, False)
    assert [one["code"] for one in answer["steps"]["checked"]] == ["unknown-action"]
    assert answer["steps"]["backAgain"] is True
    assert answer["empty"] == {"ok": False, "findings": [], "reason": "no-deal"}


NO_LOGS = [b"", b"[]", b"null", b"\xff", b"{", b'{"format": "retourne/1"}', b"[" * 100_000]


@pytest.mark.parametrize("text", NO_LOGS, ids=range(len(NO_LOGS)))
def test_what_is_no_log_is_unreadable(module: Path, text: bytes) -> None:
    (report,) = by_javascript(module, [text])
    assert (report["status"], len(report["findings"])) == ("unreadable", 1)
