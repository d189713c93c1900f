"""A lake is compacted while others write and read: nothing is lost or counted double."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import psycopg
import pyarrow as pa
import pytest

from ingest.store import trash
from ingest.store.factory import LockMode, Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.lake import attach, compaction
from ingest.store.lake.catalogue import CatalogConnection
from ingest.store.lake.claims import WriteTransaction
from ingest.store.lake.compaction import READ_GRACE, compact
from ingest.store.lake.storage_location import DATA_FILE_GLOB
from ingest.store.lake.store import FOLDER_OF_OTHER_LAKE, LakeStore
from ingest.store.store_url import parse_lake_url
from tests.ingest import postgres
from tests.ingest.conftest import Command
from tests.ingest.logs import documents, texts
from tests.ingest.test_lake import is_whole, writer
from tests.waiting import PATIENCE

FILES = 4
EACH = 8


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Files of matches, none of which two have."""
    text = texts(FILES * EACH)
    found = [tmp_path / f"{number}.jsonl" for number in range(FILES)]
    for number, path in enumerate(found):
        path.write_bytes(b"".join(one + b"\n" for one in text[number * EACH :][:EACH]))
    return found


@contextmanager
def opened(address: str) -> Iterator[LakeStore]:
    with Store(address) as store:
        assert isinstance(store, LakeStore)
        yield store


def on_disk(address: str) -> set[Path]:
    """The files of a lake."""
    return set(Path(parse_lake_url(address).data).glob(DATA_FILE_GLOB))


STATES = {"public.ducklake_snapshot": "snapshot_time"}
TIMES = STATES | {
    "public.ducklake_files_scheduled_for_deletion": "schedule_start",
    "retourne.writers": "begun_at",
}


def later(address: str, hours: int, times: dict[str, str] = TIMES) -> None:
    """Have what was done in a lake be so much longer ago."""
    with psycopg.connect(parse_lake_url(address).catalog, autocommit=True) as session:
        for table, column in times.items():
            session.execute(f"UPDATE {table} SET {column} = {column} - interval '{hours} hours'")


