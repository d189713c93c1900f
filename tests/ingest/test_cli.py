"""The command as a whole: help, languages, usage, how it ends, and that all of it is documented."""

import os
import re
import shlex
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingest.cli.app import build_app
from ingest.escaping import escape_line
from ingest.i18n import translator
from tests.ingest.conftest import Command
from tests.ingest.logs import lines

ROOT = Path(__file__).parents[2]
PYTHON = [sys.executable, "-m", "ingest.cli"]


@cache
def commands(language: str = "en") -> dict[str, Any]:
    """Every command by its whole name, groups opened."""
    found: dict[str, Any] = {}
    for name, command in build_app(translator(language)).commands.items():
        inner = getattr(command, "commands", None)
        found |= {f"{name} {key}": one for key, one in inner.items()} if inner else {name: command}
    return found


COMMANDS = sorted(commands())


def test_the_commands_of_the_design_are_there() -> None:
    wanted = {"check", "ingest", "replay", "simulate", "export", "schema", "serve", "demo"}
    assert wanted <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_that_are_commands_and_options_of_their_own(name: str, retourne: Command) -> None:
    done = retourne(*name.split(), "--help")
    assert done.code == 0
    assert "Examples:" in done.out
    examples = re.findall(rf"retourne {name}\b[^\n|]*", done.out.split("Examples:")[1])
    assert examples
    options = {option for one in commands()[name].params for option in one.opts}
    # behind `--` stands a command of the reader's own
    used = {word for one in examples for word in re.findall(r"(?<=\s)-{1,2}[a-z-]+", one.split(" -- ")[0])}
    assert used <= options


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_in_the_language_asked_for(name: str, retourne: Command) -> None:
    french = retourne(*name.split(), "--help", "--lang", "fr").out
    assert "Exemples" in french
    assert french != retourne(*name.split(), "--lang", "en", "--help").out


def test_every_option_has_its_help_in_both_languages() -> None:
    english, french = commands("en"), commands("fr")
    for name, command in english.items():
        for one, other in zip(command.params, french[name].params, strict=True):
            assert one.help, (name, one.name)
            assert one.help != other.help, (name, one.name)


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "README.md").read_text("utf-8") + (ROOT / "docs" / "cli.md").read_text("utf-8")
    for name, command in commands().items():
        assert f"`retourne {name}" in text or f"\nretourne {name}" in text, name
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or f"`{option}" in text, (name, option)


