"""A store that is served: every command reaches it, and says what it says of one that is not."""

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
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from ingest.cli import hand_over, wire
from ingest.i18n import translator
from ingest.store.store import BUSY, Store, StoreError
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines
from tests.ingest.test_cli_serve import ROOT, children, running, until

pytestmark = pytest.mark.slow

PLAYER = documents()[0]["players"][0]["id"]
IDS = [one["id"] for one in documents()]


class Served(NamedTuple):
    """A folder with a store that a process of its own serves, and one like it without."""

    folder: Path
    alone: Path
    process: "subprocess.Popen[str]"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folders = tmp_path_factory.mktemp("served"), tmp_path_factory.mktemp("alone")
    for folder in folders:
        (folder / "club.jsonl").write_bytes(lines())
        shutil.copy(FAUTES / "chouine" / "must-follow.json", folder)
    with running(folders[0], "serve", "--store", "club.duckdb") as (process, _):
        yield Served(*folders, process)


OTHER_EACH_TIME = re.compile(r"\d{4}-\d\d-\d\d[T-][\dZ:]+|Joueur [0-9a-f]+")
"""Times, and what a store calls its players."""


def told(folder: Path, retourne: Command, words: str) -> tuple[int, str, str]:
    """What a command came to in a folder, but for what is another each time."""
    os.chdir(folder)
    done = retourne(*words.split())
    out, err = (OTHER_EACH_TIME.sub("…", one) for one in (done.out, done.err))
    return done.code, out.replace(str(folder), "."), err.replace(str(folder), ".")


WORDS = (
    "ingest club.jsonl must-follow.json",
    "ingest club.jsonl must-follow.json --lang fr",
    "ingest nowhere.jsonl",
    f"ingest {'x' * 200}",
    "stats",
    f"stats {PLAYER} --format jsonl",
    "stats --ladder",
    "export --list",
    f"export {IDS[0]}",
    "export nobody",
    "export --table seats",
    "export --logs --anonymous --output logs.jsonl",
    f"mask {PLAYER}",
    f"whois {PLAYER}",
    f"unmask {PLAYER}",
    f"delete {IDS[1]}",
    "undelete --list",
    "undelete",
    "undelete 9",
    "revalidate --dry-run",
    "revalidate --all",
    "revalidate --rules regles-completes",
    "verify",
    "verify --format json",
    "backup copy.duckdb",
    "backup copies/ --keep 2",
    "backup club.duckdb",
    f"replay {IDS[0]} --all",
    "replay nobody --all --lang fr",
    f"purge {IDS[2]}",
    f"purge {IDS[2]} --yes",
    "restore copy.duckdb",
    "restore nothing.duckdb",
    "export --list --lang en",
)


def test_every_command_says_of_a_served_store_what_it_says_of_another(
    served: Served, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", "club.duckdb")
    for words in WORDS:
        if words.startswith("stats"):  # a server reckons in its own time
            for folder in served[:2]:
                assert told(folder, retourne, "revalidate --values")[0] == 0
        expected = told(served.alone, retourne, words)
        assert told(served.folder, retourne, words) == expected, words
    one, other = (folder / "logs.jsonl" for folder in served[:2])
    assert len(one.read_bytes().splitlines()) == len(other.read_bytes().splitlines()) == 7


def test_a_served_store_is_copied(served: Served, retourne: Command) -> None:
    told(served.folder, retourne, "ingest club.jsonl --store club.duckdb")
    code, said, _ = told(served.folder, retourne, "copy club.duckdb other.duckdb")
    assert (code, "what was copied is the same" in said) == (0, True)
    assert told(served.folder, retourne, "copy club.duckdb club.duckdb")[0] == 2
    with Store(served.folder / "other.duckdb") as store:
        assert store.find(IDS[0]) is not None


def test_the_store_is_taken_before_anybody_asks_for_a_page(served: Served) -> None:
    with pytest.raises(StoreError) as refused:
        Store(served.folder / "club.duckdb")
    assert refused.value.text == BUSY


def test_a_store_is_served_once(served: Served, retourne: Command) -> None:
    code, _, said = told(served.folder, retourne, "serve --store club.duckdb --port 8999")
    assert (code, "is served already" in said) == (2, True)


def test_a_server_of_another_version_is_to_be_started_again(
    served: Served, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_over, "program_version", lambda: "retourne 0.0.1, rules 1")
    code, _, said = told(served.folder, retourne, "verify --store club.duckdb")
    assert (code, "another version" in said) == (2, True)


def test_a_bar_and_a_question_are_on_the_terminal_of_who_asks(
    served: Served, retourne: Command
) -> None:
    """A terminal of its own, 133 columns wide; the server has none."""
    terminal, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 40, 133, 0, 0))
    os.write(terminal, b"n\n")  # typed ahead
    said = b""
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
        said += os.read(terminal, 1 << 16)
    for end in (terminal, theirs):
        os.close(end)
    assert b"Reading again" in said
    assert b"\xe2\x94\x81" in said  # the bar
    assert f"Purge {IDS[4]}? This cannot be undone. [y/N]:".encode() in said
    assert b"Nothing was purged." in said
    assert done.returncode == 2


THEIRS = {name: value for name, value in os.environ.items() if name not in hand_over.OF_TERMINALS}
THEIRS |= {"PYTHONPATH": str(ROOT), "LANG": "en_GB.UTF-8"}


