"""Score sheets as spreadsheets: filled-in templates become logs, what is unclear names its cell."""

import csv
import io
import json
import subprocess
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from engine.games import game_names
from ingest.i18n import LANGUAGES, translator
from ingest.importers.cells import CellSheet, cell_address
from ingest.importers.headings import csv_template, sheet_fields, xlsx_template
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions
from ingest.importers.sheet_rows import WHO_OPENS
from ingest.importers.sheets import read_sheets
from ingest.importers.spreadsheet_worker import MAX_ROWS
from ingest.validate.slow_path import validate
from tests.ingest.conftest import Command

EN, FR = translator("en"), translator("fr")
DOOR = "Retourne does not read this kind of file ({}). Type its contents in, or paste them as a note."
UTC = ImportOptions(zone=timezone(timedelta(0)))
HEAD = "Jeu;Joueur 1;Joueur 2;Donneur;Points 1;Points 2;Gagnant\n"
LINE = "Chouine;Lucie;Marcel;Marcel;70;60;Lucie\n"
Rows = Sequence[Mapping[str, Any]]

FILLED: dict[str, tuple[Rows, list[dict[str, Any]]]] = {
    "chouine": (
        [
            {"id": "club-1", "played_at": "02/05/2026", "table": 1, "players 1": "Lucie"}
            | {"players 2": "Marcel", "dealer": "Marcel", "announcements 1": "mariage ♥, tierce ♠"}
            | {"points 1": 103, "points 2": 67, "winner": "Lucie", "remark": "belle partie"},
            {"dealer": 1, "announcements 2": "–", "points 1": 55, "points 2": 75, "winner": 2},
            {"dealer": "Marcel", "end": "Marcel abandonne", "winner": "Lucie"},
            {"dealer": "Lucie", "void": "maldonne"},
        ],
        [
            {"dealer": 2, "points": [103, 67], "winner": 1}
            | {"score_line": {"announcements": ["1 mariage-h", "1 tierce-s"]}}
            | {"comments": [{"after": 0, "text": "belle partie"}]},
            {"dealer": 1, "points": [55, 75], "winner": 2, "score_line": {"announcements": []}},
            {"dealer": 2, "winner": 1, "score_line": {"end": "2 resign"}},
            {"dealer": 1, "void": "maldonne"},
        ],
    ),
    "coinche": (
        [
            {"id": "t1", "played_at": "2 mai 2026", "players 1": "Lucie", "players 2": "Marcel"}
            | {"players 3": "Denise", "players 4": "René", "dealer": "Marcel", "declarer": "Lucie"}
            | {"contract": "90 ♥", "coinche": "oui", "points 1": 340, "points 2": 0, "winner": 1},
            {"dealer": "Denise", "declarer": 2, "contract": "80 pique", "points 1": 0}
            | {"points 2": 170, "winner": "rené"},
            {"dealer": "René", "contract": "–", "points 1": 0, "points 2": 0, "winner": "personne"},
        ],
        [
            {"dealer": 2, "points": [340, 0], "winner": 1}
            | {"score_line": {"contract": {"bid": "1 bid 90h", "coinche": 1}}},
            {"dealer": 3, "points": [0, 170], "winner": 2}
            | {"score_line": {"contract": {"bid": "2 bid 80s"}}},
            {"dealer": 4, "points": [0, 0], "winner": 0},
        ],
    ),
    "belote": (
        [
            {"id": "b1", "played_at": "2 mai 2026", "players 1": "Lucie", "players 2": "Marcel"}
            | {"players 3": "Denise", "players 4": "René", "dealer": "Marcel", "declarer": "Lucie"}
            | {"contract": "♥", "points 1": 83, "points 2": 79, "winner": 1},
            {"dealer": "Denise", "declarer": 2, "contract": "pique", "points 1": 0}
            | {"points 2": 252, "winner": "rené"},
            {"dealer": "René", "contract": "–", "points 1": 0, "points 2": 0, "winner": "personne"},
        ],
        [
            {"dealer": 2, "points": [83, 79], "winner": 1}
            | {"score_line": {"contract": {"bid": "1 take h"}}},
            {"dealer": 3, "points": [0, 252], "winner": 2}
            | {"score_line": {"contract": {"bid": "2 take s"}}},
            {"dealer": 4, "points": [0, 0], "winner": 0},
        ],
    ),
    "chouineurs": (
        [
            {"id": "c1", "played_at": "2026-05-02", "deck": "retourne", "players 1": "Lucie"}
            | {"players 2": "Marcel", "leader": "Lucie", "bids 1": "2-3-4", "bids 2": "3-4+"}
            | {"reserve 2": 1, "points 1": 9, "points 2": 11, "winner": "Marcel"}
        ],
        [
            {"leader": 1, "points": [9, 11], "winner": 2}
            | {"score_line": {"bids": ["2-3-4", "3-4+"], "reserve": [0, 1]}}
        ],
    ),
}


