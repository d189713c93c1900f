"""A watched folder: what is copied there is stored and moved, nothing lost or overwritten."""

import errno
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.server.watch_folder import WatchFolder
from ingest.cli.common import CommandError
from ingest.i18n import translator
from ingest.store import ingest_files, prepared_batch
from ingest.store.factory import DISK_FULL, Store, StoreError
from ingest.store.ingest_files import ingest
from tests.ingest.conftest import FAUTES
from tests.ingest.logs import lines, texts
from tests.waiting import comes

pytestmark = pytest.mark.slow

FAULTY = (FAUTES / "chouine" / "must-follow.json").read_bytes()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "club.duckdb", is_shared=True) as store:
        yield store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def look(folder: Path, store: Store, lang: str = "en") -> None:
    """Look twice: what has not changed between is taken."""
    inbox = WatchFolder(folder, lambda: store, translator(lang, "dashboard"))
    inbox.take_all()
    inbox.take_all()


def matches(store: Store) -> int:
    found = store.cursor().execute("SELECT count(*) FROM matches").fetchone()
    return int(found[0]) if found else 0


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_stored_and_moved_with_a_report_beside_it(folder: Path, store: Store) -> None:
    (folder / "club.jsonl").write_bytes(lines())
    (folder / "soir.json").write_bytes(FAULTY)
    look(folder, store, "fr")
    assert names(folder) == ["done/club.jsonl", "done/club.jsonl.txt", "done/soir.json", "done/soir.json.txt"]
    assert matches(store) == 7
    report = (folder / "done" / "club.jsonl.txt").read_text()
    text = "club.jsonl : ajoutées : 6 · déjà dans la base : 0\n"
    assert report == text.replace(" :", "\u00a0:")
    assert "[CH-8]" in (folder / "done" / "soir.json.txt").read_text()


def test_what_has_no_match_is_refused_with_the_reason(folder: Path, store: Store) -> None:
    (folder / "empty.json").touch()
    look(folder, store)
    assert names(folder) == ["rejected/empty.json", "rejected/empty.json.txt"]
    assert "The file contains no match" in (folder / "rejected" / "empty.json.txt").read_text()


def test_what_is_no_log_by_its_name_is_refused_unread(folder: Path, store: Store) -> None:
    (folder / "photo.jpg").write_bytes(lines())
    look(folder, store)
    assert names(folder) == ["rejected/photo.jpg", "rejected/photo.jpg.txt"]
    assert (
        "Skipped: unsupported extension. Supported: .json, "
        in (folder / "rejected/photo.jpg.txt").read_text()
    )
    assert matches(store) == 0


def test_what_cannot_be_replayed_is_stored_and_so_it_is_done(folder: Path, store: Store) -> None:
    (folder / "torn.json").write_bytes(lines(1)[:90])
    look(folder, store)
    assert names(folder) == ["done/torn.json", "done/torn.json.txt"]
    assert "added with findings: 1 (unreadable: 1)" in (folder / "done/torn.json.txt").read_text()
    assert matches(store) == 1


def test_a_file_that_is_still_written_to_is_waited_for(folder: Path, store: Store) -> None:
    path = folder / "club.jsonl"
    inbox = WatchFolder(folder, lambda: store, translator("en"))
    for text in texts(3):
        with path.open("ab") as file:
            file.write(text + b"\n")
        inbox.take_all()
        assert path.exists()
    inbox.take_all()
    assert not path.exists()
    assert matches(store) == 3


