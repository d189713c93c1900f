"""A served store checks uploads in worker processes, and ends them."""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from types import ModuleType

import httpx
import pytest

from ingest import cancellation
from ingest.api import check, check_text, reports_of
from ingest.i18n import translator
from ingest.reader.files import Batch, MatchText, ReadError
from ingest.reader.sources import source_batches
from ingest.store import worker_pool
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest
from ingest.validate.report import MatchReport
from tests.dashboard.conftest import FAUTES, lines
from tests.dashboard.test_server_lifecycle import serving
from tests.waiting import comes

FAULTY = (FAUTES / "must-follow.json").read_bytes().replace(b"\n", b" ") + b"\n"
MANY = lines() + b'{"torn\n' + b"".join(FAULTY.replace(b'"id"', b'"id%d"' % n) for n in range(30))


def taken(path: Path, body: bytes) -> FileReport:
    with Store(path, is_shared=True) as store:
        (report,) = ingest(store, [("many.jsonl", BytesIO(body))])
    return report


def verdicts(report: FileReport) -> list[tuple[int, str, list[str]]]:
    return [(one.line, one.status, [f.code for f in one.findings]) for one in report.reports]


@pytest.mark.slow
def test_the_outcome_is_that_of_one_process(tmp_path: Path) -> None:
    here, checked_here = taken(tmp_path / "here.duckdb", MANY), list(check(("many.jsonl", BytesIO(MANY))))
    with worker_pool.worker_pool(1):
        there = taken(tmp_path / "there.duckdb", MANY)
        again = taken(tmp_path / "there.duckdb", MANY)
        first, then = _checked_there(), _checked_there()
    assert here.by_status == there.by_status
    assert verdicts(here) == verdicts(there)
    assert (here.added, here.rejected) == (there.added, there.rejected) == (again.duplicates, 0)
    t = translator("en")
    assert [one.as_dict(t) for one in checked_here] == [one.as_dict(t) for one in first]
    assert [one.as_dict(t) for one in checked_here] == [one.as_dict(t) for one in then]


def _checked_there() -> list[MatchReport]:
    """What is found where others check, with its edits."""
    pieces = worker_pool.split_batches(source_batches([("many.jsonl", BytesIO(MANY))]))
    return [one for piece in pieces for one in worker_pool.run_on_batch(reports_of, piece)]


@pytest.mark.slow
@pytest.mark.workers
def test_a_process_that_is_ended_from_outside_costs_nothing(tmp_path: Path) -> None:
    with worker_pool.worker_pool(1):
        taken(tmp_path / "store.duckdb", MANY)
        [worker] = _workers(os.getpid())
        os.kill(worker, signal.SIGTERM)  # a service manager tells every process
        assert taken(tmp_path / "after.duckdb", MANY).added == 37
        assert _workers(os.getpid()) == [worker]
        os.kill(worker, signal.SIGKILL)
        assert taken(tmp_path / "other.duckdb", MANY).added == 37
    assert _workers(os.getpid()) == []


@pytest.mark.soak
def test_they_run_nothing_of_the_page_that_is_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = ModuleType("__main__")
    page.__file__ = str(tmp_path / "page.py")
    (tmp_path / "page.py").write_text("raise SystemExit('a page was run')", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "__main__", page)
    with worker_pool.worker_pool(1):
        assert taken(tmp_path / "store.duckdb", MANY).added == 37
        assert worker_pool.run_on_batch(_own_process, Batch("", [], [])) != os.getpid()
    assert capfd.readouterr().err == ""


def _own_process(_: Batch) -> int:
    return os.getpid()


