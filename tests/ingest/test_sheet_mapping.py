"""What a sheet is taken for: given back by a reader, written to a file, and read again."""

import json
from datetime import UTC
from pathlib import Path

import pytest

from ingest.importers.cells import Cell, CellSheet
from ingest.importers.import_file import import_file
from ingest.importers.mapping import ColumnMapping, ImportOptions, SheetMapping, WorkbookMapping
from ingest.importers.own_columns import fingerprint_of
from ingest.importers.sheets import read_sheets
from tests.ingest.conftest import Command
from tests.ingest.make_papers import PAPERS
from tests.ingest.test_papers import NAMES, paper

WORKBOOKS_READ = ("besse", "onzain", "soirees")
"""Workbooks among the papers that are read by their own mapping."""
SAINT_CALAIS = str(PAPERS / "saint-calais.xlsx")


@pytest.mark.parametrize(
    "name", [one for one in NAMES if one in WORKBOOKS_READ or paper(one).suffix == ".csv"]
)
def test_a_paper_read_by_its_own_mapping_gives_the_same(name: str) -> None:
    path = paper(name)
    first = import_file(path.name, path.read_bytes(), ImportOptions(zone=UTC))
    again = import_file(path.name, path.read_bytes(), ImportOptions(zone=UTC, mapping=first.mapping))
    assert (again.logs, again.questions) == (first.logs, first.questions)
    columns = [(one.heading, one.role) for sheet in first.mapping.sheets for one in sheet.columns]
    assert columns == [(one.heading, one.role) for sheet in again.mapping.sheets for one in sheet.columns]


def test_a_column_is_certain_by_its_heading_likely_by_its_cells_and_else_asked() -> None:
    rows: list[list[Cell]] = [
        ["Jeu", "Joueur 1", "Joueur 2", "Donneur", "Points 1", "Points 2", "Quoi", ""],
        ["Chouine", "Lucie", "Marcel", "Marcel", 70, 60, "a", 1],
        ["", "", "", "Lucie", 60, 70, "b", 2],
    ]
    [taken] = read_sheets([CellSheet("", rows)], ImportOptions()).mapping.sheets
    roles = {one.column: (one.role, one.certainty) for one in taken.columns}
    assert roles["E"] == ("points 1", "certain")
    assert roles["G"] == (None, "unclear")
    assert roles["H"] == ("number", "likely")


def test_a_cell_that_became_a_date_is_read_as_the_mapping_says() -> None:
    path = PAPERS / "paris.xlsx"
    mapping = WorkbookMapping(sheets=(SheetMapping(cells={"G2": "2-3-4", "H2": "1-2-3"}),))
    found = import_file(path.name, path.read_bytes(), ImportOptions(zone=UTC, mapping=mapping))
    assert found.questions == []
    assert found.logs[0]["deals"][0]["score_line"]["bids"] == ["3-4+", "2-3-4", "1-2-3"]


def test_two_columns_of_one_heading_are_distinguished_by_letter() -> None:
    rows: list[list[Cell]] = [
        ["Jeu", "Joueur 1", "Joueur 2", "Score", "Score"],
        ["Chouine", "Lucie", "Marcel", 3, 1],
    ]
    columns = (
        ColumnMapping(heading="Score", column="D", role="result 1"),
        ColumnMapping(heading="Score", column="E", role="result 2"),
    )
    mapping = WorkbookMapping(sheets=(SheetMapping(columns=columns),))
    found = read_sheets([CellSheet("", rows)], ImportOptions(mapping=mapping))
    assert found.questions == []
    assert found.logs[0]["result"] == {"score": [3, 1]}


def test_a_year_and_players_that_no_cell_names_come_from_the_mapping() -> None:
    rows: list[list[Cell]] = [["Coinche"], ["Date", "Donneur", "Nous", "Eux"], ["12 avr.", 1, 190, 60]]
    mapping = WorkbookMapping(sheets=(SheetMapping(year=2025, players=("Anne & Paul", "Jean & Odile")),))
    found = read_sheets([CellSheet("", rows)], ImportOptions(zone=UTC, mapping=mapping))
    assert found.questions == []
    [log] = found.logs
    assert [player["name"] for player in log["players"]] == ["Anne", "Jean", "Paul", "Odile"]
    assert log["played_at"][:10] == "2025-04-12"


