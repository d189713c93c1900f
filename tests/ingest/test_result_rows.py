"""Rows of results in a sheet: each is a match, equal ones too."""

from collections.abc import Iterator
from datetime import UTC
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.importers.import_file import import_file
from ingest.importers.mapping import ImportOptions, SheetMapping, WorkbookMapping
from ingest.importers.result_rows import number_equal_results
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest


def result(**keys: Any) -> dict[str, Any]:
    players = [{"id": "lucie"}, {"id": "marcel"}]
    return {"game": "chouine", "players": players, "deals": [], "result": {"score": [3, 1]}, **keys}


def test_equal_results_are_numbered_from_the_second_on() -> None:
    logs = [result(), result(), result(played_at="2026-04-12"), result()]
    number_equal_results(logs)
    assert logs == [
        result(),
        result(event={"match": 2}),
        result(played_at="2026-04-12"),
        result(event={"match": 3}),
    ]


def test_the_number_leaves_the_event_as_it_is() -> None:
    logs = [result(event={"name": "Club"}), result(event={"name": "Club"})]
    number_equal_results(logs)
    assert [one["event"] for one in logs] == [{"name": "Club"}, {"name": "Club", "match": 2}]


def test_matches_with_deals_have_no_number() -> None:
    logs = [result(deals=[{"dealer": 1}]), result(deals=[{"dealer": 1}])]
    number_equal_results(logs)
    assert logs == [result(deals=[{"dealer": 1}])] * 2


SHEET = """Date;Joueur 1;Joueur 2;Manches 1;Manches 2
12/04/2026;Lucienne;René;3;1
12/04/2026;Paul;Gérard;2;3
12/04/2026;Lucienne;René;3;1
"""


def add(store: Store, text: str, name: str = "soiree.csv") -> FileReport:
    found = import_file(name, text.encode(), ImportOptions("chouine", zone=UTC))
    assert not found.questions
    [report] = ingest(store, [(f"{name}.jsonl", BytesIO(found.lines))])
    return report


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.duckdb") as store:
        yield store


def test_each_row_of_a_sheet_is_a_match(store: Store) -> None:
    report = add(store, SHEET)
    assert (report.added, report.by_status["result-only"], report.relations) == (3, 3, {})
    seats = "SELECT list((player_id, score) ORDER BY seat) FROM seats JOIN players USING (player_no)"
    assert sorted(store.cursor().execute(f"{seats} GROUP BY match_no").fetchall()) == [
        ([("lucienne", 3), ("rené", 1)],),
        ([("lucienne", 3), ("rené", 1)],),
        ([("paul", 2), ("gérard", 3)],),
    ]


def test_a_sheet_with_new_rows_adds_only_these(store: Store) -> None:
    add(store, SHEET)
    report = add(store, SHEET + "19/04/2026;Lucienne;Paul;3;2\n", "saison.csv")
    assert (report.added, report.duplicates) == (1, 3)


def test_a_line_that_is_no_match_is_skipped_and_a_text_that_is_no_name_is_a_question() -> None:
    rows = [
        "Jeu;Date;Joueur 1;Joueur 2;Score;Remarque",
        "Chouine;12/03/98;Total Bernard;Marcel;3-1;fanny",
        "Chouine;12/03/98;Ana;Exempt;3-0;",
        "Chouine;12/03/98;Ana;Bob;3-1;annulé, à rejouer",
        "Total soirée;;;;9-2;",
        "Chouine;13/03/98;Ana;Bob;2-3;",
        "Chouine;13/03/98;Ana;?;3-2;",
        "Chouine;13/03/98;Ana;Bob;3-3 (arrêté);",
    ]
    found = import_file("mars.csv", "\n".join(rows).encode(), ImportOptions(zone=UTC))
    assert [
        (log["played_at"][:10], log["players"][0]["name"], log["result"]["score"], log.get("event"))
        for log in found.logs
    ] == [("1998-03-12", "Total Bernard", [3, 1], {"remark": "fanny"}), ("1998-03-13", "Ana", [2, 3], None)]
    assert [(one.where, one.read, one.answers) for one in found.questions] == [
        ("E8", "3-3 (arrêté)", ("3-3", "")),
        ("D7", "?", ()),
    ]
    assert [one.values["lines"] for one in found.notices] == ["3", "4"]


def test_a_sheet_of_a_game_that_retourne_does_not_have_is_a_question() -> None:
    text = "Résultats de tarot, club de belote\nÉquipe 1;Équipe 2;Points 1;Points 2\nA et B;C et D;1010;640\n"
    [question] = import_file("mars.csv", text.encode(), ImportOptions()).questions
    assert (question.about, question.read) == ("game", "tarot")


