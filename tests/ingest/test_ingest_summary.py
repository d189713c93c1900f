"""The summary of an ingest: four numbers that count every match and every other text once."""

import json
from io import BytesIO
from pathlib import Path

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.ingest_summary import summarize
from tests.dashboard.conftest import FAUTES, lines


def test_the_numbers_of_an_outcome_add_up_to_all_that_was_read(tmp_path: Path) -> None:
    files = {
        "club.jsonl": lines(),
        "again.jsonl": lines() + b"{\n",
        "irregular.json": (FAUTES / "must-follow.json").read_bytes(),
        "broken.json": (FAUTES / "wrong-turn.json").read_bytes(),
        "empty.json": b"",
        "picture.json": b"\x89PNG\r\n",
    }
    with Store(tmp_path / "club.duckdb") as store:
        reports = list(ingest(store, [(name, BytesIO(text)) for name, text in files.items()]))
        [(stored,)] = store.cursor().execute("SELECT count(*) FROM matches").fetchall()
    found = summarize(reports)
    assert [part.n for part in found] == [6, 6, 3, 2]
    assert found.stored_with_findings.verdicts == {"irregular": 1, "broken": 1, "unreadable": 1}
    assert found.added.n + found.stored_with_findings.n == stored
    assert sum(part.n for part in found) == sum(one.matches + one.rejected for one in reports)


def test_what_comes_twice_in_one_run_is_counted_apart_from_what_was_there_before(tmp_path: Path) -> None:
    six = lines().splitlines(keepends=True)
    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, [("before.jsonl", BytesIO(six[0] + six[1]))]))
        files = [("club.jsonl", lines() + six[5]), ("again.jsonl", six[0] + six[5])]
        reports = list(ingest(store, [(name, BytesIO(text)) for name, text in files]))
    assert [(one.added, one.duplicates, one.repeated) for one in reports] == [(4, 3, 1), (0, 2, 2)]
    known = summarize(reports).already_stored
    assert (known.n, *known.details.values()) == (5, 3)


def test_what_was_undone_is_not_sent_as_added(tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb") as store:
        reports = list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    undone = summarize(reports, is_undone=True)
    assert [part.n for part in undone] == [0, 0, 0, 0]
    assert list(undone.added.details.values()) == [6]
    assert not undone.stored_with_findings.details


def test_results_and_clean_score_sheets_are_added_and_a_wrong_sheet_is_not(tmp_path: Path) -> None:
    evening = {"format": "retourne/1", "game": "chouine", "players": [{"id": "a"}, {"id": "b"}]}
    line = {"dealer": 2, "points": [70, 60], "winner": 1}
    matches = [
        evening | {"deals": [line]},
        evening | {"deals": [line | {"winner": 2}]},
        evening | {"result": {"score": [3, 1]}},
    ]
    with Store(tmp_path / "club.duckdb") as store:
        sheets = "".join(json.dumps(one) + "\n" for one in matches).encode()
        reports = list(ingest(store, [("sheets.jsonl", BytesIO(sheets))]))
    assert [part.n for part in summarize(reports)] == [2, 0, 1, 0]
    assert reports[0].sheets == {"unverified": 1, "result-only": 1}
