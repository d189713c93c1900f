"""The store: one owner, whole files, every refusal with its sentence and the way round it."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import duckdb
import pytest

from ingest.i18n import translator
from ingest.reader.files import Batch
from ingest.store import ingest_files
from ingest.store.base import LockMode
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.prepared_batch import PreparedBatch, prepare_batch
from ingest.store.revalidate import revalidate_matches
from schemas import migrations as tables
from tests.ingest.conftest import held_elsewhere
from tests.ingest.logs import documents, lines, texts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with six matches, closed."""
    club = tmp_path / "club.jsonl"
    club.write_bytes(lines())
    with Store(tmp_path / "club.duckdb") as store:
        assert [report.added for report in ingest(store, [club])] == [6]
    return tmp_path / "club.duckdb"


def refusal(path: Path, read_only: bool = False, language: str = "en") -> str:
    with pytest.raises(StoreError) as caught:
        Store(path, read_only=read_only)
    return caught.value.message(translator(language))


def count(store: Store) -> int:
    row = store.cursor().execute("SELECT count(*) FROM matches").fetchone()
    return row[0] if row else -1


def test_a_store_is_read_again(path: Path) -> None:
    with Store(path) as store:
        assert count(store) == 6
    with Store(path, read_only=True) as store:
        assert count(store) == 6


def test_a_match_is_found_by_its_hash_the_first_digits_of_it_or_its_own_id(path: Path) -> None:
    with Store(path, read_only=True) as store:
        (whole,) = store.cursor().execute("SELECT match_id FROM matches WHERE match_no = 3").fetchall()[0]
        for name in (whole, whole[:8], documents()[3]["id"]):
            number = store.find_match(name)
            assert number == 3
            assert store.read_match_text(number) == texts()[3]
        for name in (whole[:7], "", "nobody", "' OR true --", "%"):
            assert store.find_match(name) is None
        with pytest.raises(KeyError):
            store.read_match_text(99)


def test_a_failure_within_leaves_nothing_and_the_store_goes_on(path: Path) -> None:
    def spoil(store: Store, sql: str) -> None:
        with store.transaction():
            store.connection.execute("DELETE FROM matches")
            store.connection.execute(sql)
            raise ZeroDivisionError

    with Store(path) as store:
        with pytest.raises(ZeroDivisionError):
            spoil(store, "SELECT 1")
        assert count(store) == 6
        with pytest.raises(StoreError) as caught:
            spoil(store, "SELECT no_such_column FROM matches")
        assert "Nothing was changed" in caught.value.message(translator("en"))
        assert count(store) == 6