def test_open_files_of_a_shell_are_the_caller_s_not_the_server_s(served: Served) -> None:
    """`/dev/stdin` and `<(…)` name what the program that is asked for them has open."""
    club = "--store club.duckdb"
    said = subprocess.run(
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
    assert said.returncode == 0, said.stderr
    assert int(said.stdout.splitlines()[-1]) >= 7


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
    return len(told(folder, retourne, "export --list --store club.duckdb")[1].splitlines())


def test_one_that_is_slow_keeps_nobody_waiting_and_leaves_nothing_when_it_is_killed(
    served: Served, retourne: Command
) -> None:
    before = count(served.folder, retourne)
    with ExitStack() as going:
        killed, interrupted = (going.enter_context(slow(served.folder)) for _ in range(2))
        for process in (killed, interrupted):  # handed over, and waiting for more
            until(lambda process=process: _waits(process), process)  # type: ignore[misc]
        assert told(served.folder, retourne, f"delete {IDS[3]} --store club.duckdb")[0] == 0
        assert told(served.folder, retourne, "undelete --store club.duckdb")[0] == 0
        assert told(served.folder, retourne, "ingest club.jsonl --store club.duckdb")[0] == 0
        code, _, said = told(served.folder, retourne, f"purge {IDS[4]} --yes --store club.duckdb")
        assert (code, "Other commands are at work" in said) == (2, True)
        killed.kill()
        interrupted.send_signal(signal.SIGINT)
        interrupted.wait(60)  # before its input ends
        _, said = interrupted.communicate()
        assert (interrupted.returncode, said) == (
            130,
            "Interrupted: what was not finished was left out.\n",
        )
    assert count(served.folder, retourne) == before
    assert told(served.folder, retourne, "verify --store club.duckdb")[0] == 0


def _waits(process: "subprocess.Popen[str]") -> bool:
    """Whether a program has a socket: it has been handed over."""
    with suppress(OSError):
        folder = Path(f"/proc/{process.pid}/fd")
        return any("socket:" in os.readlink(one) for one in folder.iterdir())
    return False


def test_when_the_server_is_killed_its_callers_are_told_and_the_next_one_takes_its_place(
    served: Served, retourne: Command
) -> None:
    store, socket = served.folder / "club.duckdb", served.folder / "club.duckdb.sock"
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    before = count(served.folder, retourne)
    with slow(served.folder) as process:
        until(lambda: _waits(process), process)
        for killed in (*children(served.process), served.process.pid):
            os.kill(killed, signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "ended before this was done" in said
    assert socket.is_socket()  # nobody could take it away
    until_free(store)
    assert count(served.folder, retourne) == before
    with closing(wire.listen(store)):  # as the next server does
        assert socket.is_socket()
    wire.remove(store)
    assert not socket.exists()


def until_free(store: Path) -> None:
    for _ in range(600):
        with suppress(StoreError), Store(store):
            return
        threading.Event().wait(0.1)
    raise AssertionError("the store is still held")


# the socket


def test_a_store_with_a_long_path_and_a_long_name_has_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 100) / ("b" * 100)
    folder.mkdir(parents=True)
    for name in ("club.duckdb", "c" * 200 + ".duckdb"):
        store = folder / name
        with closing(wire.listen(store)) as listening, closing(wire.connect(store)) as one:
            other, _ = listening.accept()
            with other:
                wire.say(one, exit=3)
                assert wire.Heard(other).next() == {"exit": 3}
        wire.remove(store)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("there", ["link", "file"])
def test_what_is_no_socket_of_ours_is_left_alone_and_not_asked(tmp_path: Path, there: str) -> None:
    store, place = tmp_path / "club.duckdb", tmp_path / "club.duckdb.sock"
    other = tmp_path / "other.duckdb"
    with closing(wire.listen(other)):
        if there == "link":
            place.symlink_to(wire.name_of(other))
        else:
            place.write_text("mine")
        with pytest.raises(wire.NoSocket):
            wire.listen(store)
        with pytest.raises(wire.NoSocket):
            wire.connect(store)
        wire.remove(store)
    assert place.is_symlink() or place.read_text() == "mine"


def test_another_user_is_not_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "club.duckdb"
    with closing(wire.listen(store)) as listening, closing(wire.connect(store)):
        served, _ = listening.accept()
        with served:
            wire.check_peer(served)
            monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
            with pytest.raises(wire.NoSocket):
                wire.check_peer(served)
            with pytest.raises(wire.NoSocket):
                wire.connect(store)


def test_where_nobody_listens_the_store_is_taken_as_ever(tmp_path: Path) -> None:
    wire.listen(tmp_path / "club.duckdb").close()  # its server was killed
    busy = StoreError(BUSY, path=str(tmp_path / "club.duckdb"), pid="")
    assert hand_over.handed_over(busy, ["verify"], translator("en")) is None


# what is handed over


def test_the_store_is_named_to_the_server_where_a_setting_or_a_default_has_named_it() -> None:
    named = hand_over._with_store
    assert named(["stats", "Lucie"], "a.duckdb") == ["stats", "Lucie", "--store=a.duckdb"]
    assert named(["stats", "--", "-x"], "a.duckdb") == ["stats", "--store=a.duckdb", "--", "-x"]
    for words in (["stats", "--store", "b.duckdb"], ["stats", "--store=b.duckdb"]):
        assert named(words, "a.duckdb") == words
