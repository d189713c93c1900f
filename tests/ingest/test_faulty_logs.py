"""The findings of a log: the corpus of faulty logs, the two languages, what is never raised.

When a sentence was put in other words, or a finding says more, the corpus follows:

    python -m tests.ingest.test_faulty_logs
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.faults import WARNING
from engine.games import game, game_names
from ingest.autofix.search import find_edits
from ingest.findings.codes import code_infos
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from tests.catalogues import french, rooms

ROOT = Path(__file__).parents[2]
FAUTES = ROOT / "data" / "fautes"
CASES = sorted(path for path in FAUTES.glob("*/*.json") if not path.stem.endswith(".expected"))

SENTENCES = {code: one.sentence for code, one in code_infos().items()}

OF_FILES = {
    # these are about a file as a whole, which no small log can show: tests/ingest/test_files.py
    "empty-file",
    "cannot-read",
    "too-long",
    "too-large",
    "too-many-deals",
    "too-many-matches",
    "more-findings",
    "more-texts",
    "list-too-long",
    "no-log",
    "nested-archive",
    "zip-bomb",
    "bad-archive",
}


def codes_of(name: str) -> set[str]:
    this = game(name)
    return set(this.faults.by_code) | set(this.match_faults.by_code)


def documents() -> set[str]:
    """Codes of the document: those no game's table has."""
    return set(SENTENCES) - set().union(*map(codes_of, game_names())) - OF_FILES


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_faulty_log_gives_exactly_its_findings(path: Path) -> None:
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    found = validate(path.read_bytes())
    find_edits(found)
    items = [finding.as_dict(translator("en")) for finding in found.findings]
    assert as_json(items) == expected["findings"]
    assert found.status == expected["status"]
    assert {finding.code for finding in found.findings} == {path.stem}  # and has no other fault


@pytest.mark.parametrize("name", game_names())
def test_every_fault_of_a_game_has_a_log(name: str) -> None:
    shown = {path.stem for path in CASES if path.parent.name == name}
    assert shown == codes_of(name)


def test_every_fault_of_the_document_has_a_log() -> None:
    assert {path.stem for path in CASES if path.parent.name == "document"} == documents()


@pytest.mark.parametrize("name", game_names())
def test_every_fault_has_a_sentence_and_a_rule(name: str) -> None:
    this = game(name)
    for fault in (*this.faults.rows, *this.match_faults.rows):
        assert fault.code in SENTENCES
        assert re.fullmatch(r"(?:C[HOR]|BE)-\d+|format", fault.rule)


def test_a_warning_alone_leaves_a_log_legal() -> None:
    warnings = {fault.code for fault in game("chouine").faults.rows if fault.severity == WARNING}
    assert warnings == {"au-sept-missing", "au-sept-misplaced"}
    for code in warnings:
        assert validate((FAUTES / "chouine" / f"{code}.json").read_bytes()).status == "legal"


def holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


@pytest.mark.slow
def test_every_text_has_its_french() -> None:
    translated = french("ingest")
    assert {text for text in rooms("ingest") if not translated.get(text)} == set()


@pytest.mark.slow
def test_french_fills_the_same_holes() -> None:
    translated, texts = french("ingest"), rooms("ingest")
    assert set(SENTENCES.values()) <= set(texts)
    wrong = [text for text in texts if holes(text) != holes(translated.get(text, text))]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_faulty_log_is_reported_without_a_hole(language: str) -> None:
    t = translator(language)
    for path in CASES:
        for finding in validate(path.read_bytes()).findings:
            message = finding.message(t)
            assert "{" not in message.replace(str(finding.found), "")
            assert "None" not in message


def good() -> dict[str, Any]:
    text = (ROOT / "data" / "exemple-lavardin.json").read_bytes()
    return json.loads(text)


def codes_for(match: Any) -> set[str]:
    return {finding.code for finding in validate(json.dumps(match).encode()).findings}


def test_all_faults_of_a_log_are_reported_at_once() -> None:
    match = good()
    match["played_at"] = "yesterday"
    match["weather"] = "rain"
    match["cuts"] = [["7h 7s"]]
    match["deals"][0]["points"] = [1, 2]
    match["deals"][0]["winner"] = 1
    match["deals"][0]["times"] = [2.0, 1.0]
    assert codes_for(match) == {
        "date-format",
        "unknown-key",
        "cut-undecided",
        "points-differ",
        "winner-differs",
        "times-count",
        "times-order",
    }


def test_play_goes_on_after_an_illegal_card_that_was_held() -> None:
    match = good()
    deal = match["deals"][0]
    last = deal["actions"].index("1 Ac")
    assert deal["actions"][last + 1] == "2 Qs"  # Charles has no club and ruffs
    deal["actions"][last:] = ["1 Ac", "2 Jh", "1 Jd", "2 Kd", "2 Kh", "1 9s", "1 Qd", "2 Qs"]
    del deal["points"], deal["winner"]
    found = validate(json.dumps(match).encode())
    assert [(finding.code, finding.action_index) for finding in found.findings] == [("must-ruff", last + 1)]
    assert found.status == "irregular"
    assert found.replays[0] is not None
    assert found.replays[0].last.is_over


def test_keys_that_begin_with_an_underscore_are_left_alone() -> None:
    match = good()
    match["_note"] = match["deals"][0]["_note"] = {"anything": [1, 2]}
    assert codes_for(match) == set()


HUGE = [2**63, 2**64 - 1, -(2**63), 10**400, 1e308]


@pytest.mark.parametrize("number", HUGE, ids=str)
@pytest.mark.parametrize("place", ["points", "winner", "dealer", "manche", "times", "score", "result"])
def test_numbers_no_machine_word_holds_are_findings(place: str, number: float) -> None:
    match = good()
    deal = match["deals"][0]
    if place in ("winner", "dealer", "manche"):
        deal[place] = number
    elif place == "points":
        deal["points"] = [number, number]
    elif place == "times":
        deal["times"] = [number] * len(deal["actions"])
    else:
        match["rules"] = {"preset": "lavardin", "parties": 1, "manches": 1}
        match["result"] = {"score": [number, 0]} if place == "score" else {"winner": number}
    found = validate(json.dumps(match).encode())
    if place != "times" or number < 0 or number == 10**400:
        assert found.findings


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b'"match"',
        b"{}",
        b'{"format": "retourne/1"}',
        b'{"format": "retourne/1", "game": ["chouine"]}',
        b'{"format": "retourne/1", "game": "chouine"}',
        b"[" * 10_000,
        b'{"format": "retourne/1", "game": "chouine", "players": {}, "deals": 3}',
        b"\xef\xbb\xbf{}",
        b"\x00",
    ],
)
def test_what_is_no_match_is_unreadable_and_reported(text: bytes) -> None:
    found = validate(text)
    assert found.status == "unreadable"
    assert found.findings
    assert all(finding.message(translator("fr")) for finding in found.findings)


def rewrite_findings() -> None:
    """Write what is reported of each finding today; how many, which and where must be as they were."""
    for path in CASES:
        place = path.with_suffix(".expected.json")
        expected = json.loads(place.read_text(encoding="utf-8"))
        found = validate(path.read_bytes())
        find_edits(found)
        items = [as_json(finding.as_dict(translator("en"))) for finding in found.findings]
        for now, remaining in zip(items, expected["findings"], strict=True):
            assert {key: remaining[key] for key in ("code", "path")} == {
                key: now[key] for key in ("code", "path")
            }
        rows = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in items)
        status = json.dumps(expected["status"])
        text = f'{{"status": {status},\n "findings": [\n  {rows}]}}\n'
        place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    rewrite_findings()
