"""The fenced blocks of a document, and a folder in which they are done one after another.

What each language of a block means has to writers in CONTRIBUTING.md, under *Documents*.
"""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from glob import glob
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator
from playwright._impl._driver import compute_driver_executable

from docs.sample_store import fill
from ingest import check_text
from ingest.cli.app import run
from schemas.migrations import connect

ROOT = Path(__file__).parents[1]
PATHS = [
    ROOT / "README.md",
    ROOT / "README.fr.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
VARIES = "…"
"""In a line it stands for anything, alone for any number of lines."""
HARD = "[\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]"
"""Spaces that nobody can tell from others in a document."""
SHELL = {"&", "&&", "||", ";", "<", "<<", ">", ">>", "(", ")"}
TABLES = {"chouine": 2, "coinche": 4, "chouineurs": 3, "belote": 4}
"""Games, each with the seats of the tables its parts of logs are of."""
KEYS = {"start", "result", "cuts", "rules", "event", "source", "bid_cards", "players"}
"""Of a match; with any of them a part of a log is of the match, else of a deal."""
NODE = str(compute_driver_executable()[0])
"""The Node.js that drives the browser tests."""
SCHEMA = Draft202012Validator(json.loads((ROOT / "data" / "schema" / "match.schema.json").read_bytes()))
DOCTEST = """
import doctest, sys
from schemas.migrations import connect
sys.modules["streamlit"] = None  # importing it fails
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, "the document", None, 0)
sys.exit(doctest.DocTestRunner().run(test).failed)
"""


class Block(NamedTuple):
    """One fenced block; `file` is the name that stands behind its language, or nothing."""

    document: str
    line: int
    language: str
    file: str
    text: str

    @property
    def first(self) -> str:
        return self.text.partition("\n")[0]

    def __str__(self) -> str:
        return f"{self.document}:{self.line}: {self.first}"


def blocks(path: Path) -> list[Block]:
    """Every fenced block of a document, in order."""
    text = path.read_text("utf-8")
    name = path.relative_to(ROOT).as_posix()
    return [
        Block(name, text.count("\n", 0, one.start()) + 1, one[1], one[2].strip(), one[3])
        for one in re.finditer(r"^```(\S*)(.*)\n((?:.*\n)*?)```$", text, re.MULTILINE)
    ]


def unfenced(path: Path) -> list[str]:
    """Lines that are shown as code without a fence, and so without a language."""
    text = re.sub(r"^```(?:.*\n)*?```$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    return re.findall(r"^(?![ ]*(?:[-*]|\d+\.) ).*\n\n(    \S.*)", text, re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """What a link may name within a document: headings as code hosts call them, and our own."""
    text = path.read_text("utf-8")
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    called = (re.sub(r"[^\w\s-]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", one)) for one in heads)
    own = re.findall(r'<a id="(.+?)"></a>', text)
    return {one.lower().replace(" ", "-") for one in called} | set(own)


class Folder:
    """Where the blocks of one document are done in order, beside the `data/` that ships."""

    def __init__(
        self, here: Path, captured: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.here, self.captured, self.monkeypatch = here, captured, monkeypatch
        self.examples = ""

    def do(self, block: Block) -> None:
        """Do what a block says; AssertionError: it is not so."""
        if block.file:
            self._write(block)
        elif block.language in self._ways:
            self._ways[block.language](block)
        else:
            pytest.fail(f"{block}: no way to run a block of {block.language or 'no language'}")

    @cached_property
    def _ways(self) -> dict[str, Callable[[Block], object]]:
        return {
            "console": self._console,
            "js": self._javascript,
            "json": self._json,
            "jsonl": self._json,
            "pycon": self._examples,
            "python": self._python,
            "sh": self._commands,
            "sql": self._query,
            "yaml": self._workflow,
        }

    def _write(self, block: Block) -> None:
        (self.here / block.file).write_text(block.text, "utf-8")
        if block.language in ("json", "jsonl"):
            self._json(block)

    # commands

    def _console(self, block: Block) -> None:
        """Commands behind `$`, each with what it prints below it; nothing there is not compared."""
        begun, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        assert not begun, f"{block}: does not begin with a command"
        for part in parts:
            command, shown = re.fullmatch(r"((?:.*\\\n)*.*\n)((?:.*\n)*)", part).groups()  # type: ignore[union-attr]
            printed = self._command(block, command.strip())
            if shown.strip():
                text = "\n".join(line.rstrip() for line in printed.splitlines())
                assert matches(shown, text), f"{block}\n$ {command}{text}\n– but it shows –\n{shown}"

    def _commands(self, block: Block) -> None:
        for command in re.findall(r"(?:.*\\\n)*.+", block.text):
            self._command(block, command)

    def _workflow(self, block: Block) -> None:
        """What a workflow of a code host asks of us."""
        for command in re.findall(r"- run: (retourne .*)", block.text):
            self._command(block, command)

    def _command(self, block: Block, line: str) -> str:
        """What a command prints, standard error last; 1 is an answer of ours, all else is not."""
        command = re.sub(r"\s+#\s.*", "", line.replace("\\\n", ""))
        stages = in_process(command)
        code, printed = self._here(*stages) if stages else self._in_shell(command)
        allowed = (0, 1) if re.search(r"\bretourne ", command) else (0,)
        assert code in allowed, f"{block}\n$ {line}\nended with {code}\n{printed}"
        return printed

    def _here(self, stages: list[list[str]], target: str) -> tuple[int, str]:
        """Run a pipeline of our own commands in this process."""
        code, out, errors = 0, b"", ""
        for words in stages:
            self.captured.readouterr()
            with self.monkeypatch.context() as patched:
                patched.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(out), "utf-8"))
                code = run(words[1:])
            out, err = self.captured.readouterr()
            errors += err.decode()
        if target:
            (self.here / target).write_bytes(out)
            out = b""
        return code, out.decode() + errors

    def _in_shell(self, command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.here,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    # programs

    def _python(self, block: Block) -> None:
        """A program; a `print` with a remark behind it prints what the remark says."""
        self.captured.readouterr()
        exec(compile(block.text, str(block), "exec"), {"__name__": "__main__"})
        printed = self.captured.readouterr().out.decode()
        items = re.findall(r"print\(.*\)  # (.+)", block.text)
        assert matches("\n".join((*items, VARIES)), printed), f"{block}\n{printed}"

    def _javascript(self, block: Block) -> None:
        """A program; a `console.log` with a remark behind it prints what the remark says."""
        program = self.here / "program.mjs"
        program.write_text(block.text, "utf-8")
        printed = self._program([NODE, program.name], block)
        items = re.findall(r"console\.log\(.*\); // (.+)", block.text)
        assert matches("\n".join((*items, VARIES)), printed), f"{block}\n{printed}"

    def _examples(self, block: Block) -> None:
        """What was typed at Python's prompt: all of the document is one session."""
        self.examples += block.text

    def end(self) -> None:
        """Do what could not be done block by block: a session is one, and has no Streamlit."""
        if self.examples:
            self._program([sys.executable, "-c", DOCTEST], None, self.examples)

    def _program(self, command: list[str], block: Block | None, typed: str = "") -> str:
        done = subprocess.run(
            command,
            cwd=self.here,
            input=typed,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
            check=False,
        )
        assert not done.returncode, f"{block or 'the session'}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _query(self, block: Block) -> None:
        """A question to a store in which something was done of all that can be."""
        if not (store := self.here / "everything.duckdb").exists():
            fill(store)
        with connect(store, read_only=True) as cursor:
            assert cursor.execute(block.text).fetchall(), f"{block} answers nothing"

    # logs

    def _json(self, block: Block) -> None:
        """A log, or parts of one: of the right shape, and nothing in it is against the rules."""
        values = block.text.splitlines() if block.language == "jsonl" else [block.text]
        for value in values:
            logs = list(whole(json.loads(value)))
            fitting = [log for log in logs if SCHEMA.is_valid(log)]
            assert fitting, f"{block}: not of the JSON Schema of any game"
            items = {check_text(json.dumps(log)).status for log in fitting}
            assert items & {"legal", "unverified", "result-only", "incomplete"}, f"{block}: {items}"


def in_process(command: str) -> tuple[list[list[str]], str] | None:
    """The commands of a pipeline and the file it is written to, if all of it is `retourne`.

    Names of files are completed as a shell does, where nothing stands in quotes.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    tokens, target = list(lexer), ""
    if tokens[-2:-1] == [">"]:
        *tokens, _, target = tokens
    if "*" in command and not {"'", '"'} & {*command}:
        tokens = [found for token in tokens for found in sorted(glob(token)) or [token]]
    if any(token in SHELL or "*" in token for token in tokens):
        return None
    stages = [list(group) for pipe, group in groupby(tokens, "|".__eq__) if not pipe]
    return (stages, target) if all(stage[0] == "retourne" for stage in stages) else None


def matches(shown: str, printed: str) -> bool:
    """Whether what was printed is what a document shows."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == VARIES else re.escape(line).replace(VARIES, ".*") + r"\n"
        for line in shown.rstrip().splitlines()
    )
    text = re.sub(HARD, " ", printed.rstrip("\n") + "\n")
    return re.fullmatch(re.sub(HARD, " ", pattern), text) is not None


def whole(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The matches a part may be of, one a game: a deal, or keys of a match."""
    if "format" in part:
        yield part
        return
    for name, seats in TABLES.items():
        deal = {"dealer": 1, "leader": 1, "bids": ["0-1"] * seats}  # what each game must have
        match = {"format": "retourne/1", "game": name, "deck": "retourne", "deals": [deal]}
        match["players"] = [{"id": f"player-{seat + 1}"} for seat in range(seats)]
        yield match | (part if part.keys() & KEYS else {"deals": [part]})
