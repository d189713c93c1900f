"""Rows of results in a sheet: each is a match, equal ones too."""

from collections.abc import Iterator
from datetime import UTC
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.importers.import_file import import_file
from ingest.importers.mapping import ImportOptions
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
