"""`make spelling` finds a misspelt word in each language, and says what to install where it cannot."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def spelling(*arguments: str, path: str = os.environ["PATH"]) -> "subprocess.CompletedProcess[str]":
    """Run the checker, with programs from this path only."""
    command = [sys.executable, str(ROOT / ".ci" / "spelling.py"), *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )


def test_without_hunspell_it_says_what_to_install_and_fails(tmp_path: Path) -> None:
    done = spelling(path=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == (
        "Spelling is not checked. Install first: apt-get install hunspell hunspell-en-gb hunspell-fr\n"
    )


def test_lint_goes_on_without_hunspell(tmp_path: Path) -> None:
    done = spelling("--if-installed", path=str(tmp_path))
    assert done.returncode == 0
    assert "apt-get install hunspell" in done.stderr


PROBE = """
import sys
sys.path.insert(0, ".ci")
import spelling
english = ("english", "en:1", "A mispelt `wrongg` {wordd} of retourne")
french = ("french", "fr:1", "Une fôte de l’arbitre")
print([*spelling.unspelled("en", [english]), *spelling.unspelled("fr", [french])])
"""


@pytest.mark.skipif(not shutil.which("hunspell"), reason="hunspell is not installed: make spelling")
def test_a_misspelt_word_is_found_with_its_place_and_code_is_not_read() -> None:
    if spelling("--if-installed").stderr:
        pytest.skip("a dictionary of hunspell is not installed: make spelling")
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[('mispelt', 'en:1'), ('fôte', 'fr:1')]\n"
