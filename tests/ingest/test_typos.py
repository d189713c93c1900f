"""What people mistype in a log is reported in their words: what it is, where, and the way out."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from ingest import check_text, translator
from ingest.findings.edit_texts import describe_edit
from ingest.findings.os_errors import REASON_PATTERNS, translate_reason
from ingest.reader.json_text import explain_json_error
from ingest.validate.report import MatchReport
from tests.ingest.logs import documents

ROOT = Path(__file__).parents[2]
FRENCH, ENGLISH = translator("fr"), translator("en")
PLACED_OUT = json.dumps(documents()[0], indent=1, ensure_ascii=False)


def spoilt(before: str, after: str) -> MatchReport:
    assert before in PLACED_OUT
    return check_text(PLACED_OUT.replace(before, after, 1))


def changed(**keys: Any) -> MatchReport:
    return check_text(json.dumps(documents()[0] | keys))


NO_JSON = {
    # what somebody writes: instead of what, and what the sentence must say
    "quotes of a word processor": ("“format”", '"format"', "straight double quotes"),
    "French quotes": ("«\u00a0format\u00a0»", '"format"', "straight double quotes"),
    "single quotes": ("'format'", '"format"', "straight double quotes"),
    "no quotes": ("format", '"format"', "format is not in double quotes"),
    "a remark": ('// table 12\n"format"', '"format"', "JSON has no remarks"),
    "NaN": ('"_x": NaN,\n"format"', '"format"', "NaN is not a JSON number"),
    "Python's True": ('"_x": True,\n"format"', '"format"', "true, false or null"),
    "a comma too many": ('"_x": [1,],\n"format"', '"format"', "comma before the end"),
    "no comma": ('"_x": 1\n"format"', '"format"', "a comma, or the end"),
    "no colon": ('"_x" 1,\n"format"', '"format"', "a colon belongs here"),
    "a zero before": ('"_x": 01,\n"format"', '"format"', "not written as JSON writes it"),
    "a number without end": ('"_x": 1e999,\n"format"', '"format"', "a number is too large"),
    "half a sign": ('"_x": "\\ud800",\n"format"', '"format"', "invalid character or escape"),
    "a key that is none": ('1: "_x",\n"format"', '"format"', "expected a key in double quotes"),
    "nothing": ('"_x": ,\n"format"', '"format"', "a value belongs here"),
}


@pytest.mark.parametrize("name", NO_JSON)
def test_a_typing_error_in_json_is_named_with_its_line_and_the_way_out(name: str) -> None:
    after, before, sentence = NO_JSON[name]
    (finding,) = spoilt(before, after).findings
    assert finding.code == "not-json"
    assert sentence in finding.message(ENGLISH)
    # line and column are of the file, and the sentence gives none of its own
    assert "line " not in finding.message(ENGLISH)
    assert finding.line in (2, 2 + after.count("\n"))
    french = finding.message(FRENCH)
    assert french.startswith("Ce n’est pas du JSON\u00a0: ")
    assert not {"expected", "unexpected", "allowed"} & set(french.split())


@pytest.mark.parametrize("text", ["partie;donneur\n1;1", "<html></html>", "```json\n{}\n```"])
def test_something_else_than_a_match_is_recognised_by_how_a_match_begins(text: str) -> None:
    (finding,) = check_text(text).findings
    result = finding.message(ENGLISH)
    assert "a match begins with an opening brace, {" in result or "a web page" in result


@pytest.mark.parametrize("text", ["", "{", '{"a', "[", '{"a":', "nul", "\x00", "\ufeff{}", "{,}"])
def test_whatever_the_reader_of_json_says_has_its_french(text: str) -> None:
    with pytest.raises(orjson.JSONDecodeError) as raised:
        orjson.loads(text)
    problem, values = explain_json_error(text, raised.value.pos, raised.value.msg)
    assert FRENCH(problem, **values) != ENGLISH(problem, **values)


def test_a_key_in_french_or_misspelt_is_reported_with_the_one_that_is_meant() -> None:
    document = documents()[0]
    renamed = {"players": "joueurs", "deals": "Deals", "result": "resultt"}
    report = check_text(json.dumps({renamed.get(key, key): document[key] for key in document}))
    assert report.status == "unreadable"
    fields = {finding.found: finding.legal for finding in report.findings if finding.found}
    assert fields == {"joueurs": "players", "Deals": "deals", "resultt": "result"}
    assert "Did you mean players?" in "".join(one.message(ENGLISH) for one in report.findings)


def test_a_key_is_not_suggested_where_it_is_there_already() -> None:
    (finding,) = changed(joueurs=[]).findings
    assert (finding.code, finding.legal) == ("unknown-key", None)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"players": ["Jean", "Charles"]}, 'such as {"id": "jean", "name": "Jean"}'),
        ({"result": "3-2"}, 'such as {"score": [3, 2], "winner": 1}'),
        ({"rules": ["lavardin"]}, "/rules must be text or an object"),
        ({"event": {"name": []}}, "/event/name must be text, a number, true, false or null"),
        ({"deals": [{"dealer": 1, "actions": [{"seat": 2}]}]}, 'must be text, such as "2 Jh"'),
    ],
    ids=str,
)
def test_a_part_of_the_wrong_type_is_reported_once_with_an_example(
    keys: dict[str, Any], sentence: str
) -> None:
    findings = changed(**keys).findings
    assert sentence in findings[0].message(ENGLISH)
    assert len({finding.path for finding in findings}) == len(findings)


def test_what_the_match_leaves_out_is_shown_as_left_out() -> None:
    for key, sentence in (
        ("format", "This is probably not a log: it does not give its format, retourne/1."),
        ("game", "The match has no game. Use one of: chouine, coinche, chouineurs, belote."),
    ):
        document = {name: value for name, value in documents()[0].items() if name != key}
        (finding,) = check_text(json.dumps(document)).findings
        assert finding.message(ENGLISH) == sentence


def test_a_wrong_preset_or_option_is_shown_at_its_own_place() -> None:
    for rules, path in (
        ("lavardn", "/rules"),
        ({"preset": "lavardn"}, "/rules/preset"),
        ({"quint": 50}, "/rules/quint"),
        ({"quinte": "50"}, "/rules/quinte"),
    ):
        (finding,) = changed(rules=rules).findings
        assert (finding.code, finding.path) == ("unknown-rule", path)


def test_a_key_that_stands_twice_is_never_passed_over() -> None:
    """Readers of JSON differ on which of the two holds: the log may be another elsewhere."""
    once = PLACED_OUT.replace('"winner"', '"winner": 1, "winner"', 1)
    report = check_text(once)
    repeated = [finding for finding in report.findings if finding.code == "duplicate-key"]
    assert [finding.path for finding in repeated] == ["/deals/0/winner"]
    assert report.status == "legal"
    assert [one.code for one in check_text(PLACED_OUT).findings] == []


def test_keys_that_stand_twice_under_an_own_key_are_nobody_elses() -> None:
    assert spoilt('"format"', '"_own": {"a": 1, "a": 2}, "format"').findings == []


def test_of_a_repeated_object_no_key_is_reported_again() -> None:
    again = '"event": {"name": "x"}, "event": {"name": "y"}, "format"'
    items = [one.path for one in spoilt('"format"', again).findings if one.code == "duplicate-key"]
    assert items == ["/event"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_bytes_in_another_encoding_are_reported_by_its_name(encoding: str) -> None:
    (finding,) = check_text(PLACED_OUT.encode(encoding)).findings
    assert finding.message(ENGLISH).startswith(f"The text is {encoding[:6].upper()}, not UTF-8.")


def test_what_the_system_says_has_its_french() -> None:
    for item in (
        "No such file or directory",
        "Permission denied",
        "Is a directory",
        "No space left on device",
        "Bad CRC-32 for file 'x'",
        "File is not a zip file",
        "That compression method is not supported",
    ):
        assert translate_reason(FRENCH, item) != item
    assert translate_reason(FRENCH, "something new") == "something new"
    assert all(FRENCH(text) != text for _, text in REASON_PATTERNS)


@pytest.mark.parametrize("name", ["match-lavardin", "match-coinche", "match-chouineurs"])
def test_a_score_of_too_many_seats_does_not_hide_a_wrong_winner(name: str) -> None:
    document = json.loads((ROOT / "data" / f"{name}.json").read_text(encoding="utf-8"))
    wrong = document["result"]["winner"] % 2 + 1
    document["result"] = {"score": [9] * 7, "winner": wrong}
    codes = [finding.code for finding in check_text(json.dumps(document)).findings]
    assert codes == ["score-differs", "result-differs"]


@pytest.mark.parametrize(
    "changes",
    [
        {"actions": ["1 " + "x" * 100_000]},
        {"deck": "x" * 100_000},
        {"points": list(range(100_000))},
        {"winner": 10**15},
    ],
    ids=["action", "deck", "points", "winner"],
)
@pytest.mark.parametrize("t", [FRENCH, ENGLISH], ids=["fr", "en"])
def test_a_sentence_stays_one_whatever_the_log_holds(changes: dict[str, Any], t: Any) -> None:
    first = documents()[0]["deals"][0]
    players = [{"id": f"{seat}", "name": f"{seat}" * 5000} for seat in (1, 2)]
    findings = changed(players=players, deals=[first | changes]).findings
    assert findings
    assert max(len(finding.message(t)) for finding in findings) < 600


def test_a_seat_that_is_none_is_not_called_by_a_name() -> None:
    first = documents()[0]["deals"][0]
    found = changed(deals=[first | {"winner": 3}]).findings[0]
    assert "seat 3, which does not exist. Winner by the rules: " in found.message(ENGLISH)
    assert "la place 3, qui n’existe pas" in found.message(FRENCH)


@pytest.mark.parametrize("key", ["talon", "hands", "deck"])
def test_a_space_too_many_between_two_cards_is_left_out(key: str) -> None:
    lavardin = json.loads((ROOT / "data" / "match-lavardin.json").read_text(encoding="utf-8"))
    document = documents()[0] if key == "deck" else lavardin
    deal = document["deals"][0]
    right = deal[key][1] if key == "hands" else deal[key]
    spaced = right.replace(" ", "  ", 1)
    deal[key] = [deal[key][0], spaced] if key == "hands" else spaced
    first = check_text(json.dumps(document)).findings[0]
    assert first.message(ENGLISH) == "A card is missing here, or a space is too many."
    assert first.edit is not None
    assert first.edit.value == right
    assert describe_edit(ENGLISH, first).endswith("Remove a space before card 2.")
    assert describe_edit(FRENCH, first).endswith("Supprimer une espace avant la carte 2.")


def test_no_spacing_of_cards_raises() -> None:
    for text in ("", " ", "  ", "\u00a0", "As ", " As", "As  Kd", "??  ??", "As\tKd", "As\nKd"):
        for key in ("deck", "talon"):
            first = documents()[0]["deals"][0]
            assert changed(deals=[first | {key: text}]).findings


@pytest.mark.parametrize("text", [b'{\0"format"', b'\0{"format"', b"\xff\xfe", b"{\0", b"\0\0\0{"])
def test_a_stray_zero_or_mark_is_no_encoding_and_raises_nothing(text: bytes) -> None:
    (finding,) = check_text(text).findings
    assert finding.code in ("not-json", "not-utf8")
    assert not isinstance(finding.found, str) or "UTF" not in finding.found


def test_deals_that_are_no_list_are_reported_and_raise_nothing() -> None:
    found = changed(deals={"a": {"dealer": 1, "donneur": 2}}).findings
    codes = [(one.code, one.path) for one in found]
    assert codes == [("schema", "/deals"), ("unknown-key", "/deals/a")]
