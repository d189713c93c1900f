"""Cross tables: players as lines and as columns, and in each cell the result of the two."""

from datetime import UTC, date

import pytest

from ingest.i18n import translator
from ingest.importers.cells import Cell, CellSheet, DateCell
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions, SheetMapping, WorkbookMapping
from ingest.importers.sheets import read_sheets

EN = translator("en")


def brief(found: ImportResult) -> list[str]:
    """Players and result of each match in short, and the questions."""
    assert found.error is None
    matches = [
        " ".join(
            [
                *(one["name"] for one in log["players"]),
                "-".join(map(str, log["result"].get("score", ()))) or f"winner {log['result']['winner']}",
            ]
        )
        for log in found.logs
    ]
    return [*matches, *(f"{one.where} {one.message(EN)}" for one in found.questions)]


def read(text: str, **chosen: object) -> ImportResult:
    mapping = WorkbookMapping(sheets=(SheetMapping.model_validate(chosen),))
    return import_file("soir.csv", text.encode(), ImportOptions(zone=UTC, mapping=mapping))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (";Anne;Bob;Cléo\nAnne;X;3-1;2-3\nBOB;1-3;;3-0\nCleo;3 – 2;0-3;", ["3-1", "2-3", "3-0"]),
        ("Joueur;Anne;Bob;Cléo\nAnne;;3;2\nBob;1;;3\nCléo;3;0;", ["3-1", "2-3", "3-0"]),
        (";Bob;Cléo\nAnne;3-1;2-3\nBob;;3-0", ["3-1", "2-3", "3-0"]),
        (
            "N°;Nom;1;2;3;Pts\n1;Anne;;V;D;2\n2;Bob;D;;V;2\n3;Cléo;V;D;;2",
            ["winner 1", "winner 2", "winner 1"],
        ),
        (";A;B;C\nAnne;;1;0\nBob;0;;1\nCléo;1;0;", ["winner 1", "winner 2", "winner 1"]),
        (";Anne;Bob;Cléo\nAnne;;3;0\nBob;0;;3\nCléo;3;0;", ["winner 1", "winner 2", "winner 1"]),
        (";Anne;Bob;Cléo\nAnne;;Anne;Cléo\nBob;;;Bob\nCléo;;;", ["winner 1", "winner 2", "winner 1"]),
    ],
    ids=["both-cells", "a-number-each", "half", "numbered", "marks-of-wins", "equal-marks", "names"],
)
def test_a_pair_of_mirrored_cells_is_one_match(lines: str, expected: list[str]) -> None:
    pairs = ("Anne Bob", "Anne Cléo", "Bob Cléo")
    found = brief(read(f"Chouine du 14 novembre 2026\n{lines}"))
    assert [one.lower().replace("cleo", "cléo") for one in found] == [
        f"{pair} {result}".lower() for pair, result in zip(pairs, expected, strict=True)
    ]


def test_a_cell_may_have_several_matches() -> None:
    found = read("Chouine\n;Anne;Bob;Cléo\nAnne;;3-1, 1-3;\nBob;;;3-0\nCléo;;;")
    assert brief(found) == ["Anne Bob 3-1", "Anne Bob 1-3", "Bob Cléo 3-0"]


def test_pairs_of_a_cross_table_are_sides() -> None:
    found = read(
        "Coinche\n;A et B;C et D;E et F\nA et B;;1010;\nC et D;720;;640\nE et F;;1040;\nTotal;720;2050;640"
    )
    assert brief(found) == ["A C B D 1010-720", "C E D F 640-1040"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ";Anne;Bobb;Cléo\nAnne;;3-1;\nBob;1-3;;\nCléo;;;",
            ["C2 “Bobb” does not head both a line and a column of the cross table. Is Bob meant?"],
        ),
        (
            ";Anne;Bob;Cléo\nAnne;;3-1;2-3\nBob;1-3;;\nCléo;3-1;;",
            [
                "Anne Bob 3-1",
                "D3 “2-3” here and “3-1” in the mirrored cell: correct one, or leave one empty.",
            ],
        ),
        (
            ";Anne;Bob;Cléo\nAnne;;3-1;2-3\nBob;3-2;;\nCléo;3-1;;",
            [
                "C3 Most results differ from their mirrored cells, first “3-1” from “3-2”: "
                "leave one half empty."
            ],
        ),
        (
            ";Anne;Bob;Cléo\nAnne;;3-1;oui\nBob;;;3-1\nCléo;;;",
            ["Anne Bob 3-1", "Bob Cléo 3-1", "D3 “oui” is not a result of these two: write it as in 3-1."],
        ),
        (
            ";Anne;Bob;Cléo\nAnne;;3-1;3\nBob;;;3-1\nCléo;;;",
            [
                "Anne Bob 3-1",
                "Bob Cléo 3-1",
                "D3 A number is missing next to “3”: write all of them or none.",
            ],
        ),
    ],
    ids=["a-name", "one-mirror", "most-mirrors", "no-result", "lone-number"],
)
def test_an_uncertain_cell_of_a_cross_table_is_a_question(lines: str, expected: list[str]) -> None:
    assert brief(read(f"Chouine\n{lines}")) == expected


def test_a_date_that_was_a_score_is_a_question_unless_its_mirror_has_it() -> None:
    rows: list[list[Cell]] = [
        ["Chouine"],
        ["", "Anne", "Bob", "Cléo"],
        ["Anne", "", DateCell("2026-01-03"), DateCell("2026-02-03")],
        ["Bob", "1–3 ", "", "3-0"],
        ["Cléo", "", "", ""],
    ]
    found = read_sheets([CellSheet("", rows)], ImportOptions(zone=UTC))
    assert brief(found)[:2] == ["Bob Anne 1-3", "Bob Cléo 3-0"]
    assert [one.where for one in found.questions] == ["D3"]
    assert date.fromisoformat(found.questions[0].read) == date(2026, 2, 3)


@pytest.mark.parametrize(
    "lines",
    [
        "Donneur;Anne;Bob;Cléo\nAnne;;60;50\nBob;55;;20\nCléo;10;12;",
        ";Anne;Bob;Cléo\nAnne;102;60;50\nBob;55;107;20\nCléo;10;12;99",
        "Date;Joueur 1;Joueur 2;Gagnant\n1;Anne;Bob;Anne\n2;Bob;Cléo;Bob\n3;Cléo;Anne;Cléo",
    ],
    ids=["dealers", "a-diagonal", "winners"],
)
def test_other_tables_with_names_as_lines_and_columns_are_no_cross_table(lines: str) -> None:
    found = read(f"Chouineurs\n{lines}")
    assert not any("cross table" in one.message(EN) for one in found.notices)


def test_a_user_may_read_the_lines_of_a_cross_table_as_deals() -> None:
    text = "Chouine\n;Anne;Bob;Cléo\nAnne;;3-1;2-3\nBob;;;3-0\nCléo;;;"
    assert len(read(text).logs) == 3
    assert read(text, lines="deals").logs == []


def test_lines_and_columns_outside_a_cross_table_are_named() -> None:
    below = "\n\nRang;Nom\n1;Anne\nMerci à tous"
    found = read(f"Chouine\n;Anne;Bob;Cléo;Bilan\nAnne;;3-1;2-3;1\nBob;;;3-0;1\nCléo;;;;1{below}")
    assert [one.message(EN) for one in found.notices][1:] == [
        "Skipped columns of “soir”: Bilan (E2).",
        "Skipped lines of “soir” outside the cross table: 7, 8.",
    ]
