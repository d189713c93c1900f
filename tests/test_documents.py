"""Every fenced block of the documents is done as it stands, and says what it shows.

What is not done stands in `NOT_RUN` with its reason. How blocks are written is told in
CONTRIBUTING.md, under *Documents*.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.documents import PATHS, ROOT, Block, Folder, blocks, matches, unfenced

SERVES = "serves until Ctrl-C; tests/ingest/test_cli_serve.py has it"
NOT_RUN = {
    ("README.md", "make demo    # install, open the dashboard on a club's games"): (
        "installs from a registry and serves; tests/test_wheel.py opens what it installs"
    ),
}
"""Document and first line of a block → why it is not run."""
NAMES = [path.relative_to(ROOT).as_posix() for path in PATHS]


def reason(block: Block) -> str | None:
    """Why a block is not run, if it is not."""
    return NOT_RUN.get((block.document, block.first))


@pytest.fixture
def folder(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Folder:
    """A fresh one, with the samples that ship; a terminal that speaks no language."""
    for name in [name for name in os.environ if name.startswith(("LC_", "RETOURNE_"))]:
        monkeypatch.delenv(name)
    for name in ("LANGUAGE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    here = tmp_path / "here"
    here.mkdir()
    shutil.copytree(ROOT / "data", here / "data", ignore=shutil.ignore_patterns("__pycache__"))
    settings = {"LANG": "C.UTF-8", "COLUMNS": "100", "NO_COLOR": "1", "HOME": str(tmp_path)}
    settings["PATH"] = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(here)
    return Folder(here, capfdbinary, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_every_block_of_a_document_does_what_it_shows(path: Path, folder: Folder) -> None:
    for block in blocks(path):
        if reason(block) is None:
            folder.do(block)
    folder.end()


def test_every_block_that_is_not_run_is_there() -> None:
    there = {(block.document, block.first) for path in PATHS for block in blocks(path)}
    assert NOT_RUN.keys() <= there, NOT_RUN.keys() - there


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_code_stands_between_fences_with_its_language(path: Path) -> None:
    assert unfenced(path) == []
    assert [str(block) for block in blocks(path) if not block.language] == []


def test_what_varies_may_be_part_of_a_line_or_lines() -> None:
    assert matches("one\n…\nfour …\n", "one\ntwo\nthree\nfour cards\n")
    assert matches("one\n…\ntwo\n", "one\ntwo\n")
    assert not matches("one\n", "one\ntwo\n")
    assert not matches("one (…)\n", "one\n")
