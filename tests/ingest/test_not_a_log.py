"""A file that is no log gets one line that says so, by every way in."""

import io
from pathlib import Path

import pytest

from dashboard.views.validator.check_session import survey_file
from ingest import check
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.ingest.conftest import Command
from tests.ingest.logs import lines, texts, zipped

JUNK = bytes(range(256)) * 200
FILES = {
    "photo.png": b"\x89PNG\r\n\x1a\n" + JUNK,
    "regles.pdf": b"%PDF-1.4\n%\xe2\xe3\n1 0 obj\n{ 1 }\n{ 2 }\n" + JUNK,
    "club.json": JUNK,
    "club.jsonl": b"\0" * 5000,
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_log_is_one_line(name: str, retourne: Command, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    result = retourne("check", tmp_path / name, "--lang", "fr")
    message = " ".join(result.out.split())
    assert message.count("Ce fichier n’est pas un relevé") == 1
    assert len(result.out.splitlines()) <= 6
    assert "�" not in result.out


@pytest.mark.parametrize("name", FILES)
def test_the_report_of_an_upload_says_so_and_so_does_the_verificateur(name: str, tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb") as store:
        (report,) = ingest(store, [(name, io.BytesIO(FILES[name]))])
    assert [one.findings[0].code for one in report.reports] == ["no-log"]
    found = survey_file(name, io.BytesIO(FILES[name]))
    assert [trouble.code for trouble in found.troubles] == ["no-log"]
    assert found.logs == []


def test_its_format_is_named_where_it_is_known() -> None:
    t = translator("en")
    items = [
        finding.message(t)
        for name, data in FILES.items()
        for report in check((name, io.BytesIO(data)))
        for finding in report.findings
    ]
    assert items[0] == "This file is not a log: it is a PNG file."
    assert items[1] == "This file is not a log: it is a PDF file."
    assert items[2] == "This file is not a log: it is not a text file."


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"<!DOCTYPE html><title>Club</title>", "HTML"),
        (b"\n<HTML lang=fr>", "HTML"),
        (zipped(**{"word/document__xml": b"<w/>"}), "Word"),
        (zipped(**{"xl/workbook__xml": b"<w/>"}), "Excel"),
        (zipped(mimetype=b"application/vnd.oasis.opendocument.text", content__xml=b"<w/>"), "OpenDocument"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "7z"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_people_keep_instead_is_named_with_what_to_do(data: bytes, kind: str) -> None:
    (report,) = check(("club", io.BytesIO(data)))
    (finding,) = report.findings
    message = finding.message(translator("en"))
    assert message.startswith(f"This file is not a log: it is a {kind} file.")
    assert ("`retourne import`" in message) is (kind in ("Excel", "OpenDocument"))
    assert "type the match on the page" in finding.advice(translator("en"))


def test_among_the_files_of_a_zip_it_is_the_only_one_that_is_not_read() -> None:
    data = zipped(photo__json=FILES["photo.png"], club__jsonl=lines())
    bad, *others = check(("club.zip", io.BytesIO(data)))
    assert (bad.file, bad.findings[0].code) == ("club.zip/photo.json", "no-log")
    assert [one.status for one in others] == ["legal"] * len(texts())


@pytest.mark.slow
def test_a_log_with_a_strange_byte_beside_it_is_read() -> None:
    first, *others = check(("club.jsonl", io.BytesIO(b"\0\x07 draft\n" + lines())))
    assert first.findings[0].code == "not-json"
    assert [one.status for one in others] == ["legal"] * len(texts())
