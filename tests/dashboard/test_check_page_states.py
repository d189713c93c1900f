"""The board of the page that checks logs shows what the dashboard’s does, from the states of JavaScript."""

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dashboard.board.check_page import check_page
from dashboard.board.states import deal_states
from engine.games import game_names
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from schemas.notation import action_notation
from tests.ingest.mutate import legal, mutated
from tests.js.agreement import NODE, left_out
from tests.js.package import made

pytestmark = pytest.mark.slow  # builds the package

ROOT = Path(__file__).parents[2]
PLY = ("turns", "table", "table_of", "lead", "trick_winner", "actor", "card", "piles")
DEAL = ("jumps", "tricks", "sides", "corner", "times", "comments", "recall", "auction")
ENGLISH = translator("en", "dashboard")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory)


def in_javascript(package: Path, data: Path, logs: list[dict[str, Any]]) -> list[dict[str, list[Any]]]:
    """The data of each deal of each log, as the page makes it, and what a line from its middle offers."""
    text = check_page(package).partition('id="page">')[2].partition("</script>")[0]
    data.write_text(text, encoding="utf-8")
    program = ROOT / "tests" / "js" / "log_states_lines.mjs"
    scripts = [
        ROOT / "dashboard" / "board" / "js" / f"{name}.js" for name in ("log-states", "local-variation")
    ]
    done = subprocess.run(
        [NODE, str(program), str(package), str(data), *map(str, scripts)],
        input="".join(json.dumps(log) + "\n" for log in logs),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert not done.returncode, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def compared(deal: dict[str, Any] | None) -> dict[str, Any] | None:
    """The parts of a deal that both know: cards, legal ones, tricks, comments, places of findings."""
    if deal is None:
        return None
    plies = [
        {key: ply[key] for key in PLY}
        | {"hands": [sorted(seat["hand"]) for seat in ply["seats"]], "legal": sorted(ply["legal"])}
        | {"points": [one["points"] for one in ply["sides"] or ply["seats"]]}
        for ply in deal["plies"]
    ]
    found = [[one["ply"], one["rule"], one["severity"]] for one in deal["findings"]]
    seats = [[seat["name"], seat["note"], seat["side"]] for seat in deal["seats"]]
    return {key: deal[key] for key in DEAL} | {"plies": plies, "findings": found, "seats": seats}


@pytest.mark.parametrize("name", game_names())
def test_cards_tricks_points_and_findings_are_those_of_the_dashboard(
    package: Path, tmp_path: Path, name: str
) -> None:
    rng = Random(41)
    begun = [log for log in legal() if log["game"] == name]
    logs = [mutated(rng.choice(begun), rng, rng.choice([0, 1]))[0] for _ in range(12)]
    results = {json.dumps(log): validate(json.dumps(log).encode()) for log in logs}
    logs = [
        log
        for log in logs
        if left_out(json.dumps(log).encode()) is None and results[json.dumps(log)].match is not None
    ]
    assert len(logs) > 5
    for log, found in zip(logs, in_javascript(package, tmp_path / "page.json", logs), strict=True):
        result = results[json.dumps(log)]
        expected = [deal_states(result, number, ENGLISH) for number in range(len(log["deals"]))]
        for own, other in zip(found["deals"], expected, strict=True):
            assert compared(own) == json.loads(json.dumps(compared(other))), log
        for own, replay, line in zip(found["deals"], result.replays, found["offered"], strict=True):
            assert (own is None) == (replay is None)
            if replay is None:
                continue
            start = (len(replay) - 1) // 2
            faces = result.known_setup.faces
            legal_there = [action_notation(name, one.code, faces) for one in replay[start].legal]
            acts = sorted(one.replace(" ", ".") for one in legal_there)
            assert line == {"start": start, "plies": start + 1, "acts": acts}, log
