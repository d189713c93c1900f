"""Writers of a lake that are killed or meet each other: some here, a hundred in `make soak`."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def done(*words: str) -> str:
    """The summary of kills, stops or files, in a process that may fork."""
    command = [sys.executable, "-m", "tests.ingest.lake_kills", "--seed=1", *words]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.mark.soak
def test_a_writer_killed_while_it_holds_claims_leaves_whole_files_or_none() -> None:
    result = done("--kills=3")
    assert "3 kills" in result
    assert " 0 with claims" not in result


@pytest.mark.soak
def test_a_catalogue_that_stops_in_the_middle_of_a_file_loses_none() -> None:
    assert "1 stops of the catalogue, 6 files: all once" in done("--stops=1")


@pytest.mark.soak
def test_two_writers_with_the_same_files_in_opposite_order_store_each_once() -> None:
    assert "20 files in opposite order, 160 matches: all once" in done("--files=20")


@pytest.mark.soak
def test_a_hundred_kills_lose_and_double_nothing(request: pytest.FixtureRequest) -> None:
    count = 5 * request.config.getoption("--soak")
    result = done(f"--kills={count}")
    assert int(result.split(" kills, ")[1].split()[0]) > count // 2


@pytest.mark.soak
def test_ten_stops_of_the_catalogue_lose_and_double_nothing() -> None:
    assert "10 stops of the catalogue, 60 files: all once" in done("--stops=10")


@pytest.mark.soak
def test_a_thousand_files_in_opposite_order_are_stored_once() -> None:
    assert "1000 files in opposite order, 8000 matches: all once" in done("--files=1000")