@pytest.mark.parametrize(
    ("rows", "scores"),
    [
        ("Date;Joueur;Points;;Joueur;Points\n12/03/2026;Lucie;3;;Marcel;1\n", [[3, 1]]),
        ("Joueur;Points;Joueur;Points\nLucie;3;Marcel;1\nAna;2;Lucie;3\n", [[3, 1], [2, 3]]),
        ("Joueur 1;Joueur 2;J1;J2\nLucie;Marcel;3;1\n", [[3, 1]]),
        ("Joueur;Points;Joueur;Points\nLucie;3;Marcel;1\nAna;2;Bob;3\n", None),  # they may be standings
    ],
)
def test_two_groups_of_columns_are_the_sides_of_a_match(rows: str, scores: list[list[int]] | None) -> None:
    found = import_file("mars.csv", f"Chouine\n{rows}".encode(), ImportOptions(zone=UTC))
    assert (found.error is not None) == (scores is None)
    assert [log["result"]["score"] for log in found.logs] == (scores or [])


HEAD = "Jeu;Date;Joueur 1;Joueur 2;Manches 1;Manches 2\n"


@pytest.mark.parametrize(
    ("rows", "scores", "questions"),
    [
        (  # a line without names adds up lines above
            f"{HEAD}Chouine;12/03/2025;Lucie;Marcel;3;1\n;13/03/2025;Ana;Bob;2;3\n"
            ";13/03/2025;Ana;Bob;5;4\n;;;;5;4\n",
            [[3, 1], [2, 3], [5, 4]],
            [("E5", "5", ("Total", "5"))],
        ),
        (
            f"{HEAD}Chouine;12/03/2025;Lucie;Marcel;3;1\n;;Marcel;Lucie;1;3\n;;Marcel;Lucie;2;3\n",
            [[3, 1], [2, 3]],
            [("C3", "Marcel – Lucie 1-3", ("same", "different"))],
        ),
        (  # who plays each other is not one player
            f"{HEAD}Chouine;12/03/2025;Jean Dupont;Joël;3;1\n;13/03/2025;DUPONT Jean;Joel;2;3\n"
            ";14/03/2025;Joël;Joel;2;3\n;14/03/2025;Lucie;Lucie D.;0;3\n",
            [[3, 1], [2, 3], [0, 3]],
            [("C3", "DUPONT Jean", ("Jean Dupont", "DUPONT Jean"))],
        ),
        (
            f"{HEAD}Chouine;12/03/2025;Lucie D.;Marcel;3;1\n;13/03/2025;Lucie;Marcel/Bob;2;3\n"
            ";14/03/2025;Lucie;Bob;3;0\n",
            [[3, 1]],
            [("D3", "Marcel/Bob", ("Marcel", "Bob")), ("C4", "Lucie", ("Lucie D.", "Lucie"))],
        ),
        (
            f"{HEAD[:-1]};Gagnant\nChouine;12/03/2025;Lucie;Marcel;2;2;Lucie\n;;Lucie;Marcel;2;2;nul\n",
            [[2, 2]],
            [("G2", "2-2", ("égalité",))],
        ),
        (
            f"{HEAD}Chouine;12/12;Lucie;Marcel;3;1\n;05/01;Ana;Bob;2;3\n;12/02/2026;Ana;Bob;3;0\n",
            [[3, 0]],
            [("B2", "12/12", ())],
        ),
        (
            f"{HEAD}Chouine;12/03/2025;Lucie;Marcel;3;1\n;25/03/12;Ana;Bob;2;3\n",
            [[3, 1]],
            [("B3", "25/03/12", ("2025-03-12", "2012-03-25"))],
        ),
        (
            "Jeu;Date;Heure;Match;Elo 1;M1;Score\nChouine;12/03/2025;20h;Lucie - Marcel;9;5-2;3-1\n",
            [[3, 1]],
            [],
        ),
        ("Chouine;Lucie;Marcel;Ana\nLucie;;3-1;2-3\nMarcel;;;3-0\nAna;;;\n", [[3, 1], [2, 3], [3, 0]], []),
    ],
)
def test_what_a_sheet_leaves_open_is_one_question(
    rows: str, scores: list[list[int]], questions: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    found = import_file("mars.csv", rows.encode(), ImportOptions(zone=UTC))
    assert [log["result"].get("score") for log in found.logs] == scores
    assert [(one.where, one.read, one.answers) for one in found.questions] == questions


def test_answers_about_lines_hold_for_the_file() -> None:
    rows = f"{HEAD}Chouine;12/03/2025;Lucie;Marcel;3;1\n;;Marcel;Lucie;1;3\n;;;;3;1\n"
    for choice, scores in (
        (SheetMapping(repeats="same", cells={"E4": "Total"}), [[3, 1]]),
        (SheetMapping(repeats="different", cells={"E4": "3"}), [[3, 1], [1, 3], [3, 1]]),
    ):
        options = ImportOptions(zone=UTC, mapping=WorkbookMapping(sheets=(choice,)))
        found = import_file("mars.csv", rows.encode(), options)
        assert (found.questions, [log["result"]["score"] for log in found.logs]) == ([], scores)


def test_letters_of_a_result_are_of_the_first_player() -> None:
    rows = "".join(f"Chouine;1{n}/03/2025;Lucie;Marcel;{letter}\n" for n, letter in enumerate("VDGPN"))
    text = f"Jeu;Date;Joueur;Adversaire;Résultat\n{rows}"
    found = import_file("mars.csv", text.encode(), ImportOptions(zone=UTC))
    assert [log["result"] for log in found.logs] == [{"winner": winner} for winner in (1, 2, 1, 2, 0)]
