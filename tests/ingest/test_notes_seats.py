"""Compass points in notes name the players who sit there."""

from typing import Any

import pytest

from ingest.i18n import translator
from ingest.importers.notes import answer, read_notes

EN = translator("en")
HANDS = {
    "N": ("Lucie", "As Ks Qs Js Ah Kh Qh Jh"),
    "E": ("Marcel", "Ts 9s 8s 7s Th 9h 8h 7h"),
    "S": ("Denise", "Ad Kd Qd Jd Ac Kc Qc Jc"),
    "O": ("René", "Td 9d 8d 7d Tc 9c 8c 7c"),
}
LONG = {"N": "Nord", "E": "Est", "S": "Sud", "O": "Ouest"}
SEATED = "Joueurs : Lucie (Nord), Marcel (Est), Denise (Sud), René (Ouest)\n"


def deal_of(text: str) -> dict[str, Any]:
    found = read_notes(text)
    assert [one.message(EN) for one in found.questions] == []
    [log] = found.logs
    assert [one["name"] for one in log["players"]] == [name for name, _ in HANDS.values()]
    [deal] = log["deals"]
    return deal


def test_a_whole_hand_at_a_point_is_a_hand_as_dealt() -> None:
    hands = "\n".join(f"{point} : {cards}" for point, (_, cards) in HANDS.items())
    deal = deal_of(
        f"Belote contrée\n{SEATED}\nOuest donne\n{hands}\nNord annonce 90 cœur, les autres passent\n"
    )
    assert deal == {
        "dealer": 4,
        "hands": [cards for _, cards in HANDS.values()],
        "actions": ["1 bid 90h", "2 pass", "3 pass", "4 pass"],
    }


@pytest.mark.parametrize(
    "form", ["{point} ({name})", "{point} {name}", "{name} ({point})", "Main de {point}"]
)
def test_a_hand_may_name_the_point_and_the_player(form: str) -> None:
    head = "Belote contrée\nJoueurs : Nord Lucie, Est Marcel, Sud Denise, Ouest René\n\nDonneur : Ouest\n"
    lines = [f"{form.format(point=LONG[one], name=HANDS[one][0])} : {HANDS[one][1]}" for one in HANDS]
    assert deal_of(head + "\n".join(lines))["hands"] == [cards for _, cards in HANDS.values()]


def test_teams_are_named_by_their_points() -> None:
    note = (
        f"Belote contrée\n{SEATED}\nO donne\nN : 90 cœur\nE : passe\nS : passe\nO : passe\nN-S 120, E-O 42\n"
    )
    assert deal_of(note) == {
        "dealer": 4,
        "points": [120, 42],
        "score_line": {"contract": {"bid": "1 bid 90h", "coinche": 0}},
    }


def test_who_north_and_south_are_is_one_question() -> None:
    note = (
        "Belote contrée\nJoueurs : Lucie, Marcel, Denise, René\n"
        "Lucie donne. Marcel prend 100 cœur. Chuté : 260 pour Nord-Sud\n"
    )
    [question] = read_notes(note).questions
    assert (question.where, question.readings(EN)) == (
        "3:54",
        ["Nord-Sud : Lucie et Denise", "Nord-Sud : Marcel et René"],
    )
    assert deal_of(answer(note, question, question.readings(EN)[0])) == {
        "dealer": 1,
        "points": [260, 0],
        "winner": 1,
        "score_line": {"contract": {"bid": "2 bid 100h", "coinche": 0}},
    }


def test_points_leave_open_in_which_order_the_players_sit() -> None:
    seats = "".join(f"{LONG[point]} : {name}\n" for point, (name, _) in HANDS.items())
    note = f"Belote contrée\n{seats}\nNord donne\nScore : 120 à 42\n"
    [question] = read_notes(note).questions
    assert question.readings(EN) == [
        "Joueurs : Lucie, Marcel, Denise, René",
        "Joueurs : Lucie, René, Denise, Marcel",
    ]
    assert deal_of(answer(note, question, question.readings(EN)[0])) == {"dealer": 1, "points": [120, 42]}


def test_the_order_in_which_the_deal_passes_on_is_the_order_of_the_players() -> None:
    teams = "Belote, 12 avril 2026\nNous : Lucie et Denise\nEux : Marcel et René\n"
    for order in (["Lucie", "Marcel", "Denise", "René"], ["Lucie", "René", "Denise", "Marcel"]):
        found = read_notes(teams + "".join(f"\n{name} donne\nScore : 120 à 42\n" for name in order))
        assert found.questions == []
        assert [one["name"] for one in found.logs[0]["players"]] == order
        assert [one.message(EN) for one in found.notices] == [
            f"The order of the players follows from the dealers: {', '.join(order)}. "
            "If they sat otherwise, write “Joueurs : …”."
        ]


def test_who_took_and_the_points_are_a_line_of_a_score_sheet() -> None:
    deal = deal_of(f"Belote contrée\n{SEATED}\nRené donne\nDenise prend à 90 cœur\nScore : 120 à 42\n")
    assert deal == {
        "dealer": 4,
        "points": [120, 42],
        "score_line": {"contract": {"bid": "3 bid 90h", "coinche": 0}},
    }


def test_the_word_teams_is_no_part_of_a_name() -> None:
    note = "Belote du 22 novembre 2026\néquipes papi et odile contre jeanne et hugo\npapi donne\n98 à 64\n"
    [question] = read_notes(note).questions
    assert question.readings(EN)[0] == "Joueurs : papi, jeanne, odile, hugo"
