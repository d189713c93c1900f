"""Arrays of matches in one text: cut in linear time, within bounds that are reported."""

import io
import json
import time
from random import Random

import pytest

from ingest import check
from ingest.reader import files
from ingest.reader.files import MatchText, stream_batches
from ingest.reader.json_split import bracket_depth, match_spans
from ingest.reader.json_text import (
    CUT_OFF_TEXT,
    EXPECTED_COMMA_TEXT,
    EXPECTED_VALUE_TEXT,
    TRAILING_COMMA_TEXT,
)
from ingest.validate import parse_document
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import validate
from tests.ingest.logs import documents, texts


def cut(data: bytes, name: str = "club.json") -> list[MatchText]:
    return [text for batch in stream_batches(name, io.BytesIO(data)) for text in batch.texts]


def test_an_array_on_one_line_says_where_each_match_begins() -> None:
    found = cut('[{"a": "é[,"}, {"b": [{}, {}]} ,{}\n, {"c": 1}]'.encode())
    assert found == [
        MatchText(1, '{"a": "é[,"}'.encode(), 2),
        MatchText(1, b'{"b": [{}, {}]}', 16),
        MatchText(1, b"{}", 33),
        MatchText(2, b'{"c": 1}', 3),
    ]


@pytest.mark.slow
def test_twice_as_many_matches_take_twice_as_long() -> None:
    """Two hundred thousand took minutes when each looked for its column from the line's begin."""
    text = b'{"format":"retourne/1","game":"chouine","deals":[]}'
    data = b"[" + b",".join([text] * 200_000) + b"]"
    began = time.process_time()
    assert len(cut(data)) == 200_000
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    "text", [b'[{"' + b'\\"' * 1_000_000, b'[{"a": "' + b'\\"' * 1_000_000 + b'"}'], ids=["open", "closed"]
)
def test_quotes_that_never_close_are_looked_for_once(text: bytes) -> None:
    began = time.process_time()
    assert len(cut(text)) == 1
    assert bracket_depth(text) in (1, 2)
    assert time.process_time() - began < 10


def test_an_array_is_handed_on_a_batch_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BATCH_BYTES", 1 << 12)
    found = list(stream_batches("club.json", io.BytesIO(json.dumps(documents()).encode())))
    assert len(found) > 1
    read = [json.loads(text.text) for batch in found for text in batch.texts]
    assert read == list(documents())


def test_more_matches_than_an_array_may_have_are_reported_and_those_before_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "MAX_ARRAY_MATCHES", 4)
    *matches, result = check(("club.json", io.BytesIO(json.dumps(documents(), indent=0).encode())))
    assert [one.status for one in matches] == ["legal"] * 4
    (finding,) = result.findings
    assert (finding.code, finding.legal) == ("too-many-matches", 4)
    assert result.line > matches[-1].line
    lines = io.BytesIO(b"\n".join(texts()))
    assert len(list(check(("club.jsonl", lines)))) == 6  # of lines there may be any number


def test_a_match_of_more_deals_than_anybody_plays_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    log = documents(1)[0]
    count = len(log["deals"])
    monkeypatch.setattr(parse_document, "MAX_DEALS", count)
    assert validate(texts(1)[0]).findings == []
    monkeypatch.setattr(parse_document, "MAX_DEALS", count - 1)
    (batch,) = stream_batches("a.jsonl", io.BytesIO(texts(1)[0]))
    for findings in (validate(texts(1)[0]).findings, check_batch(batch).reports()[0].findings):
        (finding,) = findings
        assert (finding.code, finding.path) == ("too-many-deals", "/deals")
        assert (finding.found, finding.legal) == (count, count - 1)


def test_ten_thousand_deals_a_million_matches() -> None:
    assert (parse_document.MAX_DEALS, files.MAX_ARRAY_MATCHES) == (10_000, 1_000_000)


