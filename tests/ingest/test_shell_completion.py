"""Shell completion: values from the store, quickly, safely, and without output."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ingest.cli import app, shell_completion
from tests.ingest.conftest import Command, held_elsewhere
from tests.ingest.logs import documents

EVIL = (
    "x$(touch pwned)",
    "x`touch pwned`",
    "x;touch pwned",
    "x\\$(touch pwned)",
    'x"; touch pwned; "',
    "x'; touch pwned; '",
    "x\ntouch pwned",
    "x\x1b[2J",
    "x\u202eevil",
    "x*",
    "x!!",
    "x|cat",
    "x>pwned",
    "x~",
    "x  y",
    "x ",
    "x[/b]",
    "x" * 300,
)
GOOD = ("x", "x d'Or", "x (poule A) & co", "x: tour 2", "x Zoé–Élise", "x=1, 2@b")
"""A shell takes each for one word, if it is quoted."""
SHELLS = ("bash", "zsh", "fish", "powershell")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose events are called what nobody calls them, and some that are called well."""
    folder = tmp_path_factory.mktemp("hostile")
    document = documents()[0]
    with (folder / "club.jsonl").open("w") as file:
        for n, name in enumerate(EVIL + GOOD):
            players = [one | {"id": f"{name}{n}", "name": name} for one in document["players"]]
            players[1]["id"] += "b"
            log = document | {"id": name, "event": {"name": name}, "players": players, "_n": n}
            file.write(json.dumps(log) + "\n")
    store = folder / "club.duckdb"
    assert app.run(["ingest", str(folder / "club.jsonl"), "--store", str(store), "-q"]) == 0
    return store


Offers = Callable[..., list[str]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Offers:
    """`offered("retourne stats --event ", shell="fish")`: the lines; nothing else is ever said."""
    monkeypatch.setattr(shell_completion, "STORE_TIMEOUT_SECONDS", 60.0)  # a busy machine answers too

    def ask(line: str, shell: str = "bash") -> list[str]:
        words = line.split()
        monkeypatch.setenv(shell_completion.COMPLETE_VARIABLE, f"complete_{shell}")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - (not line.endswith(" "))))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        last = "" if line.endswith(" ") else words[-1]
        monkeypatch.setenv("_TYPER_COMPLETE_WORD_TO_COMPLETE", last)
        capfdbinary.readouterr()
        code = shell_completion.print_completions(app.complete_shell_word)
        out, err = capfdbinary.readouterr()
        assert (code, err) == (0, b"")
        return [one for one in out.decode().splitlines() if one]

    return ask


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("export ", {"match-coinche"}),
        ("replay match-l", {"match-lavardin"}),
        ("solve match-l", {"match-lavardin"}),
        ("delete --file exem", {"exemple.jsonl"}),
        ("purge match-co", {"match-coinche"}),
        ("rules ", {"lavardin", "tournoi-2018"}),
        ("stats --game coinche --preset ", {"tournoi-2018"}),
        ("check x --preset mon", {"mondoubleau"}),
        ("explain must-f", {"must-follow"}),
        ("explain CH-9", {"CH-9"}),
        ("stats --habit ", {"careful"}),
        ("revalidate --game cho", {"chouine", "chouineurs"}),
    ],
)
def test_a_line_goes_on_with_what_there_is(line: str, some: set[str], samples: Path, offered: Offers) -> None:
    command, _, rest = line.partition(" ")
    stored = "" if command in ("rules", "check", "explain") else f"--store {samples} "
    assert some <= set(offered(f"retourne {command} {stored}{rest}"))


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    data = Path(__file__).parents[2] / "data"
    found = [json.loads(path.read_text("utf-8")) for path in sorted(data.glob("match-*.json"))]
    file = folder / "exemple.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in found))
    store = folder / "club.duckdb"
    words = ["ingest", str(file), "--store", str(store), "-q"]
    assert app.run(words) in (0, 1)
    return store


