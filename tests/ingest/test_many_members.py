"""A zip of a thousand files of a match each is read once and checked in few pieces, by each door."""

import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingest.api import check
from ingest.reader.sources import join_batches, source_batches
from ingest.store import worker_pool
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.prepared_batch import prepare_batch
from ingest.validate.batch import check_batch
from tests.ingest.logs import documents

FILES, PLAYED = 1000, 50
"""Files, and matches that differ: the others are the same ones under other ids."""


@cache
def members() -> tuple[bytes, ...]:
    """A match of one deal for each file, all of them with an id of their own."""
    short = [match | {"deals": match["deals"][:1]} for match in documents(PLAYED)]
    for one in short:
        del one["result"]
    return tuple(json.dumps(short[n % PLAYED] | {"id": f"m{n}"}).encode() for n in range(FILES))


class Archive(io.BytesIO):
    """The zip, which counts the bytes that are read of it."""

    def __init__(self) -> None:
        super().__init__()
        with zipfile.ZipFile(self, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, text in enumerate(members()):
                archive.writestr(f"{number}.json", text)
        self.size, self.count = self.tell(), 0
        self.seek(0)

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.count += len(found)
        return found


def test_the_archive_is_read_once() -> None:
    archive = Archive()
    assert sum(len(one.texts) for one in source_batches([("club.zip", archive)])) == FILES
    assert archive.count < 2 * archive.size


def test_small_files_are_joined_in_their_order() -> None:
    most = worker_pool.CHUNK_BYTES
    pieces = list(join_batches(source_batches([("club.zip", Archive())]), most))
    found = [one for piece in pieces for one in piece.texts]
    assert [one.text for one in found] == [*members()]
    assert [one.file for one in found] == [f"club.zip/{number}.json" for number in range(FILES)]
    sizes = [sum(len(one.text) for one in piece.texts) for piece in pieces]
    longest = max(map(len, members()))
    assert all(most - longest < size <= most for size in sizes[:-1])


def test_read_errors_of_whole_files_are_joined_and_others_stay_in_order() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        for number in range(40):
            writer.writestr(f"{number}.json.gz", gzip.compress(b" " * 9))
        writer.writestr("one.json", members()[0])
        writer.writestr("two.jsonl", members()[1] + b"\n{\n")
        for number in range(40, 60):
            writer.writestr(f"{number}.json", b"")
    archive.seek(0)
    pieces = list(join_batches(source_batches([("club.zip", archive)]), worker_pool.CHUNK_BYTES))
    assert [(len(one.texts), len(one.troubles)) for one in pieces] == [(0, 40), (3, 0), (0, 20)]
    reports = [one for piece in pieces for one in check_batch(piece).reports()]
    names = [*(f"{number}.json.gz" for number in range(40)), "one.json", *["two.jsonl"] * 2]
    assert [one.file for one in reports] == [
        f"club.zip/{name}" for name in (*names, *(f"{number}.json" for number in range(40, 60)))
    ]


@pytest.mark.slow
def test_they_are_stored_in_a_few_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared, checked = list[int](), prepare_batch

    def counted(batch: Any) -> Any:
        prepared.append(len(batch.texts))
        return checked(batch)

    monkeypatch.setattr("ingest.store.ingest_files.prepare_batch", counted)
    with Store(tmp_path / "club.duckdb") as store:
        [report] = ingest(store, [("club.zip", Archive())])
    assert (sum(prepared), report.added) == (FILES, PLAYED)
    assert len(prepared) < FILES / 50


@pytest.mark.slow
def test_each_is_reported_by_its_own_name() -> None:
    reports: Iterator[Any] = check(("club.zip", Archive()))
    assert [one.file for one in reports] == [f"club.zip/{number}.json" for number in range(FILES)]
