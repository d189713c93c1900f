"""The states of deals in JavaScript are those of Python: hands, table, points and all legal acts."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games import game_names
from engine.match import winner_in_log
from engine.replay import Ply
from ingest.validate.slow_path import ValidationResult, validate, visible_hand
from schemas.notation import action_notation
from tests.ingest.mutate import legal, mutated
from tests.js.agreement import in_node, left_out

pytestmark = pytest.mark.slow  # builds the package


def states_in_node(module: Path, logs: list[dict[str, Any]]) -> list[list[list[dict[str, Any]]]]:
    """The states of each deal of each log."""
    typed = "".join(json.dumps(log) + "\n" for log in logs)
    return [json.loads(line) for line in in_node("states_lines.mjs", module, typed).splitlines()]


def states_in_python(result: ValidationResult) -> Iterator[list[dict[str, Any]]]:
    for replay in result.replays:
        yield [] if replay is None else [plain(result, ply) for ply in replay]


def plain(result: ValidationResult, ply: Ply) -> dict[str, Any]:
    """A state as JavaScript prints it, but for its cards on the table."""
    setup, state = result.known_setup, ply.state
    return {
        "hands": [visible_hand(setup, state, seat) for seat in range(setup.players)],
        "dealer": int(state["dealer"]) + 1,
        "leader": int(state["leader"]) + 1,
        "turn": ply.turn + 1,
        "trick": ply.trick,
        "over": ply.is_over,
        "winner": winner_in_log(state),
        "points": list(ply.points),
        "legal": [action_notation(setup.game.name, one.code, setup.faces) for one in ply.legal],
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_states_and_legal_acts_are_the_same(module: Path, name: str) -> None:
    rng = Random(41)
    begun = [log for log in legal() if log["game"] == name]
    logs = [mutated(rng.choice(begun), rng, rng.choice([0, 1]))[0] for _ in range(30)]
    texts = [json.dumps(log).encode() for log in logs]
    whole = [(log, text) for log, text in zip(logs, texts, strict=True) if left_out(text) is None]
    for (log, text), deals in zip(whole, states_in_node(module, [one for one, _ in whole]), strict=True):
        result = validate(text)
        expected = list(states_in_python(result)) if result.match is not None else []
        compared = [
            [{key: one[key] for key in own} for one, own in zip(*pair, strict=True)]
            for pair in zip(deals, expected, strict=True)
        ]
        assert compared == expected, log


def test_cards_on_the_table_are_those_played(module: Path) -> None:
    log = next(log for log in legal() if log["game"] == "coinche")
    [[*states], *_] = states_in_node(module, [log])[0]
    for before, after, action in zip(states, states[1:], log["deals"][0]["actions"], strict=False):
        seat, _, word = action.partition(" ")
        if after["trick"] == before["trick"] and len(word) == 2:
            assert after["table"][int(seat) - 1] == word