@pytest.mark.slow
def test_progress_is_reported_once_what_was_read_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batch may wait for the compiler: it is not done by then, though all is read."""
    path = tmp_path / "club.jsonl"
    path.write_bytes(lines())
    result, before = list[int](), list[int]()

    def waiting(batch: Batch) -> PreparedBatch:
        before.extend(result)
        return prepare_batch(batch)

    monkeypatch.setattr(ingest_files, "prepare_batch", waiting)
    with Store(tmp_path / "club.duckdb") as store:
        (report,) = ingest_files.ingest(store, [path], lambda name, count: result.append(count))
    assert (report.added, before) == (6, [])
    assert result[-1] == path.stat().st_size


# what it refuses


def test_a_missing_store_is_made_to_write_and_reported_to_read(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    assert f"retourne ingest FILES --store {path}" in refusal(path, read_only=True)
    assert not path.exists()
    Store(path).close()
    assert path.exists()


@pytest.mark.parametrize("language", ["fr", "en"])
def test_a_folder_that_is_not_there_is_reported(tmp_path: Path, language: str) -> None:
    assert str(tmp_path / "no") in refusal(tmp_path / "no" / "store.duckdb", language=language)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "content", [b"", b"not a database", os.urandom(9000), b"SQLite format 3\0" + bytes(5000)]
)
def test_a_file_of_another_kind_is_left_as_it_is(tmp_path: Path, content: bytes, read_only: bool) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    kind = {b"": "it is empty", b"SQLite format 3": "it is a SQLite database"}.get(
        content.rstrip(bytes(1)), "it is not a DuckDB database"
    )
    assert f"is not a Retourne store: {kind}." in refusal(path, read_only)
    assert path.read_bytes() == content


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("name", ["club.jsonl", "club.json", "club.csv", "club.duckdb.json"])
def test_a_log_is_never_taken_for_a_store(tmp_path: Path, name: str, read_only: bool) -> None:
    """DuckDB opens such files as views in memory: what is stored there would be gone at the end."""
    path = tmp_path / name
    path.write_bytes(lines())
    assert "is another kind of file" in refusal(path, read_only)
    assert path.read_bytes() == lines()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_of_something_else_is_left_as_it_is(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE matches (a INTEGER)")
    assert "is the database of another program" in refusal(path, read_only)
    with duckdb.connect(str(path)) as other:
        assert other.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("matches",)]


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert "is not a Retourne store" in refusal(tmp_path)


def test_a_store_whose_maker_was_stopped_is_empty_for_readers_and_made_by_writers(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    duckdb.connect(str(path)).close()
    assert refusal(path, read_only=True) == (
        f"The store {path} is empty: its creation was interrupted. Add logs: "
        f"retourne ingest FILES --store {path}"
    )
    Store(path).close()
    with Store(path, read_only=True) as store:
        assert count(store) == 0


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("lost", ["DROP TABLE findings", "DELETE FROM migrations"])
def test_a_store_with_half_of_its_tables_is_reported(path: Path, read_only: bool, lost: str) -> None:
    with duckdb.connect(str(path)) as store:
        store.execute(lost)
    assert "lacks some of its tables" in refusal(path, read_only)


def test_a_store_of_a_newer_version_is_left_alone(path: Path) -> None:
    with Store(path) as store, store.transaction():
        store.connection.execute("INSERT INTO migrations VALUES (999, 'later', '', now())")
    assert "newer version" in refusal(path)
    assert "newer version" in refusal(path, read_only=True)


def test_a_store_of_an_older_version_is_brought_up_to_date_by_writing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = tables.all_migrations()
    later = (*known, (len(known) + 1, "later", "CREATE TABLE later (a INTEGER)"))
    monkeypatch.setattr(tables, "all_migrations", lambda: list(later))
    assert "older version" in refusal(path, read_only=True)
    Store(path).close()
    with Store(path, read_only=True) as store:
        assert store.cursor().execute("SELECT * FROM later").fetchall() == []


def test_a_read_only_file_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.chmod(0o444)
    if os.geteuid() == 0:  # whom no mode stops
        monkeypatch.setattr(os, "access", lambda place, mode: mode != os.W_OK)
    assert "may only be read" in refusal(path)
    with Store(path, read_only=True) as store:
        assert count(store) == 6


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB; the test is skipped where none may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nothing can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def leave(disk: Path, size: int) -> None:
    """Fill a disk up to so many bytes."""
    with (disk / "fill").open("wb", buffering=0) as file:
        with contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        file.truncate(file.tell() - size)


def test_a_read_only_disk_is_reported(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert "cannot be written" in refusal(small_disk / "store.duckdb")


@pytest.mark.slow
def test_a_full_disk_is_reported_and_nothing_of_the_file_is_stored(small_disk: Path, tmp_path: Path) -> None:
    path = small_disk / "store.duckdb"
    many = tmp_path / "many.jsonl"
    named = (texts()[0].replace(b'"id": "', b'"id": "%d-' % i) + b"\n" for i in range(400))
    many.write_bytes(b"".join(named))
    with Store(path) as store:
        leave(small_disk, 200_000)
        with pytest.raises(StoreError) as caught:
            list(ingest(store, [many]))
        assert caught.value.message(translator("en")).startswith("The disk is full")
    (small_disk / "fill").unlink()
    with Store(path, read_only=True) as store:
        assert count(store) == 0


def upload(store: Store, number: int) -> int:
    (report,) = ingest(store, [(f"{number}.json", BytesIO(texts(20)[number]))])
    return report.added


@pytest.mark.slow
@pytest.mark.parametrize("foreseen", [True, False])
def test_a_disk_that_is_nearly_full_takes_what_the_journal_can_hold(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, foreseen: bool
) -> None:
    """DuckDB gives a store up where a commit is in the journal and the file has no room for it."""
    path = small_disk / "store.duckdb"
    if not foreseen:
        subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
        monkeypatch.setattr(Store, "_has_free_space", lambda store: True)
    with Store(path) as store:
        stored = [upload(store, 0)]
        leave(small_disk, 150_000)
        with pytest.raises(StoreError) as caught:
            stored.extend(upload(store, number) for number in range(1, 20))
        assert caught.value.message(translator("en")).startswith("The disk is full. Nothing of this")
        assert len(stored) > 1
        assert store.needs_reopen != foreseen
        if foreseen:
            assert count(store) == len(stored)
    (small_disk / "fill").unlink()
    with Store(path) as store:
        assert count(store) == len(stored)
        assert upload(store, 19) == 1


def test_a_store_held_by_another_process_names_it(path: Path) -> None:
    with held_elsewhere(path) as other:
        for read_only in (False, True):
            result = refusal(path, read_only)
            assert "in use by another program" in result
            assert f"(PID {other.pid})" in result
    Store(path).close()


def test_a_store_cut_off_is_reported_as_damaged_whatever_is_asked_of_it(path: Path) -> None:
    def read_all() -> None:
        with Store(path, read_only=True) as store:
            store.cursor().execute("SELECT list(zstd) FROM raw").fetchall()
            store.cursor().execute("SELECT list(actions) FROM deals").fetchall()

    read_all()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreError) as caught:
        read_all()
    assert "is damaged" in caught.value.message(translator("en"))


def test_a_disk_that_fills_up_while_verdicts_are_refreshed_says_what_is_left(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: object) -> None:
        raise duckdb.IOException("Could not write file: No space left on device")

    with Store(path) as store:
        store.connection.execute("UPDATE matches SET status = 'broken'")  # rows to write anew
        monkeypatch.setattr(store, "insert_rows", fill)
        with pytest.raises(StoreError) as caught:
            list(revalidate_matches(store, all_matches=True))
    message = caught.value.message(translator("en"))
    assert message == (
        "The disk is full. Matches checked so far are refreshed, the rest is unchanged. Make "
        "room and try again."
    )
    assert "enregistré" not in caught.value.message(translator("fr"))
    with Store(path, read_only=True) as store:
        assert count(store) == 6


def test_only_what_adds_a_file_nobody_reads_has_little_memory(tmp_path: Path) -> None:
    """What DuckDB may hold is one for all: readers beside a commit would fail, and the commit.

    Who rates a million matches sorts them, which failed in what is enough for a file.
    """

    def limit(shared: bool, among: LockMode) -> float:
        with Store(tmp_path / "club.duckdb", is_shared=shared) as store, store.transaction(lock_mode=among):
            [(result,)] = store.cursor().execute("SELECT current_setting('memory_limit')").fetchall()
            number, unit = result.split()
            return float(number) * {"MiB": 1, "GiB": 1024}[unit]

    assert limit(False, LockMode.SHARED_APPEND) < 200
    assert limit(True, LockMode.SHARED_APPEND) > 400
    assert limit(False, LockMode.UPDATE) > 400
