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
