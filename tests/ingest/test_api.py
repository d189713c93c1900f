"""What other programs may rely on: the names `ingest` gives, their types, and what is written of
them.
"""

import io
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import ingest
from ingest import Edit, Finding, MatchReport, check, check_text
from tests.ingest.logs import lines, texts

ROOT = Path(__file__).parents[2]


def test_the_names_that_stay() -> None:
    assert ingest.__all__ == [
        "Edit",
        "Finding",
        "InvalidMatchError",
        "MatchReport",
        "Recorder",
        "SampledCard",
        "SolvedDeal",
        "Source",
        "Translate",
        "check",
        "check_text",
        "convert",
        "sample",
        "solve",
        "translator",
    ]
    assert all(getattr(ingest, name) is not None for name in ingest.__all__)
    assert callable(check)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ingest.nothing


@pytest.mark.slow
def test_importing_starts_nothing_and_checking_needs_no_dashboard() -> None:
    program = (
        "import sys, ingest\n"
        "heavy = {'duckdb', 'numba', 'pydantic', 'streamlit', 'dashboard'}\n"
        "assert not heavy & set(sys.modules)\n"
        "from ingest import check\n"
        "assert [report.status for report in check('data/match-lavardin.json')] == ['legal']\n"
        "assert not {'streamlit', 'dashboard'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


@pytest.mark.parametrize("package", ["engine", "schemas", "ingest", "dashboard", "data"])
def test_every_package_says_it_is_typed(package: str) -> None:
    assert files(package).joinpath("py.typed").is_file()


def test_one_text_is_reported_as_in_a_file() -> None:
    for text in (*texts(2), b"\xff", b"[]", b"", (ROOT / "data/match-coinche.json").read_bytes()):
        report = check_text(text, "a.jsonl")
        assert report.file == "a.jsonl"
        if text.count(b"\n") == 0 and text:
            [same] = check(("a.jsonl", io.BytesIO(text)))
            assert (same.status, same.match_id) == (report.status, report.match_id)
            assert same.findings == report.findings


@pytest.mark.parametrize("text", ["", "\ud800", "\ufeff{}", "{" * 100_000, "null", "\0"])
def test_no_text_raises(text: str) -> None:
    report = check_text(text)
    assert report.status == "unreadable"
    assert report.findings


def test_reports_come_while_the_stream_is_read() -> None:
    reports = check(("club.jsonl", io.BytesIO(lines())))
    first = next(reports)
    assert isinstance(first, MatchReport)
    assert (first.line, first.status) == (1, "legal")


def test_findings_are_typed() -> None:
    report = check_text((ROOT / "data/fautes/chouine/points-differ.json").read_bytes())
    [finding] = report.findings
    assert isinstance(finding, Finding)
    assert isinstance(finding.edit, Edit)


@pytest.mark.parametrize("name", ["x" * 5000, "\0bad", "\ud800.json", "nowhere.jsonl"], ids=ascii)
def test_a_name_no_file_has_is_a_report(name: str) -> None:
    [report] = check(name)
    assert (report.file, report.status) == (name, "unreadable")
    assert [finding.code for finding in report.findings] == ["cannot-read"]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_any_kind_are_a_text(kind: Callable[[bytes], bytes]) -> None:
    assert check_text(kind(texts()[0])).status == "legal"


@pytest.mark.parametrize("wrong", [5, None, [b"{}"]], ids=repr)
def test_what_is_no_text_and_no_source_is_a_type_error_at_once(wrong: Any) -> None:
    with pytest.raises(TypeError, match="bytes-like object"):
        check_text(wrong)
    with pytest.raises(TypeError, match="str"):
        check(wrong)
    with pytest.raises(TypeError, match="open and binary"):
        check(("a", wrong))


def test_a_stream_of_text_is_a_type_error_at_once() -> None:
    text: Any = io.StringIO("{}")
    with pytest.raises(TypeError, match="open and binary, not StringIO"):
        check(("a", text))
