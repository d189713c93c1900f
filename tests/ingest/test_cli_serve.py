"""`retourne serve` and `demo`: the dashboard in a process of its own, on a store that is there."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from dashboard.cli import demo, serve
from engine.games import game_names
from ingest.findings.finding import STATUSES
from ingest.i18n import translator
from ingest.store.factory import Store
from schemas.player_key import player_key
from tests.ingest.conftest import FAUTES, Command
from tests.waiting import PATIENCE, comes

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(folder: Path, *words: object) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A command that serves, started in a folder that is not ours; its address, answering."""
    port = free_port()
    # as the script `retourne` does, which looks for no module where the user stands
    command = [sys.executable, "-P", "-m", "ingest.cli", *map(str, words)]
    command += ["--port", str(port), "--no-browser", "--lang", "fr"]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that Ctrl-C reaches the server too, and not us
    ) as process:
        try:
            address = f"http://localhost:{port}"
            wait_for(process, f"{address}/_stcore/health")
            yield process, address
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def children(process: "subprocess.Popen[str]") -> list[int]:
    """The processes it has started itself: the server."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(one) for one in found.split()]


def wait_for(process: "subprocess.Popen[str]", address: str) -> None:
    def answers() -> bool:
        assert process.poll() is None, process.communicate()
        try:
            with urlopen(address, timeout=30) as answer:
                return bool(answer.status == 200)
        except OSError:  # nobody listens yet, or is too busy to answer
            return False

    comes(answers, "the dashboard")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.soak
def test_a_signal_to_the_command_alone_ends_it(tmp_path: Path, sign: int) -> None:
    with running(tmp_path, "serve", "--store", tmp_path / "club.duckdb") as (process, address):
        process.send_signal(sign)
        _, result = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert "Traceback" not in result
        with pytest.raises(URLError):
            urlopen(address, timeout=5)


@pytest.mark.soak
def test_a_second_ctrl_c_ends_a_server_that_hangs(tmp_path: Path) -> None:
    with running(tmp_path, "serve", "--store", tmp_path / "club.duckdb") as (process, _):
        [server] = children(process)
        os.kill(server, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)
        process.send_signal(signal.SIGINT)
        _, result = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "Traceback" in result) == (0, False)
        assert not Path(f"/proc/{server}").exists()


@pytest.mark.slow
def test_the_dashboard_answers_from_any_folder_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    for name in ("dashboard", "profile", "ingest"):  # what a club may have lying about
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('not this one')")
    store = tmp_path / "club.duckdb"
    with running(tmp_path, "serve", "--store", store) as (process, address):
        with urlopen(address, timeout=30) as page:
            assert b"<html" in page.read()
        with urlopen(f"{address}/app/static/cards/fr/As.svg", timeout=30) as card:
            assert b"<svg" in card.read()
        os.killpg(process.pid, signal.SIGINT)
        _, result = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert f"Le tableau de bord\u00a0: {address}" in result
    assert "Traceback" not in result
    Store(store).close()  # made, and let go of


def test_a_port_that_is_taken_is_reported(retourne: Command) -> None:
    with socket.socket() as other:
        other.bind(("localhost", 0))
        other.listen()
        port = other.getsockname()[1]
        done = retourne("serve", "--port", port)
    assert done.code == 2
    assert f"Port {port} is in use." in done.err


def test_a_store_that_cannot_be_used_is_reported_before_anything_is_served(retourne: Command) -> None:
    Path("text").write_text("not a store")
    done = retourne("serve", "--store", "text", "--port", free_port())
    assert done.code == 2
    assert "text is not a Retourne store" in done.err


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The stores that would have been served."""
    stores: list[Path] = []

    def note(_: object, store: Path, *__: object) -> int:
        stores.append(store)
        return 0

    monkeypatch.setattr(demo, "run_dashboard", note)
    monkeypatch.setattr(serve, "run_dashboard", note)
    return stores


def contents(path: Path) -> list[tuple[object, ...]]:
    with Store(path, read_only=True) as store:
        sql = "SELECT game, status::VARCHAR, count(*) FROM matches GROUP BY ALL ORDER BY ALL"
        return store.cursor().execute(sql).fetchall()