def test_a_look_is_that_of_other_evenings_and_not_of_other_headings() -> None:
    headings = ["Joueur 1", "Points 1"]
    fingerprint = fingerprint_of("12 avril 2026", headings)
    assert fingerprint == fingerprint_of("Dimanche 19 mai", ["JOUEUR 1", "points  1"])
    other = fingerprint_of("12 avril 2026", ["Joueur 1", "Points 2"])
    assert fingerprint not in (fingerprint_of("Coinche", headings), other)


def test_what_lasts_of_a_mapping_is_no_evening() -> None:
    found = import_file("nous-eux.xlsx", (PAPERS / "nous-eux.xlsx").read_bytes(), ImportOptions(zone=UTC))
    [taken] = found.mapping.sheets
    assert taken.players == ("Martine et Gérard", "Paul et Josiane")
    lasting = taken.lasting
    assert (lasting.players, lasting.year, lasting.cells, lasting.sheet) == ((), None, {}, "")
    assert lasting.fingerprint == taken.fingerprint
    assert (lasting.game, lasting.columns) == ("coinche", taken.columns)


def test_a_written_mapping_is_read_as_json_and_as_toml(retourne: Command, tmp_path: Path) -> None:
    file = tmp_path / "club.json"
    first = retourne("import", SAINT_CALAIS, "--write-mapping", file)
    assert first.objects == retourne("import", SAINT_CALAIS, "--mapping", file).objects
    written = json.loads(file.read_text(encoding="utf-8"))
    assert [(one["sheet"], one["game"]) for one in written["sheets"]] == [
        ("Coinche", "coinche"),
        ("Chouine", "chouine"),
    ]
    toml = tmp_path / "club.toml"
    toml.write_text('[[sheets]]\nsheet = "Coinche"\nskip = true\n', encoding="utf-8")
    found = retourne("import", SAINT_CALAIS, "--mapping", toml, "--lang", "en")
    assert {one["game"] for one in found.objects} == {"chouine"}
    assert "The sheet “Coinche” was skipped, as you chose." in found.err


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        (
            '{"sheets": [{"colums": 3}]}',
            "a mapping has no key “sheets.1.colums”. There are: sheet, fingerprint",
        ),
        ('{"sheets": [{"year": "x"}]}', 'sheets.1.year cannot be "x".'),
        ('{"sheets": [{"columns": [{"role": "pint"}]}]}', "sheets.1.columns.1.role is “pint”"),
        ('{"sheets": [{"game": "bridge"}]}', "sheets.1.game is “bridge”, which is not a game"),
        ("{\n", "is not a mapping: unexpected end of data: line 2 column 1"),
    ],
)
def test_a_mapping_that_is_wrong_names_its_key_or_line(
    retourne: Command, tmp_path: Path, text: str, wording: str
) -> None:
    file = tmp_path / "club.json"
    file.write_text(text, encoding="utf-8")
    found = retourne("import", SAINT_CALAIS, "--mapping", file, "--lang", "en")
    assert found.code == 2
    assert wording in " ".join(found.err.split())


def test_one_sheet_is_read_alone_or_left_out(retourne: Command) -> None:
    alone = retourne("import", SAINT_CALAIS, "--sheet", "Chouine")
    assert alone.objects == retourne("import", SAINT_CALAIS, "--skip-sheet", "Coinche").objects
    assert {one["game"] for one in alone.objects} == {"chouine"}
    other = retourne("import", SAINT_CALAIS, "--sheet", "Bridge", "--lang", "en")
    assert other.code == 1
    assert "The file has no sheet “Bridge”. It has: Coinche, Chouine." in other.err
