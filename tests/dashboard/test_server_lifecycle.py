"""A server's log, its start and its shutdown."""

import asyncio
import gc
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, cast

import httpx
import pytest

from dashboard.server import lifecycle
from dashboard.server.server_logging import LineFormatter
from dashboard.store import command_gate
from ingest.i18n import translator
from ingest.store import tokens
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.temporary_files import FOLDER_PREFIX
from ingest.store.tokens import Role
from tests.dashboard.api import is_problem
from tests.dashboard.conftest import FAUTES, NAMES, lines
from tests.waiting import PATIENCE, comes, passes

ROOT = Path(__file__).parents[2]
BODY = lines()
CANCELLED = "timeout graceful shutdown exceeded"
"""What a server says that has waited for what was under way, in vain."""


@contextmanager
def serving(store: Path, *words: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """`retourne serve`, once it is well: the command, and its address."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ingest.cli", "serve", "--store", str(store), *words]
    with subprocess.Popen(
        [*command, "--port", str(port), "--no-browser", "--lang", "en"],
        cwd=store.parent,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            address = f"http://localhost:{port}"
            comes(lambda: process.poll() is not None or _is_well(address))
            assert process.poll() is None
            yield process, address
        finally:
            process.kill()


def get(address: str) -> httpx.Response:
    return httpx.get(address, timeout=60)  # a slow machine is not a fault


def _is_well(address: str) -> bool:
    try:
        return get(f"{address}/healthz").status_code == 200
    except httpx.TransportError:
        return False


def matches(store: Path) -> int:
    with Store(store, read_only=True) as opened:
        [(count,)] = opened.cursor().execute("SELECT count(*) FROM matches").fetchall()
    return int(count)


class Halved:
    """A body of which the second half comes when it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        yield BODY[: len(BODY) // 2]
        assert self.let.wait(60)
        yield BODY[len(BODY) // 2 :]


@contextmanager
def sending(address: str, **more: str) -> Iterator[tuple[Halved, list[Any]]]:
    """Logs on their way to the server, and what it answers in the end."""
    body, answers = Halved(), list[Any]()

    def send() -> None:
        headers = {"Content-Type": "application/x-ndjson", **more}
        try:
            at = f"{address}/api/v1/logs"
            answers.append(httpx.post(at, content=iter(body), headers=headers, timeout=60))
        except httpx.TransportError as error:
            answers.append(error)

    work = threading.Thread(target=send)
    work.start()
    try:
        comes(lambda: "retourne_uploads_under_way 1.0" in get(f"{address}/metrics").text)
        yield body, answers
    finally:
        body.let.set()
        work.join()


class Ended(NamedTuple):
    """A server ordered to end while logs were on their way to it."""

    code: int
    store: Path
    lines: list[str]
    match: dict[str, Any]
    """A match that was there before, as it was answered."""
    read: httpx.Response
    """A deal of it."""
    refused: httpx.Response
    """What was asked once it had to end."""
    answer: httpx.Response
    """To the logs."""


@pytest.fixture(scope="module")
def ended(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """One that writes a line a request, ended by a signal."""
    store = tmp_path_factory.mktemp("ended") / "club.duckdb"
    with Store(store) as opened:
        secret = tokens.add_token(opened, "site", Role.CONTRIBUTOR)
    headers = {"Authorization": f"Bearer {secret}"}
    with serving(store, "--log", "json") as (process, address):
        with httpx.Client(base_url=address, headers=headers, timeout=60) as site:
            fault = json.loads((FAUTES / "must-follow.json").read_text())
            sent = site.post("/api/v1/logs?name=secret.jsonl", json=fault)
            match = sent.json()["files"][0]["matches"][0]
            read = site.get(f"/api/v1/matches/{match['match_id']}/deals/1")
            site.get("/api/v1/matches", params={"q": NAMES[1]})
            site.get(f"/relecture?match={match['match_id']}")
            site.get("/api/v1/matches", headers={"Authorization": "Bearer retourne_wrong"})
            site.post("/in", data={"token": "retourne_wrong"}, headers={"Origin": address})
        with sending(address, **headers) as (body, answers):
            process.send_signal(request.param)
            comes(lambda: get(f"{address}/healthz").json() == {"status": "stopping"})
            refused = get(f"{address}/api/v1/matches")
            body.let.set()
        _, result = process.communicate(timeout=PATIENCE)
    [answer] = answers
    return Ended(process.returncode, store, result.splitlines(), match, read, refused, answer)


def given_to_end(test: Callable[[Ended], None]) -> Callable[[Ended], None]:
    """A test of it, ended by either signal in `make soak`."""
    signs = [signal.SIGTERM, signal.SIGINT]
    both = pytest.mark.parametrize("ended", signs, indirect=True, scope="module")(test)
    return cast("Callable[[Ended], None]", pytest.mark.sample("15")(pytest.mark.slow(both)))


@given_to_end
def test_a_server_that_must_end_does_first_what_it_has_begun(ended: Ended) -> None:
    assert ended.refused.status_code == 503
    assert int(ended.refused.headers["retry-after"]) > 0
    assert ended.answer.status_code == 201
    assert (ended.code, "Traceback" in "".join(ended.lines)) == (0, False)
    assert ended.answer.json()["added"] == 6
    assert matches(ended.store) == 7
    assert not ended.store.with_name("club.duckdb.server").exists()


@given_to_end
def test_each_line_is_an_object_without_names(ended: Ended) -> None:
    first, *result = ended.lines
    assert first.startswith("The dashboard:")
    found = [json.loads(line) for line in result]
    kinds = [one["event"] for one in found if one["event"] not in ("request", "file")]
    assert kinds == ["started", "stopping", "stopped"]
    assert (found[0]["event"], found[-1]["event"]) == ("started", "stopped")
    requests = {one["id"]: one for one in found if one["event"] == "request"}
    mine = requests[ended.read.headers["x-request-id"]]
    assert mine["route"] == "/api/v1/matches/{id}/deals/{deal_number}"
    assert (mine["method"], mine["status"], mine["level"]) == ("GET", 200, "info")
    assert mine["ms"] > 0
    assert {one["status"] for one in requests.values()} == {200, 201, 401, 503}
    sign_ins = [(one["method"], one["status"]) for one in requests.values() if one["route"] == "/in"]
    assert sign_ins == [("POST", 401)]
    files = [one for one in found if one["event"] == "file"]
    assert [(one.get("legal"), one.get("irregular")) for one in files] == [(None, 1), (6, None)]
    match = ended.match["match_id"]
    hidden = (match, match[:8], "secret", "site", "127.0.0.1", *NAMES[:3])
    assert [one for one in hidden if re.search(rf"{re.escape(one)}\b", "\n".join(result))] == []


def test_what_is_not_done_in_time_is_left_before_its_next_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command_gate, "is_cancelled", False)
    monkeypatch.setattr(lifecycle, "GRACE_SECONDS", 0.0)
    begun, left = threading.Event(), list[bool]()

    def work() -> None:
        with lifecycle.active_request():
            begun.set()
            comes(lambda: command_gate.is_cancelled)  # as `go_on` asks it
        left.append(True)

    working = threading.Thread(target=work)
    working.start()
    assert begun.wait(60)
    monkeypatch.setattr(lifecycle, "LEAVING", PATIENCE)
    asyncio.run(lifecycle.drained())  # which waits until that one has answered
    working.join()
    assert left


@pytest.mark.soak
def test_an_upload_that_does_not_end_in_time_is_asked_to_come_again(tmp_path: Path) -> None:
    store = tmp_path / "club.duckdb"
    with serving(store) as (process, address), sending(address) as (body, answers):
        process.send_signal(signal.SIGTERM)
        _, result = process.communicate(timeout=PATIENCE)
        body.let.set()
    [answer] = answers
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert is_problem(answer, 503)
    assert (process.returncode, "Exception" in result, "Traceback" in result) == (0, False, False)
    assert CANCELLED in result
    assert matches(store) == 0


@pytest.mark.parametrize("who", ["the command", "the server"])
@pytest.mark.soak
def test_a_second_signal_ends_it_at_once_and_tears_nothing(tmp_path: Path, who: str) -> None:
    store = tmp_path / "club.duckdb"
    with serving(store) as (process, address):
        first = json.loads(BODY.splitlines()[0])
        httpx.post(f"{address}/api/v1/logs", json=first, timeout=60)
        with sending(address) as (_, answers):
            result = process.pid
            if who == "the server":
                children = Path(f"/proc/{result}/task/{result}/children")
                [result] = map(int, children.read_text().split())
            os.kill(result, signal.SIGTERM)
            comes(lambda: get(f"{address}/healthz").json() == {"status": "stopping"})
            passes(1.5)  # two within a second are one that came twice
            os.kill(result, signal.SIGTERM)
            _, output = process.communicate(timeout=PATIENCE)
    assert CANCELLED not in output
    assert isinstance(answers[0], httpx.TransportError)
    assert matches(store) == 1


def _record(error: Exception | None = None, *args: object, **more: object) -> logging.LogRecord:
    trace = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord("library", logging.ERROR, __file__, 7, "said %s", args, trace)
    record.__dict__.update(more)
    return record


def test_a_fault_is_one_line_with_its_type_and_place_and_no_word_of_a_log() -> None:
    try:
        raise KeyError(f"{NAMES[0]}\n")
    except KeyError as error:
        line = LineFormatter("json").format(_record(error))
        text = LineFormatter("text").format(_record(error))
    fields = json.loads(line)
    assert fields["type"] == "KeyError"
    assert fields["places"][0].startswith("tests/dashboard/test_server_lifecycle.py:")
    for one in (line, text):
        assert NAMES[0] not in one
        assert "\n" not in one


@pytest.mark.slow
def test_an_error_in_a_thread_is_one_line_of_the_log() -> None:
    program = (
        "import threading; from dashboard.server import server_logging as log; log.configure_logging('json');"
        "one = threading.Thread(target=lambda: 1 / 0); one.start(); one.join()"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    [line] = ran.stderr.splitlines()
    assert json.loads(line)["type"] == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("younger", "is_busy", "collections"),
    [
        (lifecycle.MIN_YOUNG_COLLECTIONS - 1, False, 0),
        (lifecycle.MIN_YOUNG_COLLECTIONS, False, 3),
        (lifecycle.MAX_YOUNG_COLLECTIONS - 1, True, 0),
        (lifecycle.MAX_YOUNG_COLLECTIONS, True, 3),
    ],
)
def test_garbage_is_collected_while_the_server_is_idle_or_once_there_is_much(
    monkeypatch: pytest.MonkeyPatch, younger: int, is_busy: bool, collections: int
) -> None:
    done, slept, before = list[bool](), list[float](), gc.get_threshold()
    monkeypatch.setattr(lifecycle, "_active_requests", int(is_busy))

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        assert gc.get_threshold() == (*before[:2], lifecycle.NEVER)
        if len(slept) > 3:
            raise asyncio.CancelledError

    monkeypatch.setattr("asyncio.sleep", sleep)
    monkeypatch.setattr("gc.get_count", lambda: (0, 0, younger))
    monkeypatch.setattr("gc.collect", lambda: done.append(True))
    with suppress(asyncio.CancelledError):
        asyncio.run(lifecycle.collect_garbage())
    assert (len(done), set(slept)) == (collections, {lifecycle.COLLECT_SECONDS})
    assert gc.get_threshold() == before
    config = tomllib.loads((ROOT / "dashboard" / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["runner"]["postScriptGC"] is False


def test_loaded_code_is_frozen_once_no_more_of_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, loads, code = list[int](), [0, 1, 1, 1, 2, 3, 3], set[str]()

    async def sleep(_: float) -> None:
        if not loads:
            raise asyncio.CancelledError
        code.update(map(str, range(loads.pop(0))))

    monkeypatch.setattr("asyncio.sleep", sleep)
    monkeypatch.setattr(lifecycle, "loaded_code", code)
    monkeypatch.setattr("gc.collect", lambda: None)
    monkeypatch.setattr("gc.freeze", lambda: seen.append(len(code)))
    with suppress(asyncio.CancelledError):
        asyncio.run(lifecycle.freeze_loaded_code())
    assert seen == [0, 1, 3]


def test_pages_start_and_stop_where_no_server_of_ours_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where another program serves the pages: it handles its own signals."""
    monkeypatch.setattr(lifecycle, "running_server", lambda: None)

    async def run() -> object:
        async with lifecycle.lifespan(None):
            return signal.getsignal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    assert asyncio.run(run()) == before


def test_a_librarys_message_is_shown_without_the_values_in_it() -> None:
    fields = json.loads(LineFormatter("json").format(_record(None, NAMES[0])))
    assert (fields["event"], fields["message"]) == ("library", "said %s")
    assert fields["at"] == "tests/dashboard/test_server_lifecycle.py:7"
    mixed = _record()
    mixed.msg = f"said {NAMES[0]}"  # in one piece: nobody can tell the two apart
    assert NAMES[0] not in LineFormatter("json").format(mixed)


def test_what_a_killed_process_left_goes_when_a_server_starts(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(["true"]) as dead:
        pass
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(command_gate, "cancel_all", lambda: None)  # which holds for the whole process
    folder = tmp_path / "temporary" / f"{FOLDER_PREFIX}12345678"
    folder.mkdir(0o700)
    part = games.with_name(f"{games.name}.{dead.pid}-1.part")
    for left in (folder / "file", part):
        left.write_text("zoe")
    with lifecycle.open_for_serving(8501, translator("en")):
        assert not folder.exists()
        assert not part.exists()


@pytest.mark.soak
def test_a_server_killed_while_it_sends_leaves_no_file_with_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stays is the store, and the address of the server until the next one starts."""
    folder, temporary = tmp_path / "club", tmp_path / "temporary"
    for one in (folder, temporary):
        one.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    store = folder / "club.duckdb"
    with Store(store) as opened:
        list(ingest(opened, [("club.jsonl", BytesIO(BODY))]))
        secret = tokens.add_token(opened, "zoe", Role.ADMIN)

    def files() -> set[str]:
        return {one.name for folder in (folder, temporary) for one in folder.rglob("*")}

    for _ in range(3):
        with ExitStack() as until:
            process, address = until.enter_context(serving(store))
            headers = {"Authorization": f"Bearer {secret}"}
            client = until.enter_context(httpx.Client(base_url=address, headers=headers, timeout=PATIENCE))
            for path in ("raw.csv", "deals.parquet", "logs.jsonl"):
                until.enter_context(client.stream("GET", f"/api/v1/exports/{path}"))
            until.enter_context(client.stream("POST", "/api/v1/commands/backup"))
            server = json.loads(store.with_name("club.duckdb.server").read_text())["process"]
            os.kill(server, signal.SIGKILL)
            process.wait()
            left = files() - {"club.duckdb", "club.duckdb.server", "club.duckdb.wal"}
            assert not [name for name in left if not name.endswith(".part")], left
    with serving(store):
        assert files() == {"club.duckdb", "club.duckdb.server"}
