"""`retourne check --apply-edits`: the edited logs, nothing else on standard output."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.autofix.text_edit import apply_all_edits
from ingest.validate.slow_path import validate
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines


def faulty() -> list[dict[str, Any]]:
    """Three matches: a total wrong and a card twice, nothing, a score wrong."""
    logs = copy.deepcopy(list(documents(3)))
    logs[0]["deals"][1]["points"][0] += 10
    actions = logs[0]["deals"][2]["actions"]
    actions.insert(4, actions[3])
    logs[2]["result"]["score"][0] += 1
    return logs


def test_the_edited_log_is_as_it_was_before_the_slips(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "club.jsonl"
    text = "".join(json.dumps(log, ensure_ascii=False) + "\n" for log in faulty())
    path.write_text(text, encoding="utf-8")
    done = retourne("check", path, "--apply-edits")
    assert done.raw == lines(3)
    assert done.code == 1, "as check: the logs as they are"
    assert f"{path}:1  manche 1, partie 2  → Write" in done.err
    assert f"{path}:3  " in done.err
    assert path.read_text(encoding="utf-8") == text


def test_actions_in_each_others_place_and_an_action_with_its_time(retourne: Command, tmp_path: Path) -> None:
    right = copy.deepcopy(list(documents(2)))
    for log in right:
        for deal in log["deals"]:
            deal["times"] = [float(i) for i in range(len(deal["actions"]))]
    typos = copy.deepcopy(right)
    actions = typos[0]["deals"][1]["actions"]
    actions[-3], actions[-4] = actions[-4], actions[-3]
    actions, times = (typos[1]["deals"][0][key] for key in ("actions", "times"))
    actions.insert(4, actions[3])
    times.insert(4, times[3])
    path = tmp_path / "club.jsonl"
    path.write_text("".join(json.dumps(log) + "\n" for log in typos), encoding="utf-8")
    done = retourne("check", path, "--apply-edits", "--lang", "en")
    assert [json.loads(line) for line in done.raw.splitlines()] == right
    assert "Exchange actions" in done.err
    assert "Remove, with its time" in done.err


def test_legal_logs_come_back_as_they_are(retourne: Command, club: Path) -> None:
    done = retourne("check", club, "--apply-edits")
    assert (done.code, done.raw) == (0, club.read_bytes())


def test_only_the_edit_differs_in_a_log_that_somebody_laid_out(retourne: Command) -> None:
    path = FAUTES / "coinche" / "deck-card.json"
    done = retourne("check", path, "--apply-edits")
    assert done.raw.count(b"6s") == path.read_bytes().count(b"6s") + 1
    before, after = path.read_bytes().splitlines(), done.raw.splitlines()
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_an_array_stays_an_array(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "club.json"
    path.write_text(json.dumps(faulty(), indent=1), encoding="utf-8")
    done = retourne("check", path, "--apply-edits")
    assert json.loads(done.raw) == list(documents(3))


def test_what_no_single_edit_mends_is_left_and_counted(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('{"format": "retourne/1"}\nno log\n', encoding="utf-8")
    done = retourne("check", path, "--apply-edits")
    assert done.raw == path.read_bytes()
    assert done.code == 1
    assert f"{path}:2: findings left, to be decided by hand: 1" in done.err


@pytest.mark.parametrize("words", [["--format", "jsonl"], ["--preset", "lavardin"]])
def test_it_goes_alone(retourne: Command, club: Path, words: list[str]) -> None:
    done = retourne("check", club, "--apply-edits", *words)
    assert (done.code, done.raw) == (2, b"")
    assert "--apply-edits" in done.err


def test_what_came_of_an_error_goes_with_it() -> None:
    log = copy.deepcopy(documents(1)[0])
    log["deals"][0]["dealer"] = 3 - log["deals"][0]["dealer"]
    made = apply_all_edits(json.dumps(log).encode())
    assert len(made.before.findings) > 1
    assert len(made.fixed) == 1
    assert json.loads(made.text) == documents(1)[0]
    assert made.after.status == "legal"


@pytest.mark.slow
def test_edits_of_one_log_never_add_to_what_is_wrong_with_it() -> None:
    for path in sorted(FAUTES.glob("*/*.json")):
        text = path.read_bytes()
        made = apply_all_edits(text)
        assert len(made.after.findings) <= len(made.before.findings)
        assert (made.text == text) == (not made.fixed)
        assert [one.code for one in validate(made.text).findings] == [one.code for one in made.after.findings]


def test_a_match_laid_out_in_a_file_of_lines_comes_back_on_one(retourne: Command, tmp_path: Path) -> None:
    """So that the edited file is one of lines still, which every program reads."""
    path = tmp_path / "club.jsonl"
    path.write_text("\n".join(json.dumps(log, indent=1) for log in faulty()), encoding="utf-8")
    done = retourne("check", path, "--apply-edits")
    assert [json.loads(line) for line in done.raw.splitlines()] == [*documents(3)]
