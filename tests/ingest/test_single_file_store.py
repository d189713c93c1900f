"""A store is a single file: a copy of it has all that was committed, without its side files."""

import os
import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.i18n import translator
from ingest.store import baseline, pseudonyms, ratings, trash, wal
from ingest.store.errors import warning_listeners
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.revalidate import revalidate_matches
from tests.ingest.logs import lines, texts
from tests.waiting import comes


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "club.duckdb") as store:
        yield store


def add(store: Store, name: str, data: bytes) -> int:
    (report,) = ingest(store, [(name, BytesIO(data))])
    return report.added


def everything(store: Store) -> dict[str, list[Any]]:
    cursor = store.cursor()
    tables = cursor.execute(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() ORDER BY ALL"
    ).fetchall()
    return {name: cursor.execute(f"FROM {name} ORDER BY ALL").fetchall() for (name,) in tables}


def of_copy(store: Store) -> dict[str, list[Any]]:
    """What a copy of the file alone holds, taken while the store is open."""
    copy = shutil.copy(store.path, f"{store.path}.copy")
    with Store(copy, read_only=True) as copied:
        return everything(copied)


CHANGES: dict[str, Callable[[Store], object]] = {
    "upload": lambda store: add(store, "club.jsonl", lines()),
    "another upload": lambda store: add(store, "one.json", texts(7)[6]),
    "delete": lambda store: trash.delete_matches(store, [1, 2]),
    "undo": lambda store: trash.undelete_matches(store, 1),
    "mask": lambda store: pseudonyms.mask_player(store, 0),
    "unmask": lambda store: pseudonyms.unmask_player(store, 0),
    "delete again": lambda store: trash.delete_matches(store, [3]),
    "empty the trash": trash.empty_trash,
    "revalidate": lambda store: list(revalidate_matches(store, all_matches=True)),
    "rate": ratings.refresh_ratings,
    "simulate": lambda store: baseline.simulate_baseline(
        store, baseline.SimulationRun("chouine", "lavardin", 2, deals=2)
    ),
}


@pytest.mark.slow
def test_after_every_change_a_copy_of_the_file_has_it(store: Store) -> None:
    before = everything(store)
    for name, change in CHANGES.items():
        change(store)
        now = everything(store)
        assert now != before, name
        assert of_copy(store) == now, name
        before = now


@pytest.mark.slow
def test_readers_hold_nothing_up_but_what_they_read(store: Store) -> None:
    """DuckDB cannot put an update into the file while someone reads what it changed."""
    add(store, "club.jsonl", lines())
    reader = store.cursor()
    found = reader.execute("SELECT p.name FROM players p, range(100000)")
    first = found.fetchone()
    add(store, "one.json", texts(7)[6])
    trash.delete_matches(store, [1])
    assert of_copy(store) == everything(store)
    pseudonyms.mask_player(store, 0)
    assert wal.wal_path(store.path).exists()
    assert not store.checkpoint()
    assert found.fetchone() is not None, "the reader goes on"
    assert first is not None
    reader.close()
    comes(lambda: not wal.wal_path(store.path).exists())
    assert of_copy(store) == everything(store)


def test_closing_leaves_the_file_alone_although_somebody_reads(tmp_path: Path) -> None:
    store = Store(tmp_path / "club.duckdb")
    add(store, "club.jsonl", lines())
    reader = store.cursor()
    reader.execute("SELECT p.name FROM players p, range(100000)").fetchone()
    pseudonyms.mask_player(store, 0)
    reader.close()
    store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["club.duckdb"]


# a journal that was left


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "club.duckdb"
    store = Store(path)
    add(store, "one.json", texts()[0])
    store.connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    store.connection.execute("SET checkpoint_threshold = '1GB'")
    store._defer_checkpoints = True  # nothing settles it
    for place in (1, 2, 3):
        add(store, f"{place}.json", texts()[place])
    store.connection.close()
    return path


