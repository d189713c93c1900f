"""Lines of notes that cannot be read stay with their match, or are listed with their number."""

import json
from typing import Any

import pytest

from ingest.i18n import translator
from ingest.importers.import_result import ImportResult
from ingest.importers.notes import read_notes
from ingest.validate.slow_path import validate

EN = translator("en")
HEAD = "Jeu : Chouine\nJoueurs : Lucie, Marcel\n\nMarcel donne\n"


def remarks(found: ImportResult) -> list[list[Any]]:
    """The comments of each deal: the number of actions before, and the text."""
    deals = [deal for log in found.logs for deal in log["deals"]]
    return [[(one["after"], one["text"]) for one in deal.get("comments", ())] for deal in deals]


def unread(found: ImportResult) -> list[tuple[int, str, bool]]:
    return [(one.line, one.text, one.is_stored) for one in found.unread]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("Marcel joue un petit trèfle", 0),
        ("Lucie joue l'as de trèfle, Marcel met un petit trèfle", 1),
        ("Marsel : 9♦", 0),
        ("Points : 87 et un peu", 0),
        ("Donneur : Zoé", 0),
    ],
)
def test_a_line_that_a_question_is_about_stays_as_a_remark(line: str, after: int) -> None:
    found = read_notes(f"{HEAD}{line}\nGagnant : Lucie")
    assert remarks(found) == [[(after, line)]]
    assert unread(found) == [(5, line, True)]
    assert validate(json.dumps(found.logs[0]).encode()).status != "invalid"


def test_acts_behind_a_question_stay_as_remarks_in_their_order() -> None:
    lines = (
        "Lucie joue l'as de trèfle",
        "Marcel met un petit trèfle",
        "Quelle belle soirée ce soir",
        "Lucie joue le roi de cœur",
    )
    found = read_notes(HEAD + "\n".join(lines) + "\nLucie gagne 98 à 52")
    assert remarks(found) == [[(1, line) for line in lines[1:]]]
    assert [one.line for one in found.unread] == [6, 8]


def test_a_card_that_cannot_be_played_stays_as_a_remark_with_what_follows() -> None:
    found = read_notes(f"{HEAD}V♦ 9♦\nA♠ A♠\nR♥ 9♥\nGagnant : Lucie")
    assert found.logs[0]["deals"][0]["actions"] == ["1 Jd", "2 9d", "1 As"]
    assert [one.text for one in found.unread] == ["A♠ A♠", "R♥ 9♥"]


def test_a_deal_that_is_left_out_stays_as_remarks_of_the_next() -> None:
    found = read_notes("Jeu : Chouine\nJoueurs : Lucie, Marcel\n\nV♦ 9♦\n\nMarcel donne\nGagnant : Lucie")
    assert remarks(found) == [[(0, "V♦ 9♦")]]
    assert unread(found) == [(4, "V♦ 9♦", True)]


def test_a_match_of_which_nothing_is_clear_is_listed_as_not_stored() -> None:
    found = read_notes(f"{HEAD}Gagnant : Lucie\n\nJeu : Tarot\n\nLucie gagne")
    assert len(found.logs) == 1
    assert unread(found)[-1:] == [(9, "Lucie gagne", False)]


def test_a_line_that_was_read_is_in_no_list() -> None:
    lines = ("# un rappel", "Lucie joue l'as de trèfle", "Quelle belle soirée ce soir", "Gagnant : Lucie")
    assert unread(read_notes(HEAD + "\n".join(lines))) == []


def test_a_result_that_cannot_be_read_is_listed_as_not_stored() -> None:
    found = read_notes("Chouine\nAnne bat Bob 3-1\nAnne bat Luc 1-3\nZoé aussi, 3-0")
    assert [one.message(EN) for one in found.unread] == [
        "Line 3 was not read and is not stored: “Anne bat Luc 1-3”",
        "Line 4 was not read and is not stored: “Zoé aussi, 3-0”",
    ]
