"""A game, a preset or an option's word that is mistyped: the known one, where one alone is near."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingest import check_text, translator
from ingest.autofix.card_words import is_typo_of
from ingest.autofix.text_edit import apply_all_edits, apply_edit
from ingest.findings.edit_texts import describe_edit
from tests.ingest.logs import documents

CHOUINE = documents()[0]
COINCHE = json.loads((Path(__file__).parents[2] / "data" / "match-coinche.json").read_bytes())


def edited(log: dict[str, Any]) -> tuple[str, Any] | None:
    """The place and the value of the first finding's edit, which leaves none of its kind."""
    text = json.dumps(log).encode()
    first = check_text(text).findings[0]
    assert first.code in ("unknown-game", "unknown-rule")
    if first.edit is None:
        return None
    after = apply_edit(text, first.edit)
    assert first.path not in [one.path for one in check_text(after).findings]
    return first.edit.path, first.edit.value


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Chouine", "chouine"),
        ("chouiné", "chouine"),
        (" chouine ", "chouine"),
        ("chuoine", "chouine"),
        ("chouie", "chouine"),
        ("COINCHÉ", "coinche"),
        ("chouineur", "chouineurs"),
    ],
)
def test_a_game_is_meant_that_alone_is_a_typing_error_away(written: str, meant: str) -> None:
    assert [name for name in ("chouine", "coinche", "chouineurs") if is_typo_of(written, name)] == [meant]


@pytest.mark.parametrize("written", ["Chouine", "chouîne", "chuoine", "chouinne"])
def test_the_game_is_offered(written: str) -> None:
    assert edited(CHOUINE | {"game": written}) == ("/game", "chouine")


@pytest.mark.parametrize("written", ["tarot", "chouineur", "", 3, None, ["chouine"], "c" * 999])
def test_a_game_that_is_not_near_or_whose_logs_are_not_so_is_not_offered(written: Any) -> None:
    # a match of Chouineurs has other keys than this one
    assert edited(CHOUINE | {"game": written}) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("tournoi2018", "tournoi-2018"),
        ("Tournoi 2018", "tournoi-2018"),
        ("tournoi_2018", "tournoi-2018"),
        ("tournoi-2081", "tournoi-2018"),
        ("tornoi-2018", "tournoi-2018"),
        ("tournoi-2019", None),  # another year's rules are other rules
        ("tournoi-018", None),
        ("tournoi", None),
        ("lavardin", None),
    ],
)
def test_a_preset_is_offered_when_no_number_has_to_change(written: str, meant: str | None) -> None:
    for rules, path in ((written, "/rules"), ({"preset": written}, "/rules/preset")):
        assert edited(COINCHE | {"rules": rules}) == (meant and (path, meant))


@pytest.mark.parametrize(
    ("option", "written", "meant"),
    [
        ("announce_with", "Any", "any"),
        ("announce_with", "and", None),  # three letters are too few for a recording error
        ("announce_with", "combinaison", None),
        ("announce_with", "combinatoin", "combination"),
        ("overruff", "True", True),
        ("overruff", "fasle", False),
        ("overruff", 1, None),
        ("quinte", "50", None),  # a count has no words
        ("Quinte", 50, None),  # nor is a key a value
        ("a/b", "any", None),
        ("preset", 5, None),
    ],
)
def test_a_word_of_an_option_is_offered(option: str, written: Any, meant: Any) -> None:
    found = edited(CHOUINE | {"rules": {"preset": "lavardin", option: written}})
    assert found == (None if meant is None else (f"/rules/{option}", meant))


def test_what_is_known_is_shown_beside_what_to_write() -> None:
    finding = check_text(json.dumps(CHOUINE | {"rules": {"overruff": "Vrai"}})).findings[0]
    assert finding.edit is None
    finding = check_text(json.dumps(CHOUINE | {"rules": {"overruff": "True"}})).findings[0]
    assert "false, true" in finding.message(translator("en"))
    assert describe_edit(translator("en"), finding) == "Write true."
    assert describe_edit(translator("fr"), finding).endswith("true.")


def test_a_match_that_can_be_read_again_is_kept_whatever_is_then_found_in_it() -> None:
    first = CHOUINE["deals"][0] | {"winner": 3, "points": [1, 2], "times": [1.0]}
    text = json.dumps(CHOUINE | {"game": "Chouine", "deals": [first]}).encode()
    made = apply_all_edits(text)
    assert json.loads(made.text)["game"] == "chouine"
    assert made.fixed[0].code == "unknown-game"
    assert made.after.match is not None
