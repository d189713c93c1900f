"""The types of the package: they name what the module exports, and what it returns has their shape."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games import game_names
from ingest.findings.finding import STATUSES
from js.build import HERE
from tests.ingest.mutate import legal, mutated
from tests.js.agreement import in_node
from tests.js.declarations import Declarations

pytestmark = pytest.mark.slow  # builds the package

INTERNAL = {
    "Game": {"table", "kernel", "kinds", "kindOf", "wordsOf"},
    "State": {"seats", "outcome", "toJSON"},
    "Recorder": set[str](),
}
"""Parts of classes that other modules of the package use and that have no type."""


@pytest.fixture(scope="module")
def declared() -> Declarations:
    return Declarations((HERE / "src" / "retourne.d.ts").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found(module: Path) -> dict[str, Any]:
    """What the module exports and returns, on legal, faulty, incomplete and unreadable logs."""
    rng = Random(41)
    logs = [mutated(log, rng, 1)[0] for log in rng.choices(legal(), k=60)]
    logs += rng.choices(legal(), k=20)
    logs += [json.loads(path.read_bytes()) for path in sorted((HERE.parent / "data").glob("match-*.json"))]
    logs += [{"game": "chouine"}, {**logs[-1], "deals": []}, {**logs[0], "deals": logs[0]["deals"] * 2}]
    lines = "".join(json.dumps(log) + "\n" for log in logs if log.get("game") in game_names())
    answer: dict[str, Any] = json.loads(in_node("shapes.mjs", module, lines))
    return answer


def test_all_that_is_exported_is_declared_with_its_parameters(
    declared: Declarations, found: dict[str, Any]
) -> None:
    assert found["exported"] == declared.values


@pytest.mark.parametrize("name", INTERNAL)
def test_a_class_has_the_parts_that_are_declared(
    declared: Declarations, found: dict[str, Any], name: str
) -> None:
    parts = {key: one.required for key, one in declared.members[name].items()}
    own = found["members"][name]
    assert {key: own[key] for key in own if key not in INTERNAL[name]} == parts
    assert INTERNAL[name] <= own.keys()


@pytest.mark.parametrize("name", ["Report", "States", "Step", "Game", "Recorder"])
def test_what_is_returned_has_the_declared_shape(
    declared: Declarations, found: dict[str, Any], name: str
) -> None:
    values = found["values"][name]
    assert len(values) > 50
    assert [text for one in values if (text := declared.misfit(one, name))] == []


def test_declared_words_are_those_of_the_source(declared: Declarations) -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((HERE / "src").glob("*.mjs")))
    assert declared.words("Status") == list(STATUSES)
    for reason in declared.words("Reason"):
        assert f'"{reason}"' in source, reason
    written = re.findall(r'(?:unanswered\(|\.open\(|\[)"([a-z-]+)"(?:, (?:"/|path\]|pointer)|\))', source)
    assert set(written) == set(declared.words("Reason"))


def test_another_shape_is_noticed(declared: Declarations, found: dict[str, Any]) -> None:
    report = next(one for one in found["values"]["Report"] if one["findings"])
    finding = report["findings"][0]
    for changed, text in [
        ({**report, "reason": "unheard-of"}, "/reason: 'unheard-of'"),
        ({**report, "status": True}, "/status: True"),
        ({**report, "findings": [{**finding, "deal_index": "0"}]}, "/findings/0/deal_index: '0'"),
        ({**report, "deals": None}, "/deals: None"),
    ]:
        assert declared.misfit(changed, "Report") == text
    assert "has other parts than Finding" in declared.misfit({**finding, "line": 1}, "Finding")
