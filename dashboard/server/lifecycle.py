"""Starts and stops the server, which holds the store from start to end.

During shutdown, running requests have a time limit to finish, and new ones are refused.
"""

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb

from dashboard import authentication
from dashboard.board.solver_thread import loaded_code
from dashboard.compat import (
    count_open_pages,
    forget_left_pages,
    limit_worker_threads,
    rerun_open_pages,
    running_server,
)
from dashboard.server import server_logging
from dashboard.server.page_limits import page_run_slots
from dashboard.server.visitor_limits import MAX_MESSAGE_BYTES, watch_connections
from dashboard.store import command_gate, open_store
from engine import program_version
from ingest import frozen_objects
from ingest.cli.common import print_notice
from ingest.i18n import N_, Translate
from ingest.store import ingest_files, server_hosts
from ingest.store.factory import StoreError
from ingest.store.server_hosts import public_url
from ingest.store.temporary_files import remove_abandoned_folders, remove_leftovers

GRACE_SECONDS = 15.0
"""Seconds for requests and uploads to finish; the rest of the limit of `serve` is for shutdown."""
LEAVING = 3.0
"""Seconds then for the rest to finish its transaction and report the interruption."""
CLOSE_SECONDS = 3
"""Seconds then to close the connections."""
KEEP_ALIVE_SECONDS = 75
"""Seconds an idle connection stays open: longer than proxies and clients keep theirs, or a request
sent during the close would get no answer."""
RETRY_AFTER_SECONDS = 10
"""Seconds after which clients may retry a refused request."""
SAME_SIGNAL_SECONDS = 1.0
"""Seconds in which a second signal counts as the first: a service manager signals every process of
a service, and the command also signals its server."""
POLL_SECONDS = 0.05
REDRAW_SECONDS = 1.0
"""Seconds between two looks for players masked since."""
FREEZE_SECONDS = 2.0
"""Seconds between two looks for code loaded since."""
COLLECT_SECONDS = 10.0
"""Seconds between two looks for garbage."""
MIN_YOUNG_COLLECTIONS, MAX_YOUNG_COLLECTIONS = 10, 60
"""Collections of younger objects after which a whole one is due while the server is idle, and after which it
is due at once."""
NEVER = 2**31 - 1
"""A threshold of the garbage collector that is not reached."""
_stop_time: float | None = None
_active_requests = 0
SERVER_FILE_UNWRITABLE = N_(
    "Retourne cannot write files next to the store {path}: commands cannot use it while it is served."
)


def is_stopping() -> bool:
    """Return whether the server is stopping."""
    return _stop_time is not None


@contextmanager
def active_request() -> Iterator[None]:
    """Count a request that the shutdown waits for."""
    global _active_requests
    _active_requests += 1
    try:
        yield
    finally:
        _active_requests -= 1


