"""The blocks of docs/emit.md write logs that are legal, and its commands say so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from ingest import check
from tests.ingest.conftest import Command

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "emit.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of the document in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


NODE = str(compute_driver_executable()[0])
"""The Node.js that drives the browser tests."""
PROGRAMS = [
    *((block, "emit.py", sys.executable) for block in blocks("python")),
    *((block, "emit.mjs", NODE) for block in blocks("js")),
]


def test_there_is_a_program_with_the_recorder_one_without_and_one_in_javascript() -> None:
    assert [name for _, name, _ in PROGRAMS] == ["emit.py", "emit.py", "emit.mjs"]


@pytest.mark.slow
@pytest.mark.parametrize(("program", "name", "command"), PROGRAMS)
def test_what_a_program_writes_is_a_legal_match(
    program: str, name: str, command: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(program, "utf-8")
    # the document's examples find the package as the tests do: from the root
    done = subprocess.run(
        [command, name],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (report,) = check(tmp_path / "games.jsonl")
    assert (report.status, report.findings) == ("legal", [])


@pytest.mark.slow
def test_what_a_refusal_is_said_to_print_is_what_it_prints(tmp_path: Path) -> None:
    (program,) = (block for block in blocks("python") if "Recorder" in block)
    (told,) = re.findall(r"print\(refused\)  # (.*) …$", program, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.startswith(told)


def test_no_document_installs_from_an_index_that_does_not_have_it() -> None:
    for path in (ROOT / "docs").glob("*.md"):
        assert "pip install retourne\n" not in path.read_text("utf-8"), path.name


@pytest.mark.slow
def test_the_commands_are_those_there_are(retourne: Command) -> None:
    log = ROOT / "data" / "match-lavardin.json"
    said = re.findall(
        r"^(?:      - run: )?(retourne [^>\n]*)", "".join(blocks(r"\w+")), re.MULTILINE
    )
    assert len(said) == 2
    for line in said:
        words = [str(log) if word == "games.jsonl" else word for word in line.split()[1:]]
        assert retourne(*words).code == 0
