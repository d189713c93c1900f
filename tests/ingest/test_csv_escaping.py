"""No CSV has a cell that a spreadsheet works out, whatever stands in a log."""

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.escaping import escape_csv_cell
from tests.ingest.conftest import Command
from tests.ingest.logs import documents

FORMULAS = ["=1+1", "+1+cmd", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1+1", "\uff1d1+1", "x;=1+1"]
BEGINS = re.compile(r"(^|;)\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]")


@given(st.text(alphabet=st.sampled_from("=+-@;\t\r\n 1a'\uff1d\xa0")))
def test_no_cell_begins_a_formula_and_the_text_is_all_there(text: str) -> None:
    result = escape_csv_cell(text)
    number = re.fullmatch(r"[+-]?[0-9]+", text)
    assert result == text if number else not BEGINS.search(result)
    assert result.replace("'", "") == text.replace("'", "")


@pytest.mark.parametrize("text", ["Jean", "3", "-3", "+2.5", "a-b", "2026-03-01", "d'un", ""])
def test_names_dates_and_numbers_stay_as_they_are(text: str) -> None:
    assert escape_csv_cell(text) == text


def evil() -> list[dict[str, Any]]:
    """Matches whose every text of one's own begins a formula, one of them broken."""
    found = []
    for place, (text, one) in enumerate(zip(FORMULAS, documents(len(FORMULAS)), strict=True)):
        players = [{"id": f"{text}{place}{i}", "name": text} for i, _ in enumerate(one["players"])]
        about = {"players": players, "event": {"name": text}, "source": {"name": text}}
        found.append(one | about | {"id": f"{text}{place}"})
    found[0]["deals"][0]["actions"][3] = "=1+1"
    return found


@pytest.fixture
def stored(retourne: Command, tmp_path: Path) -> Command:
    path = tmp_path / "=evil.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in evil()), encoding="utf-8")
    retourne("ingest", path, "--store", "evil.duckdb")
    return retourne


@pytest.mark.parametrize("table", ["files", "matches", "players", "deals", "findings", "raw"])
def test_no_table_has_a_formula_in_its_csv_and_its_numbers_are_numbers(stored: Command, table: str) -> None:
    done = stored("export", "--table", table, "--store", "evil.duckdb")
    rows = list(csv.reader(io.StringIO(done.out, newline="")))
    assert len(rows) > 1
    assert all(not BEGINS.search(value) for row in rows for value in row)
    key = {"files": "file_no", "players": "player_no"}.get(table, "match_no")
    numbers = rows[0].index(key)
    assert all(row[numbers].isdigit() for row in rows[1:])


@pytest.mark.parametrize(("language", "separator"), [("fr", ";"), ("en", ",")])
def test_a_csv_for_spreadsheets_says_utf_8_and_has_its_language_s_separator(
    stored: Command, tmp_path: Path, language: str, separator: str
) -> None:
    path = tmp_path / "out.csv"
    stored(
        "export",
        "--table",
        "players",
        "--format",
        f"{language}.csv",
        "--output",
        path,
        "--store",
        "evil.duckdb",
    )
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbfplayer_no" + separator.encode())
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=separator))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert all(not BEGINS.search(value) for row in rows for value in row)


def test_a_french_csv_has_decimal_commas(stored: Command) -> None:
    texts = {
        language: stored(
            "export", "--table", "ratings", "--format", f"{language}.csv", "--store", "evil.duckdb"
        ).out
        for language in ("fr", "en")
    }
    rows = [
        list(csv.DictReader(io.StringIO(texts[language].removeprefix("\ufeff")), delimiter=separator))
        for language, separator in (("fr", ";"), ("en", ","))
    ]
    numbers = [(french["mu"], english["mu"]) for french, english in zip(*rows, strict=True)]
    assert numbers
    assert all("." in english and french == english.replace(".", ",") for french, english in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["--fairness"], ["--ladder"], ["=1+100"]])
def test_no_figure_has_a_formula_in_its_csv(stored: Command, words: list[str]) -> None:
    done = stored("stats", *words, "--format", "csv", "--store", "evil.duckdb")
    rows = list(csv.DictReader(io.StringIO(done.out, newline="")))
    texts = [v for row in rows for v in row.values() if v and not re.fullmatch(r"-?[\d.e-]+", v)]
    assert all(not BEGINS.search(text) for text in texts)


@pytest.mark.slow
def test_a_french_csv_of_figures_has_decimal_commas(stored: Command) -> None:
    text = stored("stats", "--ladder", "--format", "fr.csv", "--store", "evil.duckdb").out
    [row, *_] = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=";")
    assert re.fullmatch(r"-?\d+,\d+", row["mu"])


@pytest.mark.slow
def test_a_csv_on_a_terminal_shows_signs_that_would_steer_it(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = documents(1)[0]
    players = [{"id": str(i), "name": f"\x1b[2J\u202e{i}"} for i, _ in enumerate(one["players"])]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(one | {"players": players}), encoding="utf-8")
    retourne("ingest", path, "--store", "a.duckdb")
    words = ["--format", "csv", "--store", "a.duckdb"]
    commands = (["stats", *words], ["export", "--table", "players", *words])
    for command in commands:
        assert "\x1b" in retourne(*command).out  # a program gets what was written
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for command in commands:
        shown = retourne(*command).out
        assert "\\x1b[2J\\u202e0" in shown
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", shown)