def filled(game: str, template: bytes, rows: Rows) -> bytes:
    """A template as CSV with some lines filled in, the first below the headings first."""
    [headings, first, *_] = csv.reader(io.StringIO(template.decode("utf-8-sig")), delimiter=";")
    keys = [one.key for one in sheet_fields(game)]
    text = io.StringIO()
    table = csv.writer(text, delimiter=";")
    table.writerow(headings)
    for number, row in enumerate(rows):
        cells = [str(row.get(key, "")) for key in keys]
        table.writerow([a or b for a, b in zip(cells, first, strict=True)] if not number else cells)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def workbook(fill: Callable[[Any, Any], None], **options: Any) -> bytes:
    """An .xlsx of one sheet."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True} | options) as book:
        fill(book, book.add_worksheet("Feuille"))
    return file.getvalue()


def lines(text: str) -> Callable[[Any, Any], None]:
    """What writes CSV into a sheet, its numbers as numbers."""

    def fill(book: Any, sheet: Any) -> None:
        for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=";")):
            for column, cell in enumerate(row):
                sheet.write(number, column, int(cell) if cell.isdigit() else cell)

    return fill


def queried(entered: ImportResult) -> list[tuple[str, str]]:
    """What is asked, with its cell."""
    return [(one.where, one.message(EN)) for one in entered.questions]


def refusal(entered: ImportResult) -> str:
    """The one sentence about a file of which nothing is read."""
    assert entered.error is not None
    assert not entered.logs
    return entered.error.message(EN)


# templates


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", game_names())
def test_a_template_that_is_filled_in_is_the_expected_log(game: str, language: str) -> None:
    rows, deals = FILLED[game]
    found = import_file("x.csv", filled(game, csv_template(game, translator(language)), rows), UTC)
    assert queried(found) == []
    [log] = found.logs
    assert log["deals"] == deals
    assert log["game"] == game
    assert log["id"] == rows[0]["id"]
    assert log["played_at"] == "2026-05-02T12:00:00+00:00"
    assert log["players"][:2] == [{"id": "lucie", "name": "Lucie"}, {"id": "marcel", "name": "Marcel"}]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", game_names())
def test_the_workbook_has_the_headings_of_the_csv(game: str, language: str) -> None:
    result = translator(language)
    found = import_file("x.xlsx", xlsx_template(game, result), UTC)
    as_csv = csv_template(game, result).decode("utf-8-sig").splitlines()[0]
    assert ";".join(one.heading for one in found.columns) == as_csv
    first = [one.key for one in sheet_fields(game)].index("players 1")
    who = "Who plays? The player columns have no names."
    assert queried(found) == [(cell_address(1, first), who)]


def test_no_template_has_a_cell_that_a_spreadsheet_works_out() -> None:
    for game in game_names():
        for language in LANGUAGES:
            for row in csv.reader(
                io.StringIO(csv_template(game, translator(language)).decode("utf-8-sig")), delimiter=";"
            ):
                assert not [cell for cell in row if cell[:1] in "=+-@\t\r" and cell]


# headings


@pytest.mark.parametrize(
    "heading", ["Points 1", "POINTS 1", "points1", "Pts. 1", "Points (joueur 1)", "Points J1"]
)
def test_a_heading_is_known_whatever_its_case_accents_and_signs(heading: str) -> None:
    text = (HEAD + LINE).replace("Points 1", heading)
    assert import_file("x.csv", text.encode(), UTC).logs[0]["deals"][0]["points"] == [70, 60]


def test_a_heading_nobody_knows_is_asked_and_can_be_answered() -> None:
    text = (HEAD + LINE).replace("Points 1", "Lucie").replace("Points 2", "Point 2").encode()
    assert queried(import_file("x.csv", text, UTC)) == [
        ("E1", "Which column is “Lucie”? Choose one, or skip it."),
        ("F1", "What column is “Point 2”? Is Points 2 meant?"),
    ]
    how = UTC._replace(columns={"Lucie": "points 1", "point 2": "Points 2"})
    assert import_file("x.csv", text, how).logs[0]["deals"][0]["points"] == [70, 60]
    how = UTC._replace(columns={"Lucie": "", "Point 2": ""})
    assert "points" not in import_file("x.csv", text, how).logs[0]["deals"][0]


def test_a_column_without_a_heading_is_called_by_its_letter() -> None:
    text = HEAD.replace("\n", ";;\n") + LINE.replace("\n", "; ;7\n")
    message = "Which column is I? It has no heading. Choose one, or skip it."
    found = import_file("x.csv", text.encode(), UTC)
    assert queried(found) == [("I1", message)]
    assert found.columns[-1].heading == "I"
    assert import_file("x.csv", text.encode(), UTC._replace(columns={"I": ""})).logs
    assert import_file("x.csv", text.replace(";7", ";").encode(), UTC).questions == []
    blank = workbook(lines(HEAD + LINE.replace("\n", ";  \n")))
    assert import_file("x.xlsx", blank, UTC).questions == []


def test_a_title_above_the_headings_and_a_line_of_totals_are_passed_over() -> None:
    text = f"Club de Lavardin\n\n{HEAD}{LINE}Total;;;;70;60;\n"
    assert len(import_file("x.csv", text.encode(), UTC).logs[0]["deals"]) == 1


# several matches


def test_matches_are_split_by_their_columns_and_by_empty_lines() -> None:
    head = "Jeu;Rencontre;Date;Table;Joueur 1;Joueur 2;Donneur;Points 1;Points 2\n"
    text = head + (
        "Chouine;;2 mai 2026;1;Lucie;Marcel;Lucie;70;60\n;;;;;;Marcel;70;60\n"
        ";;;2;Odile;Jean;Jean;70;60\n;;;1;Lucie;Marcel;Lucie;60;70\n\n;;;;;;Lucie;50;80\n"
        f"\n{head};;;;Zoé;Ali;Ali;50;80\n"
    )
    found = import_file("x.csv", text.encode(), UTC)
    assert queried(found) == []
    items = [
        ([one["id"] for one in log["players"]], log.get("event"), len(log["deals"])) for log in found.logs
    ]
    assert items == [
        (["lucie", "marcel"], {"table": "1"}, 3),
        (["odile", "jean"], {"table": "2"}, 1),
        (["lucie", "marcel"], {"table": "1"}, 1),
        (["zoé", "ali"], None, 1),
    ]


def test_a_word_in_brackets_is_part_of_the_name() -> None:
    pairs = [("Paul (invité)", "Anne (invité)"), ("Marcel (père)", "Jean (père)")]
    rows = "\n".join(f"Chouine;{one};{other};2;70;60;1\n" for one, other in pairs)
    found = import_file("x.csv", (HEAD + rows).encode(), UTC)
    assert [(one["id"], one["name"]) for log in found.logs for one in log["players"]] == [
        ("paul-(invité)", "Paul (invité)"),
        ("anne-(invité)", "Anne (invité)"),
        ("marcel-(père)", "Marcel (père)"),
        ("jean-(père)", "Jean (père)"),
    ]


def test_an_id_in_a_sheet_says_that_it_is_one() -> None:
    row = "Chouine;Lucie (id: lucie-2);Marcel;Marcel;70;60;Lucie\n"
    found = import_file("x.csv", (HEAD + row).encode(), UTC)
    assert found.logs[0]["players"][0] == {"id": "lucie-2", "name": "Lucie"}


MARKED_HEAD = "Jeu;Joueur 1;Joueur 2;Points 1;Points 2;Gagnant\n"


def test_the_name_with_d_on_every_line_is_the_dealer() -> None:
    rows = "Chouine;Lucie (D);Marcel;70;60;1\nChouine;Lucie;Marcel (d);60;70;2\n"
    [log] = import_file("x.csv", (MARKED_HEAD + rows).encode(), UTC).logs
    assert [one["name"] for one in log["players"]] == ["Lucie", "Marcel"]
    assert [deal["dealer"] for deal in log["deals"]] == [1, 2]


@pytest.mark.parametrize(
    "rows",
    [
        "Chouine;Lucie (D);Marcel;70;60;1\n\nChouine;Lucie (D);Jean;70;60;1\n",
        "Chouine;Lucie (D);Marcel;70;60;1\n\nChouine;Lucie;Marcel;70;60;1\n",
    ],
    ids=["one person’s name", "not on every line"],
)
def test_a_d_that_need_not_be_the_dealer_is_part_of_the_name(rows: str) -> None:
    head, rows = MARKED_HEAD.replace("Points 1", "Donne;Points 1"), rows.replace(";70", ";1;70")
    found = import_file("x.csv", (head + rows).encode(), UTC)
    assert found.questions[0].text == WHO_OPENS
    assert {one["name"] for log in found.logs for one in log["players"]} <= {"Lucie", "Marcel"}


def test_a_match_with_a_line_that_is_asked_is_left_out_and_the_others_are_there() -> None:
    text = HEAD + LINE.replace("70", "septante") + "\n" + LINE.replace("Lucie", "Odile")
    found = import_file("x.csv", text.encode(), UTC)
    assert queried(found) == [("E2", "“septante” is not an integer.")]
    assert [log["players"][0]["id"] for log in found.logs] == ["odile"]


@pytest.mark.parametrize(
    ("before", "after", "place", "sentence"),
    [
        ("Marcel;70", "Paul;70", "D2", "“Paul” is not a player of this match. Is it Lucie or Marcel?"),
        ("Marcel;70", ";70", "D2", WHO_OPENS.format(could="Lucie")),
        (";70;60", ";70;", "F2", "A number is missing next to “70”: write all of them or none."),
        (";70;60", ";70,5;60", "E2", "“70,5” is not an integer."),
        ("60;Lucie", "60;Luce", "G2", "“Luce” is not a player of this match. Is it Lucie or Marcel?"),
        (
            "Chouine;",
            "Tarot;",
            "A2",
            "“Tarot” is not a known game. Is it Chouine, Coinche, Chouineurs or Belote?",
        ),
        ("Lucie;Marcel;M", ";Marcel;M", "C2", "Player 1 is missing before “Marcel”."),
    ],
)
def test_what_is_wrong_in_a_cell_is_asked_with_its_address(
    before: str, after: str, place: str, sentence: str
) -> None:
    found = import_file("x.csv", (HEAD + LINE.replace(before, after)).encode(), UTC)
    assert (place, sentence) in queried(found)
    assert found.logs == []


def test_a_number_is_a_seat_and_never_the_beginning_of_an_id() -> None:
    line = LINE.replace("Lucie;Marcel;Marcel", "Lucie (id: 2041);Marcel (id: 1077);1")
    [log] = import_file("x.csv", (HEAD + line).encode(), UTC).logs
    assert log["deals"][0]["dealer"] == 1
    [log] = import_file("x.csv", (HEAD + line.replace(";1;", ";1077;")).encode(), UTC).logs
    assert log["deals"][0]["dealer"] == 2


def test_a_number_that_is_a_seat_and_the_id_of_somebody_else_is_asked() -> None:
    line = LINE.replace("Lucie;Marcel;Marcel", "Lucie (id: 2);Marcel (id: 7);2")
    text = "“2” may be Lucie or Marcel. Which of them?"
    assert queried(import_file("x.csv", (HEAD + line).encode(), UTC)) == [("D2", text)]
    line = line.replace(";2;70;60;Lucie", ";Lucie;70;60;2")
    assert queried(import_file("x.csv", (HEAD + line).encode(), UTC)) == [("G2", text)]
    same = LINE.replace("Lucie;Marcel;Marcel", "Lucie (id: 1);Marcel (id: 2);2")
    assert import_file("x.csv", (HEAD + same).encode(), UTC).logs[0]["deals"][0]["dealer"] == 2


def test_an_announcement_is_asked_where_it_is_not_clear() -> None:
    head = HEAD.replace("Points 1", "Annonces 1;Points 1")
    line = LINE.replace("70", "mariage c, quarteron;70")
    found = import_file("x.csv", (head + line).encode(), UTC)
    assert queried(found) == [
        ("E2", "“mariage c” may be mariage ♥, mariage ♦ or mariage ♣. Which of them?"),
        (
            "E2",
            "“quarteron” is not understood. Is quarteron ♣, quarteron ♦, quarteron ♥ or quarteron ♠ meant?",
        ),
    ]


@pytest.mark.parametrize("word", ["(atout)", "atout", "d’atout", "(trump)"])
def test_what_is_trump_is_not_written_beside_an_announcement(word: str) -> None:
    head = HEAD.replace("Points 1", "Annonces 1;Points 1")
    line = LINE.replace("70", f"tierce pique {word};70")
    [(place, result)] = queried(import_file("x.csv", (head + line).encode(), UTC))
    assert place == "E2"
    assert result.startswith(f"Remove “{word}”: an announcement does not name the trump")


def test_a_contract_without_its_declarer_is_asked() -> None:
    head = "Jeu;Joueur 1;Joueur 2;Joueur 3;Joueur 4;Donneur;Contrat;Preneur\n"
    found = import_file("x.csv", (head + "Coinche;A;B;C;D;A;90 ♥;\n").encode(), UTC)
    assert queried(found) == [("H2", "This cell is empty, and the others of its line need it.")]


# encodings and kinds


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_separator_and_encoding_is_read(separator: str, encoding: str) -> None:
    text = (HEAD + LINE).replace("Lucie", "Zoé").replace(";", separator)
    found = import_file("x.csv", text.encode(encoding), UTC)
    assert found.logs[0]["players"][0]["name"] == "Zoé"
    items = [one.message(EN) for one in found.notices]
    old = ["The file is not in UTF-8; Retourne read it in the encoding of Windows (cp1252)."]
    assert items == (old if encoding == "cp1252" else [])


def test_a_line_that_names_the_separator_is_no_heading() -> None:
    assert import_file("x.csv", f"sep=;\n{HEAD}{LINE}".encode(), UTC).logs


def ods(text: str) -> bytes:
    """An .ods of one sheet, as LibreOffice packs it."""
    rows, text_cell = "", '<table:table-cell office:value-type="string"><text:p>'
    for row in csv.reader(io.StringIO(text), delimiter=";"):
        cells = "".join(
            f'<table:table-cell office:value-type="float" office:value="{cell}"/>'
            if cell.isdigit()
            else f"{text_cell}{cell}</text:p></table:table-cell>"
            for cell in row
        )
        rows += f"<table:table-row>{cells}</table:table-row>"
    names = "".join(
        f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"'
        for short in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0"?><office:document-content{names}><office:body><office:spreadsheet>'
        f'<table:table table:name="Feuille">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return file.getvalue()


@pytest.mark.slow
def test_a_workbook_and_an_opendocument_give_the_same_log() -> None:
    as_text = import_file("x.csv", (HEAD + LINE).encode(), UTC).logs
    assert import_file("x.xlsx", workbook(lines(HEAD + LINE)), UTC).logs == as_text
    assert import_file("x.ods", ods(HEAD + LINE), UTC).logs == as_text


def test_every_sheet_of_a_workbook_is_read_and_a_cell_is_named_with_its_own() -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        lines(HEAD + LINE)(book, book.add_worksheet("Table 1"))
        lines(HEAD + LINE.replace("70", "x"))(book, book.add_worksheet("Table 2"))
    found = import_file("x.xlsx", file.getvalue(), UTC)
    assert len(found.logs) == 1
    assert [one.place(EN) for one in found.questions] == ["E2 (Points 1) of “Table 2”"]
    assert [one.place(FR) for one in found.questions] == ["E2 (Points 1) de «\xa0Table 2\xa0»"]


def test_a_date_is_read_as_the_spreadsheet_has_it() -> None:
    def fill(book: Any, sheet: Any) -> None:
        lines("Date;" + HEAD + ";" + LINE)(book, sheet)
        sheet.write_datetime(1, 0, datetime(2026, 5, 2), book.add_format({"num_format": "dd/mm/yyyy"}))

    found = import_file("x.xlsx", workbook(fill), UTC)
    assert found.logs[0]["played_at"] == "2026-05-02T12:00:00+00:00"


# broken files, one sentence each


@pytest.mark.parametrize(
    ("days", "found", "open_questions"),
    [
        ("04/05/2026 04/25/2026", ["2026-04-05", "2026-04-25"], []),
        ("04/05/2026 25/04/2026", ["2026-05-04", "2026-04-25"], []),
        (
            "04/05/2026 04/25/2026 25/04/2026",
            ["2026-04-25", "2026-04-25"],
            [
                "A2: “04/05/2026”: some dates of the column begin with the day, others with the month. "
                "Is 2026-05-04 or 2026-04-05 meant?"
            ],
        ),
        ("12/07/2026 ven.-7-nov 01/08/2025", ["2026-07-12", "2025-11-07", "2025-08-01"], []),
        (
            "dimanche-5-juillet-2025",
            [],
            [
                "A2: “dimanche 5 juillet 2025”: the day of the week does not fit the date. "
                "Is 2025-07-05 or 2026-07-05 meant?"
            ],
        ),
    ],
)
def test_other_dates_and_days_of_the_week_settle_a_date(
    days: str, found: list[str], open_questions: list[str]
) -> None:
    lines = "".join(f"{day.replace('-', ' ')};Anne;Bob;3-1;Chouine\n" for day in days.split())
    result = import_file("s.csv", f"Date;Joueur 1;Joueur 2;Résultat;Jeu\n{lines}".encode(), UTC)
    assert [log["played_at"][:10] for log in result.logs] == found
    assert [f"{one.where}: {one.message(EN)}" for one in result.questions] == open_questions


def test_a_date_long_ago_or_in_the_future_gets_a_remark() -> None:
    lines = "".join(f"12/04/{year};Anne;Bob;3-1;Chouine\n" for year in (1926, 2026, 2206))
    result = import_file("s.csv", f"Date;Joueur 1;Joueur 2;Résultat;Jeu\n{lines}".encode(), UTC)
    assert len(result.logs) == 3
    assert [one.message(EN) for one in result.notices] == [
        "Check the dates of “s” that are before 1990 or in the future, lines: 2, 4."
    ]


def test_merged_cells_are_asked_where_they_are_about_two_lines() -> None:
    def fill(book: Any, sheet: Any) -> None:
        lines(HEAD + LINE + ";;;Lucie;;60;\n")(book, sheet)
        sheet.merge_range(1, 4, 2, 4, 70)
        sheet.merge_range(1, 1, 2, 1, "Lucie")  # the match's: an empty cell is as the one above

    found = import_file("x.xlsx", workbook(fill), UTC)
    assert queried(found) == [
        ("E2", "Cells E2:E3 are merged: which line or column they are about is not clear.")
    ]


@pytest.mark.parametrize(("epoch", "number"), [(False, 46144), (True, 44682)])
def test_a_number_is_the_day_it_stands_for_in_its_workbook(epoch: bool, number: int) -> None:
    text = f"Date;{HEAD}{number};{LINE}"
    found = import_file("x.xlsx", workbook(lines(text), date_1904=epoch), UTC)
    assert found.logs[0]["played_at"] == "2026-05-02T12:00:00+00:00"


def test_a_date_that_is_a_number_is_asked_in_csv() -> None:
    text = "Date;" + HEAD + "46144;" + LINE
    found = import_file("x.csv", text.encode(), UTC)
    message = "“46144” is a number where a date belongs: give the cell the format of a date."
    assert queried(found) == [("A2", message)]


@pytest.mark.slow
def test_a_formula_counts_with_the_value_it_has_and_is_asked_where_it_has_none() -> None:
    def fill(book: Any, sheet: Any) -> None:
        lines(HEAD + LINE)(book, sheet)
        sheet.write_formula(1, 4, "=35*2", None, 70)

    assert import_file("x.xlsx", workbook(fill), UTC).logs[0]["deals"][0]["points"] == [70, 60]

    def uncomputed(book: Any, sheet: Any) -> None:
        fill(book, sheet)
        sheet.write_formula(1, 5, '=WEBSERVICE("http://example.org")', None, "")

    assert queried(import_file("x.xlsx", workbook(uncomputed), UTC)) == [
        ("F2", "The cell has a formula of which the file has no value: save it from the program.")
    ]


@pytest.mark.slow
def test_a_row_of_totals_needs_no_value_of_its_formulas() -> None:
    def fill(book: Any, sheet: Any) -> None:
        lines(HEAD + LINE)(book, sheet)
        sheet.write_string(2, 0, "Total")
        sheet.write_formula(2, 5, "=SUM(F2:F2)", None, "")

    found = import_file("x.xlsx", workbook(fill), UTC)
    assert (len(found.logs), found.questions) == (1, [])


SUITS_SHEET = """Coinche
Date;14/03/2026
Nous;Martine et Gérard
Eux;Paul et Josiane

