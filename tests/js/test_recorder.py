"""A match recorded in JavaScript: each step is refused, or has the findings, that it has in Python."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games import game_names
from ingest.recorder import Recorder, Refused, StepResult
from ingest.validate.slow_path import validate
from tests.ingest.mutate import MUTATIONS, copied, legal
from tests.js.agreement import in_node, left_out

pytestmark = pytest.mark.slow  # builds the package

SHEET = ("points", "winner", "void", "manche")
OF_PLAY = [
    *(
        "swap two actions",
        "swap neighbours",
        "swap two cards of a seat",
        "drop an action",
        "repeat an action",
    ),
    *("move a seat", "change a card", "change a word", "insert a word", "an unknown word", "turn a card"),
    *("alter a total", "alter a winner", "alter a dealer", "void a deal", "swap two cards of the deck"),
]
Step = list[Any]


def steps_in_python(log: dict[str, Any]) -> list[Step]:
    """Whether each step was recorded, and its findings."""
    head = {key: log[key] for key in log if key not in ("deals", "result", "format")}
    recorder, steps = Recorder(**head), list[Step]()

    def take(step: Callable[..., StepResult], *args: Any, **keys: Any) -> bool:
        try:
            found, recorded = step(*args, **keys).findings, True
        except Refused as refused:
            found, recorded = refused.findings, False
        steps.append([recorded, [f"{one.code} {one.path}" for one in found]])
        return recorded

    for deal in log["deals"]:
        cards = {key: deal[key] for key in deal if key not in ("actions", *SHEET)}
        if not take(recorder.deal, **cards):
            break
        for action in deal.get("actions", ()):
            take(recorder.act, action)
        take(recorder.end, **{key: deal[key] for key in deal if key in SHEET})
    return steps


def spoilt_matches(name: str, count: int) -> list[dict[str, Any]]:
    """Matches of a game, two deals each, with up to two mistakes, written out whole."""
    rng, logs = Random(41), list[dict[str, Any]]()
    begun = [log for log in legal() if log["game"] == name]
    while len(logs) < count:
        log = copied(rng.choice(begun))
        log["deals"] = log["deals"][:2]
        for mutation in rng.choices(OF_PLAY, k=rng.choice([0, 1, 2])):
            MUTATIONS[mutation](log, rng)
        text = json.dumps(log).encode()
        if left_out(text) is None and validate(text).match is not None:
            logs.append(log)
    return logs


def lines_of(program: str, module: Path, logs: list[dict[str, Any]]) -> list[Any]:
    """What a program prints of each log."""
    typed = "".join(json.dumps(log) + "\n" for log in logs)
    return [json.loads(line) for line in in_node(program, module, typed).splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_each_step_has_the_same_findings(module: Path, name: str) -> None:
    logs = spoilt_matches(name, 30)
    for log, steps in zip(logs, lines_of("steps_lines.mjs", module, logs), strict=True):
        assert steps == steps_in_python(log), log


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_is_after_each_step_and_undo_what_a_check_of_the_log_says(module: Path, name: str) -> None:
    logs = spoilt_matches(name, 30)
    found = lines_of("prefix_lines.mjs", module, logs)
    assert [one["differences"] for one in found] == [[]] * len(logs)
    steps = [count for one in found for count in one["played"]]
    again = [count for count in steps if count > 1]  # the first draw that is written, or an unreadable word
    assert steps.count(1) > 0.9 * len(steps)
    assert len(again) <= 2 * len(logs)
