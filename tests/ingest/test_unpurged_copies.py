"""What a purge cannot reach is named: copies of the store, and files of the watched folder."""

import gzip
import json
import os
import shutil
from io import BytesIO
from pathlib import Path

import pytest

from dashboard.server.watch_folder import WatchFolder
from ingest.i18n import translator
from ingest.store import unpurged_copies
from ingest.store.backup import backup
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.ingest.conftest import Command
from tests.ingest.logs import documents, lines, texts, zipped

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "club.duckdb"
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    return path


def names(found: tuple[Path, ...], folder: Path) -> list[str]:
    return [str(one.relative_to(folder)) for one in found]


def test_every_copy_of_the_store_nearby_is_found_whatever_it_is_called(path: Path) -> None:
    folder = path.parent
    (folder / "backups").mkdir()
    for name in ("b.duckdb", "club-copy.duckdb", "backups/club-2026-11-22-031500.duckdb"):
        with Store(path) as store:
            backup(store, folder / name)
    (folder / "linked.duckdb").hardlink_to(path)
    (folder / "same.duckdb").symlink_to(path)
    for name in ("b.duckdb.wal", "linked.duckdb.wal"):
        (folder / name).write_bytes(b"what was written last")
    (folder / "club-2026-11-21-031500.duckdb.99999999-1.part").write_bytes(b"begun")
    with Store(folder / "other.duckdb") as other:  # of another club
        list(ingest(other, [("other.jsonl", BytesIO(texts(1)[0]))]))
    (folder / "foreign.duckdb").write_bytes(b"something else")
    with Store(path) as store:
        found = unpurged_copies.find_unpurged_copies(store).copies
        assert names(found, folder) == [
            "b.duckdb",
            "b.duckdb.wal",
            "club-2026-11-21-031500.duckdb.99999999-1.part",
            "club-copy.duckdb",
            "linked.duckdb",
            "linked.duckdb.wal",
            "backups/club-2026-11-22-031500.duckdb",
        ]
        store.cursor().execute("FROM matches").fetchall()  # it is still ours


@pytest.fixture
def depot(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    depot = path.parent / "depot"
    depot.mkdir()
    monkeypatch.setattr(unpurged_copies, "watch_folders", {depot})
    return depot


def test_files_of_the_watched_folder_that_have_a_player_are_found(path: Path, depot: Path) -> None:
    every = documents(3)
    every[0]["id"] = "with-zoé"
    every[0]["players"][0] = {"id": "zoé", "name": "Zoé d’Orléans"}
    with Store(path) as store:
        list(ingest(store, [("z.json", BytesIO(json.dumps(every[0]).encode()))]))
        with_her = json.dumps(every[0]).encode()  # her name in escapes
        without = json.dumps(every[1]).encode()
        for name, data in (
            ("a.jsonl", with_her),
            ("b.jsonl", without),
            ("c.jsonl.gz", gzip.compress(with_her)),
            ("d.zip", zipped(a__jsonl=with_her)),
            ("e.zip", zipped(a__jsonl=without)),
            ("zoe.jsonl", without),
        ):
            (depot / name).write_bytes(data)
        inbox = WatchFolder(depot, lambda: store, translator("en"))
        inbox.take_all()
        inbox.take_all()
        (depot / "done" / "b.jsonl.txt").write_text("b.jsonl: ZOÉ D’ORLÉANS plays out of turn")
        (number,) = (
            number
            for (number,) in store.cursor()
            .execute("SELECT player_no FROM players WHERE player_id = 'zoé'")
            .fetchall()
        )
        found = names(unpurged_copies.find_unpurged_copies(store, number).files, depot / "done")
    assert found == ["a.jsonl", "b.jsonl.txt", "c.jsonl.gz", "d.zip", "zoe.jsonl", "zoe.jsonl.txt"]


def test_files_of_the_watched_folder_that_have_a_match_are_found(path: Path, depot: Path) -> None:
    unnamed = {name: value for name, value in documents(8)[7].items() if name != "id"}
    with Store(path) as store:
        list(ingest(store, [("z.json", BytesIO(json.dumps(unnamed).encode()))]))
        (depot / "it.json").write_text(json.dumps(unnamed, indent=2))
        (depot / "other.json").write_bytes(texts(2)[1])
        found = unpurged_copies.find_unpurged_copies(store, match_numbers=[6])
    assert names(found.files, depot) == ["it.json"]


def test_the_command_names_them_and_where_it_has_looked(path: Path, depot: Path, retourne: Command) -> None:
    log = documents(1)[0]
    shutil.copy(path, path.with_name("b.duckdb"))
    (depot / "one.json").write_text(json.dumps(log))
    done = retourne("purge", log["id"], "--yes", "--store", path)
    assert done.code == 0
    items = done.out.splitlines()
    assert f"Copies of the store in {path.parent} and in the folders there: 1" in items
    assert str(path.with_name("b.duckdb")) in items
    assert f"Files in {depot} that still have it: 1. Remove them too." in items
    assert os.fspath(depot / "one.json") in items