def _workers(pid: int) -> list[int]:
    """The processes a process has started to check."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = {int(one) for task in tasks for one in _read(task / "children").split()}
    return [one for one in children if b"spawn_main" in _read(Path(f"/proc/{one}/cmdline"))]


def _read(about: Path) -> bytes:
    """What a file says of a thread or a process; nothing where that has ended since it was seen."""
    try:
        return about.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@pytest.mark.workers
def test_work_that_comes_to_a_pool_that_is_ended_is_done_here() -> None:
    """As where a server ends, or another thread found the pool broken a moment before."""
    checkers = worker_pool.WorkerPool(1)
    ended = ProcessPoolExecutor(1)
    ended.shutdown()
    checkers._pool, checkers._warm = ended, True
    assert checkers.run(_lines, Batch("f", [MatchText(3, b"{}")], [])) == [3]
    assert checkers._pool is None


def _lines(batch: Batch) -> list[int]:
    return [text.line for text in batch.texts]


def test_where_the_system_gives_no_semaphores_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(worker_pool, "ProcessPoolExecutor", refused)
    with worker_pool.worker_pool(1):
        assert worker_pool.run_on_batch(_own_process, Batch("", [], [])) == os.getpid()


def test_a_file_is_cut_into_pieces_in_its_order() -> None:
    texts = [MatchText(line, b"12345") for line in (1, 2, 4, 5, 7)]
    troubles = [ReadError("f", line, "code") for line in (8, 3, 6)]
    found = list(worker_pool.split_batches(iter([Batch("f", texts, troubles)]), 10))
    assert [[one.line for one in piece.texts] for piece in found] == [[1, 2], [4, 5], [7]]
    assert [[one.line for one in piece.troubles] for piece in found] == [[3], [6], [8]]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.soak
def test_they_end_with_the_server(tmp_path: Path, sign: signal.Signals) -> None:
    with serving(tmp_path / "club.duckdb") as (process, address):
        [server] = map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
        sent = httpx.post(f"{address}/api/v1/logs", content=MANY, timeout=60)
        assert json.loads(sent.text)["added"] == 6
        [worker] = _workers(server)
        os.kill(server, sign)
        process.wait(40)
        comes(lambda: not Path(f"/proc/{worker}").exists())


@pytest.mark.workers
def test_work_of_who_left_ends_and_what_waited_for_it_is_not_begun(tmp_path: Path) -> None:
    begun, left = tmp_path / "begun", threading.Event()
    with worker_pool.worker_pool(1), ThreadPoolExecutor(2) as threads:
        worker_pool.run_in_worker(_own_pid, 0)  # the process has started
        before = cancellation.is_cancelled.set(lambda: True)
        with pytest.raises(KeyboardInterrupt):
            worker_pool.run_in_worker(_until_cancelled, 0)
        cancellation.is_cancelled.reset(before)
        assert worker_pool.run_in_worker(_own_pid, 0) != os.getpid()  # the only worker is free again
        first = threads.submit(_run_until, left, _until_cancelled, str(tmp_path / "first"))
        comes((tmp_path / "first").exists)
        second = threads.submit(_run_until, left, _until_cancelled, str(begun))
        left.set()
        assert [type(one.exception(60)) for one in (first, second)] == [KeyboardInterrupt] * 2
        assert worker_pool.run_in_worker(_own_pid, 0) != os.getpid()


def test_a_match_is_cancelled_between_two_findings() -> None:
    calls = list[int]()
    before = cancellation.is_cancelled.set(lambda: calls.append(1) or len(calls) > 5)  # type: ignore[func-returns-value]
    keys = b",".join(b'"key%d": 1' % n for n in range(100))
    with pytest.raises(KeyboardInterrupt):
        check_text(lines().splitlines()[0][:-1] + b"," + keys + b"}")
    cancellation.is_cancelled.reset(before)
    assert len(calls) == 6


def _run_until(left: threading.Event, work: Callable[[str], object], item: str) -> object:
    cancellation.is_cancelled.set(left.is_set)
    return worker_pool.run_in_worker(work, item)


def _until_cancelled(begun: str | int) -> None:
    if isinstance(begun, str):
        Path(begun).touch()
    while True:
        cancellation.check_cancelled()


def _own_pid(_: int) -> int:
    return os.getpid()
