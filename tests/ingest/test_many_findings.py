"""However much is wrong with a match, a bounded part of it is explained and all of it is counted."""

import io
import json
from typing import Any

import pytest

from ingest.api import check, check_text
from ingest.cli import report_text
from ingest.cli.report_text import match_report_lines
from ingest.findings.finding import MAX_FINDINGS, finding_count
from ingest.i18n import translator
from ingest.reader import did_you_mean, files
from ingest.reader.files import stream_batches
from ingest.validate import parse_document
from ingest.validate.batch import check_batch
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
    assert last.message(translator("en")) == ("… and 7 more findings: Retourne explains 1000 per match.")


def test_findings_of_all_deals_together_are_counted() -> None:
    deal = documents()[0]["deals"][0]
    half = MAX_FINDINGS // 2 + MORE
    report = checked(deals=[deal, *[deal | {"actions": [0] * half}] * 3])
    *explained, last = report.findings
    assert {one.code for one in explained} == {"schema"}
    assert {one.deal_index for one in explained} == {1, 2}
    assert [last.code, finding_count(report.findings)] == ["more-findings", 3 * half]


@pytest.mark.parametrize(
    ("path", "grown"),
    [
        ("/cuts", {"cuts": [[]]}),
        ("/cuts/0", {"cuts": [["As"]]}),
        ("/event", {"event": {"n": 1}}),
        ("/deals/0/comments", {"comments": [{"after": 0, "text": "a"}]}),
    ],
)
def test_a_match_with_a_longer_list_than_any_has_is_not_read(path: str, grown: dict[str, Any]) -> None:
    """By both paths, though what the list says is right."""

    def text(count: int) -> bytes:
        document = documents()[0]
        for key, value in grown.items():
            within = document["deals"][0] if key == "comments" else document
            within[key] = value * count if isinstance(value, list) else {f"k{n}": 1 for n in range(count)}
        if path == "/cuts/0":
            document["cuts"] = [["As"] * count]
        return json.dumps(document).encode()

    most = parse_document.MAX_ENTRIES
    long = text(most + 1)
    (batch,) = stream_batches("a.jsonl", io.BytesIO(long))
    for findings in (check_batch(batch).reports()[0].findings, check_text(long).findings):
        (finding,) = findings
        assert (finding.code, finding.path, finding.found) == ("list-too-long", path, most + 1)
    assert all(one.code != "list-too-long" for one in check_text(text(most)).findings)


@pytest.mark.parametrize("line", [b"{}", b"[]", b"1", b"{", b"word", b'{"format":1}'])
def test_texts_that_are_no_match_are_counted_beyond_a_number(line: bytes) -> None:
    match = json.dumps(documents()[0]).encode()
    data = b"\n".join([line] * (files.MAX_OTHER_TEXTS + MORE) + [match])
    reports = list(check(("club.jsonl", io.BytesIO(data))))
    [more] = [one for report in reports for one in report.findings if one.code == "more-texts"]
    assert (more.found, len(reports)) == (MORE, files.MAX_OTHER_TEXTS + 2)
    assert [one.line for one in reports if one.status == "legal"] == [files.MAX_OTHER_TEXTS + MORE + 1]


def test_a_format_written_with_escapes_is_read_behind_many_texts() -> None:
    match = json.dumps(documents()[0]).encode().replace(b'"format"', b'"f\\u006frmat"')
    data = b"{}\n" * (files.MAX_OTHER_TEXTS + 1) + match
    reports = list(check(("club.jsonl", io.BytesIO(data))))
    assert [one.status for one in reports].count("legal") == 1


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
    assert last.plain == f"  … and {MAX_FINDINGS + MORE - shown} more; --limit 0 shows all."