def test_the_store_is_that_of_the_line_else_of_the_variable_else_the_usual_one(
    samples: Path, offered: Offers, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered("retourne export match-c") == []
    shutil.copy(samples, "retourne.duckdb")
    assert "match-coinche" in offered("retourne export match-c")
    Path("retourne.duckdb").unlink()
    monkeypatch.setenv("RETOURNE_STORE", str(samples))
    assert "match-coinche" in offered("retourne export match-c")
    assert offered("retourne export --store elsewhere match-c") == []
    monkeypatch.setenv("HOME", str(samples.parent))
    assert "match-coinche" in offered("retourne export --store ~/club.duckdb match-c")


@pytest.mark.slow
def test_a_masked_player_is_offered_under_the_pseudonym_alone(
    samples: Path, offered: Offers, retourne: Command
) -> None:
    shutil.copy(samples, "club.duckdb")
    (known, *_) = offered("retourne mask --store club.duckdb ")
    result = retourne("mask", known, "--store", "club.duckdb", "--format", "jsonl").objects[0]
    assert result["player_id"] == known
    assert known not in offered("retourne mask --store club.duckdb ")
    shown = offered("retourne unmask --store club.duckdb ", "fish")
    assert shown == [result["pseudonym"]]


def nothing(folder: Path) -> Path:
    return folder / "none.duckdb"


def no_store(folder: Path) -> Path:
    (folder / "text.duckdb").write_text("not a store")
    return folder / "text.duckdb"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.duckdb")
    return folder / "pipe.duckdb"


def another(folder: Path) -> Path:
    with duckdb.connect(str(folder / "other.duckdb")) as other:
        other.execute("CREATE TABLE matches (log_id BLOB)")
    return folder / "other.duckdb"


def endless(folder: Path) -> Path:
    """Its matches are a view that never comes to an end."""
    with duckdb.connect(str(folder / "endless.duckdb")) as other:
        other.execute(
            "CREATE VIEW matches AS SELECT DISTINCT '' || a.i * b.i AS log_id, 1 AS match_no,"
            " '' AS match_id FROM range(1000000) a(i), range(1000000) b(i)"
        )
    return folder / "endless.duckdb"


def nosy(folder: Path) -> Path:
    """Its matches are a file of the reader's."""
    with duckdb.connect(str(folder / "nosy.duckdb")) as other:
        other.execute(
            "CREATE VIEW matches AS SELECT content AS log_id, 1 AS match_no, '' AS match_id"
            f" FROM read_text('{folder / 'mine.txt'}')"
        )
    (folder / "mine.txt").write_text("secret")
    return folder / "nosy.duckdb"


@pytest.mark.parametrize("made", [nothing, no_store, pipe, another, endless, nosy])
def test_where_a_store_cannot_be_asked_nothing_is_offered_or_shown(
    made: Callable[[Path], Path], tmp_path: Path, offered: Offers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell_completion, "STORE_TIMEOUT_SECONDS", 0.1)
    assert offered(f"retourne export --store {made(tmp_path)} ") == []


@pytest.mark.slow
def test_of_a_store_in_use_nothing_is_offered(samples: Path, offered: Offers) -> None:
    with held_elsewhere(samples):
        assert offered(f"retourne export --store {samples} ") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_no_shell_gets_a_name_it_would_take_for_more(shell: str, hostile: Path, offered: Offers) -> None:
    for command in ("stats --event", "export", "stats", "purge"):
        name, _, rest = command.partition(" ")
        text = "\n".join(offered(f"retourne {name} --store {hostile} {rest} ", shell))
        assert not any(sign in text for sign in ("touch", "x*", "!", "`", "$", "\x1b"))
        assert all(one.isprintable() for one in text.splitlines())
        assert "tour 2" in text.replace("\\", "")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_makes_of_the_answer_is_the_name(shell: str, hostile: Path, tmp_path: Path) -> None:
    """As the script of Typer asks, and as the shell reads the line afterwards."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    retourne = tmp_path / "retourne"
    retourne.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ingest.cli "$@"\n')
    retourne.chmod(0o755)
    line = f"retourne stats --store {hostile} --event x"
    words = line.split()
    scripts = {
        "bash": f"""
            eval "$(_RETOURNE_COMPLETE=source_bash retourne)"
            COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}
            _retourne_completion retourne
            for one in "${{COMPREPLY[@]}}"; do eval "set -- $one"; printf '%s\\n' "$@"; done
        """,
        # the rest of zsh's own completion is what splits the text between the brackets
        "zsh": f"""
            compdef() {{ }}
            _arguments() {{
              local action="${{1#\\*: :}}" one
              eval "ws=( ${{action[3,-3]}} )"
              for one in "${{ws[@]}}"; do printf '%s\\n' "${{one//\\\\:/:}}"; done
            }}
            words=({line}); CURRENT={len(words)}
            eval "$(_RETOURNE_COMPLETE=source_zsh retourne)"
            _retourne_completion
        """,
        "fish": f"""
            _RETOURNE_COMPLETE=source_fish retourne | source
            complete -C '{line}'
        """,
    }
    path = f"{tmp_path}:{os.environ['PATH']}"
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [program, "-c", scripts[shell]],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "PYTHONPATH": root, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    expected = {one for one in GOOD if shell != "zsh" or "'" not in one}
    items = done.stdout.splitlines()
    if shell == "fish":  # it writes them as it would into the line
        items = [one.replace("\\", "") for one in items]
    assert (set(items), done.stderr) == (expected, "")
    assert not (tmp_path / "pwned").exists()
