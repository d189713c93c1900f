"""However much is wrong with a match, a bounded part of it is explained and all of it is counted."""

import json
from typing import Any

import pytest

from ingest.api import check_text
from ingest.cli import report_text
from ingest.cli.report_text import match_report_lines
from ingest.findings.finding import MAX_FINDINGS, finding_count
from ingest.i18n import translator
from ingest.reader import did_you_mean
from ingest.validate import parse_document
from ingest.validate.report import MatchReport
from tests.ingest.logs import documents

MORE = 7


def checked(**changes: Any) -> MatchReport:
    return check_text(json.dumps(documents()[0] | changes))


def wrong_cuts(count: int) -> MatchReport:
    return checked(cuts=[["As Ah"] * count])


def unknown_keys(count: int) -> MatchReport:
    return checked(**{f"key{n}": n for n in range(count)})


def wrong_types(count: int) -> MatchReport:
    return checked(players=[{"id": n} for n in range(count)])


def misplaced_comments(count: int) -> MatchReport:
    deal = documents()[0]["deals"][0]
    comments = [{"after": 10_000, "text": "?"}] * count
    return checked(deals=[deal | {"comments": comments}])


@pytest.mark.parametrize(
    ("grown", "status", "severity"),
    [(unknown_keys, "legal", "warning"), (wrong_types, "unreadable", "error")],
)
def test_findings_beyond_the_bound_are_counted(grown: Any, status: str, severity: str) -> None:
    report = grown(MAX_FINDINGS + MORE)
    *explained, last = report.findings
    assert [report.status, len(explained)] == [status, MAX_FINDINGS]
    assert [last.code, last.found, last.severity] == ["more-findings", MORE, severity]
    assert finding_count(report.findings) == MAX_FINDINGS + MORE
    assert report.as_dict(translator("en"))["finding_count"] == MAX_FINDINGS + MORE
    assert last.message(translator("en")) == "… and 7 more findings: of one match Retourne explains 1000."


@pytest.mark.parametrize("grown", [wrong_cuts, misplaced_comments])
def test_the_verdict_is_that_of_all_findings(grown: Any) -> None:
    assert grown(MAX_FINDINGS + MORE).status == grown(2).status


def test_an_error_beyond_the_bound_makes_a_match_irregular() -> None:
    keys = {f"key{n}": n for n in range(MAX_FINDINGS)}
    report = checked(cuts=[["As Ah"]], **keys)
    assert (report.status, report.findings[-1].code) == ("irregular", "more-findings")
    assert report.findings[-1].severity == "error"


def test_as_many_findings_as_are_explained_need_no_count() -> None:
    report = unknown_keys(MAX_FINDINGS)
    assert {one.code for one in report.findings} == {"unknown-key"}
    assert finding_count(report.findings) == len(report.findings) == MAX_FINDINGS


def test_no_word_is_compared_for_a_key_that_is_only_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = list[str]()
    meant = did_you_mean.intended_key

    def counted(key: str, *rest: Any) -> str | None:
        compared.append(key)
        return meant(key, *rest)

    monkeypatch.setattr(parse_document, "intended_key", counted)
    unknown_keys(2 * MAX_FINDINGS)
    assert len(compared) == MAX_FINDINGS


def test_the_last_line_of_a_report_counts_all_that_is_not_shown() -> None:
    *_, last = match_report_lines(translator("en"), unknown_keys(MAX_FINDINGS + MORE))
    shown = report_text.DEFAULT_MAX_FINDINGS
    assert last.plain == f"  … and {MAX_FINDINGS + MORE - shown} more; --limit 0 tells all."
