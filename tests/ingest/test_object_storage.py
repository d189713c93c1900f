"""Logs on object storage: named, listed, read and refused as files are."""

import io
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from ingest import check
from ingest.i18n import translator
from ingest.reader.files import batches
from ingest.reader.object_storage import S3Object, StorageError, list_objects
from ingest.reader.sources import source_batches
from tests.ingest.conftest import Command
from tests.ingest.logs import FORMS, lines, texts
from tests.ingest.object_storage import SECRET, Storage, answering, environ, requested_at


def why(address: str) -> str:
    """Why an address cannot be listed."""
    with pytest.raises(StorageError) as caught:
        list_objects(address)
    assert caught.value.filename == address
    assert SECRET not in str(caught.value)
    return str(caught.value.strerror)


@pytest.mark.parametrize("name", FORMS)
def test_an_object_is_read_as_a_file_of_the_same_bytes_is(storage: Storage, name: str) -> None:
    address = storage.put(f"forms/{name}", FORMS[name]())
    local = storage.folder / "club" / "forms" / name
    heard: list[int] = []
    [found] = list_objects(address)
    read = list(batches(found, heard.append))
    assert [(one.texts, one.troubles) for one in read] == [
        (one.texts, one.troubles) for one in batches(local)
    ]
    assert found.size == local.stat().st_size
    assert 0 < heard[-1] <= found.size


def test_an_object_is_read_piece_by_piece(storage: Storage) -> None:
    address = storage.put("long.jsonl", lines() * 100)
    with S3Object(address).open(request_bytes=1 << 12) as file:
        assert file.read(10) == lines()[:10]
        file.seek(-5, io.SEEK_END)
        assert file.read() == lines()[-5:]
    [read] = [list(source_batches([S3Object(address)]))]
    assert sum(len(batch.texts) for batch in read) == 600


def test_a_pattern_names_objects_of_its_folder_and_two_stars_those_of_all_below(storage: Storage) -> None:
    for key in ("year/a.jsonl", "year/b.jsonl", "year/note.txt", "year/may/c.jsonl"):
        storage.put(key, lines(1))

    def named(address: str) -> list[str]:
        return [one.address.removeprefix("s3://club/year/") for one in list_objects(address)]

    assert named("s3://club/year/*.jsonl") == ["a.jsonl", "b.jsonl"]
    assert named("s3://club/year/[b-z].jsonl") == ["b.jsonl"]
    assert named("s3://club/year/*/?.jsonl") == ["may/c.jsonl"]
    assert named("s3://club/year/**/*.jsonl") == ["a.jsonl", "b.jsonl", "may/c.jsonl"]
    # a folder is all that looks like a log in it
    assert named("s3://club/year") == ["a.jsonl", "b.jsonl", "may/c.jsonl"]
    assert named("s3://club/year/") == ["a.jsonl", "b.jsonl", "may/c.jsonl"]


def test_an_object_whose_name_has_the_signs_of_a_pattern_is_found_by_it(storage: Storage) -> None:
    address = storage.put("signs/club [2026].jsonl", lines(1))
    assert [one.address for one in list_objects(address)] == [address]


def test_what_is_not_there_is_counted_apart(storage: Storage) -> None:
    storage.put("notes/note.txt", b"x")
    assert why("s3://club/nothing.jsonl") == "no such object"
    assert why("s3://club/nothing/*.jsonl") == "no such object"
    assert why("s3://nobody-has-this/club.jsonl") == "no such bucket"
    assert why("s3://club/notes/") == "no log found there"
    for address in ("s3://", "s3:///club.jsonl", "s3://c*/club.jsonl", "s3://club//a.jsonl"):
        assert why(address).startswith("it is not an address on object storage")


def test_a_wrong_key_is_refused_without_a_word_of_it(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = storage.put("club.jsonl", lines(1))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong-but-secret")
    assert why(address).startswith("the storage refuses access")


def status(code: int) -> Iterator[int]:
    """The port of a storage that answers with a status alone."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        request.send_header("Content-Length", "0")
        request.end_headers()

    with answering(answer) as port:
        yield port


@pytest.mark.slow
@pytest.mark.parametrize(("code", "words"), [(403, "the storage refuses access"), (503, "the storage fails")])
def test_a_storage_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch, code: int, words: str) -> None:
    for port in status(code):
        requested_at(monkeypatch, environ(port))
        assert why("s3://club/club.jsonl").startswith(words)


@pytest.mark.soak
def test_a_storage_that_does_not_answer_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for port in status(200):
        requested_at(monkeypatch, environ(port))
    assert why("s3://club/club.jsonl").startswith("the storage does not answer")


@pytest.mark.parametrize("name", ["club.jsonl", "club.jsonl.zst", "club.zip"])
@pytest.mark.soak
def test_an_object_that_breaks_off_is_a_file_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Not a damaged archive, which would be the file's own fault."""
    data = FORMS[name]()

    def answer(request: BaseHTTPRequestHandler) -> None:
        requested = request.headers.get("Range")
        request.send_response(500 if requested else 200)
        request.send_header("Content-Length", "0" if requested else str(len(data)))
        request.end_headers()

    with answering(answer) as port:
        requested_at(monkeypatch, environ(port))
        [report] = check(f"s3://club/{name}")
    assert [finding.code for finding in report.findings] == ["cannot-read"]
    assert "the storage fails" in report.findings[0].message(translator("en"))
    assert "le stockage" in report.findings[0].message(translator("fr"))


def test_files_of_storage_go_through_check_and_ingest(storage: Storage, retourne: Command) -> None:
    storage.put("road/a.jsonl", lines(3))
    storage.put("road/b.jsonl", b"\n".join(texts(6)))
    checked = retourne("check", "s3://club/road/*.jsonl", "--format", "jsonl", "--verbose")
    assert checked.code == 0, checked.err
    assert [one["file"].rpartition("/")[2] for one in checked.objects] == ["a.jsonl"] * 3 + ["b.jsonl"] * 6
    stored = retourne("ingest", "s3://club/road/*.jsonl", "--format", "jsonl")
    assert [(one["file"], one["added"], one["already_stored"]) for one in stored.objects] == [
        ("s3://club/road/a.jsonl", 3, 0),
        ("s3://club/road/b.jsonl", 3, 3),
    ]


def test_what_is_not_on_storage_is_one_sentence(storage: Storage, retourne: Command) -> None:
    done = retourne("ingest", "s3://club/none.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err == "Error: s3://club/none.jsonl: no such object.\n"
    assert "objet introuvable" in retourne("check", "s3://club/none.jsonl", "--lang", "fr").err


def test_what_is_not_on_storage_is_reported_beside_what_is(
    storage: Storage, retourne: Command, tmp_path: Path
) -> None:
    club = tmp_path / "club.jsonl"
    club.write_bytes(lines(2))
    done = retourne("ingest", club, "s3://club/none.jsonl", "--format", "jsonl")
    assert done.code == 2
    there, missing = done.objects
    assert there["added"] == 2
    [result] = missing["rejected_texts"]
    assert [one["code"] for one in result["findings"]] == ["cannot-read"]
    assert json.dumps(done.objects).find(SECRET) < 0
