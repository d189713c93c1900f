"""`retourne lsp`, spoken with over standard input and output as an editor does."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.api import check_text
from tests.ingest.conftest import FAUTES

pytestmark = pytest.mark.slow

FAULTY = (FAUTES / "chouine" / "must-follow.json").read_text("utf-8")
LOG, NOTE = "file:///logs/faulty.json", "file:///logs/evening.txt"
Message = dict[str, Any]


class Editor:
    """An editor that speaks with the server it started."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "ingest.cli", "lsp", "--lang", "en"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.texts: dict[str, str] = {}
        self.last_id = 0

    def send(self, method: str, **more: Any) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> Message:
        assert self.process.stdout is not None
        size = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server has ended"
            name, _, value = line.partition(b":")
            size = int(value) if name == b"Content-Length" else size
        message: Message = json.loads(self.process.stdout.read(size))
        return message

    def ask(self, method: str, **params: Any) -> Any:
        self.last_id += 1
        self.send(method, id=self.last_id, params=params)
        while (answer := self.receive()).get("id") != self.last_id:
            pass
        return answer["result"]

    def diagnostics(self, version: int | None) -> list[Message]:
        """Wait for the diagnostics of a version of the text."""
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                if params.get("version") == version:
                    found: list[Message] = params["diagnostics"]
                    return found

    def open(self, uri: str, text: str) -> list[Message]:
        self.texts[uri] = text
        document = {"uri": uri, "languageId": "json", "version": 1, "text": text}
        self.send("textDocument/didOpen", params={"textDocument": document})
        return self.diagnostics(1)

    def change(self, uri: str, edit: Message, version: int) -> None:
        """Type an edit, and send only what changed."""
        lines = self.texts[uri].split("\n")
        (first, start), (last, end) = (
            (edit["range"][one]["line"], edit["range"][one]["character"]) for one in ("start", "end")
        )
        head = [*lines[:first], units(lines[first], 0, start) + edit["newText"] + units(lines[last], end)]
        self.texts[uri] = "\n".join([*head, *lines[last + 1 :]])
        content = {"range": edit["range"], "text": edit["newText"]}
        document = {"uri": uri, "version": version}
        self.send("textDocument/didChange", params={"textDocument": document, "contentChanges": [content]})

    def underlined(self, uri: str, found: Message) -> str:
        start, end = found["range"]["start"], found["range"]["end"]
        assert start["line"] == end["line"]
        return units(self.texts[uri].split("\n")[start["line"]], start["character"], end["character"])

    def fixes(self, uri: str, found: Message) -> list[Message]:
        answer: list[Message] = self.ask(
            "textDocument/codeAction",
            textDocument={"uri": uri},
            range=found["range"],
            context={"diagnostics": [found]},
        )
        return answer


def units(line: str, start: int, end: int | None = None) -> str:
    """A part of a line, counted in UTF-16 as editors do."""
    return line.encode("utf-16-le")[2 * start : None if end is None else 2 * end].decode("utf-16-le")


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    one = Editor()
    answer = one.ask("initialize", processId=None, rootUri=None, capabilities={})
    assert answer["serverInfo"]["name"] == "retourne"
    assert answer["capabilities"]["hoverProvider"]
    one.send("initialized", params={})
    yield one
    one.ask("shutdown")
    one.send("exit")
    assert one.process.communicate()[0] == b""
    assert one.process.returncode == 0


def test_a_revoke_is_underlined_at_its_card_and_corrected_by_an_edit(editor: Editor) -> None:
    [found] = editor.open(LOG, FAULTY)
    assert editor.underlined(LOG, found) == '"2 9h"'
    assert (found["code"], found["severity"], found["source"]) == ("must-follow", 1, "retourne")
    assert found["message"].startswith("Marcel (seat 2) plays 9♥ but must follow suit.")
    fixes = editor.fixes(LOG, found)
    [candidate] = [one for one in fixes if one["title"].startswith("Play 10♦ instead.")]
    assert (candidate["kind"], candidate["isPreferred"]) == ("quickfix", False)
    [edit] = candidate["edit"]["changes"][LOG]
    editor.change(LOG, edit, 2)
    assert [one["code"] for one in editor.diagnostics(2)] == [
        one.code for one in check_text(editor.texts[LOG]).findings
    ]
    assert editor.texts[LOG] == FAULTY.replace('"2 9h"', '"2 Td"')