@pytest.fixture
def left(made: Path, tmp_path: Path) -> Path:
    """A store of which the first match is in the file and three more are in the journal alone."""
    path = Path(shutil.copy(made, tmp_path / "club.duckdb"))
    shutil.copy(wal.wal_path(made), wal.wal_path(path))
    return path


def opened(path: Path) -> tuple[int, list[str]]:
    """How many matches a store opens with, and what is reported of it."""
    items = list[str]()
    warning_listeners[:] = [lambda remark: items.append(remark.message(translator("en")))]
    try:
        with Store(path) as store:
            [(count,)] = store.cursor().execute("SELECT count(*) FROM matches").fetchall()
    finally:
        warning_listeners.clear()
    return count, items


@pytest.mark.slow
def test_a_journal_is_put_into_the_file_as_soon_as_the_store_is_opened(left: Path) -> None:
    with Store(left) as store:
        assert not wal.wal_path(left).exists()
        assert of_copy(store) == everything(store)
    assert opened(left) == (4, [])


@pytest.mark.parametrize("stored", [0.9, 0.5, 0.01, 0.001, 0.0005])
def test_a_journal_that_breaks_off_is_reported_and_what_is_whole_of_it_kept(
    left: Path, stored: float
) -> None:
    other = wal.wal_path(left)
    whole = other.read_bytes()
    other.write_bytes(whole[: int(len(whole) * stored)])
    count, (result,) = opened(left)
    assert count == {0.9: 3, 0.5: 2}.get(stored, 1)
    assert result.startswith(f"The journal {left}.wal is truncated")
    with Store(left) as store:  # it goes on from there
        add(store, "club.jsonl", lines())
    assert opened(left) == (6, [])


def refusal(path: Path, read_only: bool) -> str:
    with pytest.raises(StoreError) as caught:
        Store(path, read_only=read_only)
    return caught.value.message(translator("en"))


@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_journal_is_left_as_it_is_and_reported_with_what_to_do(
    left: Path, read_only: bool
) -> None:
    other, letter = wal.wal_path(left), b"a letter to the club"
    other.write_bytes(letter)
    before = left.read_bytes()
    result = refusal(left, read_only)
    assert result.startswith(f"{left}.wal is not the journal of the store")
    assert "Move it away" in result
    assert (left.read_bytes(), other.read_bytes()) == (before, letter)
    other.unlink()
    assert opened(left) == (1, [])


@pytest.mark.parametrize("read_only", [False, True])
def test_a_journal_that_is_damaged_is_reported_with_what_to_do(left: Path, read_only: bool) -> None:
    other = wal.wal_path(left)
    damaged = bytearray(other.read_bytes())
    # within a value: a spoilt length would look like a journal that breaks off
    damaged[damaged.index(b"2.json")] ^= 0xFF
    other.write_bytes(damaged)
    before = left.read_bytes()
    result = refusal(left, read_only)
    assert f"The journal {left}.wal is damaged" in result
    assert "Move it away" in result
    assert f"retourne restore BACKUP --store {left}" in result
    assert (left.read_bytes(), other.read_bytes()) == (before, bytes(damaged))
    other.unlink()
    assert opened(left) == (1, [])


def test_a_journal_of_another_day_is_reported(left: Path) -> None:
    other = wal.wal_path(left)
    late = other.read_bytes()
    assert opened(left) == (4, [])
    with Store(left) as store:
        trash.delete_matches(store, [0])
    other.write_bytes(late)
    assert "or of another store" in refusal(left, read_only=False)


@pytest.mark.parametrize("is_replaced", [False, True])
def test_nothing_is_added_once_the_file_is_gone(store: Store, is_replaced: bool) -> None:
    add(store, "club.jsonl", lines())
    os.rename(store.path, f"{store.path}.moved")
    if is_replaced:
        shutil.copy(f"{store.path}.moved", store.path)
    with pytest.raises(StoreError, match="was removed or replaced while it was open"):
        add(store, "one.json", texts(7)[6])
    os.rename(f"{store.path}.moved", store.path)
    assert add(store, "one.json", texts(7)[6]) == 1
