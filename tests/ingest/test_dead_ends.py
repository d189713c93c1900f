"""Messages of commands lead on: each test does what one says, and it works."""

import json
import os
import re
import shlex
import signal
from pathlib import Path
from urllib.request import urlopen

import pytest

from ingest.store.factory import Store
from tests.ingest.conftest import FAUTES, Command, Done
from tests.ingest.test_cli_serve import free_port, running
from tests.waiting import PATIENCE

DATA = FAUTES.parent
NOTES = "Jeu : Chouine\nJoueurs : Lucie, Marcel\n\nMarcel donne\n"


def follow(retourne: Command, text: str, before: str) -> Done:
    """Run the command that follows `before` in a message."""
    [command] = [line.partition(before)[2] for line in text.splitlines() if before in line]
    program, *words = shlex.split(command)
    assert program == "retourne"
    return retourne(*words)


def test_a_question_of_import_names_the_file_and_the_place_to_edit(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "soiree.txt"
    path.write_text(f"{NOTES}V♦ 9c\nLucie abandonne\n", encoding="utf-8")
    report = retourne("import", path).err
    [(named, line, column)] = re.findall(r"No log was written\. Edit (\S+) at (\d+):(\d+), then run", report)
    lines = Path(named).read_text(encoding="utf-8").splitlines()
    text, at = lines[int(line) - 1], int(column) - 1
    assert text[at:] == "9c"
    lines[int(line) - 1] = f"{text[:at]}9♦"
    path.write_text("\n".join(lines), encoding="utf-8")
    again = retourne("import", path)
    assert "No log was written" not in again.err
    assert len(again.objects) == 1


def test_headings_that_may_be_players_lead_to_the_options_that_make_them_players(retourne: Command) -> None:
    paper = DATA / "papers" / "blere.csv"
    [options] = re.findall(r"^If they are: (.+)$", retourne("import", paper).err, re.MULTILINE)
    assert options == "--column 'Yvette=points 1' --column 'Maurice=points 2'"
    [first, *_] = retourne("import", paper, *shlex.split(options)).objects
    assert [one["name"] for one in first["players"]] == ["Yvette", "Maurice"]


def test_an_unfinished_log_leads_to_the_advice_of_explain(retourne: Command, tmp_path: Path) -> None:
    log = json.loads((DATA / "exemple-lavardin.json").read_text("utf-8"))
    log["deals"][-1]["actions"] = log["deals"][-1]["actions"][:20]
    path = tmp_path / "unfinished.json"
    path.write_text(json.dumps(log), "utf-8")
    explained = follow(retourne, retourne("check", path).out, "More: ")
    assert explained.code == 0
    assert "Add the missing actions, or mark the deal as void" in " ".join(explained.out.split())


def test_one_of_several_corrections_is_made_in_the_file_and_checked_again(
    retourne: Command, tmp_path: Path
) -> None:
    path = tmp_path / "log.json"
    path.write_bytes((FAUTES / "chouine" / "must-follow.json").read_bytes())
    found = retourne("check", path).out
    assert "Retourne changed nothing: edit the file, then check it again." in found
    [legal] = re.findall(r"Legal: (\d)♦,", found)
    [(line, column)] = re.findall(r"log\.json:(\d+):(\d+)  ", found)
    lines = path.read_text("utf-8").splitlines()
    text, at = lines[int(line) - 1], int(column) - 1
    assert text[at:].startswith('"2 9h"')
    lines[int(line) - 1] = text[:at] + text[at:].replace("9h", f"{legal}d", 1)
    path.write_text("\n".join(lines), "utf-8")
    assert retourne("check", path).out == "Matches: 1 · legal: 1\n"


def test_score_sheets_are_counted_by_the_command_that_storing_them_shows(retourne: Command) -> None:
    added = retourne("import", DATA / "papers" / "fiche.csv", "--add", "--store", "a club.duckdb").err
    assert retourne("stats", "--store", "a club.duckdb").out == ""
    counted = follow(retourne, added, "unless you ask for them: ")
    assert counted.code == 0
    assert counted.out != ""


def test_a_card_without_loss_played_instead_loses_nothing(retourne: Command, tmp_path: Path) -> None:
    log = json.loads((DATA / "exemple-lavardin.json").read_text("utf-8"))
    found = retourne("solve", DATA / "exemple-lavardin.json").out
    assert "None of these cards changed who wins the deal." in found
    losses = re.findall(r"^ *(\d+)  Charles .*: \d+ points lost; no loss with (J♥)", found, re.MULTILINE)
    assert len(losses) == 2
    for action, _ in losses:
        played = log["deals"][0]["actions"][: int(action) - 1]
        deal = log["deals"][0] | {"actions": [*played, "2 Jh"], "comments": []}
        path = tmp_path / f"{action}.json"
        path.write_text(json.dumps(log | {"deals": [deal]}), "utf-8")
        assert not re.search(rf"^ *{action}  ", retourne("solve", path).out, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.soak
def test_a_store_that_is_served_leads_to_its_pages_or_to_stopping_the_server(
    tmp_path: Path, retourne: Command
) -> None:
    with running(tmp_path, "serve", "--store", "club.duckdb") as (process, _):
        refused = retourne("serve", "--store", tmp_path / "club.duckdb", "--port", free_port()).err
        [(url, number)] = re.findall(r"at (\S+)\. Open it, .*: kill (\d+)", " ".join(refused.split()))
        with urlopen(f"{url}/_stcore/health", timeout=PATIENCE) as answer:
            assert answer.status == 200
        os.kill(int(number), signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    with Store(tmp_path / "club.duckdb"):
        pass