def test_a_hover_shows_the_rule(editor: Editor) -> None:
    uri = "file:///logs/hover.json"
    [found] = editor.open(uri, FAULTY)
    shown = editor.ask(
        "textDocument/hover", textDocument={"uri": uri}, position=found["range"]["start"] | {"character": 45}
    )
    assert shown["range"] == found["range"]
    assert "**CH-8 Closed phase.**" in shown["contents"]["value"]
    nothing = {"line": 0, "character": 0}
    assert editor.ask("textDocument/hover", textDocument={"uri": uri}, position=nothing) is None


def test_places_count_as_editors_do(editor: Editor) -> None:
    """A character beyond the basic plane is two units of UTF-16."""
    log = {**json.loads(FAULTY), "players": [{"id": "lucie", "name": "🂡🂡 Lucie"}, {"id": "marcel"}]}
    uri = "file:///logs/lines.jsonl"
    line = json.dumps(log, ensure_ascii=False)
    found = editor.open(uri, f"\n{line}\n{line.replace('lucie', 'louise')}\n")
    shown = [one for one in found if one["code"] == "must-follow"]
    assert [one["range"]["start"]["line"] for one in shown] == [1, 2]
    assert [editor.underlined(uri, one) for one in shown] == ['"2 9h"'] * 2


def test_the_only_edit_is_preferred_and_leaves_nothing(editor: Editor) -> None:
    uri = "file:///logs/sheet.json"
    [found] = editor.open(uri, (FAUTES / "chouine" / "points-differ.json").read_text("utf-8"))
    [fix] = editor.fixes(uri, found)
    assert (fix["title"], fix["isPreferred"]) == ("Write 0 – 14.", True)
    editor.change(uri, fix["edit"]["changes"][uri][0], 2)
    assert editor.diagnostics(2) == []
    assert editor.fixes(uri, found) == []


def test_notes_are_underlined_with_the_readings_of_a_word(editor: Editor) -> None:
    players = "Joueurs : Anne, Odile, Émile, Yvon"
    found = editor.open(NOTE, f"Jeu : Belote\nRègles : picarde\n{players}\n\nAnne donne\nAnne prend à cœur\n")
    [question] = [one for one in found if editor.underlined(NOTE, one) == "picarde"]
    fixes = editor.fixes(NOTE, question)
    assert [one["title"] for one in fixes] == ["classique", "contree", "coinchee"]
    editor.change(NOTE, fixes[0]["edit"]["changes"][NOTE][0], 2)
    assert "Règles : classique\n" in editor.texts[NOTE]
    assert "picarde" not in {editor.underlined(NOTE, one) for one in editor.diagnostics(2)}


@pytest.mark.parametrize(
    ("uri", "text"), [("file:///package.json", '{"name": "site"}'), ("file:///LICENSE.txt", "MIT\n")]
)
def test_other_files_of_a_folder_are_left_alone(editor: Editor, uri: str, text: str) -> None:
    assert editor.open(uri, text) == []


def test_unfinished_json_is_underlined_and_a_closed_file_no_more(editor: Editor) -> None:
    uri = "file:///logs/typing.json"
    [found] = editor.open(uri, '{"format": "retourne/1", "game": "chouine", "players": [')
    assert (found["severity"], found["range"]["start"]["line"]) == (1, 0)
    editor.send("textDocument/didClose", params={"textDocument": {"uri": uri}})
    assert editor.diagnostics(None) == []


def test_without_pygls_the_command_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['pygls'] = None; from ingest.cli.app import run; sys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "lsp", "--lang", "en"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install '.[lsp]'" in done.stderr