def test_matches_are_cut_where_a_reader_of_json_would() -> None:
    random = Random(3)
    parts = ['{"a":"],{"}', "{}", '[1,{"b":"\\\\"}]', '"x,]"', "7", '{"c":[[],{}]}']
    for _ in range(200):
        values = [random.choice(parts) for _ in range(random.randrange(1, 6))]
        text = f"[{' , '.join(values)}]".encode()
        pieces = [text[low:high].strip().decode() for low, high, _ in match_spans(text, 0, True)]
        assert pieces == [*values, ""]


@pytest.mark.parametrize(
    ("spoilt", "problem"),
    [
        (b"[%s,\n%s,\n", CUT_OFF_TEXT),
        (b"[%s,\n%s", CUT_OFF_TEXT),
        (b"[%s,\n%s,]", TRAILING_COMMA_TEXT),
        (b"[%s,\n,%s]", EXPECTED_VALUE_TEXT),
        (b"[,%s,\n%s]", EXPECTED_VALUE_TEXT),
        (b"[%s,,,,\n,,%s]", EXPECTED_VALUE_TEXT),
        (b"[%s,\n%s}", EXPECTED_COMMA_TEXT),
    ],
    ids=["cut", "open", "trailing", "gap", "first", "gaps", "brace"],
)
def test_an_array_that_is_not_whole_is_reported_once_beside_its_matches(spoilt: bytes, problem: str) -> None:
    found = list(check(("club.json", io.BytesIO(spoilt % texts()[:2]))))
    (result,) = [report for report in found if report.status != "legal"]
    assert len(found) == 3
    (finding,) = result.findings
    assert (result.status, finding.code) == ("unreadable", "not-json")
    assert finding.detail["problem"] == problem


def test_an_empty_array_misses_no_match() -> None:
    (result,) = check(("club.json", io.BytesIO(b"[ ]")))
    assert [finding.code for finding in result.findings] == ["empty-file"]


def test_a_comma_that_is_missing_in_an_array_hides_no_match() -> None:
    one, two, three = texts()[:3]
    for between in (b"", b" ", b"\n"):
        found = check(("club.json", io.BytesIO(b"[%s,%s%s%s]" % (one, two, between, three))))
        assert [report.status for report in found] == ["legal"] * 3


def test_what_stands_before_a_match_of_an_array_is_reported_and_the_match_is_read() -> None:
    one, two = texts()[:2]
    first, result, last = check(("club.json", io.BytesIO(b"[%s,\nX%s]" % (one, two))))
    assert (first.status, last.status) == ("legal", "legal")
    assert (result.line, result.findings[0].code) == (2, "not-json")


@pytest.mark.parametrize("layout", [b"[%s,\n%s,%s,\n%s,\n%s]", b"%s\n%s\n%s\n%s\n%s"])
@pytest.mark.parametrize(
    ("right", "wrong"),
    [(b'"players": [', b'"players": [['), (b'"source"', b'"source'), (b"}]", b"]")],
    ids=["bracket", "quote", "brace"],
)
def test_a_match_that_does_not_close_hides_none_after_it(layout: bytes, right: bytes, wrong: bytes) -> None:
    one, two, three, four, five = texts()[:5]
    data = layout % (one, two.replace(right, wrong, 1), three.replace(right, wrong, 1), four, five)
    name = "club.json" if data[:1] == b"[" else "club"
    assert [report.status for report in check((name, io.BytesIO(data)))] == [
        *("legal", "unreadable", "unreadable", "legal", "legal")
    ]


@pytest.mark.slow
def test_an_array_of_matches_that_never_close_is_read_within_bounds() -> None:
    data = b"[" + b'{"format": "retourne/1", "a": [\n' * 200_000
    began = time.process_time()
    assert len(cut(data)) > 1
    assert time.process_time() - began < 20


def test_a_match_of_an_array_that_keeps_another_one_is_one_match() -> None:
    log = documents()[0]
    data = json.dumps([log | {"_before": log}, log]).encode()
    assert [json.loads(text.text) for text in cut(data)] == [log | {"_before": log}, log]
