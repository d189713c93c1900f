"""Sheets whose sides have names of their own, numbers before or behind a word, and one game a file."""

import pytest

from ingest.importers.cells import Cell, CellSheet
from ingest.importers.headings import SheetHeadings
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions
from ingest.importers.sheets import read_sheets

HEAD: list[Cell] = ["Partie n°", "Équipe rouge", "Équipe bleue", "Score rouge", "Score bleu", "Vainqueurs"]
PAIRS: list[Cell] = ["1", "Odette & Fernand", "Marthe & Léon", "2010", "1450", "Odette & Fernand"]
OTHERS: list[Cell] = ["1", "Suzanne & Noël", "Pierrette & Guy", "1200", "2100", "Pierrette & Guy"]
STANDINGS: list[list[Cell]] = [
    ["Rang", "Équipe", "Victoires"],
    ["1", "Odette & Fernand", "2"],
    ["2", "Marthe & Léon", "0"],
]


def results(*sheets: CellSheet) -> tuple[ImportResult, list[tuple[str, str, list[int]]]]:
    found = read_sheets(sheets, ImportOptions())
    return found, [
        (log["game"], ", ".join(one["name"] for one in log["players"]), log["result"]["score"])
        for log in found.logs
    ]


def test_the_sides_of_a_sheet_may_be_red_and_blue_and_its_totals_are_passed_over() -> None:
    title: list[Cell] = ["Tournoi de coinche du 14 mars 2026"]
    total: list[Cell] = ["Totaux", "", "", "2010", "1450", ""]
    found, read = results(CellSheet("Poule A", [title, [], HEAD, PAIRS, total]))
    assert found.questions == []
    assert read == [("coinche", "Odette, Marthe, Fernand, Léon", [2010, 1450])]


def test_sides_whose_points_have_another_order_are_a_question() -> None:
    head: list[Cell] = [*HEAD[:3], "Score bleu", "Score rouge", "Vainqueurs"]
    found, read = results(CellSheet("Coinche", [head, PAIRS]))
    assert read == []
    assert "D1" in [one.cell for one in found.questions]


def test_sheets_of_a_file_are_of_the_one_game_that_one_of_them_names() -> None:
    found, read = results(
        CellSheet("Poule A", [["Tournoi de coinche"], HEAD, PAIRS]),
        CellSheet("Poule B", [HEAD, OTHERS]),
        CellSheet("Classement", STANDINGS),
    )
    assert found.questions == []
    assert [game for game, _, _ in read] == ["coinche", "coinche"]
    assert [one.sheet for one in found.mapping.sheets if one.skip] == ["Classement"]


def test_sheets_of_a_file_with_several_games_do_not_share_one() -> None:
    found, _ = results(
        CellSheet("Coinche", [HEAD, PAIRS]),
        CellSheet("Belote", [HEAD, PAIRS]),
        CellSheet("Poule B", [HEAD, OTHERS]),
    )
    assert [(one.sheet, one.about) for one in found.questions] == [("Poule B", "game")]


def test_the_sides_may_be_those_of_the_compass() -> None:
    head: list[Cell] = ["Table", "Nord-Sud", "Est-Ouest", "Points NS", "Points EO", "Observations"]
    line: list[Cell] = ["1", "Nadine / Hervé", "Aline / Serge", "770", "1024", "prolongation"]
    found, read = results(CellSheet("Belote", [head, line]))
    assert found.questions == []
    assert read == [("belote", "Nadine, Aline, Hervé, Serge", [770, 1024])]


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        *(("N° table", "table"), ("Table n°", "table"), ("Partie n°", "number"), ("N°", "number")),
        *(("Joueuse ou joueur A", "players 1"), ("Joueur·se 2", "players 2"), ("Joueur n° 1", "players 1")),
    ],
)
def test_numbers_and_both_words_for_players_are_known_in_headings(heading: str, key: str) -> None:
    field = SheetHeadings("coinche").find(heading)
    assert field is not None
    assert field.key == key
