"""A lake whose files lie on object storage: written, read, put in order and purged as any other."""

import subprocess
import sys
from pathlib import Path

import pytest

from ingest.reader.object_storage import ACCESS_REFUSED, NO_ANSWER, NO_BUCKET, STORAGE_FAILED
from ingest.store import purge
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.lake.compaction import READ_GRACE, compact, remove_orphans
from ingest.store.lake.storage_location import DATA_FILE_GLOB
from ingest.store.lake.store import FOLDER_OF_OTHER_LAKE
from ingest.store.transfer.compare import compare_stores
from ingest.store.verify import verify_store
from tests.ingest import postgres
from tests.ingest.conftest import Command
from tests.ingest.logs import documents, texts
from tests.ingest.object_storage import KEY, SECRET, Storage, between, environ
from tests.ingest.test_lake import EACH, FILES, is_whole, writer
from tests.ingest.test_lake import files as files
from tests.ingest.test_lake_compact import later, opened
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow


@pytest.fixture
def place(storage: Storage, tmp_path: Path) -> Path:
    """The folder in which the storage keeps what a lake has."""
    return storage.folder / "club" / tmp_path.name


@pytest.fixture
def lake(server: postgres.Server, place: Path) -> str:
    return server.lake(f"s3://club/{place.name}")


@pytest.mark.soak
def test_it_is_reported_as_a_folder_is(
    server: postgres.Server, lake: str, tmp_path: Path, files: list[Path], retourne: Command
) -> None:
    items = list[list[str]]()
    match = documents(1)[0]["id"]
    for address in (lake, server.lake(tmp_path / "lake")):
        entries = []
        for words in (
            ["ingest", *files[:2]],
            ["ingest", *files[:2]],
            ["stats"],
            ["export", "--list"],
            ["lake", "compact", "--quiet"],
            ["verify"],
            ["export", match],
        ):
            done = retourne(*words, "--store", address)
            assert done.code == 0, done.err
            entries.append(done.out.replace(lake, "LAKE").replace(address, "LAKE"))
        items.append(entries)
    assert items[0] == items[1]


@pytest.mark.soak
def test_compacted_and_purged_it_has_no_other_file_than_those_it_needs(
    lake: str, place: Path, files: list[Path]
) -> None:
    with opened(lake) as store:
        list(ingest(store, files))
        done = compact(store)
        assert done.before.files > 3 * done.after.files
        later(lake, 2)
        assert compact(store).removed == done.waiting
        assert len(list(place.glob(DATA_FILE_GLOB))) == done.after.files
        first = store.find_match(documents(1)[0]["id"])
        assert first is not None
        assert purge.purge_matches(store, [first]).deleted_matches == 1
        [(needed,)] = store.catalog.query(
            "SELECT (SELECT count(*) FROM public.ducklake_data_file)"
            " + (SELECT count(*) FROM public.ducklake_delete_file)"
        )
        assert len(list(place.glob(DATA_FILE_GLOB))) == needed
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
        [(count,)] = store.cursor().execute("SELECT count(*) FROM raw").fetchall()
        assert count == FILES * EACH - 1


@pytest.mark.soak
def test_a_file_that_is_gone_is_named_there_too(
    lake: str, place: Path, files: list[Path], retourne: Command
) -> None:
    assert retourne("ingest", files[0], "--store", lake).code == 0
    [lost] = place.glob("main/raw/*.parquet")
    lost.unlink()
    done = retourne("verify", "--store", lake)
    assert done.code == 2
    assert f"is missing: {lost.relative_to(place)}. " in done.err


def test_it_is_copied_from_a_file_and_back(lake: str, tmp_path: Path, retourne: Command) -> None:
    (tmp_path / "club.jsonl").write_bytes(b"\n".join(texts(FILES)))
    one, other = tmp_path / "one.duckdb", tmp_path / "other.duckdb"
    assert retourne("ingest", tmp_path / "club.jsonl", "--store", one).code == 0
    for words in ((one, lake), (lake, other)):
        done = retourne("copy", *words)
        assert done.code == 0, done.err
    with Store(one, read_only=True) as first, Store(other, read_only=True) as last:
        assert compare_stores(first, last).is_same


@pytest.mark.soak
def test_two_writers_of_the_same_files_store_each_match_once_there(lake: str, files: list[Path]) -> None:
    both = [writer(lake, *files), writer(lake, *reversed(files))]
    for process in both:
        _, result = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, result.decode()
    is_whole(lake)


