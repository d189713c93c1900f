"""`kill -9` spread over all that changes a store: a few here, a thousand in `make soak`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.ingest.kills import KINDS, State, after

ROOT = Path(__file__).parents[2]


def killed(count: int, seed: int) -> str:
    """What is said of so many kills, in a process that may fork."""
    command = [sys.executable, "-m", "tests.ingest.kills", f"--kills={count}", f"--seed={seed}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
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
