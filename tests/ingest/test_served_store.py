"""Commands on the store of a running server print the same as on a store that is not served."""

import fcntl
import json
import os
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from ingest.cli import http_client
from ingest.cli.common import CommandError
from ingest.cli.http_client import ServerClient
from ingest.i18n import translator
from ingest.store import server_hosts as server_file
from ingest.store.factory import STORE_IN_USE, Store, StoreError
from ingest.store.server_hosts import ServerHosts as How
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines
from tests.ingest.test_cli_serve import ROOT, children, running, until
from tests.waiting import PATIENCE, comes

pytestmark = pytest.mark.slow

PLAYER = documents()[0]["players"][0]["id"]
IDS = [one["id"] for one in documents()]

OF_TERMINALS = ("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
THEIRS = {name: value for name, value in os.environ.items() if name not in OF_TERMINALS}
THEIRS |= {"PYTHONPATH": str(ROOT), "LANG": "en_GB.UTF-8"}


class Served(NamedTuple):
    """A folder with a store that a process of its own serves, and an empty one without a server."""

    folder: Path
    alone: Path
    process: "subprocess.Popen[str]"


@contextmanager
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folders = tmp_path_factory.mktemp("served"), tmp_path_factory.mktemp("alone")
    for folder in folders:
        (folder / "club.jsonl").write_bytes(lines())
        shutil.copy(FAUTES / "chouine" / "must-follow.json", folder)
    with running(folders[0], "serve", "--store", "club.duckdb") as (process, _):
        yield Served(*folders, process)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose store has all files of its folder; tests leave every match there."""
    with serving(tmp_path_factory) as found:
        words = ["ingest", "club.jsonl", "must-follow.json", "--store", "club.duckdb"]
        subprocess.run(
            [sys.executable, "-m", "ingest.cli", *words], cwd=found.folder, env=THEIRS, check=False
        )
        yield found


@pytest.fixture
def just_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of one test, with an empty store."""
    with serving(tmp_path_factory) as found:
        yield found


OTHER_EACH_TIME = re.compile(r"\d{4}-\d\d-\d\d[T-][\dZ:]+|Joueur [0-9a-f]+")
"""Times, and what a store calls its players."""


def run_in(folder: Path, retourne: Command, words: str) -> tuple[int, str, str]:
    """What a command came to in a folder, but for what is another each time."""
    os.chdir(folder)
    done = retourne(*words.split())
    out, err = (OTHER_EACH_TIME.sub("…", one) for one in (done.out, done.err))
    return done.code, out.replace(str(folder), "."), err.replace(str(folder), ".")


WORDS = (
    "ingest club.jsonl must-follow.json",
    "ingest club.jsonl must-follow.json club.jsonl --format jsonl",
    "ingest nowhere.jsonl",
    "stats",
    f"stats {PLAYER} --format jsonl",
    f"export {IDS[0]}",
    "export --table seats",
    "export --logs --anonymous --output logs.jsonl",
    f"mask {PLAYER}",
    f"whois {PLAYER}",
    f"unmask {PLAYER}",
    f"delete {IDS[1]}",
    "undelete",
    "revalidate --dry-run",
    "revalidate --preset regles-completes",
    "verify",
    "backup copy.duckdb",
    "backup club.duckdb",
    f"replay {IDS[0]} --all",
    f"solve {IDS[0]} --deal 1",
    f"purge {IDS[2]} --yes",
    "restore copy.duckdb",
    "restore copies",
    "export --list --lang en",
)


def test_every_command_says_of_a_served_store_what_it_says_of_another(
    just_served: Served, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", "club.duckdb")
    for words in WORDS:
        if words.startswith("stats"):  # a server solves in its own time
            for folder in just_served[:2]:
                assert run_in(folder, retourne, "revalidate --endgames")[0] == 0
        expected = run_in(just_served.alone, retourne, words)
        assert run_in(just_served.folder, retourne, words) == expected, words
    one, other = (folder / "logs.jsonl" for folder in just_served[:2])
    assert len(one.read_bytes().splitlines()) == len(other.read_bytes().splitlines()) == 7


def test_a_served_store_is_copied(served: Served, retourne: Command) -> None:
    run_in(served.folder, retourne, "ingest club.jsonl --store club.duckdb")
    code, result, _ = run_in(served.folder, retourne, "copy club.duckdb other.duckdb")
    assert (code, "the copy is identical" in result) == (0, True)
    assert run_in(served.folder, retourne, "copy club.duckdb club.duckdb")[0] == 2
    with Store(served.folder / "other.duckdb") as store:
        assert store.find_match(IDS[0]) is not None


def test_the_store_is_taken_before_anybody_asks_for_a_page(served: Served) -> None:
    with pytest.raises(StoreError) as refused:
        Store(served.folder / "club.duckdb")
    assert refused.value.text == STORE_IN_USE


def test_a_store_is_served_once(served: Served, retourne: Command) -> None:
    code, _, result = run_in(served.folder, retourne, "serve --store club.duckdb --port 8999")
    file = server_file.read_server_file(served.folder / "club.duckdb")
    assert file is not None
    way_out = f"at {file.url}. Open it, or stop that server first: kill {file.process}"
    assert (code, way_out in " ".join(result.split())) == (2, True)


def test_a_server_of_another_version_is_to_be_started_again(
    served: Served, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "program_version", lambda: "retourne 0.0.1, rules 1")
    code, _, result = run_in(served.folder, retourne, "verify --store club.duckdb")
    assert (code, "another version" in result) == (2, True)


def test_a_bar_and_a_question_are_on_the_terminal_of_who_asks(served: Served, retourne: Command) -> None:
    """A terminal of its own, 133 columns wide; the server has none."""
    terminal, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 40, 133, 0, 0))
    os.write(terminal, b"n\n")  # typed ahead
    result = b""
    for words in ("verify", f"purge {IDS[4]}"):
        done = subprocess.run(
            [sys.executable, "-m", "ingest.cli", *words.split(), "--store", "club.duckdb"],
            cwd=served.folder,
            env=THEIRS | {"TERM": "xterm"},
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=False,
        )
        result += os.read(terminal, 1 << 16)
    for end in (terminal, theirs):
        os.close(end)
    assert b"Reading again" in result
    assert b"\xe2\x94\x81" in result  # the bar
    assert f"Delete {IDS[4]} permanently? This cannot be undone. [y/N]:".encode() in result
    assert b"Nothing was deleted." in result
    assert done.returncode == 2


