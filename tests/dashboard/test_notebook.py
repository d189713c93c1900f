"""The notebook's examples say what they say, in a program that has no Streamlit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = """
import doctest, sys
sys.modules["streamlit"] = None  # importing it fails
found = doctest.testfile(sys.argv[1], module_relative=False)
print(found.attempted, "examples")
sys.exit(found.failed)
"""


@pytest.mark.slow
def test_every_example_of_the_notebook_runs_without_streamlit(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(ROOT / "docs" / "notebook.md")],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[-2]) > 20
