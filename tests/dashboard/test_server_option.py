"""Commands with `--server` say of a store elsewhere what they say of one that is here."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import httpx
import pytest

from dashboard.queries import matches
from dashboard.store import Commands, close, store
from ingest.cli import http_client
from ingest.cli.app import run
from ingest.cli.terminal import Stop
from ingest.store import add, asked, tokens
from ingest.store.add import FileReport
from ingest.store.store import Store
from ingest.store.tokens import Role
from schemas.simulated import season
from tests.dashboard.browser import Server
from tests.dashboard.conftest import FAUTES, lines
from tests.dashboard.outside import Outside

pytestmark = pytest.mark.slow
Said = tuple[int, str, str]
Line = Callable[..., Said]


@pytest.fixture
def line(
    api_tokens: dict[str, str],
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> Line:
    """`line("check", path, role="reader")`: its exit code, what it wrote, and its errors."""

    def asked(*words: str, role: str = "admin") -> Said:
        monkeypatch.setenv("RETOURNE_TOKEN", api_tokens.get(role, ""))
        code = run([*words, "--lang", "en"])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return asked


@pytest.fixture
def club(tmp_path: Path) -> str:
    """A file of legal matches, a faulty and a torn one."""
    path = tmp_path / "club.jsonl"
    faulty = (FAUTES / "points-differ.json").read_text(encoding="utf-8").replace("\n", " ")
    path.write_text(f"{lines().decode()}{faulty}\n{{\n", encoding="utf-8")
    return str(path)


def test_check_says_there_what_it_says_here(line: Line, there: str, club: str) -> None:
    at = ("--server", there)
    here = line("check", club, "--format", "jsonl")
    assert line("check", club, "--format", "jsonl", *at) == here
    assert here[0] == 1
    code, text, _ = line("check", club, *at, role="reader")
    assert code == 1
    assert "Matches: 8 · legal: 6 · irregular: 1 · unreadable: 1" in text
    assert "the deal makes 0, 14" in text
    assert '"path": "/deals/0/points"' in text
    clean = Path(club).with_name("clean.jsonl")
    clean.write_bytes(lines())
    assert line("check", str(clean), *at)[0] == 0


def test_ingest_says_there_what_it_says_here(
    line: Line, there: str, club: str, tmp_path: Path
) -> None:
    before = matches.count(store().cursor())
    fresh = tmp_path / "fresh.jsonl"
    fresh.write_text(f'{{"format": "retourne/1", "id": "x"}}\n{Path(club).read_text()}', "utf-8")
    code, said, _ = line("ingest", str(fresh), "--server", there, role="contributor")
    assert said.splitlines()[0] == (
        f"{fresh}: added: 0 · already there: 7 · kept, not counted: 2 (irregular: 1, unreadable: 1)"
    )
    assert code == 1
    assert matches.count(store().cursor()) == before + 2
    code, said, _ = line("ingest", str(fresh), "--server", there, role="contributor")
    assert (code, said) == (0, f"{fresh}: added: 0 · already there: 9\n")


def test_what_is_no_log_and_what_is_not_there_is_told_beside_the_rest(
    line: Line, there: str, tmp_path: Path
) -> None:
    empty, missing = tmp_path / "empty.jsonl", tmp_path / "missing.jsonl"
    empty.touch()
    code, said, _ = line("ingest", str(empty), str(missing), "--server", there)
    assert code == 2
    assert f"{empty}: added: 0 · already there: 0 · refused: 1" in said
    assert f"{missing}: added: 0 · already there: 0 · refused: 1" in said
    code, said, _ = line("check", str(empty), str(missing), "--server", there)
    assert code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--table", "seats"),
        ("--table", "matches", "--format", "jsonl"),
        ("--logs",),
        ("--list",),
        ("m0",),
        ("m0", "m1"),
    ],
)
def test_export_writes_there_what_it_writes_here(
    line: Line, there: str, words: tuple[str, ...], path: Path
) -> None:
    asked = line("export", *words, "--server", there, role="reader")
    close()
    here = line("export", *words, "--store", str(path))
    assert asked == here


@pytest.mark.parametrize("format", ["jsonl", "csv", "table"])
@pytest.mark.parametrize(
    "words",
    [
        (),
        ("Jean",),
        ("--announcements",),
        ("--by", "month"),
        ("--by", "player"),
        ("--missed", "--since", "2026-03-02"),
        ("--winning",),
        ("--ladder",),
        ("--game", "coinche"),
    ],
)
@pytest.mark.sample(
    "words0-jsonl", "words1-csv", "words2-table", "words3-csv", "words5-jsonl", "words8-table"
)
def test_stats_shows_there_what_it_shows_here(
    line: Line, there: str, words: tuple[str, ...], format: str, path: Path
) -> None:
    code, asked, _ = line("stats", *words, "--format", format, "--server", there, role="nobody")
    close()
    assert code == 0
    assert asked == line("stats", *words, "--format", format, "--store", str(path))[1]


@pytest.fixture
def three(tmp_path: Path) -> list[str]:
    """Three files, of a match each that no store has yet."""
    match = json.loads((FAUTES / "points-differ.json").read_bytes())
    files = [tmp_path / f"{name}.json" for name in ("one", "two", "three")]
    for file in files:
        file.write_text(json.dumps(match | {"id": file.stem}), "utf-8")
    return [*map(str, files)]


def cut_at_the_second(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second answer of a server does not come."""
    answers = list[httpx.Response]()
    told = http_client.Server._lines

    def lines(server: http_client.Server, answer: httpx.Response) -> Iterator[Any]:
        answers.append(answer)
        if len(answers) == 2:
            raise server._broke_off("gone") if error is Stop else error
        return told(server, answer)

    monkeypatch.setattr(http_client.Server, "_lines", lines)