def test_a_copy_that_stalls_is_waited_for(folder: Path, store: Store) -> None:
    """Unchanged for long is not done, as long as somebody has the file open to write to it."""
    inbox = WatchFolder(folder, lambda: store, translator("en"))
    data = lines()
    with (folder / "club.jsonl").open("wb", buffering=0) as file:
        file.write(data[: len(data) // 2])
        for _ in range(20):
            inbox.take_all()
        assert names(folder) == ["club.jsonl"]
        file.write(data[len(data) // 2 :])
    inbox.take_all()
    inbox.take_all()
    assert (folder / "done" / "club.jsonl").read_bytes() == data
    assert matches(store) == 6


def test_where_it_cannot_be_known_who_writes_a_file_is_left_alone_for_longer(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.server.watch_folder.is_open_for_writing", lambda _: None)
    inbox = WatchFolder(folder, lambda: store, translator("en"))
    (folder / "club.jsonl").write_bytes(lines())
    for _ in range(60):
        inbox.take_all()
    assert names(folder) == ["club.jsonl"]
    inbox.take_all()
    assert matches(store) == 6


def test_a_file_written_to_after_it_was_moved_is_put_back_and_read_again(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = WatchFolder(folder, lambda: store, translator("en"))
    data = lines()
    with (folder / "club.jsonl").open("wb", buffering=0) as file:
        file.write(data[: data.index(b"\n") + 1])
        with monkeypatch.context() as patch:
            patch.setattr(
                "dashboard.server.watch_folder.is_open_for_writing", lambda _: False
            )  # who came a moment later
            inbox.take_all()
            inbox.take_all()
        assert (names(folder), matches(store)) == (["done/club.jsonl", "done/club.jsonl.txt"], 1)
        inbox.take_all()  # it is open still, so it is not forgotten
        file.write(data[data.index(b"\n") + 1 :])
        inbox.take_all()
        assert names(folder) == ["club.jsonl"]
    inbox.take_all()
    inbox.take_all()
    assert (names(folder), matches(store)) == (["done/club.jsonl", "done/club.jsonl.txt"], 6)
    report = (folder / "done" / "club.jsonl.txt").read_text()
    assert "added: 5 · already there: 1" in report


@pytest.mark.parametrize("name", [b"f\xe9vrier.jsonl", b"n" * 249 + b".jsonl", b"n" * 255])
def test_a_name_that_is_no_text_or_too_long_for_a_report_is_taken(
    name: bytes, folder: Path, store: Store
) -> None:
    for text in texts(2):
        (folder / os.fsdecode(name)).write_bytes(text)
        look(folder, store)
    where = "done" if name.endswith(b".jsonl") else "rejected"
    found = sorted(os.listdir(folder / where))
    assert len(names(folder)) == len(found) == 4
    assert {one.removesuffix(".txt") for one in found} == {one for one in found if not one.endswith(".txt")}
    assert matches(store) == (2 if where == "done" else 0)


def test_links_hidden_files_folders_and_unfinished_files_stay(folder: Path, store: Store) -> None:
    (folder / "elsewhere").write_bytes(lines())
    os.rename(folder / "elsewhere", folder.parent / "elsewhere.jsonl")
    (folder / "link.jsonl").symlink_to(folder.parent / "elsewhere.jsonl")
    for name in (".club.jsonl", "club.jsonl.part", "club.TMP"):
        (folder / name).write_bytes(lines())
    (folder / "inner").mkdir()
    (folder / "inner" / "club.jsonl").write_bytes(lines())
    os.mkfifo(folder / "pipe.jsonl")
    before = names(folder)
    look(folder, store)
    assert (names(folder), matches(store)) == (before, 0)


def test_a_folder_for_what_is_done_that_is_a_link_is_not_followed(
    folder: Path, store: Store, tmp_path: Path
) -> None:
    (folder / "done").symlink_to(tmp_path)
    with pytest.raises(CommandError) as stop:
        WatchFolder(folder, lambda: store, translator("en"))
    assert stop.value.values["file"] == "done"


def test_nothing_is_overwritten(folder: Path, store: Store) -> None:
    for text in texts(3):
        (folder / "club.jsonl").write_bytes(text)
        look(folder, store)
    assert names(folder) == [
        *("done/club-2.jsonl", "done/club-2.jsonl.txt"),
        *("done/club-3.jsonl", "done/club-3.jsonl.txt"),
        *("done/club.jsonl", "done/club.jsonl.txt"),
    ]
    assert (folder / "done" / "club-2.jsonl").read_bytes() == texts(3)[1]


def test_a_file_that_was_stored_and_not_moved_is_known_and_moved(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "club.jsonl").write_bytes(lines())

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", dies)
        with pytest.raises(KeyboardInterrupt):
            look(folder, store)
    assert names(folder) == ["club.jsonl"]
    look(folder, store)
    assert names(folder) == ["done/club.jsonl", "done/club.jsonl.txt"]
    assert "added: 0 · already there: 6" in (folder / "done" / "club.jsonl.txt").read_text()
    assert matches(store) == 6


def test_what_the_store_cannot_take_stays_and_is_reported_once(
    folder: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "club.jsonl").write_bytes(lines())

    def full() -> Store:
        raise StoreError(DISK_FULL, left="Nothing was changed.")

    inbox = WatchFolder(folder, full, translator("en"))
    for _ in range(5):
        inbox.take_all()
    assert names(folder) == ["club.jsonl"]
    assert capsys.readouterr().err.count("The disk is full.") == 1


def test_it_is_watched_until_it_is_stopped(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.server.watch_folder.POLL_SECONDS", 0.01)
    (folder / "club.jsonl").write_bytes(lines())
    with WatchFolder(folder, lambda: store, translator("en")):
        comes(lambda: names(folder)[:1] == ["done/club.jsonl"], "the file, done")
    assert matches(store) == 6


# several at once


class Trickle(io.RawIOBase):
    """A file whose end is long in coming."""

    def __init__(self, data: bytes) -> None:
        self._data, self.queried, self.free = io.BytesIO(data), threading.Event(), threading.Event()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        count = self._data.readinto(buffer)
        if not count:
            self.queried.set()
            assert self.free.wait(60)
        return count


def test_a_quick_upload_does_not_wait_for_a_slow_one(store: Store) -> None:
    slow = Trickle(lines(4))
    reports = list[ingest_files.FileReport]()
    work = threading.Thread(target=lambda: reports.extend(ingest(store, [("slow.jsonl", slow)])))  # type: ignore[list-item]
    work.start()
    assert slow.queried.wait(60)
    [quick] = ingest(store, [("quick.jsonl", io.BytesIO(lines(6)))])
    assert (quick.added, matches(store)) == (6, 6)
    slow.free.set()
    work.join(60)
    [report] = reports
    assert (report.added, report.duplicates, matches(store)) == (0, 4, 6)
    assert report.number != quick.number


def test_where_there_is_no_room_to_lay_it_aside_nothing_is_stored_and_that_is_reported(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(prepared_batch, "SpooledTemporaryFile", lambda *_, **__: Full())
        with pytest.raises(StoreError) as refused:
            list(ingest(store, [("club.jsonl", io.BytesIO(lines()))]))
    assert refused.value.text == DISK_FULL
    assert matches(store) == 0
    with monkeypatch.context() as patch:
        patch.setattr(prepared_batch, "MAX_SPOOL_MEMORY_BYTES", 1)  # all of it in a file
        [report] = ingest(store, [("club.jsonl", io.BytesIO(lines()))])
    assert report.added == matches(store) == 6


def test_many_uploads_at_once_store_each_match_once(store: Store) -> None:
    parts = [texts(12)[start : start + 6] for start in range(0, 7)]
    reports = list[ingest_files.FileReport]()

    def upload(number: int) -> None:
        data = io.BytesIO(b"\n".join(parts[number]))
        reports.extend(ingest(store, [(f"{number}.jsonl", data)]))

    threads = [threading.Thread(target=upload, args=(number,)) for number in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sum(report.added for report in reports) == matches(store) == 12
    assert len({report.number for report in reports}) == len(parts)
    players = store.cursor().execute("SELECT count(*), count(DISTINCT player_id) FROM players")
    every, different = players.fetchall()[0]
    assert every == different
