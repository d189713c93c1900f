"""Damaged archives: each is the finding `bad-archive`, and what lies beside it is read."""

import gzip
import io
import zipfile
from pathlib import Path
from random import Random

import pytest
import zstandard

from ingest import check
from ingest.findings.os_errors import translate_reason
from ingest.i18n import translator
from ingest.reader.files import stream_batches
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.ingest.logs import lines, texts

LITTLE = texts()[0][:300] + b"\n"


def zipped(method: int, data: bytes = LITTLE) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.jsonl", data)
        archive.writestr("b.jsonl", data)
    return packed.getvalue()


def patched(data: bytes, mark: bytes, after: int, value: bytes) -> bytes:
    """The bytes with others some way after the last mark."""
    at = data.rindex(mark) + after
    return data[:at] + value + data[at + len(value) :]


DIRECTORY, END = b"PK\x01\x02", b"PK\x05\x06"
WHOLE = zipped(zipfile.ZIP_DEFLATED)
DAMAGED = {
    "a version nobody knows": patched(WHOLE, DIRECTORY, 6, b"\x80"),
    "a list before the beginning": patched(WHOLE, END, 12, b"\xff\xff\xff"),
    "a member before the beginning": patched(WHOLE, END, 16, b"\xff\xff"),
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_zip_is_reported_and_the_next_file_is_read(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(data)
    (tmp_path / "b.jsonl").write_bytes(lines())
    for first in (tmp_path / "a.zip", ("a.zip", io.BytesIO(data))):
        reports = list(check(first, tmp_path / "b.jsonl"))
        damaged = [one for one in reports if "a.zip" in one.file]
        assert {one.findings[0].code for one in damaged} == {"bad-archive"}
        assert len(reports) - len(damaged) == len(texts())


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_the_report_of_an_upload_is_kept(data: bytes, tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb") as store:
        (report,) = ingest(store, [("a.zip", io.BytesIO(data))])
    assert {one.findings[0].code for one in report.reports} == {"bad-archive"}


def test_a_member_without_a_name_is_read_as_any_other() -> None:
    data = zipped(zipfile.ZIP_STORED)
    data = data.replace(b"a.jsonl", b"\0.jsonl")  # what stands before a NUL is the name
    found = list(stream_batches("x.zip", io.BytesIO(data)))
    assert {batch.file for batch in found} >= {"x.zip/b.jsonl"}


@pytest.mark.slow
def test_bytes_changed_anywhere_raise_nothing_and_are_reported_in_words() -> None:
    random, t = Random(11), translator("fr")
    packed = [zipped(method) for method in (0, 8, 12, 14)]
    packed += [gzip.compress(LITTLE * 3, mtime=0), zstandard.compress(LITTLE * 3)]
    for _ in range(1500):
        data = bytearray(random.choice(packed))
        for _ in range(random.randint(1, 3)):
            data[random.randrange(len(data))] = random.choice((0, 255, random.randrange(256)))
        if random.random() < 0.2:
            del data[random.randrange(4, len(data)) :]
        for batch in stream_batches("x.zip", io.BytesIO(bytes(data))):
            for trouble in batch.troubles:
                if trouble.code == "bad-archive":
                    assert translate_reason(t, trouble.found) != trouble.found, trouble