@pytest.mark.soak
def test_writers_that_are_killed_leave_whole_files_or_none_there() -> None:
    words = ["--kills=1", "--files=4", "--seed=1", "--s3"]
    found = subprocess.run(
        [sys.executable, "-m", "tests.ingest.lake_kills", *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "1 kills" in found.stdout
    assert "all once" in found.stdout


@pytest.mark.soak
def test_what_a_dead_writer_left_is_removed_and_nothing_of_anybody_else(
    lake: str, place: Path, files: list[Path]
) -> None:
    with opened(lake) as store:
        list(ingest(store, files[:1]))
        known = set(place.glob(DATA_FILE_GLOB))
        left = sorted(known)[0].with_name("ducklake-of-a-writer-that-was-killed.parquet")
        left.write_bytes(b"PAR1")
        of_somebody = left.with_name("notes.parquet")
        of_somebody.write_bytes(b"PAR1")
        later(lake, 2)
        [(now,)] = store.catalog.query("SELECT now()")
        assert remove_orphans(store, now + READ_GRACE) == 1
        assert set(place.glob(DATA_FILE_GLOB)) == known
        assert of_somebody.exists()


@pytest.mark.soak
def test_workers_of_a_cluster_store_there_what_lies_there(
    lake: str, place: Path, storage: Storage, retourne: Command
) -> None:
    address = storage.put(f"{place.name}-logs/club.jsonl", b"\n".join(texts(FILES)))
    done = retourne("ingest", address, "--store", lake, "--scheduler", "local:1")
    assert done.code == 0, done.err
    assert f"added: {FILES}" in done.out
    assert list(place.glob(".retourne-*")) == []


@pytest.mark.soak
def test_the_place_of_a_lake_is_taken_by_no_other(
    server: postgres.Server, lake: str, place: Path, files: list[Path]
) -> None:
    with opened(lake) as store:
        list(ingest(store, files[:1]))
    with pytest.raises(StoreError) as result:
        Store(server.lake(f"s3://club/{place.name}"))
    assert result.value.text == FOLDER_OF_OTHER_LAKE


@pytest.mark.soak
def test_a_store_forbidden_or_out_of_reach_is_reported_in_a_sentence(
    lake: str, files: list[Path], retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in files[:2]:
        assert retourne("ingest", file, "--store", lake).code == 0
    away = environ(1)["AWS_ENDPOINT_URL"]
    for name, value, reason in (
        ("AWS_SECRET_ACCESS_KEY", "another-secret", ACCESS_REFUSED),
        ("AWS_ENDPOINT_URL", away, NO_ANSWER),
    ):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            for words in (["ingest", files[2]], ["stats"], ["lake", "compact"]):
                done = retourne(*words, "--store", lake)
                assert done.code == 2
                assert reason in " ".join(done.err.split())
                for secret in (SECRET, "another-secret", KEY):
                    assert secret not in done.out + done.err
    again = retourne("ingest", files[2], "--store", lake)
    assert again.code == 0, again.err


def stored(lake: str) -> int:
    """How many matches a lake has, of which nothing is wrong."""
    with opened(lake) as store:
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
        [(count,)] = store.cursor().execute("SELECT count(*) FROM matches").fetchall()
    return int(count)


@pytest.mark.parametrize("after", [0, 5])
@pytest.mark.soak
def test_a_storage_that_fails_in_the_middle_of_a_file_keeps_nothing_of_it(
    lake: str, storage: Storage, files: list[Path], retourne: Command, after: int
) -> None:
    assert retourne("ingest", files[0], "--store", lake).code == 0
    written = list[str]()

    def fails(method: str, path: str) -> bool:
        if method in ("PUT", "POST"):
            written.append(path)
        return len(written) > after

    with pytest.MonkeyPatch.context() as changed, between(storage, fails) as result:
        changed.setenv("AWS_ENDPOINT_URL", result["AWS_ENDPOINT_URL"])
        done = retourne("ingest", files[1], "--store", lake)
    assert len(written) > after
    assert done.code == 2
    assert STORAGE_FAILED in " ".join(done.err.split())
    assert stored(lake) == EACH + 4
    assert retourne("ingest", *files, "--store", lake).code == 0
    is_whole(lake)


@pytest.mark.soak
def test_a_storage_that_fails_now_and_then_is_asked_again(
    lake: str, storage: Storage, files: list[Path], retourne: Command
) -> None:
    requested = list[str]()

    def fails(method: str, path: str) -> bool:
        requested.append(path)
        return len(requested) % 5 == 0

    with pytest.MonkeyPatch.context() as changed, between(storage, fails) as result:
        changed.setenv("AWS_ENDPOINT_URL", result["AWS_ENDPOINT_URL"])
        for file in files:
            done = retourne("ingest", file, "--store", lake)
            assert done.code == 0, done.err
    assert len(requested) > 50
    is_whole(lake)


def test_a_missing_bucket_is_reported(
    server: postgres.Server, storage: Storage, files: list[Path], retourne: Command
) -> None:
    done = retourne("ingest", files[0], "--store", server.lake("s3://nobody-has-it/lake"))
    assert done.code == 2
    assert NO_BUCKET in " ".join(done.err.split())


@pytest.mark.soak
def test_keys_are_found_where_other_programs_of_aws_have_them(
    lake: str, tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    profile = f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n"
    (tmp_path / "credentials").write_text(profile)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    process = writer(lake, files[0])
    _, result = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, result.decode()
