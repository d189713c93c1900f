"""Papers of clubs in `data/papers/`: the logs each becomes, and the questions about it."""

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from ingest.findings.finding import ERROR
from ingest.i18n import translator
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions
from ingest.validate.slow_path import validate
from tests.ingest.conftest import Command
from tests.ingest.make_papers import PAPERS

EN = translator("en")
NAMES = sorted(path.stem for path in PAPERS.glob("*.json"))


def paper(name: str) -> Path:
    """The file of which `name.json` says what becomes."""
    [path] = [one for one in PAPERS.glob(f"{name}.*") if one.suffix != ".json"]
    return path


def summary(found: ImportResult) -> dict[str, Any]:
    """What a paper became, in short: names for players, days for times, and the verdict."""
    logs = []
    for log, origin in zip(found.logs, found.origins, strict=True):
        one = {"game": log["game"], "players": ", ".join(player["name"] for player in log["players"])}
        if "played_at" in log:
            one["day"] = log["played_at"][:10]
        one |= {key: log[key] for key in ("event", "result", "deals") if log.get(key)}
        report = validate(json.dumps(log).encode())
        wrong = [
            f"{origin.source_of(EN, each)}: {each.message(EN)}"
            for each in report.findings
            if each.severity == ERROR
        ]
        logs.append(one | {"verdict": report.status} | ({"wrong": wrong} if wrong else {}))
    return {
        "logs": logs,
        "questions": [f"{one.place(EN)}: {one.message(EN)}" for one in found.questions],
        "remarks": [one.message(EN) for one in found.notices],
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_paper_becomes_the_logs_written_for_it(name: str) -> None:
    path = paper(name)
    expected = json.loads((PAPERS / f"{name}.json").read_text(encoding="utf-8"))
    found = import_file(path.name, path.read_bytes(), ImportOptions(zone=UTC))
    assert found.error is None
    assert summary(found) == expected


def test_every_paper_says_what_becomes_of_it() -> None:
    assert {path.stem for path in PAPERS.iterdir() if path.is_file()} == set(NAMES)


@pytest.mark.slow
def test_many_papers_are_read_by_one_command(retourne: Command, tmp_path: Path) -> None:
    names = NAMES[::4]  # the others are read one by one
    expected = [json.loads((PAPERS / f"{name}.json").read_text(encoding="utf-8")) for name in names]
    done = retourne("import", *map(paper, names), "--output", tmp_path / "all.jsonl")
    logs = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [
        (log["game"], ", ".join(one["name"] for one in log["players"]), log.get("result")) for log in logs
    ] == [(log["game"], log["players"], log.get("result")) for one in expected for log in one["logs"]]
    questions = [line for one in expected for line in one["questions"]]
    assert [line for line in questions if line.replace(": ", " ", 1) not in done.err] == []
    made = [paper(name) for name, one in zip(names, expected, strict=True) if one["logs"]]
    assert [path for path in made if f"{path}: Matches: " not in done.err] == []
    assert done.code == 1
