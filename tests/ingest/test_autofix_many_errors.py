"""Logs that more than one recording error is wrong with: what explains only a part of it is no edit."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.games import game_names
from ingest.autofix.text_edit import apply_all_edits
from ingest.findings.edit_texts import describe_candidates
from ingest.findings.finding import Edit
from ingest.i18n import translator
from ingest.validate.parse_document import MAX_ENTRIES
from tests.ingest.conftest import Command
from tests.ingest.recording_errors import CARD, Log, seat_of, word_of
from tests.ingest.test_recording_errors import a_match, repaired

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def edits(log: Log) -> list[Edit]:
    return [one.edit for one in repaired(log).findings if one.edit is not None]


@pytest.mark.parametrize("times", [0, 2], ids=["skipped", "written twice"])
@pytest.mark.parametrize("game", game_names())
def test_where_a_deal_is_left_out_or_written_twice_no_result_is_rewritten(game: str, times: int) -> None:
    log = a_match(game)
    for place in range(1, len(log["deals"]) - 1):
        deals = log["deals"]
        changed = {**log, "deals": [*deals[:place], *[deals[place]] * times, *deals[place + 1 :]]}
        found = repaired(changed).findings
        if any(one.code == "wrong-dealer" and one.edit is None for one in found):
            paths = [one.edit.path for one in found if one.edit is not None]
            assert not [path for path in paths if path.startswith("/result")]


@pytest.mark.parametrize("game", game_names())
def test_a_deal_cut_off_ends_with_no_act_that_nobody_wrote(game: str) -> None:
    log = a_match(game)
    for deal in log["deals"]:
        whole = deal["actions"]
        deal["actions"] = whole[:-4]
        for edit in edits(log):
            at = edit.path.rpartition("/")[2]
            if edit.op == "add" and int(at) >= len(deal["actions"]):
                assert CARD.fullmatch(word_of(str(edit.value))), edit
        deal["actions"] = whole


@pytest.mark.parametrize("game", game_names())
def test_where_points_were_recorded_no_edit_leaves_the_deal_without_its_end(game: str) -> None:
    log = a_match(game)
    for deal in log["deals"][::2]:
        whole, middle = deal["actions"], len(deal["actions"]) // 2
        deal["actions"] = whole[:middle] + whole[middle + 4 :]
        text = json.dumps(log).encode()
        after = apply_all_edits(text)
        played = [one for one in after.fixed if one.edit and "/actions/" in one.edit.path]
        codes = {one.code for one in after.after.findings}
        assert not played or "incomplete" not in codes, [one.edit for one in played]
        deal["actions"] = whole


def test_a_deal_of_ten_thousand_actions_is_not_searched_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    log = a_match("chouine")
    first = log["deals"][0]["actions"][0]
    log["deals"][0]["actions"] = [f"{seat_of(first)} {word_of(first)}"] * MAX_ENTRIES
    with caplog.at_level(logging.WARNING):
        found = repaired(log).findings
    assert not caplog.records
    assert {one.searched for one in found if one.code == "wrong-turn"} >= {False}


EMPTIED = {
    "format": "retourne/1",
    "game": "chouineurs",
    "rules": {"manches": 5, "tricks": 1},
    "players": [{"id": name.lower(), "name": name} for name in ("Denise", "Marcel", "Maurice")],
    "deck": "retourne",
    "deals": [
        {
            "leader": 3,
            "hands": ["r10/k35", "r5/y25", "b18/y12"],
            "bids": ["0-1", "0-1-2", "0-1-2"],
            "actions": ["3 b18", "", "1 r10", "2 point"],
            "points": [8, 3, 8],
            "winner": 0,
        },
        {
            "leader": 1,
            "hands": ["k31/r12", "r18/y11", "r7/y21"],
            "bids": ["0-1-2", "2-3-4", "3-4+"],
            "actions": ["1 k31", "2 r18", "3 r7"],
            "points": [8, 0, 1],
            "winner": 1,
        },
    ],
}
"""An action is no word at all and stands where another should: either error may be corrected first."""


def test_what_is_offered_first_of_two_is_the_same_in_every_run(tmp_path: Path, retourne: Command) -> None:
    """Python orders what it hashes anew in each process, as in this one."""
    path = tmp_path / "emptied.json"
    path.write_text(json.dumps(EMPTIED), encoding="utf-8")
    check = ["check", str(path), "--format", "jsonl"]
    other = subprocess.run(
        [sys.executable, "-m", "ingest.cli", *check],
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=False,
    )
    assert other.stdout == retourne(*check).raw
    assert json.loads(other.stdout)["findings"][0]["candidates"]


@pytest.mark.parametrize(("language", "what"), [("en", 'then ""'), ("fr", 'puis ""')])
def test_an_action_that_is_none_is_reported_as_it_stands(language: str, what: str) -> None:
    finding = repaired(EMPTIED).findings[0]
    assert what in describe_candidates(translator(language), finding)[0]