@pytest.mark.soak
def test_the_demo_makes_its_store_once_always_the_same(retourne: Command, served: list[Path]) -> None:
    done = retourne("demo", "--matches", "60")
    assert done.code == 0
    path = Path("retourne-demo.duckdb")
    assert served == [path]
    assert "Made retourne-demo.duckdb." in done.err
    found = contents(path)
    assert {row[0] for row in found} >= set(game_names())
    assert {row[1] for row in found} == set(STATUSES)
    legal = sum(int(str(row[2])) for row in found if row[1] == "legal")
    faults = [path for path in FAUTES.glob("*/*.json") if "expected" not in path.name]
    assert 60 <= legal < 60 + len(faults)
    before = path.stat().st_mtime_ns
    again = retourne("demo", "--matches", "9")
    assert (again.code, again.err) == (0, "")
    assert path.stat().st_mtime_ns == before
    retourne("demo", "--matches", "60", "--store", "other.duckdb")
    assert contents(Path("other.duckdb")) == found


@pytest.mark.slow
def test_the_demo_leaves_the_users_own_store_alone(
    retourne: Command, served: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", "mine.duckdb")
    assert retourne("demo", "--matches", "6").code == 0
    assert served == [Path("retourne-demo.duckdb")]
    assert not Path("mine.duckdb").exists()


def test_a_demo_that_is_stopped_leaves_nothing_to_be_taken_for_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_zip_samples", stop)
    with pytest.raises(KeyboardInterrupt):
        demo.make_demo_store(translator("en"), tmp_path / "demo.duckdb", 20)
    assert list(tmp_path.iterdir()) == []


def test_streamlit_is_not_needed_to_check(club: Path) -> None:
    look = "import sys, ingest.cli; sys.exit(any('streamlit' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", look], cwd=ROOT, check=False).returncode == 0


@cache
def demo_lines() -> list[bytes]:
    """The logs of the simulated seasons of a demo."""
    return [line for name, file in demo.demo_sources(60) if "saison" in name for line in file]


def test_no_deck_of_the_sample_seasons_comes_twice() -> None:
    """Else the page of shuffles would rightly raise an alarm."""
    decks = [
        str(deal["deck"])
        for match in map(json.loads, demo_lines())
        for deal in match["deals"]
        if "deck" in deal
    ]
    assert len(decks) == len(set(decks)) > 100


def test_a_player_of_the_demo_has_the_same_name_in_every_log_and_an_id_of_their_own() -> None:
    """Else lists, which show the newest name, would differ from replays, which show the log's."""
    logs = [*demo_lines(), *(path.read_bytes() for path in sorted((ROOT / "data").glob("*.json")))]
    played = [match for match in map(json.loads, logs) if "players" in match]
    who = {
        (player_key(one["id"]), one.get("name", one["id"])) for match in played for one in match["players"]
    }
    assert len(played) > 70
    assert len({one for one, _ in who}) == len({name for _, name in who}) == len(who) > 24


def names_in(path: Path) -> list[str]:
    """The files of a store, in the order they were stored."""
    with Store(path, read_only=True) as store:
        sql = "SELECT name FROM files ORDER BY file_no"
        return [name for (name,) in store.cursor().execute(sql).fetchall()]


def until(true: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Wait for something while a process runs."""

    def so() -> bool:
        assert process.poll() is None, process.communicate()
        return true()

    comes(so)


@pytest.mark.soak
def test_a_larger_demo_opens_on_one_game_and_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    store, left = tmp_path / "demo.duckdb", tmp_path / "demo.duckdb.todo"
    words = ("demo", "--store", store, "--matches", demo.MAX_IMMEDIATE_MATCHES + 1)
    with running(tmp_path, *words) as (process, _):
        assert left.exists()  # it answers, and most is still to come
        os.killpg(process.pid, signal.SIGINT)
        _, result = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in result) == (0, False), result
    assert names_in(store)[0] == demo.FIRST_SAMPLE
    with running(tmp_path, *words[:3]) as (process, _):
        until(lambda: not left.exists(), process)
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == [store.name]  # the file is the store
    wanted = [piece.name for piece in demo.feed_files(demo.MAX_IMMEDIATE_MATCHES + 1)]
    assert names_in(store) == [demo.FIRST_SAMPLE, *wanted]
    with running(tmp_path, *words[:3]) as (process, address):
        process.kill()
        _, result = process.communicate(timeout=PATIENCE)  # the server writes there too, until it has ended
    assert "simul" not in result  # nothing is left to come
    serve.check_port(int(address.rpartition(":")[2]))


def test_the_demo_in_pieces_has_the_matches_of_the_demo_at_once() -> None:
    parts = [line for name, file in demo.demo_sources(60, size=7) if "saison" in name for line in file]
    assert parts == demo_lines()
    *_, last = demo.feed_files(60)
    assert last.done == last.total == len(parts)