def test_what_is_documented_exists() -> None:
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    options = {
        option
        for command in (build_app(translator("en")), *commands().values())
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    } | {"--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) <= options
    for words in re.findall(r"^(?:\$ )?retourne ([a-z]+(?: [a-z]+)?)", text, re.MULTILINE):
        assert words in COMMANDS or words.split()[0] in COMMANDS, words


def test_without_a_command_the_help_is_shown(retourne: Command) -> None:
    done = retourne()
    assert done.code == 0
    assert "check" in done.out


@pytest.mark.parametrize(
    ("line", "same"),
    [
        (["help"], ["--help"]),
        (["help", "check"], ["check", "--help"]),
        (["--lang", "fr", "help", "check"], ["check", "--help", "--lang", "fr"]),
        (["deck"], ["deck", "--help"]),
        (["-V"], ["--version"]),
    ],
)
def test_what_is_asked_in_another_way_is_answered(
    retourne: Command, line: list[str], same: list[str]
) -> None:
    requested, usual = retourne(*line), retourne(*same)
    assert (requested.code, requested.out) == (0, usual.out)


def test_version(retourne: Command) -> None:
    done = retourne("--version")
    assert done.code == 0
    assert re.fullmatch(r"retourne .+ \(rules version \d+\)\n", done.out)


USAGE = [
    (["chek"], "No such command: chek. Did you mean check or schema?"),
    (["explain", "must-ruf"], "retourne explain lists the codes. Did you mean must-ruff"),
    (["check", "a", "--preset", "lavardn"], "Did you mean lavardin?"),
    (["check", "a", "--set", "quint=3"], "Did you mean quinte?"),
    (["check"], "Missing argument: FILES."),
    (["check", "a", "--formt", "text"], "No such option: --formt"),
    (["check", "a", "--format", "xml"], "--format must be one of text, jsonl, sarif."),
    (["check", "a", "--format", "jsnl"], "sarif. Did you mean jsonl?"),
    (["check", "a", "--quiet=1"], "The option --quiet takes no value."),
    (["stats", "--since", "noon"], "--since must be a day written as year, month and day"),
    (["stats", "--by", "mnth"], "Did you mean month?"),
    (["undelete", "x"], "N must be a whole number."),
    (["check", "a", "--format"], "The option --format needs one value."),
    (["check", "a", "--lang", "de"], "--lang must be one of fr, en."),
    (["schema", "x"], "Unexpected argument: x."),
    (["simulate"], "Missing option: --game."),
    (["simulate", "--game", "tarot"], "--game must be one of chouine, coinche, chouineurs, belote."),
    (["simulate", "--game", "chouine", "-n", "0"], "--matches must be a whole number of 1 or more"),
    (["simulate", "--game", "chouine", "-n", "x"], "--matches must be a whole number"),
    (["simulate", "--game", "chouine", "--player-count", "9"], "a whole number from 2 to 5"),
    (["simulate", "--game", "coinche", "--player-count", "3"], "coinche takes 4 players, not 3."),
    (["simulate", "--game", "chouine", "--preset", "x"], "Known: lavardin, mondoubleau"),
    (["check", "nothing.jsonl"], "No such file: nothing.jsonl"),
    (["ingest", "nothing.jsonl"], "No such file: nothing.jsonl"),
    (["check", "."], "The folder . has no file whose name ends in"),
    (["schema", "--output", "no/x.json"], "No folder no to write to"),
    (["schema", "--output", "."], "is a folder"),
    (["replay", "nobody"], "nobody is neither a file nor"),
    (["export", "nobody"], "No store at retourne.duckdb"),
    (["serve", "--port", "0"], "--port must be a whole number from 1 to 65535."),
]


@pytest.mark.parametrize(("words", "sentence"), USAGE, ids=[" ".join(words) for words, _ in USAGE])
def test_a_command_that_cannot_be_done_ends_with_2_and_a_sentence(
    words: list[str], sentence: str, retourne: Command
) -> None:
    done = retourne(*words)
    assert done.code == 2
    assert done.raw == b""
    assert done.err.startswith("Error: ")
    assert sentence in done.err
    french = retourne(*words, "--lang", "fr")
    if "--lang" not in words and words[-1] != "--format":
        assert french.err.startswith("Erreur")


@pytest.mark.parametrize(
    ("variables", "starts"),
    [
        ({"LANG": "fr_FR.UTF-8"}, "Erreur"),
        ({"LANG": "en_GB.UTF-8"}, "Error"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "fr_FR.UTF-8"}, "Erreur"),
        ({"LANG": "de_DE.UTF-8"}, "Erreur"),
        ({"LANG": "C"}, "Erreur"),
    ],
)
def test_the_terminal_says_the_language_french_when_neither(
    variables: dict[str, str], starts: str, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert retourne("check", "nothing").err.startswith(starts)
    assert retourne("check", "nothing", "--lang=en").err.startswith("Error")
    assert retourne("--lang", "en", "check", "nothing").err.startswith("Error")


def test_signs_that_steer_a_terminal_are_written_out() -> None:
    steering = "\x1b[31mred\x07 \x9b2J \u202eevil \u2066 \u2028 \r\n \ud800"
    message = escape_line(steering)
    assert message.isprintable()
    assert message.startswith("\\x1b[31mred\\x07")
    assert escape_line("Zoé d’Orléans – 王 🂡 ♠") == "Zoé d’Orléans – 王 🂡 ♠"


# as a process of its own


@pytest.mark.slow
def test_it_runs_as_a_module_and_writes_what_a_narrow_terminal_cannot_show(tmp_path: Path) -> None:
    fault = ROOT / "data" / "fautes" / "chouine" / "must-follow.json"
    done = subprocess.run(
        [*PYTHON, "check", str(fault), "--lang", "en"],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"\\u2665" in done.stdout  # a heart
    assert done.stderr == b""


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_failure_to_shout_about(tmp_path: Path) -> None:
    simulate = [*PYTHON, "simulate", "--game", "chouine", "-n", "300"]
    with subprocess.Popen(simulate, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.readline()
        command.stdout.close()
        result = command.stderr.read()
        assert command.wait() == 141
    assert result == b""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.sample("15-143")
def test_an_interrupted_command_says_so_and_leaves_nothing_half_done(
    tmp_path: Path, retourne: Command, number: signal.Signals, code: int
) -> None:
    """Standard input stays open, so that the second file is being read when the signal comes."""
    first = tmp_path / "first.jsonl"
    first.write_bytes(lines(2))
    store = tmp_path / "store.duckdb"
    ingest = ["ingest", str(first), "--store", str(store)]
    with subprocess.Popen(
        [*PYTHON, *ingest, "-", "--verbose", "--lang", "fr"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        assert command.stderr is not None
        assert b"first.jsonl" in command.stdout.readline()
        command.stdin.write(lines(4))
        command.stdin.flush()
        command.send_signal(number)
        command.stdin.close()
        message = command.stderr.read().decode()
        assert command.wait() == code
    assert message.startswith("Interrompu")
    assert message.count("\n") == 1
    assert "already there: 2" in retourne(*ingest).out
    assert len(retourne("export", "--list", "--store", store).out.splitlines()) == 2


@pytest.mark.parametrize("command", ["check", "ingest"])
def test_a_file_that_is_not_there_hides_no_other(command: str, retourne: Command) -> None:
    """As in a folder: a link that leads nowhere, or round in a circle, or a name nobody has."""
    Path("good.jsonl").write_bytes(lines(2))
    Path("away.json").symlink_to("nowhere")
    Path("round.json").symlink_to("round.json")
    names = ["away.json", "good.jsonl", "round.json", "nothing.json", "x" * 300]
    done = retourne(command, *names)
    assert done.code == 2
    assert {"check": "legal: 2", "ingest": "added: 2"}[command] in done.out
    assert done.out.count("The file cannot be read") == 4
    assert "round.json:1 unreadable\n    The file cannot be read: its links lead" in done.out


@pytest.mark.slow
def test_a_folder_without_logs_hides_no_file(retourne: Command) -> None:
    Path("good.jsonl").write_bytes(lines(2))
    Path("empty").mkdir()
    for command, result in (("check", "legal: 2"), ("ingest", "added: 2")):
        done = retourne(command, "empty", "good.jsonl")
        assert done.code == 2
        assert result in done.out
        assert "empty/*.json:1 unreadable" in done.out


@pytest.mark.parametrize("how", ["--diff", "--apply-edits"])
def test_a_file_that_is_not_there_is_reported_beside_what_is_written(how: str, retourne: Command) -> None:
    Path("good.jsonl").write_bytes(lines(2))
    done = retourne("check", "good.jsonl", "nothing.json", how)
    assert done.code == 2
    assert "nothing.json:1  The file cannot be read: file not found." in done.err


@pytest.mark.parametrize("command", ["check", "ingest", "replay"])
def test_standard_input_that_is_closed_is_reported(
    command: str, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # what Python has for `<&-`
    done = retourne(command, "-")
    assert (done.code, done.raw) == (2, b"")
    assert done.err == "Error: Standard input is closed.\n"


LOADING = """
import signal, sys
from ingest.cli import main

class Loading:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            try:
                signal.raise_signal({number})
            except KeyboardInterrupt:
                raise {error} from None

sys.meta_path.insert(0, Loading())
main()
"""


@pytest.mark.parametrize(
    ("name", "error", "number", "code"),
    [
        ("typer", "KeyboardInterrupt", 2, 130),
        ("ingest.cli.check", "KeyboardInterrupt", 15, 143),
        ("numba", "AttributeError", 2, 130),  # as a library does whose own code is interrupted
        ("numba", "AttributeError", 15, 143),
    ],
)
def test_an_interrupt_while_the_program_is_loaded_is_one_sentence_too(
    name: str, error: str, number: int, code: int
) -> None:
    words = ["check", str(ROOT / "data/match-lavardin.json"), "--lang", "fr"]
    done = subprocess.run(
        [sys.executable, "-c", LOADING.format(name=name, error=error, number=number), *words],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr.startswith("Interrompu")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_values(shell: str) -> None:
    query = {"_RETOURNE_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "retourne che"}
    query |= {"COMP_WORDS": "retourne che", "COMP_CWORD": "1", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run(
        PYTHON, cwd=ROOT, env=os.environ | query, capture_output=True, text=True, check=False
    )
    assert "check" in done.stdout
    assert "ingest" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("words", ["rules", "schema", "check data/fautes --format jsonl"])
@pytest.mark.sample("check data/fautes --format jsonl")
def test_a_closed_output_is_one_sentence(words: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m ingest.cli {words} --lang en >&-"
    done = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "Error: Not possible: its output is closed.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("check club.jsonl --set quinte=abc", "quinte cannot be abc. Possible: 0–1000."),
        ("revalidate --set quinte=abc", "quinte cannot be abc. Possible: 0–1000."),
        ("check club.jsonl --quiet --verbose", "--quiet and --verbose"),
        ("ingest club.jsonl --quiet --verbose", "--quiet and --verbose"),
        ("export --list --logs", "Only one of these goes at a time: --list, --logs."),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_work(
    retourne: Command, words: str, sentence: str
) -> None:
    done = retourne(*words.split())
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
