"""`retourne check --format sarif`: a log any reader of SARIF 2.1.0 can take.

`sarif-2.1.0-rtm.5.json` is the JSON Schema of the OASIS Static Analysis Results Interchange Format
TC (© OASIS Open, which lets it be copied and distributed whole), as the npm package
`@microsoft/jest-sarif` 1.0.0-beta.0 (MIT) ships it.
"""

import json
import zipfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from ingest.autofix.text_edit import apply_edit
from ingest.cli.sarif import edit_replacement, escape_brackets, file_uri
from ingest.findings.codes import code_entries
from ingest.findings.finding import Edit
from ingest.findings.rulebook import find_rule
from ingest.i18n import translator
from ingest.reader.files import MatchText
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines

SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0-rtm.5.json").read_bytes())
Draft4Validator.check_schema(SCHEMA)
VALID = Draft4Validator(SCHEMA)


def log_of(done: Any) -> Any:
    """The one log a run wrote, held against the schema."""
    log = json.loads(done.raw)
    assert [error.message for error in VALID.iter_errors(log)] == []
    return log


@pytest.mark.slow
@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.sample("fr")
def test_the_log_of_every_fault_is_valid_and_has_every_finding(language: str, retourne: Command) -> None:
    log = log_of(retourne("check", FAUTES, "--format", "sarif", "--lang", language))
    objects = retourne("check", FAUTES, "--format", "jsonl", "--lang", language).objects
    (run,) = log["runs"]
    items = [finding for match in objects for finding in match["findings"]]
    assert [(result["properties"]["rule"], result["ruleId"].split("/")[1]) for result in run["results"]] == [
        (finding["rule"], finding["code"]) for finding in items
    ]
    assert run["language"] == language
    rules = run["tool"]["driver"]["rules"]
    for result, finding in zip(run["results"], items, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == finding["severity"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region.get("startColumn")) == (finding["line"], finding["column"])
    prints = [result["partialFingerprints"]["retourne/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)


def test_every_code_is_a_rule_with_its_text_and_no_address_of_a_file(retourne: Command) -> None:
    log = log_of(retourne("check", FAUTES / "chouine" / "must-follow.json", "--format", "sarif"))
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == {f"{one.rule}/{one.code}" for one in code_entries()}
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert "helpUri" not in rule
        result = find_rule(rule["id"].split("/")[0], translator("en"))
        assert result.plain_text in rule["help"]["text"]
        assert result.text in rule["help"]["markdown"]
        assert rule["help"]["markdown"].startswith(rule["fullDescription"]["text"])


def test_a_result_says_where_what_and_how_to_mend_it(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = deepcopy(documents()[0])
    points = match["deals"][0]["points"]
    right = json.dumps(points)
    match["deals"][0]["points"] = [points[0] + 1, *points[1:]]
    file = tmp_path / "soirée 1" / "a.jsonl"
    file.parent.mkdir()
    file.write_text(lines(1).decode() + json.dumps(match) + "\n")
    monkeypatch.chdir(tmp_path)
    log = log_of(retourne("check", "soirée 1/a.jsonl", "--format", "sarif"))
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "CH-23/points-differ"
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "soir%C3%A9e%201/a.jsonl"
    assert location["logicalLocations"] == [
        {"name": "manche 1, partie 1", "fullyQualifiedName": "/deals/0/points", "kind": "value"}
    ]
    (change,) = result["fixes"][0]["artifactChanges"]
    (fix,) = change["replacements"]
    region = fix["deletedRegion"]
    assert region["startLine"] == region["endLine"] == 2
    line = file.read_text().splitlines()[1]
    repaired = (
        line[: region["startColumn"] - 1] + fix["insertedContent"]["text"] + line[region["endColumn"] - 1 :]
    )
    assert f'"points": {right}' in repaired
    assert json.loads(repaired) == documents()[0]


@pytest.mark.slow
def test_the_fingerprint_does_not_move_with_the_line(retourne: Command, tmp_path: Path) -> None:
    fault = json.dumps(json.loads((FAUTES / "chouine" / "must-follow.json").read_bytes()))
    prints = []
    for before in (b"", lines(3)):
        path = tmp_path / "a.jsonl"
        path.write_bytes(before + fault.encode())
        (result,) = log_of(retourne("check", path, "--format", "sarif"))["runs"][0]["results"]
        prints.append(result["partialFingerprints"])
    assert prints[0] == prints[1]


def test_a_replacement_counts_lines_and_characters_of_the_file() -> None:
    log = MatchText(7, '{"a": "é",\n "b": [1, 2]}'.encode(), column=3)
    edit = Edit("replace", "/a", "è")
    assert edit_replacement(log, edit) == {
        "deletedRegion": {"startLine": 7, "startColumn": 10, "endLine": 7, "endColumn": 11},
        "insertedContent": {"text": "è"},
    }
    second = edit_replacement(log, Edit("replace", "/b", [1, 3]))
    assert second["deletedRegion"]["startLine"] == 8
    assert apply_edit(log.text, edit).decode().startswith('{"a": "è"')


def test_an_edit_in_two_places_is_one_replacement_from_the_first_to_the_second() -> None:
    log = MatchText(1, b'{"a": [1, 2, 3],\n "b": [4, 5]}')
    edit = Edit("remove", "/a/1", also=(Edit("remove", "/b/1"),))
    assert edit_replacement(log, edit) == {
        "deletedRegion": {"startLine": 1, "startColumn": 11, "endLine": 2, "endColumn": 12},
        "insertedContent": {"text": '3],\n "b": [4'},
    }


def test_clean_files_give_a_log_without_results(retourne: Command, club: Path) -> None:
    done = retourne("check", club, "--format", "sarif")
    (run,) = log_of(done)["runs"]
    assert done.code == 0
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_what_cannot_be_read_is_a_result_too(retourne: Command, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("b.jsonl", "Jean 87, Charles 103\n")
        archive.writestr("c.zip", b"PK\x05\x06" + bytes(18))
    done = retourne("check", tmp_path / "a.zip", "--format", "sarif")
    results = log_of(done)["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["format/not-json", "format/nested-archive"]
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("a.zip/b.jsonl")


def test_names_of_a_log_make_no_links(retourne: Command, tmp_path: Path) -> None:
    match = json.loads((FAUTES / "chouine" / "must-follow.json").read_bytes())
    match["players"][1]["name"] = "[x](http://a)"
    (tmp_path / "a.json").write_text(json.dumps(match))
    (result,) = log_of(retourne("check", tmp_path / "a.json", "--format", "sarif"))["runs"][0]["results"]
    assert "\\[x\\](http://a)" in result["message"]["text"]
    assert escape_brackets("a\\b") == "a\\\\b"


def test_files_elsewhere_have_absolute_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_uri(str(tmp_path / "a b.json")) == "a%20b.json"
    assert file_uri("c:d.json") == "c%3Ad.json"
    assert file_uri("/elsewhere/a.json") == "file:///elsewhere/a.json"


def test_other_rules_are_refused_as_sarif(retourne: Command, club: Path) -> None:
    done = retourne("check", club, "--format", "sarif", "--preset", "lavardin")
    assert done.code == 2
    assert "--format sarif cannot be combined with --preset or --set." in done.err
