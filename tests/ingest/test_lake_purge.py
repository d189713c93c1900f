"""What is purged from a lake is in none of its files, in no row and in no byte of its catalogue."""

import json
import threading
from io import BytesIO
from pathlib import Path

import duckdb
import psycopg
import pytest

from ingest.store import purge, ratings, trash
from ingest.store.factory import LockMode, Store
from ingest.store.ingest_files import ingest
from ingest.store.lake import compaction
from ingest.store.lake.claims import WriteTransaction
from ingest.store.lake.store import LakeStore
from ingest.store.store_url import parse_lake_url
from ingest.store.tombstones import is_purged
from ingest.store.verify import verify_store
from schemas.compressed_blocks import decompress
from tests.ingest import postgres
from tests.ingest.conftest import Command
from tests.ingest.test_lake_compact import on_disk, opened
from tests.ingest.test_purge import ID, WORDS, everything, fresh, games, number

pytestmark = pytest.mark.slow


@pytest.fixture
def lake(server: postgres.Server, tmp_path: Path) -> str:
    """Six matches, one of which was deleted; the player sits at three."""
    address = server.empty_lake(tmp_path / "lake")
    with Store(address) as store:
        for name, some in (("chez-gwendoline.jsonl", games()[:3]), ("b.jsonl", games()[3:])):
            list(ingest(store, [(name, BytesIO("\n".join(map(json.dumps, some)).encode()))]))
        ratings.refresh_ratings(store)
        found = store.find_match("match-4")
        assert found is not None
        trash.delete_matches(store, [found])
    assert len(traces(server, address)) > 3
    return address


def traces(server: postgres.Server, address: str, words: tuple[str, ...] = WORDS) -> set[tuple[str, str]]:
    """Where one of the words is: in a file of the folder, or in the bytes of the catalogue."""
    found = set[tuple[str, str]]()
    for file in on_disk(address):
        rows = duckdb.read_parquet(str(file)).fetchall()
        message = str(rows).lower()
        if file.parent.name == "raw":
            message += " ".join(
                decompress(one).decode(errors="replace").lower()
                for row in rows
                for one in row
                if isinstance(one, bytes)
            )
        found |= {(file.parent.name, one) for one in words if one in message}
    with psycopg.connect(parse_lake_url(address).catalog, autocommit=True) as session:
        session.execute("CHECKPOINT")
        [(oid,)] = session.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchall()
        relations = "SELECT pg_relation_filenode(oid)::text, relname FROM pg_class"
        named: dict[str, str] = dict(session.execute(relations).fetchall())
    for file in (server.folder / "data" / "base" / str(oid)).iterdir():
        data = file.read_bytes().lower()
        found |= {(named.get(file.name, file.name), one) for one in words if one.encode() in data}
    return found


@pytest.mark.parametrize("with_matches", [False, True])
@pytest.mark.soak
def test_no_byte_of_a_purged_player_is_left_in_a_lake(
    server: postgres.Server, lake: str, tmp_path: Path, with_matches: bool
) -> None:
    with opened(lake) as store:
        done = purge.purge_player(store, number(store), with_matches)
    assert traces(server, lake) == set()
    with opened(lake) as store:
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
        [(count,)] = store.cursor().execute("SELECT count(*) FROM matches").fetchall()
        assert count == (3 if with_matches else 5)
        assert done.deleted_matches == 5 - count
        assert (done.pseudonym is None) == with_matches
        assert is_purged(store, ID)
        ratings.refresh_ratings(store)
        assert everything(store) == fresh(store, tmp_path / "fresh.duckdb")
        # who comes again is somebody new
        [report] = ingest(store, [("again.json", BytesIO(json.dumps(games()[0]).encode()))])
        assert report.added == 1
        assert number(store) > 0


@pytest.mark.soak
def test_a_purged_match_is_in_no_file_and_can_come_again(server: postgres.Server, lake: str) -> None:
    with opened(lake) as store:
        one = store.find_match("match-1")
        assert one is not None
        [(match_id,)] = (
            store.cursor().execute("SELECT match_id FROM matches WHERE match_no = ?", [one]).fetchall()
        )
        assert purge.purge_matches(store, [one]).deleted_matches == 1
        assert is_purged(store, match_id)
    assert traces(server, lake, (match_id, '"match-1"')) == set()
    with opened(lake) as store:
        [report] = ingest(store, [("b.json", BytesIO(json.dumps(games()[1]).encode()))])
        assert report.added == 1


@pytest.mark.soak
def test_a_purge_waits_for_who_is_writing_and_keeps_what_they_wrote(
    server: postgres.Server, lake: str
) -> None:
    done = threading.Event()

    def purging() -> None:
        with opened(lake) as store:
            purge.purge_player(store, number(store))
        done.set()

    with opened(lake) as other:
        with other.transaction(lock_mode=LockMode.SHARED_APPEND):
            other.connection.execute("INSERT INTO settings SELECT i, i FROM range(20) t(i)")
            thread = threading.Thread(target=purging)
            thread.start()
            assert not done.wait(1.0)
        thread.join()
        assert done.is_set()
        assert other.cursor().execute("SELECT count(*) FROM settings").fetchall() == [(20,)]
    assert traces(server, lake) == set()


@pytest.mark.soak
def test_files_of_a_writer_that_was_killed_go_with_a_purge(lake: str) -> None:
    with opened(lake) as store:
        left = next(iter(on_disk(lake))).with_name("ducklake-of-a-writer-that-was-killed.parquet")
        left.write_bytes(b"PAR1")
        assert WriteTransaction(store.catalog).number
        purge.purge_player(store, number(store))
        assert not left.exists()


@pytest.mark.soak
def test_a_purge_that_was_interrupted_is_ended_by_the_same_command(
    server: postgres.Server, lake: str, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def removed_away(store: LakeStore) -> None:
        raise store.catalog.unavailable_error(Exception("the machine was switched off"))

    words = ("purge", ID, "--yes", "--store", lake)
    with monkeypatch.context() as patch:
        patch.setattr(compaction, "hard_delete", removed_away)
        assert retourne(*words).code == 2
    assert traces(server, lake)
    again = retourne(*words)
    assert (again.code, "already deleted permanently" in again.err) == (2, True)
    assert traces(server, lake) == set()


@pytest.mark.soak
def test_the_command_purges_a_lake(server: postgres.Server, lake: str, retourne: Command) -> None:
    done = retourne("purge", ID, "--yes", "--store", lake)
    assert done.code == 0, done.err
    assert "Deleted permanently" in done.out
    assert "Older database dumps" in done.out
    assert traces(server, lake) == set()
