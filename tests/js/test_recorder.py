"""A match recorded in JavaScript: each step is refused, or has the findings, that it has in Python."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games import game_names
from ingest.recorder import InvalidMatchError, Recorder, StepResult
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
        except InvalidMatchError as error:
            found, recorded = error.findings, False
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
    logs = spoilt_matches(name, 12)
    for log, steps in zip(logs, lines_of("steps_lines.mjs", module, logs), strict=True):
        assert steps == steps_in_python(log), log


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_is_after_each_step_and_undo_what_a_check_of_the_log_says(module: Path, name: str) -> None:
    logs = spoilt_matches(name, 12)
    found = lines_of("prefix_lines.mjs", module, logs)
    assert [one["differences"] for one in found] == [[]] * len(logs)
    steps = [count for one in found for count in one["played"]]
    again = [count for count in steps if count > 1]  # the first draw that is written, or an unreadable word
    assert steps.count(1) > 0.9 * len(steps)
    assert len(again) <= 2 * len(logs)


FIRST_CARDS = ["7s 8s 9s Ts Js", "Qs Ks As 7h 8h", "9h Th Jh Qh Kh", "??"]
AFTER_TAKING = [
    "7s 8s 9s Ts Js 7c 8c 9c",
    "Qs Ks As 7h 8h Td Tc Jc",
    "9h Th Jh Qh Kh Qc Kc Ac",
    "7d 8d 9d Jd Qd Kd Ad Ah",
]


@pytest.mark.slow
@pytest.mark.parametrize("hands", [FIRST_CARDS, AFTER_TAKING], ids=["first cards", "all"])
def test_be_4_hands_and_legal_acts_are_known_before_the_taking(module: Path, hands: list[str]) -> None:
    actions = ["1 pass", "3 pass", "2 bid 80s", "2 pass", "3 pass", "3 7s", "4 pass", "1 pass", "2 take h"]
    players = [{"id": name} for name in ("a", "b", "c", "d")]
    deal, later = {"dealer": 4, "hands": hands}, {"hands": AFTER_TAKING}
    head: dict[str, Any] = {"game": "belote", "rules": "classique", "players": players}
    log = head | {"deals": [deal | {"actions": actions}], "later": later}
    found = json.loads(in_node("opening.mjs", module, json.dumps(log)))
    recorder, expected = Recorder(**head), list[Step]()
    steps = [
        partial(recorder.deal, **deal),
        *(partial(recorder.act, one) for one in actions),
        partial(recorder.update, **later),
    ]
    for step in steps:
        try:
            recorded, findings = True, step().findings
        except InvalidMatchError as error:
            recorded, findings = False, error.findings
        now = recorder.state
        what = [f"{one.code} {one.path}" for one in findings]
        expected.append([recorded, what, now.hands, now.turn, sorted(now.legal)])
    if hands is FIRST_CARDS:  # who was dealt which card is unknown after the taking
        assert found.pop(-2) == [True, [], None, None, []]
        del expected[-2]
    assert found == expected
    assert ("2 take s" in found[1][4]) == (hands is AFTER_TAKING)
    assert [row[0] for row in found].count(False) == 3


@pytest.mark.slow
def test_be_16_what_an_unknown_hand_decides_is_left_to_the_server(module: Path) -> None:
    actions = ["1 bid 80s", "2 pass", "3 pass", "4 pass", "1 tierce-Qh"]
    players = [{"id": name} for name in ("a", "b", "c", "d")]
    log = {"game": "belote", "rules": "coinchee", "players": players, "later": {}}
    log["deals"] = [{"dealer": 4, "actions": actions}]
    found = json.loads(in_node("opening.mjs", module, json.dumps(log)))
    assert found == [[True, [], None, None, []]] * 7
