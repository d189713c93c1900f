"""Commands run on a server: pages show their changes at once, and none ends the server."""

import asyncio
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import IO, Any

import duckdb
import httpx
import pytest
from starlette import formparsers

from dashboard import authentication
from dashboard import store as opened
from dashboard.api import commands, uploads
from dashboard.api.commands import OwningResponse
from dashboard.queries import matches
from ingest.cancellation import check_cancelled
from ingest.cli.app import run
from ingest.cli.http_client import ServerClient
from ingest.i18n import translator
from ingest.operations import maintenance
from ingest.store import backup, purge, server_hosts, trash
from ingest.store.errors import StoreError
from ingest.store.temporary_files import temporary_sibling
from ingest.store.verify import VerifyProgress
from tests.dashboard.api import Client, is_problem, listening
from tests.ingest.conftest import earlier
from tests.shared import another
from tests.waiting import comes

Ask = Callable[..., tuple[int, str, str]]
Clients = dict[str, Client]
KEY = "a key of this process"
PAGES = "https://club.example"


@pytest.fixture
def at(games: Path) -> Iterator[str]:
    """The address of a server that lets commands in by KEY."""
    with listening() as address:
        authentication.set_local_key(KEY, PAGES)
        yield address
        authentication.set_local_key("", None)


@pytest.fixture
def ask(at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Ask:
    """`ask("delete", "m0")`: a command; its code, what it wrote, and its errors."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        code = run([*words, "--lang", "en", "--server", at, "--token", KEY])
        return code, *capfd.readouterr()

    return command


@pytest.mark.slow
def test_a_token_made_while_the_store_is_served_comes_with_the_whole_link(ask: Ask) -> None:
    code, secret, result = ask("token", "add", "zoe", "--role", "reader")
    assert code == 0
    assert result.splitlines()[-1].endswith(f": {PAGES}/in#{secret.strip()}")


@pytest.mark.slow
def test_pages_show_what_a_command_has_changed(ask: Ask) -> None:
    assert opened.cached_query(matches.count_matches) == 9
    assert ask("backup", "copy.duckdb")[0] == 0
    assert ask("delete", "m0")[0] == 0
    assert opened.cached_query(matches.count_matches) == 8
    assert ask("undelete")[0] == 0
    assert opened.cached_query(matches.count_matches) == 9
    assert ask("purge", "m1", "--yes")[0] == 0
    assert opened.cached_query(matches.count_matches) == 8
    code, result, _ = ask("restore", "copy.duckdb")
    assert (code, "is that of copy.duckdb" in result) == (0, True)
    assert opened.cached_query(matches.count_matches) == 9


@pytest.mark.slow
def test_what_to_type_next_goes_to_the_server_that_was_asked(ask: Ask, at: str) -> None:
    assert ask("backup", "copy.duckdb")[0] == 0
    result = ask("purge", "m1", "--yes")[1]
    assert f"make a new backup: retourne backup FILE --server {at}\n" in result
    assert "Copies on the server’s computer, next to the store" in result
    result = ask("restore", "copy.duckdb")[1]
    assert f"To check it: retourne verify --server {at}\n" in result
    assert "The replaced store is still on the server’s computer: " in result
    assert "--store" not in result


def test_from_afar_no_path_of_the_server_is_to_be_typed(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "base_url", PAGES)
    opened.open_store().cursor().execute("UPDATE matches SET rules_version = 0")
    result = _problem(_sent(api, "revalidate", {"preset": "lavardin"}))["detail"]
    assert result.endswith(f"Refresh them first: retourne revalidate --server {PAGES}")


@pytest.mark.slow
def test_a_backup_comes_whole_for_its_user_alone_or_not_at_all(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy.duckdb"
    assert ask("backup", "copy.duckdb")[1].endswith("copy.duckdb. Matches: 9\n")
    assert copy.stat().st_mode & 0o777 == 0o600
    before = copy.read_bytes()
    monkeypatch.setattr(backup, "sha256_of", lambda path: path.name.encode())  # never the same
    code, _, result = ask("backup", "copy.duckdb")
    assert (code, "differs from the store and was deleted" in result) == (2, True)
    assert copy.read_bytes() == before
    # the server removes its own once it has sent it
    comes(lambda: not [one for one in tmp_path.iterdir() if ".part" in one.name])


def test_a_backup_from_afar_is_named_after_the_store_there_and_thins_no_other_s(
    ask: Ask, games: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    ours, theirs = (folder / f"{name}-2020-01-01-031500.duckdb" for name in (games.stem, "retourne"))
    same_name = folder / f"{games.stem}-2020-01-02-031500.duckdb"
    shutil.copy(games, ours)
    for other in (theirs, same_name):
        another(other)
    code, result, _ = ask("backup", "copies/", "--keep-last", "1")
    assert (code, "Older backups removed: 1" in result) == (0, True)
    made = [one.name for one in folder.iterdir() if one not in (theirs, same_name)]
    assert [backup.backup_name_pattern(games).fullmatch(one) is not None for one in made] == [True]
    assert (ours.exists(), theirs.exists(), same_name.exists()) == (False, True, True)


@pytest.mark.parametrize(
    ("reported", "called"),
    [
        ({"store": "club.duckdb"}, "club.duckdb"),
        ({"store": "../../club.duckdb"}, "club.duckdb"),
        ({"store": "/etc/passwd"}, "passwd"),
        ({"store": ".."}, "retourne.duckdb"),
        ({"store": "a\0b"}, "retourne.duckdb"),
        ({"store": ""}, "retourne.duckdb"),
        ({}, "retourne.duckdb"),
    ],
)
def test_no_name_that_a_server_says_leads_out_of_the_folder(
    reported: dict[str, str], called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServerClient, "get_json", lambda *_: reported)
    with ServerClient(PAGES, None, translator("en")) as server:
        assert server.called() == Path(called)


def test_a_backup_from_afar_does_not_replace_the_file_under_its_server(ask: Ask, games: Path) -> None:
    before = games.read_bytes()
    with server_hosts.server_file(games, PAGES, "1"):
        for more in ((), ("--force",)):
            code, _, result = ask("backup", str(games), *more)
            assert (code, "is a store in use by a server" in result) == (2, True)
    assert games.read_bytes() == before


@pytest.mark.slow
def test_what_is_no_backup_is_refused_and_the_store_stays(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "no.duckdb").write_bytes(b"x" * 5000)
    code, _, result = ask("restore", "no.duckdb")
    assert (code, "no.duckdb cannot be put in the place of the store" in result) == (2, True)
    assert ask("restore", "nothing.duckdb")[0] == 2
    assert opened.cached_query(matches.count_matches) == 9


def test_a_backup_that_no_version_reads_is_reported_by_the_name_it_was_given(
    ask: Ask, tmp_path: Path
) -> None:
    """The server has it under another name, and far away from the reader of that answer."""
    (tmp_path / "old.duckdb").write_bytes(earlier())
    code, _, result = ask("restore", "old.duckdb")
    assert (code, result.count("old.duckdb"), ".part" in result) == (2, 2, False)
    assert "retourne ingest old.duckdb --store old.new.duckdb" in result


def test_a_store_sent_to_be_copied_is_reported_by_the_name_it_was_given(at: str, games: Path) -> None:
    other = games.with_name("other.duckdb")
    backup.backup(opened.open_store(), other)
    with duckdb.connect(str(other)) as spoilt:
        spoilt.execute("DELETE FROM raw")
    opened.open_store().cursor().execute("DELETE FROM matches")
    address = f"{at}/api/v1/commands/copy?name=section.duckdb"
    answer = httpx.post(address, headers=BEARER, content=other.read_bytes(), timeout=60)
    result = json.loads(answer.text.splitlines()[-1])["problem"]["detail"]
    assert result.startswith("The store section.duckdb is not whole.")


@pytest.mark.slow
def test_what_goes_wrong_in_a_command_ends_it_alone(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(trash, "list_deletions", fail)
        code, _, result = ask("undelete", "--list")
        assert (code, "disk is full" in result.lower() or result) == (2, True)
    assert ask("undelete", "--list") == (0, "", "")


@pytest.mark.slow
def test_a_store_for_which_there_is_no_room_is_reported_as_a_full_disk(
    ask: Ask, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask("backup", "copy.duckdb")[0] == 0
    monkeypatch.setattr(commands, "_backup_target", lambda: nullcontext(Path("/dev/full")))
    code, out, result = ask("restore", "copy.duckdb")
    full = "The disk is full. Nothing was changed. Make room and try again."
    assert (code, out, result) == (2, "", f"Error: The server {at} answered: {full}\n")
    assert opened.cached_query(matches.count_matches) == 9


@pytest.mark.parametrize("form", [False, True])
def test_logs_for_which_there_is_no_room_are_reported_as_a_full_disk(
    api: Clients, form: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> IO[bytes]:
        return open("/dev/full", "w+b")

    monkeypatch.setattr(formparsers if form else uploads, "SpooledTemporaryFile", full)
    how: dict[str, Any] = {"files": {"file": b"{}"}} if form else {"content": b"{}"}
    problem = api["admin"].ask("POST", "/logs", **how).json()
    message = "The disk is full. Nothing of this file was stored. Make room and try again."
    assert (problem["status"], problem["detail"]) == (503, message)


@pytest.mark.slow
def test_a_fault_in_what_takes_long_is_the_problem_on_its_last_line(
    at: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(store: object) -> Iterator[VerifyProgress]:
        yield VerifyProgress(0, 2, [])
        raise ZeroDivisionError

    monkeypatch.setattr(maintenance, "verified", fail)
    answer = httpx.post(f"{at}/api/v1/commands/verify", headers=BEARER, timeout=60)
    *_, last = map(json.loads, answer.text.splitlines())
    assert (answer.status_code, last["problem"]["status"]) == (200, 500)
    assert "ZeroDivisionError" in caplog.text  # for who serves


BEARER = {"Authorization": f"Bearer {KEY}"}


@pytest.mark.slow
def test_what_nobody_waits_for_any_more_is_left(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after Ctrl-C: between two batches, which is between two transactions."""
    left = threading.Event()

    def endless(store: object) -> Iterator[VerifyProgress]:
        try:
            for done in range(1_000_000):
                check_cancelled()
                left.wait(0.01)
                yield VerifyProgress(done, 1_000_000, [])
        finally:
            left.set()

    monkeypatch.setattr(maintenance, "verified", endless)
    with httpx.stream("POST", f"{at}/api/v1/commands/verify", headers=BEARER, timeout=60) as answer:
        fields = json.loads(next(answer.iter_lines()))
        assert fields == {"done": 0, "total": 1_000_000}
        assert not left.is_set()
    comes(left.is_set)
    comes(opened.command_gate.is_free)


@pytest.mark.slow
def test_the_key_opens_the_api_alone_and_no_longer_than_it_is_served(at: str) -> None:
    def status(path: str, **headers: str) -> int:
        return httpx.get(f"{at}{path}", headers={**BEARER, **headers}, timeout=60).status_code

    assert status("/api/v1/commands") == 200
    assert status("/api/v1/matches") == 200
    assert status("/", Accept="text/html") == 401
    assert status("/_stcore/metrics") == 401
    authentication.set_local_key("another", None)
    assert status("/api/v1/commands") == 401
    authentication.set_local_key("", None)
    assert status("/api/v1/commands", Authorization="Bearer x") == 401


COMMANDS = [
    *("delete", "undelete", "deletions", "empty-trash", "mask", "unmask", "whois", "purge"),
    *("tokens", "add-token", "revoke-token", "set-access", "webhooks", "add-webhook", "remove-webhook"),
    *("sessions", "end-session"),
    *("revalidate", "solve-endgames", "verify", "outdated-verdicts", "simulate-baseline"),
    *("sheet-mappings", "remember-sheet", "forget-sheet"),
    *("save-search", "remove-search", "restore-search"),
    *("match-changes", "match-different", "match-duplicates", "match-same", "match-undo"),
    *("backup", "restore", "copy", "list-versions", "restore-version"),
    *(f"player-{name}" for name in ("merge", "rename", "split", "undo")),
    *(f"player-{name}" for name in ("changes", "duplicates", "different")),
    "players-named",
]


OWN = (
    *("delete", "undelete", "deletions", "list-versions", "restore-version", "player-duplicates"),
    *("sheet-mappings", "remember-sheet", "forget-sheet", "players-named"),
    *("save-search", "remove-search", "restore-search"),
)
FOR_READERS = ("simulate-baseline", "sessions", "end-session")
LEAST = {**dict.fromkeys(OWN, "contributor"), **dict.fromkeys(FOR_READERS, "reader")}


def test_commands_are_for_the_admin_but_those_that_undo_ones_own(api: Clients) -> None:
    document = api["nobody"].get("/openapi.json").json()["paths"]
    below = "/commands/"
    assert {one.removeprefix(below) for one in document if one.startswith(below)} == {*COMMANDS}
    for name in COMMANDS:
        result = document[f"/commands/{name}"]["post"]
        least = LEAST.get(name, "admin")
        assert result["security"] == [*([{}] if least == "reader" else []), {"bearer": [least]}]
        assert result["description"]
        at = f"/commands/{name}"
        if "application/json" in result.get("requestBody", {}).get("content", {}):
            assert is_problem(api["admin"].post(at, b'{"x": 1}', "application/json"), 422), name
        if least != "reader":
            assert is_problem(api["nobody"].post(at, b"{}", "application/json"), 401), name
        roles = ("reader", "contributor", "admin")
        for role in roles[: roles.index(least)]:
            assert is_problem(api[role].post(at, b"{}", "application/json"), 403), name


def test_an_admin_far_away_may_not_reach_into_the_network_of_the_server(api: Clients) -> None:
    for name, requested in (
        ("add-webhook", {"url": "http://127.0.0.1:1/", "allow_private": True}),
        ("add-webhook", {"url": "http://127.0.0.1:1/"}),
        ("solve-endgames", {"scheduler": "tcp://10.0.0.1:8786"}),
        ("revalidate", {"scheduler": "tcp://10.0.0.1:8786"}),  # where nothing is old, too
    ):
        answer = _sent(api, name, requested)
        assert 422 in (answer.status_code, _problem(answer).get("status")), name


def _sent(api: Clients, name: str, queried: dict[str, Any]) -> httpx.Response:
    return api["admin"].post(f"/commands/{name}", json.dumps(queried).encode(), "application/json")


def _problem(answer: httpx.Response) -> dict[str, Any]:
    """The one on the last line, if one is there."""
    found: dict[str, Any] = json.loads(answer.text.splitlines()[-1]).get("problem", {})
    return found


@pytest.mark.slow
def test_what_is_asked_and_not_there_is_a_problem(api: Clients) -> None:
    short: list[tuple[str, dict[str, Any], int]] = [
        ("delete", {"ids": ["none"]}, 404),
        ("delete", {}, 422),
        ("delete", {"ids": "m0"}, 422),
        ("delete", {"all": True}, 422),
        ("undelete", {"deletion": 99}, 404),
        ("mask", {"players": ["nobody"]}, 404),
        ("whois", {"pseudonym": "Joueur 1"}, 404),
        ("revoke-token", {"name": "nobody"}, 404),
        ("remove-webhook", {"number": 5}, 404),
        ("add-token", {"name": "a reader", "role": "reader"}, 409),
        ("add-token", {"name": "x", "role": "king"}, 422),
        ("simulate-baseline", {"since": "yesterday"}, 422),
    ]
    for name, requested, status in short:
        assert is_problem(_sent(api, name, requested), status), (name, requested)
    long: list[tuple[str, dict[str, Any], int]] = [
        ("purge", {"id": "nobody"}, 404),
        ("revalidate", {"preset": "none"}, 422),
        ("revalidate", {"preset": "lavardin", "all": True}, 422),
    ]
    for name, requested, status in long:
        assert _problem(_sent(api, name, requested))["status"] == status, (name, requested)


@pytest.mark.slow
def test_purging_can_be_asked_for_without_being_done(api: Clients) -> None:
    before = opened.cached_query(matches.count_matches)
    result = _sent(api, "purge", {"id": "jean", "dry_run": True}).json()["result"]
    assert "Matches to delete: 0" in result["expected"]
    assert {name: result[name] for name in ("removed", "rewritten", "others")} == {
        **{"removed": 0, "rewritten": 6, "others": 0}
    }
    result = _sent(api, "purge", {"id": "m0", "dry_run": True}).json()["result"]
    assert result == {"expected": None, "removed": 1, "rewritten": 0, "others": 0}
    assert opened.cached_query(matches.count_matches) == before


def test_what_is_still_to_be_stored_goes_into_the_file_that_took_the_stores_place(
    games: Path, tmp_path: Path
) -> None:
    store = opened.open_store()
    backup.backup(store, tmp_path / "copy.duckdb")
    number = store.find_match("m0")
    assert number is not None
    with store.write_lock():  # who deletes waits for this thread, as for one that restores
        work = threading.Thread(target=trash.delete_matches, args=(store, [number]))
        work.start()
        with opened.replacing_store() as closed, closed.replacing_file():
            closed.close()
            backup.replace_durably(tmp_path / "copy.duckdb", Path(store.path))
    work.join(60)
    assert opened.open_store() is store
    assert opened.cached_query(matches.count_matches) == 8


@pytest.mark.slow
def test_a_page_that_replaces_the_store_waits_for_commands_and_then_says_so(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "COMMANDS_TIMEOUT_SECONDS", 0.1)
    with opened.command_gate.shared_use() as store:  # as one that verifies does
        cursor = store.cursor()
        with pytest.raises(StoreError, match="at work"):
            opened.replace_store(lambda one: purge.purge_matches(one, [0]))
        assert cursor.execute("SELECT count(*) FROM matches").fetchone() == (9,)
    assert opened.replace_store(lambda one: purge.purge_matches(one, [0])).deleted_matches == 1
    assert opened.cached_query(matches.count_matches) == 8


def test_of_two_that_replace_the_store_the_second_is_reported_that_it_is_another(games: Path) -> None:
    """Of a store put back meanwhile a number may be somebody else: nobody is purged by it."""
    copy = games.with_name("copy.duckdb")
    backup.backup(opened.open_store(), copy)
    both, result = threading.Barrier(2), list[str]()

    def replace() -> None:
        try:
            with opened.command_gate.shared_use():
                both.wait(60)
                with opened.command_gate.exclusive_use() as store, store.replacing_file():
                    store.close()
                    games.write_bytes(copy.read_bytes())
            result.append("done")
        except StoreError as error:
            result.append(error.message(translator("en")))

    threads = [threading.Thread(target=replace) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    done, refused = sorted(result, key=len)  # either may be the first that says so
    assert done == "done"
    assert "Another process replaced the store" in refused


def test_two_that_write_the_same_file_anew_do_not_meet(games: Path) -> None:
    """One that gives up clears what it began, and nothing of the other's."""
    with temporary_sibling(games) as first:
        first.write_bytes(b"first")
        with temporary_sibling(games) as second:
            assert first != second
            second.write_bytes(b"second")
        assert first.read_bytes() == b"first"
    assert [one.name for one in games.parent.glob("*.part")] == []


def test_an_answer_that_is_left_before_its_first_byte_leaves_no_file(games: Path) -> None:
    async def nothing(_: Any = None) -> Any:
        raise OSError("they are gone")

    with ExitStack() as until:
        part = until.enter_context(temporary_sibling(games))
        part.write_bytes(b"first")
        answer = OwningResponse(until.pop_all(), [b"first"])
    with pytest.raises((OSError, ExceptionGroup)):
        asyncio.run(answer({"type": "http", "asgi": {}}, nothing, nothing))
    assert not part.exists()