async def drained() -> None:
    """Wait for running requests and uploads; cancel those that exceed the time limits."""
    left = set(ingest_files.running_ingests)
    for patience in (GRACE_SECONDS, LEAVING):
        until = time.monotonic() + patience
        while (_active_requests or left & ingest_files.running_ingests) and time.monotonic() < until:
            await asyncio.sleep(POLL_SECONDS)
        command_gate.is_cancelled = True  # commands stop before their next transaction
    if _active_requests or left & ingest_files.running_ingests:
        server_logging.log_event(
            "given up", requests=_active_requests, additions=len(left & ingest_files.running_ingests)
        )


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Handle signals within the block: the first one starts the shutdown, a second one kills it."""
    limit_worker_threads()
    server = running_server()
    if threading.current_thread() is threading.main_thread() and server is not None:
        server.config.timeout_graceful_shutdown = CLOSE_SECONDS
        server.config.timeout_keep_alive = KEEP_ALIVE_SECONDS
        server.config.ws_max_size = MAX_MESSAGE_BYTES
        loop, draining = asyncio.get_running_loop(), set[asyncio.Task[None]]()

        async def ended(number: int) -> None:
            await drained()
            server.handle_exit(number, None)  # let uvicorn handle the signal now

        def end(number: int, frame: FrameType | None) -> None:
            global _stop_time
            if _stop_time is None:
                _stop_time = time.monotonic()
                server_logging.log_event("stopping")
                loop.call_soon_threadsafe(lambda: draining.add(loop.create_task(ended(number))))
            elif time.monotonic() - _stop_time > SAME_SIGNAL_SECONDS:
                os.kill(os.getpid(), signal.SIGKILL)  # safe: a kill leaves the store whole

        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, end)
    services = [] if server is None else [watch_connections(server)]
    services += [freeze_loaded_code(), collect_garbage(), forget_pages(), redraw_pages()]
    tasks = [asyncio.create_task(one) for one in services]
    server_logging.log_event("started")
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    server_logging.log_event("stopped")


async def freeze_loaded_code() -> None:
    """Take modules and compiled code out of the garbage collector's sight, until it is cancelled.

    To look through all of them takes the collector tenths of a second, in which the server answers no one.
    Pages import some modules when they are first shown; solvers load their code in a thread.
    """
    frozen = before = 0, 0
    while True:
        now = len(sys.modules), len(loaded_code)
        # nothing is being loaded, and something was, or the end of an ingest has unfrozen all
        if now == before and (now != frozen or not frozen_objects.are_frozen()):
            gc.collect()
            frozen_objects.freeze()
            frozen = now
        before = now
        await asyncio.sleep(FREEZE_SECONDS)


async def collect_garbage() -> None:
    """Collect what runs of pages left, if memory grew and while the server is idle, until it is cancelled.

    Streamlit would do so after each run (`postScriptGC` in `config.toml`), and Python whenever objects have
    become so many: in tenths of a second in which the server answers no one.
    """
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, NEVER)
    try:
        while True:
            await asyncio.sleep(COLLECT_SECONDS)
            grown = gc.get_count()[2]
            is_idle = not _active_requests and page_run_slots.is_idle
            if grown >= (MIN_YOUNG_COLLECTIONS if is_idle else MAX_YOUNG_COLLECTIONS):
                gc.collect()
    finally:
        gc.set_threshold(young, middle, old)


async def forget_pages() -> None:
    """Free the memory of pages that were left, until it is cancelled."""
    while True:
        await asyncio.sleep(REDRAW_SECONDS)  # Streamlit starts after this
        forget_left_pages()


async def redraw_pages() -> None:
    """Draw open pages again when a player was masked or purged, until it is cancelled.

    They would show the name until their readers do something. While no page is open, the store is not
    queried.
    """
    before = dict[str, tuple[int, int]]()  # by the store's path: pages of another store have no old names
    while True:
        if not before or count_open_pages():
            with suppress(StoreError, duckdb.Error):  # the store is being replaced, or does not answer
                path, now = await asyncio.to_thread(_names_version)
                if before.get(path, now) != now:
                    rerun_open_pages()
                before = {path: now}
        await asyncio.sleep(REDRAW_SECONDS)


def _names_version() -> tuple[str, tuple[int, int]]:
    """Return the store's path, and numbers that differ once a player was masked, unmasked or purged."""
    store = open_store()
    masks = "SELECT coalesce(max(change), -1) FROM change_log WHERE action IN ('mask', 'unmask')"
    [(change,)] = store.cursor().execute(masks).fetchall()
    return store.path, (store.file_generation, change)


@contextmanager
def open_for_serving(port: int, t: Translate) -> Iterator[None]:
    """Open the store and accept local commands of its user. StoreError: it cannot be opened."""
    opened = open_store()
    if opened.is_single_file:
        remove_leftovers(Path(opened.path).resolve())
    else:
        remove_abandoned_folders()
    with ExitStack() as until:
        if opened.is_single_file:  # commands open a lake without the server
            url = server_hosts.local_url(authentication.hosts, port)
            try:
                file = server_hosts.server_file(Path(opened.path), url, program_version())
                key, pages = until.enter_context(file), public_url(authentication.hosts, port)
                authentication.set_local_key(key, pages)
            except OSError:
                print_notice(t(SERVER_FILE_UNWRITABLE, path=opened.path))
        try:
            yield
        finally:
            authentication.set_local_key("", None)
            command_gate.cancel_all()