UNSAID = (
    " Files done: 1 · matches stored: 1 · files left out: 1. Whether {two} is stored the server"
    " did not say: it is stored whole or not at all. Give the command again: no match is stored"
    " twice.\n"
)


@pytest.mark.parametrize(
    ("error", "code", "first"),
    [
        (KeyboardInterrupt, 130, "Interrupted."),
        (Stop, 2, "Error: The server {there} broke off: gone."),
    ],
)
def test_who_is_cut_off_there_is_told_what_is_stored_and_of_what_nobody_knows(
    line: Line,
    there: str,
    three: list[str],
    error: type[BaseException],
    code: int,
    first: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut_at_the_second(error, monkeypatch)
    said = line("ingest", *three, "--server", there, "--quiet")
    assert said == (code, "", (first + UNSAID).format(there=there, two=three[1]))


def test_a_server_that_ends_says_that_the_rest_is_left_out(
    line: Line, there: str, three: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, done = matches.count(store().cursor()), list[FileReport]()
    monkeypatch.setattr(add, "taken", [done.append])
    ended = property(lambda self: len(done) == 1)
    monkeypatch.setattr(Commands, "ended", ended, raising=False)
    code, _, said = line("ingest", *three, "--server", there, "--quiet")
    assert (code, said) == (
        2,
        f"Error: The server {there} says: This was left before it was done: what was not finished"
        " was left out. Files done: 1 · matches stored: 1 · files left out: 2.\n",
    )
    assert matches.count(store().cursor()) == before + 1


def test_who_is_interrupted_here_is_told_what_is_stored(
    line: Line, three: list[str], path: Path
) -> None:
    done = list[FileReport]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(add, "taken", [done.append])
        before = asked.left.set(lambda: len(done) == 2)  # as Ctrl-C, before a transaction
        said = line("ingest", *three, "--store", str(path), "--quiet")
        asked.left.reset(before)
    told = "Interrupted. Files done: 2 · matches stored: 2 · files left out: 1.\n"
    assert said == (130, "", told)


def test_a_server_that_refuses_is_told_in_its_words(line: Line, there: str, club: str) -> None:
    code, _, said = line("ingest", club, "--server", there, role="reader")
    assert code == 2
    assert "it needs the role of a contributor" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("club.example", "is no address of a server"),
        ("ftp://club.example", "is no address of a server"),
        ("http://localhost:1", "cannot be reached"),
        ("http://", "is no address of a server"),
    ],
)
def test_an_address_where_nobody_is_is_one_sentence(
    line: Line, club: str, url: str, why: str
) -> None:
    for words in (("check", club), ("ingest", club), ("export", "--list"), ("stats",)):
        code, out, said = line(*words, "--server", url)
        assert (code, out) == (2, ""), words
        assert why in said
        assert len(said.splitlines()) == 1


def test_what_a_server_does_not_do_is_refused(line: Line, there: str, club: str) -> None:
    for words in (("--diff",), ("--rules", "lavardin"), ("--format", "sarif")):
        code, _, said = line("check", club, *words, "--server", there)
        assert code == 2
        assert "does not go with --server" in said


@pytest.mark.soak
def test_a_season_is_sent_game_by_game_while_pages_are_read(
    line: Line, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a playing site does it: each game as it ends, to the dashboard that people look at."""
    with Store(path) as opened:
        secret = tokens.add(opened, "site", Role.CONTRIBUTOR)
    played = list(season("chouine", 12, 5))
    with closing(Server(tmp_path / "log")) as server, server.showing(path) as address:
        read, ended = list[str](), threading.Event()

        def look() -> None:
            with Outside(address).visit() as visit:
                while not ended.is_set():
                    read.append(visit.run("parties"))

        looking = threading.Thread(target=look)
        looking.start()
        for match in played:
            log = BytesIO(json.dumps(match).encode())
            monkeypatch.setattr(sys, "stdin", TextIOWrapper(log))
            said = line("ingest", "-", "--server", address, "--token", secret)
            assert said == (0, "-: added: 1 · already there: 0\n", "")
        told = httpx.get(f"{address}/api/v1/matches?limit=500", timeout=60).json()["matches"]
        ended.set()
        looking.join()
    assert len(played) == 12
    assert {match["id"] for match in played} <= {one["log_id"] for one in told}
    assert read
