"""Commands with `--server` print the same as on a local store."""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import httpx
import pytest

from dashboard.api import rate_limits
from dashboard.queries import find, matches
from dashboard.store import CommandGate, close_store, open_store
from dashboard.web import auth_middleware
from dashboard.web.sign_in import FailedSignIns
from ingest import cancellation
from ingest.cli import app, http_client, shell_completion
from ingest.cli.app import run
from ingest.cli.common import CommandError
from ingest.i18n import translator
from ingest.store import baseline, ingest_files, tokens
from ingest.store.errors import DISK_FULL, NOTHING_STORED, StoreError
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport
from ingest.store.tokens import Role
from schemas.simulated import simulate_season
from tests.dashboard.browser import Server
from tests.dashboard.conftest import FAUTES, lines
from tests.dashboard.raw_client import Outside

pytestmark = pytest.mark.slow
Text = tuple[int, str, str]
Line = Callable[..., Text]


@pytest.fixture
def line(
    api_tokens: dict[str, str], capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Line:
    """`line("check", path, role="reader")`: its exit code, what it wrote, and its errors."""

    def queried(*words: str, role: str = "admin") -> Text:
        monkeypatch.setenv("RETOURNE_TOKEN", api_tokens.get(role, ""))
        code = run([*words, "--lang", "en"])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return queried


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
    assert "Matches: 7 · legal: 6 · irregular: 1 · unreadable texts: 1" in text
    assert "The cards played score 0, 14" in text
    assert '"path": "/deals/0/points"' in text
    clean = Path(club).with_name("clean.jsonl")
    clean.write_bytes(lines())
    assert line("check", str(clean), *at)[0] == 0


def test_ingest_says_there_what_it_says_here(line: Line, there: str, club: str, tmp_path: Path) -> None:
    before = matches.count_matches(open_store().cursor())
    fresh = tmp_path / "fresh.jsonl"
    fresh.write_text(f'{{"format": "retourne/1", "id": "x"}}\n{Path(club).read_text()}', "utf-8")
    code, result, _ = line("ingest", str(fresh), "--server", there, role="contributor")
    assert result.splitlines()[0] == (
        f"{fresh}: added: 0 · already there: 7 · added with findings: 2 (irregular: 1, unreadable: 1)"
    )
    assert code == 1
    assert matches.count_matches(open_store().cursor()) == before + 2
    code, result, _ = line("ingest", str(fresh), "--server", there, role="contributor")
    assert (code, result) == (0, f"{fresh}: added: 0 · already there: 9\n")


def test_import_finds_players_of_the_store_there_by_their_name(
    line: Line, there: str, tmp_path: Path
) -> None:
    log = json.loads(lines().splitlines()[0])
    log |= {"id": "u", "players": [{"id": "u17", "name": "Anne Roy"}, {"id": "u18", "name": "Luc"}]}
    known, sheet = tmp_path / "known.json", tmp_path / "results.csv"
    known.write_text(json.dumps(log), "utf-8")
    assert line("ingest", str(known), "--server", there)[0] == 0
    sheet.write_text("Game;Player 1;Player 2;Score\nChouine;Anne Roy;Luc;3 - 1\n", "utf-8")
    err = line("import", str(sheet), "--add", "--server", there, role="contributor")[2]
    assert "Players here already, found by their name: Anne Roy (u17), Luc (u18)" in err
    counts = "SELECT count(*) FROM seats JOIN players USING (player_no) WHERE player_id IN ('u17', 'u18')"
    assert open_store().cursor().execute(counts).fetchall() == [(4,)]


def test_what_is_no_log_and_what_is_not_there_is_reported_beside_the_rest(
    line: Line, there: str, tmp_path: Path
) -> None:
    empty, missing = tmp_path / "empty.jsonl", tmp_path / "missing.jsonl"
    empty.touch()
    code, result, _ = line("ingest", str(empty), str(missing), "--server", there)
    assert code == 2
    assert f"{empty}: added: 0 · already there: 0 · refused: 1" in result
    assert f"{missing}: added: 0 · already there: 0 · refused: 1" in result
    code, result, _ = line("check", str(empty), str(missing), "--server", there)
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
    requested = line("export", *words, "--server", there, role="reader")
    close_store()
    here = line("export", *words, "--store", str(path))
    assert requested == here


@pytest.mark.parametrize(
    "words", [("solve", "m0"), ("solve", "m1", "--deal", "2", "--format", "jsonl"), ("replay", "m0", "--all")]
)
def test_a_match_of_a_server_is_solved_and_replayed_as_one_here(
    line: Line, there: str, words: tuple[str, ...], path: Path
) -> None:
    requested = line(*words, "--server", there, role="reader")
    close_store()
    assert requested == line(*words, "--store", str(path))
    assert requested[0] == 0


@pytest.mark.parametrize("command", ["solve", "replay"])
def test_a_file_is_not_looked_for_on_a_server(line: Line, there: str, club: str, command: str) -> None:
    code, out, result = line(command, club, "--server", there)
    assert (code, out) == (2, "")
    assert result == (
        f"Error: {club} is a file here, but --server reads matches stored there: "
        "remove --server, or give the match’s id.\n"
    )


def test_a_store_is_copied_from_a_server_and_into_it(line: Line, there: str, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.duckdb", tmp_path / "other.duckdb"
    code, out, _ = line("copy", there, str(copy), "--format", "jsonl")
    done = json.loads(out)
    assert (code, done["same"], done["already_stored"]) == (0, True, 0)
    assert done["added"] == matches.count_matches(open_store().cursor())
    assert line("ingest", str(FAUTES / "points-differ.json"), "--store", str(other))[0] == 1
    code, out, _ = line("copy", str(other), there)
    assert code == 0
    assert "Matches added: 1 · there already: 0" in out
    assert "Read again and compared: the copy is identical." in out
    assert matches.count_matches(open_store().cursor()) == done["added"] + 1


def test_a_copy_from_or_to_a_server_is_for_admins(line: Line, there: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.duckdb")
    refused = line("copy", there, copy, role="contributor")
    assert refused[:2] == (2, "")
    assert "it needs the role admin." in refused[2]


def test_one_of_the_stores_copied_is_here(line: Line, there: str) -> None:
    assert line("copy", there, there) == (
        2,
        "",
        "Error: One of the two stores must be here: back one up first, retourne backup FILE "
        f"--server {there}, and copy FILE.\n",
    )


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
    "words0-jsonl", "words1-table", "words2-table", "words3-csv", "words5-jsonl", "words8-table"
)
def test_stats_shows_there_what_it_shows_here(
    line: Line, there: str, words: tuple[str, ...], format: str, path: Path
) -> None:
    code, requested, _ = line("stats", *words, "--format", format, "--server", there, role="nobody")
    close_store()
    assert code == 0
    assert requested == line("stats", *words, "--format", format, "--store", str(path))[1]


def test_what_is_sent_is_half_of_it_and_what_the_server_has_stored_the_other(
    there: str, club: str, api_tokens: dict[str, str]
) -> None:
    heard, size = list[int](), Path(club).stat().st_size
    with http_client.ServerClient(there, api_tokens["contributor"], translator("en")) as server:
        [report] = server.ingest_files([Path(club)], lambda name, done: heard.append(done))
    assert report.duplicates + report.added == 8
    assert heard == sorted(heard)
    assert size // 2 in heard
    assert heard[-1] == size


@pytest.fixture
def three(tmp_path: Path) -> list[str]:
    """Three files, of a match each that no store has yet."""
    match = json.loads((FAUTES / "points-differ.json").read_bytes())
    files = [tmp_path / f"{name}.json" for name in ("one", "two", "three")]
    for file in files:
        own = {"id": file.stem, "players": [{"id": f"{file.stem}-1"}, {"id": f"{file.stem}-2"}]}
        file.write_text(json.dumps(match | own), "utf-8")
    return [*map(str, files)]


@pytest.mark.parametrize("served", [False, True])
def test_what_comes_in_two_files_is_counted_as_twice_in_the_second(
    line: Line, there: str, three: list[str], tmp_path: Path, path: Path, served: bool
) -> None:
    both = tmp_path / "both.jsonl"
    both.write_text("".join(f"{Path(one).read_text('utf-8')}\n" for one in three[:2]), "utf-8")
    where = ("--server", there) if served else ("--store", str(path.with_name("new.duckdb")))
    empty = tmp_path / "empty.json"
    empty.touch()
    files = (three[0], str(both), str(empty), str(both), three[2])
    for known in ([0, 1, 0, 2, 0], [1, 2, 0, 2, 1]):
        items = line("ingest", *files, *where, "--format", "jsonl")[1].splitlines()
        found = [(one["already_stored"], one["repeated"]) for one in map(json.loads, items)]
        assert found == list(zip(known, [0, 1, 0, 2, 0], strict=True))


def cut_at_the_second(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second answer of a server does not come."""
    answers = list[httpx.Response]()
    result = http_client.ServerClient._json_lines

    def lines(server: http_client.ServerClient, answer: httpx.Response) -> Iterator[Any]:
        answers.append(answer)
        if len(answers) == 2:
            raise server._connection_error("gone") if error is CommandError else error
        return result(server, answer)

    monkeypatch.setattr(http_client.ServerClient, "_json_lines", lines)


UNSAID = (
    " Files done: 1 · matches stored: 1 · files skipped: 1. The server did not confirm"
    " {two}: it is stored whole or not at all. Run the command again: no match is stored twice.\n"
)


@pytest.mark.parametrize(
    ("error", "code", "first"),
    [
        (KeyboardInterrupt, 130, "Interrupted."),
        (CommandError, 2, "Error: The server {there} broke off: gone."),
    ],
)
def test_a_connection_cut_off_there_reports_what_is_stored_and_what_is_unknown(
    line: Line,
    there: str,
    three: list[str],
    error: type[BaseException],
    code: int,
    first: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut_at_the_second(error, monkeypatch)
    result = line("ingest", *three, "--server", there, "--quiet")
    assert result == (code, "", (first + UNSAID).format(there=there, two=three[1]))


def test_a_server_that_ends_says_that_the_rest_is_left_out(
    line: Line, there: str, three: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, done = matches.count_matches(open_store().cursor()), list[FileReport]()
    monkeypatch.setattr(ingest_files, "file_stored_listeners", [done.append])
    ended = property(lambda self: len(done) == 1)
    monkeypatch.setattr(CommandGate, "is_cancelled", ended, raising=False)
    code, _, result = line("ingest", *three, "--server", there, "--quiet")
    assert (code, result) == (
        2,
        f"Error: The server {there} answered: The client left before the end. Unfinished"
        " matches were not stored. Files done: 1 · matches stored: 1 · files skipped: 2.\n",
    )
    assert matches.count_matches(open_store().cursor()) == before + 1


def test_a_file_for_which_the_disk_there_was_too_full_is_left_out(
    line: Line, there: str, three: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store_file = ingest_files._store_file

    def full(store: Store, name: str, *how: Any) -> FileReport:
        if name == three[1]:
            raise StoreError(DISK_FULL, left=NOTHING_STORED)
        return store_file(store, name, *how)

    monkeypatch.setattr(ingest_files, "_store_file", full)
    assert line("ingest", *three, "--server", there, "--quiet") == (
        2,
        "",
        f"Error: The server {there} answered: The disk is full. Nothing of this file was stored. Make"
        " room and try again. Files done: 1 · matches stored: 1 · files skipped: 2.\n",
    )


def test_an_interruption_here_reports_what_is_stored(line: Line, three: list[str], path: Path) -> None:
    done = list[FileReport]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest_files, "file_stored_listeners", [done.append])
        before = cancellation.is_cancelled.set(lambda: len(done) == 2)  # as Ctrl-C, before a transaction
        result = line("ingest", *three, "--store", str(path), "--quiet")
        cancellation.is_cancelled.reset(before)
    text = "Interrupted. Files done: 2 · matches stored: 2 · files skipped: 1.\n"
    assert result == (130, "", text)


def test_what_is_not_there_is_reported_there_in_the_words_of_here(line: Line, there: str, path: Path) -> None:
    every = [("stats", "Nobody"), ("stats", "Jaen"), ("export", "nosuch"), ("token", "revoke", "x")]
    requested = [line(*words, "--server", there) for words in every]
    close_store()
    for words, (code, out, result) in zip(every, requested, strict=True):
        here = line(*words, "--store", str(path))
        assert (code, out) == here[:2] == (2, "")
        assert result.replace(f"The server {there} answered: ", "") == here[2] != result, words


def test_where_nothing_is_to_be_counted_there_all_is_well(line: Line, there: str) -> None:
    result = line("stats", "--game", "coinche", "--player-count", "3", "--server", there)
    assert result == (0, "", "The store has no deals of that game and number of players to count.\n")


def test_a_store_beside_a_server_is_not_passed_over(
    line: Line, there: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, result = line("export", "--list", "--server", there, "--store", str(path))
    assert (code, out, result) == (2, "", "Error: --store cannot be combined with --server.\n")
    monkeypatch.setenv("RETOURNE_STORE", str(path))  # where one works most days
    assert line("export", "--list", "--server", there)[0] == 0


def test_no_cluster_is_passed_over_where_a_server_works(line: Line, there: str) -> None:
    code, _, result = line("revalidate", "--scheduler", "local:2", "--server", there)
    assert (code, result) == (2, "Error: --scheduler cannot be combined with --server.\n")


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("export m", {"m0", "m5"}),
        ("stats Je", {"Jean"}),
        ("purge je", {"jean"}),
        ("mask je", {"jean"}),
        ("token revoke", {"a\\ reader", "a\\ admin"}),
        ("unmask", set()),
    ],
)
def test_a_line_that_asks_a_server_goes_on_with_what_it_has(
    there: str,
    words: str,
    some: set[str],
    api_tokens: dict[str, str],
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *command, typed = words.split() if some and words != "token revoke" else [*words.split(), ""]
    line = " ".join(["retourne", *command, "--server", there, typed])
    monkeypatch.setenv("RETOURNE_TOKEN", api_tokens["admin"])
    monkeypatch.setattr(shell_completion, "STORE_TIMEOUT_SECONDS", 60.0)  # a busy machine answers too
    monkeypatch.setenv(shell_completion.COMPLETE_VARIABLE, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(command) + 3))
    assert shell_completion.print_completions(app.complete_shell_word) == 0
    out = capfdbinary.readouterr()[0].decode().split("\n")
    out = [one for one in out if one]
    assert some <= {*out}
    assert bool(out) is bool(some)


def test_a_server_that_refuses_is_reported_in_its_words(line: Line, there: str, club: str) -> None:
    code, _, result = line("ingest", club, "--server", there, role="reader")
    assert code == 2
    assert "it needs the role contributor." in result
    assert "Traceback" not in result


def test_contributors_delete_what_they_added_and_bring_it_back(
    line: Line, there: str, tmp_path: Path
) -> None:
    by, own = {"role": "contributor"}, tmp_path / "own.json"
    own.write_text(json.dumps(next(simulate_season("chouine", 1, 77)) | {"id": "own"}), encoding="utf-8")
    assert line("ingest", str(own), "--server", there, **by)[0] == 0
    assert line("delete", "m0", "--server", there)[0] == 0
    assert line("undelete", "--list", "--server", there, **by) == (0, "", "")
    code, result, _ = line("delete", "own", "--server", there, **by)
    assert (code, result) == (0, "Deleted: 1. They come back with: retourne undelete 2\n")
    assert line("undelete", "--list", "--server", there, **by)[1].split("\t")[0] == "2"
    assert line("undelete", "--server", there, **by)[1].startswith("Restored: 1")
    for words in (("delete", "m1"), ("undelete", "1"), ("undelete", "--empty")):
        code, _, result = line(*words, "--server", there, **by)
        assert (code, "it needs the role admin." in result) == (2, True), words
    assert "No deletion 9" in line("undelete", "9", "--server", there, **by)[2]
    assert line("delete", "own", "--server", there, role="reader")[0] == 2


def test_readers_see_what_stands_beside_chance_once_it_was_simulated(
    line: Line, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "DEFAULT_DEALS", 20)
    requested = ("stats", "--baseline", "--habit", "careful", "--format", "csv", "--server", there)
    code, _, result = line(*requested, role="reader")
    assert (code, "Contributors can start the simulation." in result) == (2, True)
    simulated = line(*requested, role="contributor")
    assert simulated[0] == 0
    assert line(*requested, role="reader") == simulated


def test_a_wrong_token_ends_at_once_however_often_it_is_shown(
    line: Line, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth_middleware, "_failures", FailedSignIns())
    requested = ("export", "--list", "--server", there, "--token", "retourne_no")
    items = [line(*requested)[2] for _ in range(11)]
    assert all("This token is not valid" in one for one in items[:10])
    waits = re.search(r"Too many invalid tokens .* again in (\d+) seconds", items[10])
    assert waits is not None
    assert 200 < int(waits[1]) <= 300


def test_a_busy_server_is_asked_again_and_that_is_reported(
    line: Line, there: str, club: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = rate_limits.check_slots
    none = rate_limits.ClientSlots(0, 1, rate_limits.TOO_MANY_UPLOADS)
    monkeypatch.setattr(rate_limits, "check_slots", none)
    monkeypatch.setattr(rate_limits, "RETRY_AFTER_SECONDS", 0)
    monkeypatch.setattr(http_client, "ANNOUNCED_PAUSE", 0)
    items = list[str]()

    def hear(sentence: str) -> None:
        items.append(sentence)
        monkeypatch.setattr(rate_limits, "check_slots", free)

    monkeypatch.setattr(http_client, "print_notice", hear)
    assert line("check", club, "--server", there)[0] == 1
    assert items == [f"The server {there} is busy. Trying again in 0 seconds."]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("club.example", "is not the address of a server"),
        ("ftp://club.example", "is not the address of a server"),
        ("http://localhost:1", "cannot be reached"),
        ("http://", "is not the address of a server"),
    ],
)
def test_an_address_where_nobody_is_is_one_sentence(line: Line, club: str, url: str, why: str) -> None:
    for words in (("check", club), ("ingest", club), ("export", "--list"), ("stats",), ("solve", "m0")):
        code, out, result = line(*words, "--server", url)
        assert (code, out) == (2, ""), words
        assert why in result
        assert len(result.splitlines()) == 1


@contextmanager
def impostor(
    answer: bytes, kind: str = "application/json", status: int = 200
) -> Iterator[tuple[str, list[str]]]:
    """A server that answers all by the same; its address, and what was asked with a token."""
    shown = list[str]()

    class Same(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            shown.extend([self.path] if "Authorization" in self.headers else [])
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Same) as server:
        work = threading.Thread(target=server.serve_forever, args=(0.01,))
        work.start()
        yield f"http://127.0.0.1:{server.server_port}/foo", shown
        server.shutdown()
        work.join()


ABSENT = "Error: No Retourne server answers at {url}. Check the address, or start one: retourne serve\n"
REQUESTING = (
    ("check", "{club}"),
    ("ingest", "{club}"),
    ("export", "--list"),
    ("export", "m0"),
    ("stats",),
    ("verify",),
    ("backup", "{club}.copy"),
    ("restore", "{club}"),
    ("token", "list"),
)
"""Commands that ask a server, each in a way of its own."""


@pytest.mark.parametrize("answer", ["{}", "[]", "null", "1", '"version"', "<!doctype html>", ""])
def test_what_is_no_retourne_is_one_sentence_and_sees_no_token(line: Line, club: str, answer: str) -> None:
    with impostor(answer.encode()) as (url, shown):
        items = [line(*(one.format(club=club) for one in words), "--server", url) for words in REQUESTING]
    expected = ABSENT.format(url=url)
    assert items == [(2, "", expected)] * len(REQUESTING)
    assert shown == []


ODD_ANSWERS = (
    b'{"version": "retourne 9", "matches": [1], "done": "x"}',
    b'{"version": "retourne 9", "tokens": 1, "rows": [1], "players": [{}], "deletions": [[]], "old": {}}',
    b'{"version": "retourne 9", "result": {"tokens": [{}], "wrong": [], "changes": null}, "rows": {}}',
    b'{"version": "retourne 9", "rows": [{"a": 1}], "game": "chouine", "tokens": [{}]}',
)
"""Answers that begin as Retourne's and go on otherwise."""
ODDLY_ANSWERED = (
    *(("check", "{club}"), ("ingest", "{club}"), ("export", "--list"), ("verify",), ("restore", "{club}")),
    *(("stats",), ("stats", "--ladder"), ("stats", "Jean"), ("stats", "--baseline"), ("undelete", "--list")),
    *(("token", "list"), ("token", "add", "x", "--role", "reader")),
    *(("mask", "x"), ("whois", "x"), ("delete", "m0"), ("versions", "m0"), ("revalidate",)),
    *(("purge", "x", "--yes"), ("webhook", "list"), ("player", "undo")),
    *(("player", "merge", "a", "b"), ("player", "duplicates"), ("player", "undo", "--list")),
)


@pytest.mark.parametrize(
    ("answer", "kind"), list(zip(ODD_ANSWERS, ["application/json", http_client.LINES] * 2, strict=True))
)
def test_what_answers_as_no_retourne_does_is_one_sentence(
    line: Line, club: str, answer: bytes, kind: str
) -> None:
    ends = dict[tuple[str, ...], tuple[int, str]]()
    with impostor(answer, kind) as (url, _):
        for words in ODDLY_ANSWERED:
            code, _, result = line(*(one.format(club=club) for one in words), "--server", url)
            ends[words] = (code, result)
        odd = {words: end for words, end in ends.items() if end[0] != 2 or url not in end[1].splitlines()[-1]}
    assert odd == {}


def test_a_problem_that_is_none_of_retourne_is_one_sentence(line: Line) -> None:
    odd = b'{"title": "x", "version": "retourne 9", "errors": [1]}'
    with impostor(odd, http_client.PROBLEM_TYPE, 422) as (url, _):
        for words in (("verify",), ("stats",), ("token", "list"), ("export", "--list"), ("solve", "m0")):
            result = line(*words, "--server", url)
            assert result == (2, "", ABSENT.format(url=url)), words


def test_a_server_is_asked_what_it_is_once_and_without_the_token(
    line: Line, there: str, three: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    requested, send = list[tuple[str, bool]](), httpx.Client.send

    def heard(client: httpx.Client, request: httpx.Request, **how: Any) -> httpx.Response:
        requested.append((request.url.path, "Authorization" in request.headers))
        return send(client, request, **how)

    monkeypatch.setattr(httpx.Client, "send", heard)
    line("ingest", *three, "--server", there)
    assert requested == [
        ("/api/v1/commands", False),
        *[("/api/v1/logs", True)] * 3,
        ("/api/v1/commands/player-duplicates", True),
    ]


@pytest.mark.parametrize("token", ["retourne_é", "retourne_a\nb", "retourne_a ", "retourne_\x1b"])
def test_a_token_that_cannot_be_sent_is_one_sentence_without_it(line: Line, there: str, token: str) -> None:
    result = line("export", "--list", "--server", there, "--token", token)
    sentence = "The token has a character that no token has: copy it again, and nothing else."
    assert result == (2, "", f"Error: {sentence}\n")


def test_what_a_server_does_not_do_is_refused(line: Line, there: str, club: str) -> None:
    for words in (("--diff",), ("--preset", "lavardin"), ("--format", "sarif")):
        code, _, result = line("check", club, *words, "--server", there)
        assert code == 2
        assert "cannot be combined with --server" in result


@pytest.mark.soak
def test_a_season_is_sent_game_by_game_while_pages_are_read(
    line: Line, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a playing site does it: each game as it ends, to the dashboard that people look at."""
    with Store(path) as opened:
        secret = tokens.add_token(opened, "site", Role.CONTRIBUTOR)
    played = list(simulate_season("chouine", 12, 5))
    with closing(Server(tmp_path / "log")) as server, server.showing(path) as address:
        read, ended = list[str](), threading.Event()

        def look() -> None:
            with Outside(address).visit() as visit:
                while not ended.is_set():
                    read.append(visit.run("rencontres"))

        looking = threading.Thread(target=look)
        looking.start()
        for match in played:
            log = BytesIO(json.dumps(match).encode())
            monkeypatch.setattr(sys, "stdin", TextIOWrapper(log))
            output = line("ingest", "-", "--server", address, "--token", secret)
            assert output == (0, "-: added: 1 · already there: 0\n", "")
        result = httpx.get(f"{address}/api/v1/matches?limit=500", timeout=60).json()["matches"]
        ended.set()
        looking.join()
    assert len(played) == 12
    assert {match["id"] for match in played} <= {one["log_id"] for one in result}
    assert read


def test_find_finds_there_what_it_finds_here(line: Line, there: str) -> None:
    words = "find", "won or lost", "--format", "jsonl", "-n", "500"
    code, served, errors = line(*words, "--server", there, role="reader")
    assert (code, errors) == (0, "")
    rows = find.find_deals(open_store().cursor(), find.read_search("won or lost"), 500).deals
    assert rows.height > 200
    assert served == rows.write_ndjson()