def test_open_files_of_a_shell_are_the_caller_s_not_the_server_s(served: Served) -> None:
    """`/dev/stdin` and `<(…)` name what the program that is asked for them has open."""
    club = "--store club.duckdb"
    result = subprocess.run(
        [
            *("bash", "-c"),
            f"$0 -m ingest.cli ingest /dev/stdin {club} < must-follow.json &&"
            f" $0 -m ingest.cli ingest <(cat must-follow.json) {club} &&"
            f" $0 -m ingest.cli export --logs -o /dev/stdout {club} | grep -c players",
            sys.executable,
        ],
        cwd=served.folder,
        env=THEIRS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout.splitlines()[-1]) >= 7


def slow(folder: Path) -> "subprocess.Popen[str]":
    """A program that stores what comes by its input, of which one match has come so far."""
    command = [sys.executable, "-m", "ingest.cli", "ingest", "-", "--store", "club.duckdb"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=THEIRS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(documents(8)[7]) + "\n")
    process.stdin.flush()
    return process


def count(folder: Path, retourne: Command) -> int:
    return len(run_in(folder, retourne, "export --list --store club.duckdb")[1].splitlines())


def test_one_that_is_slow_keeps_nobody_waiting_and_leaves_nothing_when_it_is_killed(
    served: Served, retourne: Command
) -> None:
    before = count(served.folder, retourne)
    with slow(served.folder) as killed, slow(served.folder) as interrupted:
        for process in (killed, interrupted):
            until(lambda process=process: _has_requested(process), process)  # type: ignore[misc]
        assert run_in(served.folder, retourne, f"delete {IDS[3]} --store club.duckdb")[0] == 0
        assert run_in(served.folder, retourne, "undelete --store club.duckdb")[0] == 0
        assert run_in(served.folder, retourne, "ingest club.jsonl --store club.duckdb")[0] == 0
        killed.kill()
        interrupted.send_signal(signal.SIGINT)
        interrupted.wait(60)  # before its input ends
        _, result = interrupted.communicate()
        assert (interrupted.returncode, result) == (
            130,
            "Interrupted. Unfinished files were not stored: run the command again.\n",
        )
    assert count(served.folder, retourne) == before
    assert run_in(served.folder, retourne, "verify --store club.duckdb")[0] == 0


def _has_requested(process: "subprocess.Popen[str]") -> bool:
    """Whether a program has found the server, and waits for the rest of its input."""
    with suppress(OSError):
        here = Path(f"/proc/{process.pid}")
        calls = [one.read_text() for one in here.glob("task/*/syscall")]
        reads = any(one.startswith("0 0x0 ") for one in calls)  # read, of its standard input
        return reads and any("socket:" in os.readlink(one) for one in (here / "fd").iterdir())
    return False


@pytest.mark.soak
def test_when_the_server_is_killed_its_callers_are_reported_and_the_next_one_takes_its_place(
    just_served: Served, retourne: Command
) -> None:
    store = just_served.folder / "club.duckdb"
    file = server_file.server_file_path(store)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = count(just_served.folder, retourne)
    with slow(just_served.folder) as process:
        until(lambda: _has_requested(process), process)
        for killed in (*children(just_served.process), just_served.process.pid):
            os.kill(killed, signal.SIGKILL)
        _, result = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "stopped before it answered" in result
    assert file.exists()  # nobody could take it away
    comes(lambda: is_free(store), "the store")
    assert count(just_served.folder, retourne) == before
    with server_file.server_file(store, "http://127.0.0.1:1", "x"):  # as the next server does
        assert server_file.read_server_file(store) is not None
    assert not file.exists()


