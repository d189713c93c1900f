"""What a command imports at its start: no more than it needs."""

import subprocess
import sys
from pathlib import Path

import pytest

from ingest.cli.commands import COMMANDS, function_name

ROOT = Path(__file__).parents[2]
STORING = {"duckdb", "pyarrow", "polars", "pandas", "streamlit"}
HEAVY = STORING | {"numba", "numpy", "pydantic", "orjson", "babel"}


def loaded_by(code: str) -> set[str]:
    """The outermost packages that a fresh Python has loaded when it has run some code."""
    tail = 'import sys; print("\\n" + " ".join({n.partition(".")[0] for n in sys.modules}))'
    script = f"try:\n {code}\nexcept SystemExit: pass\n{tail}"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def line(*words: str) -> str:
    """A command line, as a process of its own begins it."""
    return f"import sys; sys.argv[1:] = {list(words)}; from ingest.cli import main; main()"


def test_the_packages_load_nothing_heavy() -> None:
    assert not loaded_by("import ingest") & (HEAVY | {"rich", "typer"})
    assert not loaded_by("import ingest.cli") & (HEAVY | {"rich"})


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["--help", "--lang", "en"]], ids=str)
def test_what_all_ask_first_loads_nothing_heavy(words: list[str]) -> None:
    assert not loaded_by(line(*words)) & HEAVY


@pytest.mark.slow
def test_a_match_is_checked_without_what_stores_it() -> None:
    assert not loaded_by(line("check", "data/exemple-lavardin.json")) & STORING


def completed(typed: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What the shell offers for the last word of a line, and what was loaded for it."""
    monkeypatch.setenv("_RETOURNE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    script = "import sys, atexit; atexit.register(lambda: print(*sys.modules)); " + line()
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return set(done.stdout.split())


@pytest.mark.slow
def test_the_shell_gets_the_commands_without_loading_them(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = completed("retourne ex", monkeypatch)
    assert {"explain", "export"} <= offered
    assert not offered & (STORING | {"numba", "ingest.cli.rules_and_schema", "ingest.cli.matches"})


@pytest.mark.slow
def test_the_shell_gets_the_options_of_the_command_that_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = completed("retourne check --apply", monkeypatch)
    assert {"--apply-edits", "ingest.cli.check"} <= offered


def test_every_command_of_the_table_is_in_its_module_with_its_examples() -> None:
    for name, command in COMMANDS.items():
        module = __import__(command.module, fromlist=[name])
        assert callable(vars(module)[function_name(name)]), name
        for example in command.examples:
            assert f" {name}" in example
