"""What tests say of a store in a file holds for lakes: some in `make test`, more in `make soak`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lake_backend import ALL, LEFT_OUT, ON_S3, SMOKE

ROOT = Path(__file__).parents[1]


def requested_of_lakes(which: str, *files: str) -> str:
    """What pytest says in the end of some files of tests."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "--timeout=0", which, *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.soak
@pytest.mark.parametrize(("which", "files"), [("--lake", ALL), ("--lake-s3", ON_S3)])
def test_what_holds_of_files_holds_for_lakes(which: str, files: tuple[str, ...]) -> None:
    assert " passed" in requested_of_lakes(which, *files)


@pytest.mark.soak
def test_the_road_of_a_log_ends_in_a_lake_as_it_does_in_a_file() -> None:
    assert f"{len(SMOKE)} passed" in requested_of_lakes("--lake", *SMOKE)


def test_what_is_asked_of_lakes_is_there() -> None:
    for one in (*ALL, *SMOKE):
        file, _, name = one.partition("::")
        assert f"def {name or 'test_'}" in (ROOT / file).read_text(encoding="utf-8")


def test_what_is_left_out_is_there() -> None:
    for file, tests in LEFT_OUT.items():
        assert file in ALL
        text = (ROOT / file).read_text(encoding="utf-8")
        assert all(f"def {name}(" in text for name in tests)