def is_free(store: Path) -> bool:
    with suppress(StoreError), Store(store):
        return True
    return False


# the file


@pytest.mark.parametrize("name", ["club.duckdb", "c" * 245 + ".duckdb"])
def test_the_file_is_there_while_a_store_is_served_and_for_its_user_alone(tmp_path: Path, name: str) -> None:
    store, link = tmp_path / name, tmp_path / "link.duckdb"
    store.touch()
    link.symlink_to(store)
    with server_file.server_file(link, "http://127.0.0.1:8501", "v") as key:
        found = server_file.read_server_file(store)
        assert found == ("http://127.0.0.1:8501", key, "v", os.getpid()) == server_file.read_server_file(link)
        assert stat.S_IMODE(server_file.server_file_path(store).stat().st_mode) == 0o600
        assert len(key) > 40
    assert {one.name for one in tmp_path.iterdir()} == {name, "link.duckdb"}


@pytest.mark.parametrize("there", ["link", "file", "folder"])
def test_what_is_no_file_of_a_server_is_left_alone_and_not_believed(tmp_path: Path, there: str) -> None:
    store, other = tmp_path / "club.duckdb", tmp_path / "other.duckdb"
    place = server_file.server_file_path(store)
    with server_file.server_file(other, "http://127.0.0.1:8501", "v"):
        if there == "link":
            place.symlink_to(server_file.server_file_path(other))
        elif there == "file":
            place.write_text("mine")
        else:
            place.mkdir()
        assert server_file.read_server_file(store) is None
        with pytest.raises(FileExistsError), server_file.server_file(store, "http://localhost:1", "v"):
            pass
    assert os.path.lexists(place)
    assert [one.name for one in tmp_path.iterdir()] == [place.name]


def test_a_file_that_others_wrote_or_may_read_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "club.duckdb"
    with server_file.server_file(store, "http://127.0.0.1:8501", "v"):
        place = server_file.server_file_path(store)
        place.chmod(0o640)
        assert server_file.read_server_file(store) is None
        place.chmod(0o600)
        assert server_file.read_server_file(store) is not None
        with monkeypatch.context() as patch:
            patch.setattr(os, "geteuid", lambda: os.getuid() + 1)
            assert server_file.read_server_file(store) is None


def test_a_server_that_does_not_answer_is_reported_and_where_none_was_nothing_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "SERVER_START_SECONDS", 0.0)
    store, t = tmp_path / "club.duckdb", translator("en")
    assert ServerClient.running_for(store, t) is None
    with server_file.server_file(store, "http://127.0.0.1:1", "v"), pytest.raises(CommandError) as refused:
        ServerClient.running_for(store, t)
    assert refused.value.message(t) == (
        f"The store {store} is in use, and its server does not answer: it is stopping, or was "
        "killed. Try again in a moment. If it lasts, close the program that uses the store."
    )


def test_a_server_that_has_taken_its_file_away_meanwhile_is_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, t = tmp_path / "club.duckdb", translator("en")
    with server_file.server_file(store, "http://127.0.0.1:1", "v"):
        result = server_file.read_server_file(store)
    answers = iter([result, None])
    monkeypatch.setattr(server_file, "read_server_file", lambda _: next(answers))
    with pytest.raises(CommandError, match="it is stopping"):
        ServerClient.running_for(store, t)


def test_a_file_that_is_not_private_is_reported_as_why_the_server_is_not_asked(tmp_path: Path) -> None:
    store, t = tmp_path / "club.duckdb", translator("en")
    with server_file.server_file(store, "http://127.0.0.1:1", "v"):
        (other := server_file.server_file_path(store)).chmod(0o644)
        with pytest.raises(CommandError) as refused:
            ServerClient.running_for(store, t)
        other.chmod(0o600)
    assert refused.value.message(t) == (
        f"The store {store} is in use, and the file {other} is not a private file of your "
        "server. Run the command as the user who serves the store; if others can read the file, restart "
        "the server."
    )


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("localhost", "http://localhost:8501"),
        ("0.0.0.0", "http://127.0.0.1:8501"),
        ("::", "http://[::1]:8501"),
        ("::1", "http://[::1]:8501"),
        ("192.168.1.7", "http://192.168.1.7:8501"),
    ],
)
def test_a_server_is_asked_past_every_proxy_by_a_name_it_answers_to(address: str, url: str) -> None:
    how = How(address, ["club.example"], ["127.0.0.1"])
    assert server_file.local_url(how, 8501) == url
    assert how.accepts_host(url.removeprefix("http://"))
