"""Commands done beside pages: what they change is on the next page, and none ends the server."""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from dashboard import store as opened
from dashboard.queries import matches
from ingest.cli import steward, wire
from ingest.cli.terminal import program_version
from ingest.i18n import translator
from ingest.store import backup, purge, trash
from ingest.store.errors import StoreError

Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def ask(games: Path, tmp_path: Path) -> Ask:
    """`ask("delete", "m0")`: a command as another program hands it over; its code and its words.

    The store is served meanwhile, and not longer: the server's streams are pytest's at other times.
    """

    def command(*words: str, out: int | None = None) -> tuple[int, str]:
        output = tmp_path / "output"
        with ExitStack() as using:
            using.enter_context(serving())
            connection = using.enter_context(wire.connect(games))
            file = using.enter_context(output.open("wb")).fileno()
            nothing = using.enter_context(open(os.devnull)).fileno()
            folder = os.open(tmp_path, os.O_RDONLY)
            using.callback(os.close, folder)
            message = {
                "version": program_version(),
                "words": [*words, f"--store={games}"],
                "language": "en",
                "environ": {"COLUMNS": "100"},
                "encoding": "utf-8",
                "umask": 0o077,
            }
            wire.request(connection, message, [nothing, out or file, file, folder])
            told = wire.Heard(connection).next()
        assert told is not None
        return int(told["exit"]), output.read_text()

    return command


def serving() -> AbstractContextManager[steward.Rewriting]:
    address = "https://club.example"
    return steward.serving(opened.store, opened.rewriting, translator("en"), address)


def test_a_token_made_while_the_store_is_served_comes_with_the_whole_link(ask: Ask) -> None:
    code, said = ask("token", "add", "zoe", "--role", "reader")
    *_, link, secret = said.splitlines()
    assert code == 0
    assert link.endswith(f": https://club.example/in#{secret}")


@pytest.mark.slow
def test_pages_show_what_a_command_has_changed(ask: Ask, tmp_path: Path) -> None:
    assert opened.answer(matches.count) == 9
    assert ask("backup", "copy.duckdb")[0] == 0
    assert ask("delete", "m0")[0] == 0
    assert opened.answer(matches.count) == 8
    assert ask("undelete")[0] == 0
    assert opened.answer(matches.count) == 9
    assert ask("purge", "m1", "--yes")[0] == 0
    assert opened.answer(matches.count) == 8
    code, said = ask("restore", "copy.duckdb")
    assert (code, "is that of copy.duckdb" in said) == (0, True)
    assert opened.answer(matches.count) == 9


def test_a_file_is_made_in_the_folder_of_who_asks_and_hidden_as_they_hide_theirs(
    ask: Ask, tmp_path: Path
) -> None:
    before = os.getcwd()
    assert ask("export", "--logs", "--output", "logs.jsonl") == (0, "")
    assert (tmp_path / "logs.jsonl").stat().st_mode & 0o777 == 0o600
    assert os.getcwd() == before


def test_what_goes_wrong_in_a_command_ends_it_alone(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    def leave(*_: object) -> None:
        raise SystemExit(7)

    with monkeypatch.context() as patch:
        patch.setattr(trash, "deletions", fail)
        code, said = ask("undelete", "--list")
        assert (code, said) == (2, "Error: It cannot be done: ZeroDivisionError.\n")
        assert "ZeroDivisionError" in capfd.readouterr().err  # for who serves
        patch.setattr(trash, "deletions", leave)
        assert ask("undelete", "--list")[0] == 2
    assert ask("undelete", "--list") == (0, "")
    assert opened.answer(matches.count) == 9


def test_what_is_still_to_be_stored_goes_into_the_file_that_took_the_stores_place(
    ask: Ask, tmp_path: Path
) -> None:
    store = opened.store()
    backup.backup(store, tmp_path / "copy.duckdb")
    number = store.find("m0")
    assert number is not None
    with store.alone():  # who deletes waits for this thread, as for one that restores
        work = threading.Thread(target=trash.delete, args=(store, [number]))
        work.start()
        with opened.rewriting() as closed:
            closed.close()
            backup.put(tmp_path / "copy.duckdb", Path(store.path))
    work.join(60)
    assert opened.store() is store
    assert opened.answer(matches.count) == 8


def test_a_page_that_replaces_the_store_waits_for_commands_and_then_says_so(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steward, "PATIENCE", 0.1)
    served = steward.Steward(opened.store, opened.rewriting)
    monkeypatch.setattr(opened, "_taken", served.taken)
    with served.lend() as store:  # as an export does
        ask = store.cursor()
        with pytest.raises(StoreError, match="at work"):
            opened.rewritten(lambda one: purge.purge_matches(one, [0]))
        assert ask.execute("SELECT count(*) FROM matches").fetchone() == (9,)
    assert opened.rewritten(lambda one: purge.purge_matches(one, [0])).gone == 1
    served.stop()
    assert opened.answer(matches.count) == 8


def test_of_two_that_replace_the_store_the_second_is_told_that_it_is_another(games: Path) -> None:
    """Of a store put back meanwhile a number may be somebody else: nobody is purged by it."""
    served = steward.Steward(opened.store, opened.rewriting)
    copy = games.with_name("copy.duckdb")
    backup.backup(opened.store(), copy)
    both, said = threading.Barrier(2), list[str]()

    def replace() -> None:
        try:
            with served.lend():
                both.wait(60)
                with served.alone() as store:
                    store.close()
                    games.write_bytes(copy.read_bytes())
            said.append("done")
        except StoreError as error:
            said.append(error.say(translator("en")))

    threads = [threading.Thread(target=replace) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    served.stop()
    done, refused = sorted(said, key=len)  # either may be the first that says so
    assert done == "done"
    assert "was replaced meanwhile" in refused


def test_two_that_write_the_same_file_anew_do_not_meet(games: Path) -> None:
    """One that gives up clears what it began, and nothing of the other's."""
    with backup.becoming(games) as first:
        first.write_bytes(b"first")
        with backup.becoming(games) as second:
            assert first != second
            second.write_bytes(b"second")
        assert first.read_bytes() == b"first"
    assert [one.name for one in games.parent.glob("*.part")] == []


def test_a_pipe_that_nobody_reads_ends_a_command_as_it_does_without_a_server(
    ask: Ask, capfd: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb"):
        for words in (["stats"], ["export", "--logs"]):
            assert ask(*words, out=writing) == (141, ""), words
    assert "Traceback" not in capfd.readouterr().err


def test_nonsense_over_the_socket_is_not_answered(ask: Ask, games: Path) -> None:
    for data in (b"", b"\0\0\0\2{}", b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n"):
        with serving(), wire.connect(games) as connection:
            connection.sendall(data)
            connection.shutdown(1)
            assert wire.Heard(connection).next() is None
    assert ask("undelete", "--list") == (0, "")


def test_where_no_socket_can_be_the_store_is_served_all_the_same(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = games.with_name(wire.name_of(games))
    place.write_text("mine")
    with serving():
        assert opened.answer(matches.count) == 9
    assert "there can be no socket" in capsys.readouterr().err
    assert place.read_text() == "mine"
