"""`kill -9` spread over all that changes a store: around a commit here, a thousand in `make soak`.

Those of `make soak` come at times drawn by lot, and so do not come here.
"""

import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.verify import verify_store
from tests.ingest.conftest import Command
from tests.ingest.kills import KINDS, State, after
from tests.ingest.logs import lines

ROOT = Path(__file__).parents[2]


def killed(count: int, seed: int) -> str:
    """The summary of so many kills, in a process that may fork."""
    command = [sys.executable, "-m", "tests.ingest.kills", f"--kills={count}", f"--seed={seed}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


_ENDS = """
import os, signal, sys
from ingest.store import trash
from ingest.store.factory import Store
with Store(sys.argv[1]) as store:
    commit = store._commit
    def ends():
        if sys.argv[2] == "behind":
            commit()
        os.kill(os.getpid(), signal.SIGKILL)
    store._commit = ends
    trash.delete_matches(store, [0])
"""


@pytest.mark.slow
@pytest.mark.parametrize(("when", "deleted"), [("before", 0), ("behind", 1)])
def test_a_kill_around_a_commit_leaves_all_of_a_change_or_nothing(
    tmp_path: Path, when: str, deleted: int
) -> None:
    path = tmp_path / "club.duckdb"
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    done = subprocess.run([sys.executable, "-c", _ENDS, str(path), when], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with Store(path) as store:
        [(found,)] = store.cursor().execute("SELECT count(*) FROM trash").fetchall()
        assert found == deleted
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []


_BEGINS = """
import os, signal, sys
from ingest.cli.app import run
from ingest.store import base
class Connection:
    left = int(sys.argv[2])
    def __init__(self, own):
        self._own = own
    def __getattr__(self, name):
        if name in ("execute", "begin", "commit", "cursor"):
            Connection.left -= 1
            if not Connection.left:
                os.kill(os.getpid(), signal.SIGKILL)
        return getattr(self._own, name)
connect = base.connect
base.connect = lambda *how: Connection(connect(*how))
run(["ingest", sys.argv[3], "--store", sys.argv[1]])
"""


@pytest.mark.slow
@pytest.mark.parametrize("calls", [1, 3, 6, 9, 10])
@pytest.mark.sample("6")
def test_a_store_killed_in_its_making_is_reported_in_our_words(
    retourne: Command, tmp_path: Path, calls: int
) -> None:
    """To those who only read; the next command that writes makes it whole."""
    path, log = tmp_path / "club.duckdb", tmp_path / "club.jsonl"
    log.write_bytes(lines())
    command = [sys.executable, "-c", _BEGINS, str(path), str(calls), str(log)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    for words in (("export", "--table", "players"), ("export", "--list"), ("verify",)):
        done = retourne(*words, "--store", path)
        assert "creation was interrupted. Add logs: retourne ingest FILES" in done.err
    assert retourne("ingest", log, "--store", path).code == 0
    assert len(retourne("export", "--table", "matches", "--store", path).out.splitlines()) == 7


@pytest.mark.soak
def test_a_kill_in_the_middle_of_each_change_leaves_it_whole_or_not_begun() -> None:
    assert f"{len(KINDS)} kills, nothing torn" in killed(len(KINDS), 1)


@pytest.mark.soak
def test_a_thousand_kills_tear_nothing(request: pytest.FixtureRequest) -> None:
    count = 50 * request.config.getoption("--soak")
    assert f"{count} kills, nothing torn" in killed(count, 2026)


def test_what_is_expected_of_the_changes() -> None:
    state = State()
    for step in (("upload", 3), ("delete", 3), ("delete", 9), ("backup", 0), ("mask", 0)):
        state = after(state, step)
    assert state.stored == {4}
    assert state.deleted == (frozenset({3}),)
    assert state.masked
    assert after(state, ("undo", 0)).stored == {3, 4}
    assert after(state, ("restore", 0)).stored == {4}
    assert after(state, ("restore", 0)).masked
    assert not after(state, ("mask", 0)).masked
