"""The open store of a process, without Streamlit."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from dashboard import store as opened
from dashboard.queries import matches
from dashboard.store import LruCache
from ingest.store import trash
from ingest.store.factory import StoreError
from tests.waiting import PATIENCE, comes


def test_those_asked_for_last_are_kept() -> None:
    remaining: LruCache[int] = LruCache(2)
    made = list[int]()

    def value(number: int) -> int:
        def make() -> int:
            made.append(number)
            return number

        return remaining.get(number, make)

    assert [value(one) for one in (1, 2, 1, 3, 1, 2)] == [1, 2, 1, 3, 1, 2]
    assert made == [1, 2, 3, 2]  # 1 was asked for again before 3 came, 2 was not
    remaining.clear()
    assert value(1) == 1
    assert made[-1] == 1


def test_what_many_ask_at_once_is_worked_out_once_and_a_failure_by_the_next() -> None:
    remaining: LruCache[int] = LruCache(2)
    made, requested, all_there = list[int](), list[int](), threading.Barrier(5)

    def make() -> int:
        made.append(1)
        comes(lambda: len(requested) == 5, "everybody")
        if len(made) == 1:
            raise StoreError("Not now.")
        return len(made)

    def ask(_: int) -> int | None:
        all_there.wait()
        requested.append(1)
        with suppress(StoreError):
            return remaining.get("same", make)
        return None

    with ThreadPoolExecutor(5) as readers:
        found = list(readers.map(ask, range(5)))
    assert sorted(found, key=str) == [2, 2, 2, 2, None]
    assert len(made) == 2


def test_one_store_is_opened_and_asked_until_it_is_closed(games: Path) -> None:
    first = opened.open_store()
    assert opened.open_store() is first
    assert opened.cached_query(matches.count_matches) == 9
    number = first.find_match("m0")
    assert number is not None
    assert opened.validated_match(number) is opened.validated_match(number)
    opened.close_store()
    assert opened.open_store() is not first


def test_a_store_that_failed_gravely_is_opened_again(games: Path) -> None:
    failed = opened.open_store()
    assert opened.open_store() is failed
    failed.needs_reopen = True
    assert opened.open_store() is not failed
    assert opened.cached_query(matches.count_matches) == 9


def test_who_replaces_the_store_has_it_while_others_wait_for_it(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, waits = opened.open_store(), threading.Event()
    lock = store.file_lock

    class Waited:
        """The lock, which tells when the other thread comes to it."""

        def __enter__(self) -> None:
            if threading.current_thread() is not threading.main_thread():
                waits.set()
            lock.acquire()

        def __exit__(self, *error: object) -> None:
            lock.release()

    monkeypatch.setattr(store, "file_lock", Waited())
    with ThreadPoolExecutor(2) as threads:
        with opened.replacing_store():
            other = threads.submit(opened.open_store)
            assert waits.wait(PATIENCE)
            assert not opened._open_lock.locked()  # or this thread would wait for the other, for ever
            assert opened.open_store() is store
            assert not other.done()
        assert other.result(PATIENCE) is store


def test_a_store_that_cannot_be_opened_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("no database")
    with pytest.raises(StoreError):
        opened.open_store()
    path.unlink()
    assert opened.cached_query(matches.count_matches) == 0


@pytest.mark.slow
def test_it_needs_no_streamlit() -> None:
    code = (
        "import sys, dashboard.store, dashboard.tables.profile, dashboard.cli.stats;"
        "print('streamlit' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_answers_of_an_older_state_are_let_go(games: Path, path: Path) -> None:
    for offset in range(5):
        opened.cached_query(matches.match_page, None, 1, offset)
    assert len(opened._query_cache._entries) == 5
    trash.delete_matches(opened.open_store(), [0])
    assert opened.cached_query(matches.count_matches) == 8
    assert len(opened._query_cache._entries) == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no such file here")
def test_an_answer_is_kept_in_memory_of_its_own_size(games: Path, path: Path) -> None:
    """What DuckDB hands over has room for a million rows in each column: 60 MB a page."""

    def addresses() -> int:
        return int(Path("/proc/self/statm").read_text().split()[0]) * 4096

    def pages(first: int) -> None:
        for limit in range(first, first + 30):
            assert opened.cached_query(matches.match_page, None, limit).height == 9

    with ThreadPoolExecutor(1) as reader:  # one thread, whose memory is used again
        reader.submit(pages, 100).result()
        before = addresses()
        reader.submit(pages, 200).result()
    assert addresses() - before < 30 * 20e6
