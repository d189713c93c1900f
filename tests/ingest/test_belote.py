"""Belote as it is written out there: bids as tables speak, hands where the taking decides them."""

import json
from typing import Any

import pytest

from ingest.findings.spoken_notation import describe_word
from ingest.i18n import translator
from ingest.importers.notes import read_notes
from ingest.validate.slow_path import validate
from tests.engine.belote.golden import TAKING

EN, FR = translator("en"), translator("fr")
PLAYERS = ("Lucie", "Gaston", "Odile", "Marcel")
HEAD = f"Jeu : Belote\nRègles : %s\nJoueurs : {', '.join(PLAYERS)}\n\nMarcel donne\n"


def actions(text: str, rules: str = "contree") -> list[str]:
    """The actions of the one deal of notes that leave nothing to ask."""
    found = read_notes(HEAD % rules + text)
    assert [one.message(EN) for one in found.questions] == []
    return list(found.logs[0]["deals"][0]["actions"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("Lucie : 90 cœur", "1 bid 90h"),
        ("Lucie annonce 90 ♥", "1 bid 90h"),
        ("Lucie : capot pique", "1 bid capot-s"),
        ("Lucie : 90 SA", "1 bid 90sa"),
        ("Lucie : 110 tout atout", "1 bid 110ta"),
        ("Lucie : 120 TA", "1 bid 120ta"),
        ("Lucie : capot sans atout", "1 bid capot-sa"),
        ("Lucie : je passe", "1 pass"),
    ],
)
def test_be_6_bids_are_read_as_tables_speak(line: str, action: str) -> None:
    assert actions(line) == [action]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("tierce R♠", "1 tierce-Ks"),
        ("tierce à la dame de pique", "1 tierce-Qs"),
        ("tierce au roi de cœur", "1 tierce-Kh"),
        ("cinquante V♥", "1 cinquante-Jh"),
        ("cent à l'as de trèfle", "1 cent-Ac"),
        ("carré de valets", "1 carre-J"),
        ("carré d'as", "1 carre-A"),
        ("carré 9", "1 carre-9"),
    ],
)
def test_be_16_announcements_are_read_as_tables_speak(line: str, action: str) -> None:
    bids = "Lucie : 90 cœur\nGaston : passe\nOdile : passe\nMarcel : passe\n"
    assert actions(f"{bids}Lucie : {line}\n", "coinchee")[-1] == action


@pytest.mark.slow
def test_be_7_contre_and_surcontre_are_read_as_tables_speak() -> None:
    text = "Lucie : 90 cœur\nGaston : je contre\nOdile : je passe\nMarcel : passe\nLucie : je surcontre\n"
    assert actions(text) == ["1 bid 90h", "2 contre", "3 pass", "4 pass", "1 surcontre"]


@pytest.mark.slow
def test_be_5_a_taking_is_read_as_tables_speak() -> None:
    assert actions("Lucie : passe\nGaston : prend à cœur\n", "classique") == ["1 pass", "2 take h"]


def log(deal: dict[str, Any], rules: str, **more: Any) -> bytes:
    players = [{"id": name.lower(), "name": name} for name in PLAYERS]
    whole = {"format": "retourne/1", "game": "belote", "rules": rules, "players": players, "deals": [deal]}
    return json.dumps(whole | more).encode()


def hands_after_taking() -> list[str]:
    """The hands of `TAKING` once seat 2 has taken the king of hearts."""
    return [
        "7s 8s 9s Js Qs Ks Ts As",
        "7h 8h 9h Jh Qh Kh Kd Td",
        "7d 8d 9d Jd Qd Ad Th Ah",
        "7c 8c 9c Jc Qc Kc Tc Ac",
    ]


@pytest.mark.parametrize("as_hands", [False, True])
def test_be_4_hands_are_those_after_the_taking(as_hands: bool) -> None:
    cards = {"hands": hands_after_taking()} if as_hands else {"deck": TAKING}
    acts = ["1 pass", "2 take h", "1 7s", "2 7h", "3 Th"]
    found = validate(log({"dealer": 4, **cards, "actions": acts, "void": "abandoned"}, "classique"))
    assert [one.code for one in found.findings] == []


@pytest.mark.parametrize(
    ("hand", "codes"),
    [
        ("?? ?? ?? ?? ?? ?? Kd Td", ["not-checkable"]),  # a heart may be hidden
        ("?? ?? ?? ?? ?? Kh Kd Td", []),
        ("7c 8c 9d Jd Qd As Kd Td", ["take-suit"]),  # no heart could be turned up
    ],
)
def test_be_5_a_hidden_card_may_be_the_one_turned_up(hand: str, codes: list[str]) -> None:
    deal = {"dealer": 4, "hands": ["??", hand, "??", "??"], "actions": ["1 pass", "2 take h"]}
    found = validate(log(deal | {"void": "abandoned"}, "classique"))
    assert [one.code for one in found.findings] == codes


@pytest.mark.parametrize(
    ("word", "english", "french"),
    [
        ("take h", "takes in ♥", "prend à ♥"),
        ("bid 90sa", "bids 90 sans atout", "annonce 90 sans atout"),
        ("bid capot-s", "bids capot ♠", "annonce capot ♠"),
        ("tierce-Qh", "tierce Q♥", "tierce D♥"),
        ("carre-J", "carré J", "carré V"),
        ("contre", "says contre", "contre"),
    ],
)
def test_words_are_spoken_in_both_languages(word: str, english: str, french: str) -> None:
    assert (describe_word(EN, word, "belote"), describe_word(FR, word, "belote")) == (english, french)


def line(*points: int, **details: Any) -> dict[str, Any]:
    return {"dealer": 1, "points": [*points], "score_line": details}


TAKEN_BY_1: dict[str, Any] = {"contract": {"bid": "1 take h"}}


@pytest.mark.parametrize(
    ("waiting", "deal", "possible"),
    [
        # nothing waits before the first deal
        (0, line(161, 42), [[140, 42], [161, 21], [120, 42]]),
        (0, line(203, 0), [[182, 0], [162, 0], [252, 0], [272, 0]]),
        (0, line(162, 62), [[120, 62], [162, 20], [100, 62], [162, 0]]),
        (0, line(81, 81, **TAKEN_BY_1), [[101, 81], [0, 81]]),
        (81, line(81, 81, **TAKEN_BY_1), [[0, 81]]),
        (81, line(100, 62), [[181, 62]]),
    ],
)
def test_be_20_a_line_has_the_points_that_waited_and_no_others(
    waiting: int, deal: dict[str, Any], possible: list[list[int]]
) -> None:
    start = {"score": [0, 0], "litige": waiting}
    [finding] = validate(log(deal, "classique", start=start)).findings
    assert (finding.code, finding.legal) == ("points-impossible", possible)


def test_be_20_what_waited_is_in_the_points_by_the_rules() -> None:
    start = {"score": [0, 81], "litige": 81}
    [finding] = validate(log(line(100, 62, litige=0), "classique", start=start)).findings
    assert (finding.code, finding.found, finding.legal) == ("points-differ", [100, 62], [181, 62])
    assert finding.message(EN) == "Recorded points: 100, 62. Points by the rules: 181, 62."