Donneur;Preneur;Contrat;Atout;Nous;Eux
Josiane;Martine;80;♥;170;70
Martine;Paul;90;pique;60;190
"""


def test_a_contract_names_the_unread_column_of_its_suits() -> None:
    options = UTC._replace(columns={"Atout": ""})
    assert queried(import_file("x.csv", SUITS_SHEET.encode(), options)) == [
        ("C7", "“80” has no suit. The column “Atout” has suits: choose “Suit” for it.")
    ]


def test_a_contract_without_a_suit_gets_a_question() -> None:
    text = SUITS_SHEET.replace("Atout", "Remarque").replace("♥", "bravo").replace(";90;", ";90 ♦;")
    assert queried(import_file("x.csv", text.encode(), UTC)) == [
        ("C7", "“80” has no suit: write 80 ♥ here, or the suit in a column “Suit”.")
    ]


def test_facts_above_a_column_that_is_not_read_are_read() -> None:
    text = SUITS_SHEET.replace("Donneur;", "Date;Donneur;").replace("Josiane;M", "x;Josiane;M")
    text = text.replace("Martine;Paul", "y;Martine;Paul")
    found = import_file("x.csv", text.encode(), UTC._replace(columns={"Date": ""}))
    assert [log["played_at"][:10] for log in found.logs] == ["2026-03-14"]


@pytest.mark.slow
def test_more_lines_than_a_sheet_may_have_are_refused() -> None:
    text = HEAD + LINE * (MAX_ROWS + 1)
    message = f"A sheet of the file has more than {MAX_ROWS} lines: give it in parts."
    assert refusal(import_file("x.csv", text.encode(), UTC)) == message
    assert refusal(import_file("x.xlsx", workbook(lines(text), constant_memory=True), UTC)) == message


@pytest.mark.slow
def test_a_cell_far_away_is_refused_however_small_the_file() -> None:
    def fill(book: Any, sheet: Any) -> None:
        lines(HEAD + LINE)(book, sheet)
        sheet.write(1_048_575, 16_383, "x")

    text = "The file asks for far more room than a score sheet needs: it was not read."
    assert refusal(import_file("x.xlsx", workbook(fill), UTC)) == text


def test_macros_are_not_run_and_the_cells_are_read(tmp_path: Path) -> None:
    macros = tmp_path / "vbaProject.bin"
    macros.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))

    def fill(book: Any, sheet: Any) -> None:
        lines(HEAD + LINE)(book, sheet)
        book.add_vba_project(str(macros))

    found = import_file("x.xlsm", workbook(fill), UTC)
    assert [one.message(EN) for one in found.notices] == [
        "The file has macros. They were not run; its cells were read."
    ]
    assert len(found.logs) == 1


def test_a_password_is_asked_away() -> None:
    text = "The file is protected by a password: save it without one."
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
    encrypted = ole + "EncryptedPackage".encode("utf-16-le") + bytes(500)
    assert refusal(import_file("x.xlsx", encrypted, UTC)) == text
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    assert refusal(import_file("x.ods", file.getvalue(), UTC)) == text


def test_two_lines_of_headings_are_asked() -> None:
    text = ";;;;Points;Points;\n" + HEAD + LINE
    assert queried(import_file("x.csv", text.encode(), UTC)) == [
        ("E1", "There are two lines of headings, “Points” is in the first: leave one of them.")
    ]


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("x.csv", b"", "The file is empty. Fill in at least one line."),
        ("x.csv", b" \n\n", "The file is empty. Fill in at least one line."),
        ("x.xlsx", workbook(lambda book, sheet: None), "The file is empty. Fill in at least one line."),
        ("x.xlsx", b"%PDF-1.7 \n", DOOR.format("PDF")),
        (
            "x.csv",
            b"\x89PNG\r\n\x1a\n\0\0",
            "The file is a picture, which Retourne does not read: type its contents in, as a note.",
        ),
        (
            "x.xls",
            b"<html><table><tr><td>1</table>",
            "The file is a page for browsers: save its table as .xlsx or .csv, or paste it as a note.",
        ),
        ("x.xlsx", workbook(lines(HEAD))[:900], DOOR.format("ZIP")),
    ],
    ids=["empty", "spaces", "empty workbook", "PDF", "PNG", "web page", "cut off"],
)
def test_a_file_of_another_kind_is_reported_in_one_sentence(name: str, data: bytes, sentence: str) -> None:
    assert refusal(import_file(name, data, UTC)) == sentence


@pytest.mark.slow
def test_a_bomb_is_not_unpacked() -> None:
    file = io.BytesIO(workbook(lines(HEAD + LINE)))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/x.bin", bytes(300 << 20))
    text = "The file asks for far more room than a score sheet needs: it was not read."
    assert refusal(import_file("x.xlsx", file.getvalue(), UTC)) == text


@pytest.mark.parametrize(("name", "part"), [("x.xlsx", "xl/sharedStrings.xml"), ("x.ods", "content.xml")])
def test_a_file_that_a_workbook_names_as_an_entity_is_not_read(tmp_path: Path, name: str, part: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("Honorine")
    made = {"x.xlsx": workbook(lines(HEAD + LINE)), "x.ods": ods(HEAD + LINE)}[name]

    def read(declared: str, used: str) -> ImportResult:
        file = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(made)) as before, zipfile.ZipFile(file, "w") as after:
            for one in before.namelist():
                text = before.read(one).decode()
                if one == part:
                    text = text.replace("?>", f"?>{declared}", 1).replace("Marcel", used)
                after.writestr(one, text)
        return import_file(name, file.getvalue(), UTC)

    assert "Honorine" in repr(read("", "Honorine").logs)
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    sentence = "The file cannot be read as a spreadsheet: save it again as .xlsx, .ods or .csv."
    assert refusal(read(entity, "&e;")) == sentence


def test_a_table_without_headings_says_what_there_might_be() -> None:
    [(place, result)] = queried(import_file("x.csv", LINE.encode(), UTC._replace(game="chouine")))
    assert place == "A1"
    assert result.startswith("No line of headings was found, such as: Jeu, Rencontre, Date")


# whatever stands in the cells


CELLS = st.one_of(
    st.text(max_size=12),
    st.integers(-5, 50_000),
    st.sampled_from(["Chouine", "Lucie", "Marcel", "70", "=1+1", "mariage c", "Points 1", "total"]),
)


@pytest.mark.slow
@given(st.lists(st.lists(CELLS, max_size=8), max_size=8), st.booleans())
def test_nothing_in_a_sheet_makes_it_fall(rows: list[list[Any]], headed: bool) -> None:
    head: list[list[Any]] = [HEAD.strip().split(";")] if headed else []
    found = read_sheets([CellSheet("x", [*head, *rows])], UTC._replace(game="chouine"))
    for one in found.questions:
        assert one.message(EN)
        assert one.where
    for log in found.logs:
        assert validate(json.dumps(log).encode()).match is not None


@given(st.binary(max_size=400), st.sampled_from(["x.csv", "x.xlsx", "x.txt", "-"]))
def test_no_file_makes_it_fall(data: bytes, name: str) -> None:
    found = import_file(name, data, UTC)
    assert found.error or found.questions or found.logs


def test_a_name_that_is_a_formula_is_a_name() -> None:
    found = import_file("x.csv", (HEAD + LINE.replace("Lucie", "=A1+1")).encode(), UTC)
    assert found.logs[0]["players"][0] == {"id": "=a1+1", "name": "=A1+1"}


# the command


def test_import_names_the_cell_and_how_to_name_a_column(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "feuille.csv"
    path.write_text((HEAD + LINE).replace("Points 1", "Lucie"))
    done = retourne("import", path)
    assert done.code == 1
    assert done.err.splitlines() == [
        f"{path}:E1 Which column is “Lucie”? Choose one, or skip it.",
        "Example: --column 'Lucie=points 1', or 'Lucie=' to skip it.",
        f"No log was written. Edit {path} at E1 or add the option, then run the command again.",
    ]
    done = retourne("import", path, "--column", "Lucie=points 1")
    assert done.objects[0]["deals"][0]["points"] == [70, 60]


def test_what_is_found_in_a_sheet_stands_at_its_cell(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "feuille.csv"
    path.write_text(f"Soirée\n{HEAD}{LINE};;;Marcel;1000;60;Lucie\n;;;Lucie;70;60;Marcel\n")
    items = retourne("import", path).err.splitlines()
    assert items[0] == f"{path}:3 irregular"
    places = [line.split()[1] for line in items if line.startswith((" 1 ", " 2 ", " 3 "))]
    assert f"{path}:E4" in places
    assert f"{path}:G5" in places
    assert f"{path}.jsonl" not in "".join(items)
    assert "│" not in "".join(items)


def test_import_writes_a_template_that_it_reads(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "feuille.xlsx"
    assert retourne("import", "--template", "coinche", "--output", path).code == 0
    assert "Who plays?" in retourne("import", path).err
    done = retourne("import", "--template", "coinche", "--lang", "fr")
    assert done.out.startswith("\ufeffJeu;Rencontre;Date;")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Name a file, or a game with --template."),
        (["--template", "chouine", "--add"], "--template cannot be combined with files"),
        (["x.csv", "--column", "Pts"], "--column wants HEADING=COLUMN, not Pts."),
        (["x.csv", "--column", "Pts=punkte"], "No such column in a sheet of chouine: punkte."),
    ],
)
def test_import_says_what_a_line_lacks(retourne: Command, words: list[str], sentence: str) -> None:
    done = retourne("import", *words)
    assert done.code == 2
    assert sentence in done.err


@pytest.mark.slow
def test_what_reads_a_file_starts_by_itself_and_writes_nothing_else() -> None:
    """It is started as a module: a stray print would be taken for cells."""
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "ingest.importers.spreadsheet_worker"],
        input=workbook(lines(HEAD)),
        capture_output=True,
        check=True,
    )
    assert [*json.loads(done.stdout)] == ["sheets", "macros", "first_day", "hidden"]
    assert done.stderr == b""


def test_a_date_and_a_pair_merged_over_lines_are_of_each_of_them() -> None:
    def fill(book: Any, sheet: Any) -> None:
        text = "Coinche\nDate;Équipe 1;Équipe 2;Score 1;Score 2\n;;A et B;1010;720\n;;C et D;800;1050\n"
        lines(text)(book, sheet)
        sheet.merge_range(2, 0, 3, 0, "12/04/2026")
        sheet.merge_range(2, 1, 4, 1, "Anne et Paul")  # one line more than there are matches

    found = import_file("x.xlsx", workbook(fill), UTC)
    assert queried(found) == []
    assert [(one["played_at"][:10], one["players"][0]["name"]) for one in found.logs] == [
        ("2026-04-12", "Anne"),
        ("2026-04-12", "Anne"),
    ]
