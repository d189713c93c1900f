"""Questions about a sheet: each open point has one, with the answers to choose from."""

from datetime import UTC, date

import pytest

from ingest.i18n import translator
from ingest.importers.cells import Cell, CellSheet
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions, SheetMapping, WorkbookMapping
from ingest.importers.sheet_dates import possible_years
from ingest.importers.sheets import read_sheets
from tests.ingest.make_papers import PAPERS

EN, FR = translator("en"), translator("fr")
HEAD: list[Cell] = ["Date", "Équipe 1", "Équipe 2", "Score"]


def season(*days: str) -> CellSheet:
    """A sheet of results on some days."""
    lines: list[list[Cell]] = [
        [day, "Anne & Bob", "Carl & Dora", f"10{10 + at}-640"] for at, day in enumerate(days)
    ]
    return CellSheet(f"Coinche {days[0]}", [HEAD, *lines])


def read_paper(name: str, names: dict[str, str] | None = None) -> ImportResult:
    mapping = WorkbookMapping(sheets=(SheetMapping(names=names or {}),))
    return import_file(name, (PAPERS / name).read_bytes(), ImportOptions(zone=UTC, mapping=mapping))


def players(found: ImportResult) -> list[str]:
    return [", ".join(one["name"] for one in log["players"]) for log in found.logs]


def test_the_year_is_one_question_for_all_sheets() -> None:
    sheets = [season("6 nov.", "13 nov."), season("8 janv.")]
    [question] = read_sheets(sheets, ImportOptions()).questions
    assert (question.about, question.where) == ("year", "A2")
    answer = SheetMapping(year=2025, season=True)
    options = ImportOptions(zone=UTC, mapping=WorkbookMapping(sheets=(answer,)))
    days = [log["played_at"][:10] for log in read_sheets(sheets, options).logs]
    assert days == ["2025-11-06", "2025-11-13", "2026-01-08"]


@pytest.mark.parametrize(
    ("days", "years"),
    [
        (["6 nov.", "4 déc."], ("2025", "2024", "2023")),
        (["6 nov.", "8 janv."], ("2026", "2025-2026", "2025")),
        (["ven. 7 nov.", "ven. 9 janv."], ("2025-2026",)),
    ],
)
def test_the_years_to_choose_from_are_the_latest_that_the_days_of_the_week_fit(
    days: list[str], years: tuple[str, ...]
) -> None:
    assert possible_years(days, date(2026, 11, 30)) == years


def test_a_short_or_marked_name_is_the_player_that_the_answer_names() -> None:
    assert read_paper("bracieux.csv").open_lines == {"bracieux": [4, 5]}
    own = {"Mar.": "Martine", "Gér.": "Gér.", "Anne*": "Anne*"}
    found = read_paper("bracieux.csv", names=own)
    assert found.questions == []
    assert players(found) == [
        "Martine, Paul, Gér., Josiane",
        "Martine, Odile, Gérard, Anne*",
        "Odile, Paul, Anne, Josiane",
    ]


def test_four_names_in_one_cell_are_the_pairs_of_the_answer() -> None:
    [question] = read_paper("sache.csv").questions
    found = read_paper("sache.csv", names={question.read: question.answers[1]})
    assert (players(found), found.questions) == (["Paul, Anne, Luc, Marie"] * 2, [])


def test_headings_that_are_players_are_one_question() -> None:
    [question] = read_paper("blere.csv").questions
    of_each = [(letter, field.key) for letter, field in question.fields]
    assert of_each == [("B", "points 1"), ("C", "points 2")]


def test_a_question_names_columns_by_their_headings() -> None:
    rows: list[list[Cell]] = [["Jeu", "Joueur 1", "Joueur 2", "Dtae"], ["Chouine", "Anne", "Bob", 3]]
    [question] = read_sheets([CellSheet("", rows)], ImportOptions()).questions
    text = "Quelle colonne est «\xa0Dtae\xa0»\N{NARROW NO-BREAK SPACE}? Est-ce Date\N{NARROW NO-BREAK SPACE}?"
    assert question.message(FR) == text
