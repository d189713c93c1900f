"""Temporary files that operations and killed processes leave: listed, and private to the user.

`tests/ingest/kills.py` lists the files after each of its kills too.
"""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.cli.open_store import open_store
from ingest.store import temporary_files
from schemas import migrations
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import lines

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, for this process and those that it starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Other users of this computer may read what a process makes, unless it says otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def files(folder: Path) -> set[str]:
    """Every file and folder below one."""
    return {str(one.relative_to(folder)) for one in folder.rglob("*")}


def rights(folder: Path) -> dict[str, int]:
    """The rights of every file below a folder."""
    return {
        name: stat.S_IMODE((folder / name).stat().st_mode)
        for name in files(folder)
        if (folder / name).is_file()
    }


def dead_process() -> int:
    with subprocess.Popen(["true"]) as process:
        pass
    return process.pid


def run_killed(code: str, *words: object) -> None:
    """Run a program that kills itself."""
    command = [sys.executable, "-c", f"import os, signal, sys\n{code}", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_no_operation_leaves_a_file_but_those_it_is_for(retourne: Command, tmp_path: Path) -> None:
    log, store = tmp_path / "club.jsonl", tmp_path / "club.duckdb"
    log.write_bytes(lines())
    expected = {"temporary", "here", "club.jsonl", "club.duckdb"}
    operations: tuple[tuple[tuple[object, ...], str], ...] = (
        (("ingest", log), ""),
        (("ingest", FAUTES / "chouine" / "must-follow.json"), ""),
        (("mask", "marcel"), ""),
        (("export", "--table", "players"), ""),
        (("export", "--table", "deals", "--format", "parquet", "--output", tmp_path / "deals"), "deals"),
        (("export", "--logs", "--anonymous", "--output", tmp_path / "logs"), "logs"),
        (("backup", tmp_path / "saved.duckdb"), "saved.duckdb"),
        (("delete", "chouine-lavardin-2-11-1"), ""),
        (("revalidate", "--all"), ""),
        (("verify",), ""),
        (("purge", "chouine-lavardin-2-11-2", "--yes"), ""),
        (("copy", store, tmp_path / "other.duckdb"), "other.duckdb"),
    )
    for words, made in operations:
        where = () if words[0] == "copy" else ("--store", store)
        done = retourne(*words, *where)
        assert done.code in (0, 1), (words, done.err)
        expected |= {made} - {""}
        assert files(tmp_path) == expected, words
    assert retourne("restore", tmp_path / "saved.duckdb", "--store", store).code == 0
    [before] = files(tmp_path) - expected  # the store in whose place the backup is
    assert before.startswith("club-before-")
    public = {name for name in files(tmp_path) if (tmp_path / name).stat().st_mode & 0o077}
    assert public == {"temporary", "here", "club.jsonl", "deals", "logs"}


def test_others_read_no_file_next_to_a_store_while_a_command_works(tmp_path: Path) -> None:
    path = tmp_path / "club.duckdb"
    with open_store(path, create=True) as store, store.transaction():
        store.connection.execute("INSERT INTO settings VALUES ('access', 'private')")
        store.connection.execute("SET checkpoint_threshold = '1GB'; COMMIT; BEGIN")
        assert rights(tmp_path) == {"club.duckdb": 0o600, "club.duckdb.wal": 0o600}
        store.connection.execute("SET memory_limit = '60MB'")
        store.connection.execute("CREATE TEMP TABLE words AS SELECT md5(range::TEXT) FROM range(2_000_000)")
        spilled = {name for name in rights(tmp_path) if name.startswith("club.duckdb.tmp/")}
        assert spilled
        assert {rights(tmp_path)[name] for name in spilled} == {0o600}


def test_a_store_is_private_before_it_is_there(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only once its rights are set: others could have opened it meanwhile."""
    masks = list[int]()

    def connect(*how: Any) -> Any:
        os.umask(mask := os.umask(0o777))
        masks.append(mask)
        return migrations.connect(*how)

    monkeypatch.setattr("ingest.store.base.connect", connect)
    (tmp_path / "club.jsonl").write_bytes(lines(1))
    assert retourne("ingest", tmp_path / "club.jsonl", "--store", tmp_path / "club.duckdb").code == 0
    assert set(masks) == {0o077}


EXPORT = """
from ingest.cli.app import run
from ingest.store import export
def rows_query(*args):
    os.kill(os.getpid(), signal.SIGKILL)
export._rows_query = rows_query
run(["export", "--table", "players", "--store", sys.argv[1]])
"""
BACKUP = """
from pathlib import Path
from ingest.cli.app import run
from ingest.store import backup
def checksums(*args):
    os.kill(os.getpid(), signal.SIGKILL)
backup.table_checksums = checksums
run(["backup", *sys.argv[2:], "--store", sys.argv[1]])
"""
PURGE = """
from ingest.cli.app import run
from ingest.store import purge
def replace(*args):
    os.kill(os.getpid(), signal.SIGKILL)
purge._Purge._insert_rewritten = replace
run(["purge", "chouine-lavardin-2-11-2", "--yes", "--store", sys.argv[1]])
"""
DOWNLOAD = """
from pathlib import Path
from dashboard.downloads import write_unlinked
def write(path):
    path.write_text("zoe")
    os.kill(os.getpid(), signal.SIGKILL)
write_unlinked(write, needs_name=sys.argv[1] == "named")
"""
OUTPUT = """
from pathlib import Path
from ingest.cli import params
from ingest.store.outputs import Kind
with params.open_output(params.place(Path(sys.argv[1]), Kind.TEXT, False)) as file:
    file.write(b"zoe")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def store(retourne: Command, tmp_path: Path) -> Path:
    path = tmp_path / "club.duckdb"
    (tmp_path / "club.jsonl").write_bytes(lines())
    assert retourne("ingest", tmp_path / "club.jsonl", "--store", path).code == 0
    return path


@pytest.mark.soak
def test_a_killed_export_leaves_nothing(store: Path, temporary: Path) -> None:
    run_killed(EXPORT, store)
    assert files(temporary) == set()
    run_killed(DOWNLOAD, "unnamed")
    assert files(temporary) == set()


def test_what_a_killed_purge_left_goes_with_the_next_command(
    retourne: Command, store: Path, tmp_path: Path
) -> None:
    whole = files(tmp_path)
    run_killed(PURGE, store)
    left = files(tmp_path) - whole
    assert any(name.endswith(".part") for name in left)
    assert not any((tmp_path / name).stat().st_mode & 0o077 for name in left if (tmp_path / name).is_file())
    assert retourne("mask", "marcel", "--store", store).code == 0
    assert files(tmp_path) == whole


@pytest.mark.soak
def test_what_a_killed_backup_left_goes_with_the_next_one(
    retourne: Command, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "night").mkdir()
    for target in ("saved.duckdb", "night/"):
        whole = files(tmp_path)
        run_killed(BACKUP, store, f"{tmp_path}/{target}")
        assert files(tmp_path) > whole
        assert retourne("backup", f"{tmp_path}/{target}", "--store", store).code == 0
        [made] = files(tmp_path) - whole
        assert made.endswith(".duckdb")


def test_what_a_killed_output_left_goes_with_the_next_of_its_name(
    retourne: Command, store: Path, tmp_path: Path
) -> None:
    whole = files(tmp_path)
    run_killed(OUTPUT, tmp_path / "players.csv")
    assert files(tmp_path) > whole
    done = retourne("export", "--table", "players", "--output", tmp_path / "players.csv", "--store", store)
    assert done.code == 0
    assert files(tmp_path) - whole == {"players.csv"}


def test_the_folder_of_a_killed_process_goes_with_the_next_command_that_opens_a_store(
    retourne: Command, store: Path, temporary: Path
) -> None:
    run_killed(DOWNLOAD, "named")
    [folder, file] = sorted(files(temporary))
    assert file.startswith(f"{folder}/")
    assert stat.S_IMODE((temporary / folder).stat().st_mode) == 0o700
    assert retourne("export", "--list", "--store", store).code == 0
    assert files(temporary) == set()


def test_spilled_rows_of_a_killed_process_go_with_the_next_command(
    retourne: Command, store: Path, tmp_path: Path
) -> None:
    whole = files(tmp_path)
    spilled = tmp_path / "club.duckdb.tmp"
    spilled.mkdir()
    (spilled / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("zoe")
    assert retourne("mask", "marcel", "--store", store).code == 0
    assert files(tmp_path) == whole


def test_what_others_made_and_what_is_at_work_stays(temporary: Path, tmp_path: Path) -> None:
    with temporary_files.temporary_folder() as mine:
        shared = temporary / f"{temporary_files.FOLDER_PREFIX}shared"
        shared.mkdir(0o755)
        (temporary / "retourne-of-somebody").mkdir(0o700)
        theirs = tmp_path / f"club.duckdb.{os.getpid()}-9.part"
        foreign = tmp_path / f"clubs.duckdb.{dead_process()}-9.part"
        for one in (theirs, foreign):
            one.touch()
        temporary_files.remove_leftovers(tmp_path / "club.duckdb")
        assert files(temporary) == {mine.name, shared.name, "retourne-of-somebody"}
        assert theirs.exists()
        assert foreign.exists()
    assert not mine.exists()
