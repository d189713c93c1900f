"""The library internals that `ingest.compat` uses have not changed."""

import errno
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import spawn
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest import compat
from ingest.compat import connection_refusal, file_error_kind, locking_pid
from ingest.store.wal import wal_path
from tests.ingest.postgres import PLAIN, refusing


def test_the_code_of_a_refusal_is_in_what_libpq_traces() -> None:
    with refusing("28P01", "Passwort falsch") as port:
        result = connection_refusal(f"{PLAIN} port={port} user=zoe password=geheim dbname=club")
    assert result == ("28P01", False, "127.0.0.1", str(port), "club")


def test_where_nobody_listens_there_is_none() -> None:
    assert connection_refusal(f"{PLAIN} port=1 dbname=club").code == ""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "club.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE one AS FROM range(100000)")
    return path


def kind_of_error(path: Path, query: str = "SELECT 1", **how: Any) -> str:
    """What is made of what DuckDB says of a file."""
    with pytest.raises(duckdb.Error) as result, duckdb.connect(str(path), **how) as opened:
        opened.execute(query).fetchall()
    return file_error_kind(result.value)


@pytest.mark.slow
def test_a_file_that_another_process_has_is_locked_and_by_whom(store: Path) -> None:
    program = f"import duckdb; c = duckdb.connect({str(store)!r}); print(flush=True); input()"
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(duckdb.IOException) as result:
            duckdb.connect(str(store))
        other.kill()
    assert (file_error_kind(result.value), locking_pid(result.value)) == ("locked", str(other.pid))


def test_a_file_that_is_cut_or_was_written_over_is_damaged(store: Path) -> None:
    whole = store.read_bytes()
    store.write_bytes(whole[:5000])
    assert kind_of_error(store) == "damaged"
    store.write_bytes(whole[:4100] + bytes(100) + whole[4200:])
    assert kind_of_error(store) == "damaged"


def test_a_journal_that_was_written_over_is_distinguished_from_its_file(store: Path) -> None:
    with duckdb.connect(str(store)) as left:
        left.execute("PRAGMA disable_checkpoint_on_shutdown; SET checkpoint_threshold = '1GB'")
        left.execute("INSERT INTO one FROM range(1000)")
    journal = wal_path(store)
    data = bytearray(journal.read_bytes())
    data[len(data) // 2] ^= 0xFF
    journal.write_bytes(data)
    assert kind_of_error(store) == "journal"
    assert compat.may_be_wal(bytes(data))
    assert compat.may_be_wal(bytes(data[:3]))
    assert not compat.may_be_wal(b"a letter to the club")


def test_what_may_only_be_read_is_refused_and_a_table_of_another_kind_is_shown(
    store: Path, tmp_path: Path
) -> None:
    assert kind_of_error(store, "CREATE TABLE two (a INTEGER)", read_only=True) == "refused"
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n", encoding="utf-8")
    assert kind_of_error(table, read_only=True) == "shown"


@pytest.mark.parametrize(
    ("code", "what"), [(errno.ENOSPC, "full"), (errno.EFBIG, "full"), (errno.EROFS, "refused")]
)
def test_what_the_system_says_is_known_by_its_number(code: int, what: str) -> None:
    assert file_error_kind(duckdb.IOException(f"Could not write: {os.strerror(code)}")) == what


# multiprocessing


def test_a_bare_process_gets_all_but_the_main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    main = sys.modules["__main__"]  # a worker of the tests' own has no file
    monkeypatch.setattr(main, "__spec__", None)
    monkeypatch.setattr(main, "__file__", __file__, raising=False)
    result = spawn.get_preparation_data("one")
    bare = compat.preparation_without_main(spawn.get_preparation_data, "one")
    assert set(result) - set(bare) == {"init_main_from_path"}
    assert {"sys_path", "dir", "name"} <= set(bare)


@pytest.mark.slow
@pytest.mark.workers
def test_a_process_is_prepared_by_what_is_put_in_the_place() -> None:
    with ProcessPoolExecutor(1, compat.CleanSpawnContext()) as pool:
        main = pool.submit(_main_file).result()
    assert main is None
    assert spawn.get_preparation_data.__module__ == "multiprocessing.spawn"


def _main_file() -> str | None:
    return getattr(sys.modules["__main__"], "__file__", None)


_KILLED = """
import os, signal
from ingest.store import worker_pool
if __name__ == "__main__":
    with worker_pool.worker_pool(1):
        worker_pool.run_in_worker(abs, -1)
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_what_a_pool_leaves_whose_process_was_killed_is_cleared_away_in_silence() -> None:
    words = [sys.executable, "-c", _KILLED]
    killed = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (killed.returncode, killed.stderr) == (-9, "")