def count(store: Store, table: str = "matches") -> int:
    return int(store.cursor().execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


@pytest.mark.soak
def test_compacting_makes_few_files_of_many_and_says_the_same(lake: str, files: list[Path]) -> None:
    with opened(lake) as store:
        list(ingest(store, files))
        ask = "SELECT * FROM deal_seats ORDER BY ALL"
        before, were = store.cursor().execute(ask).fetchall(), on_disk(lake)
        done = compact(store)
        assert done.before.files > 3 * done.after.files
        assert done.before.total_bytes > done.after.total_bytes
        assert store.cursor().execute(ask).fetchall() == before
        # readers of them still can, for an hour
        assert done.removed == 0
        assert len(on_disk(lake)) == done.after.files + done.waiting
        assert were < on_disk(lake)
    is_whole(lake)


@pytest.mark.soak
def test_a_file_nothing_needs_is_removed_once_nobody_can_be_reading_it(lake: str, files: list[Path]) -> None:
    with opened(lake) as store:
        list(ingest(store, files))
        waiting = compact(store).waiting
        later(lake, 2)
        done = compact(store)
        assert (done.removed, done.waiting) == (waiting, 0)
        assert len(on_disk(lake)) == done.after.files
    is_whole(lake)


@pytest.mark.soak
def test_what_was_long_ago_is_let_go_where_that_is_asked_for(lake: str, files: list[Path]) -> None:
    with opened(lake) as store:
        list(ingest(store, files))
        later(lake, 72)
        number = store.find_match(documents(1)[0]["id"])
        assert number is not None
        trash.delete_matches(store, [number])
        assert compact(store).expired == 0
        done = compact(store, timedelta(days=2))
        assert done.expired
        [(oldest,)] = store.catalog.query("SELECT min(snapshot_time) FROM public.ducklake_snapshot")
        assert done.oldest == oldest
        assert compact(store, timedelta(days=2)).expired == 0
        assert count(store) == FILES * EACH - 1


@pytest.mark.soak
def test_who_reads_a_text_reads_few_others(lake: str) -> None:
    count = 2 * attach.RAW_ROW_GROUP_ROWS
    with opened(lake) as store:
        for first in (0, count):
            numbers = np.arange(first, first + count)
            packed = pa.array([b"a block"] * count)
            own = {"match_no": numbers, "block": numbers, "start": numbers * 0, "size": numbers * 0}
            with store.transaction():
                store.insert_rows("raw", pa.table({**own, "zstd": packed}))
        compact(store)
        cursor = store.cursor()
        [(path,)] = cursor.execute("SELECT data_file FROM ducklake_list_files('lake', 'raw')").fetchall()
        together = cursor.execute(
            "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?)", [path]
        ).fetchall()
    assert sum(rows for _, rows in together) == 2 * count
    assert {rows for _, rows in together} == {attach.RAW_ROW_GROUP_ROWS}


@pytest.mark.soak
def test_compacting_beside_a_writer_and_a_reader_loses_nothing_and_counts_nothing_twice(
    lake: str, files: list[Path]
) -> None:
    with opened(lake) as store:
        list(ingest(store, files[:2]))
    seen, over, wrong = list[int](), threading.Event(), list[tuple[int, ...]]()

    def read() -> None:
        with Store(lake, read_only=True) as reader:
            cursor = reader.cursor()
            while not over.is_set():
                found = cursor.execute(
                    "SELECT count(*), count(DISTINCT match_id),"
                    " (SELECT count(DISTINCT match_no) FROM deals),"
                    " (SELECT count(*) FROM raw), (SELECT sum(matches) FROM files) FROM matches"
                ).fetchall()[0]
                seen.append(found[0])
                if len(set(found)) > 1:
                    wrong.append(found)

    reading = threading.Thread(target=read)
    reading.start()
    try:
        process = writer(lake, *files[2:])
        with opened(lake) as store:
            times = 0
            while process.poll() is None or times < 2:
                later(lake, 48, STATES)  # what it was a moment ago is let go at once
                compaction.compact(store, timedelta(days=1))
                times += 1
        _, result = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, result.decode()
    finally:
        over.set()
        reading.join()
    assert not wrong
    assert seen == sorted(seen)
    later(lake, 2)
    with opened(lake) as store:
        done = compaction.compact(store, timedelta(days=1))
    assert len(on_disk(lake)) == done.after.files + done.waiting
    is_whole(lake)


@pytest.mark.soak
def test_no_file_of_a_writer_that_may_still_commit_is_removed(lake: str, files: list[Path]) -> None:
    with opened(lake) as store, opened(lake) as other:
        list(ingest(store, files[:1]))
        later(lake, 2)
        with store.transaction(lock_mode=LockMode.SHARED_APPEND):
            store.connection.execute("INSERT INTO settings SELECT i, i FROM range(20) t(i)")
            [written] = Path(parse_lake_url(lake).data).glob("*/settings/ducklake-*.parquet")
            later(lake, 5)  # it has been at it for hours
            compact(other)
            assert written.exists()
        assert count(other, "settings") == 20


@pytest.mark.soak
def test_what_a_dead_writer_left_is_removed_and_its_writer_kept_from_committing(
    lake: str, files: list[Path]
) -> None:
    with opened(lake) as store:
        list(ingest(store, files[:1]))
        known = on_disk(lake)
        left = sorted(known)[0].with_name("ducklake-of-a-writer-that-was-killed.parquet")
        left.write_bytes(b"PAR1")
        of_somebody = left.with_name("notes.parquet")
        of_somebody.write_bytes(b"PAR1")
        dead = WriteTransaction(CatalogConnection(parse_lake_url(lake).catalog, lake))
        dead._catalog.close()
        compact(store)
        assert left.exists()  # it may be somebody's who has just begun
        later(lake, 2)
        [(now,)] = store.catalog.query("SELECT now()")
        assert compaction.remove_orphans(store, now + READ_GRACE) == 1
        assert on_disk(lake) == known
        assert of_somebody.exists()
        found = store.catalog.query("SELECT given_up FROM retourne.writers WHERE writer = %s", dead.number)
        assert found == [(True,)]


@pytest.mark.soak
def test_the_folder_of_a_lake_is_taken_by_no_other(
    server: postgres.Server, lake: str, files: list[Path]
) -> None:
    with opened(lake) as store:
        list(ingest(store, files[:1]))
    with pytest.raises(StoreError) as result:
        Store(server.lake(parse_lake_url(lake).data))
    assert result.value.text == FOLDER_OF_OTHER_LAKE


def test_the_command_says_what_it_did(lake: str, files: list[Path], retourne: Command) -> None:
    assert retourne("ingest", *files[:2], "--store", lake).code == 0
    done = retourne("lake", "compact", "--store", lake)
    assert done.code == 0, done.err
    assert "Files of the lake: " in done.out
    assert "Files possibly still in use" in done.out
    assert retourne("lake", "compact", "--store", lake, "--quiet", "--keep-days", 3).out == ""
    assert retourne("lake", "compact", "--store", lake, "--keep-days", 0).code == 2
    refused = retourne("lake", "compact", "--store", "club.duckdb")
    assert (refused.code, "is not a lake" in refused.err) == (2, True)
