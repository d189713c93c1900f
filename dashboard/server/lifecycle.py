"""Starts and stops the server, which holds the store from start to end.

Then what was begun is done, for so long, and nothing more is begun.
"""

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from dashboard import access
from dashboard.compat import running_server
from dashboard.server import log
from dashboard.store import command_gate, open_store
from engine import program_version
from ingest.cli.common import print_notice
from ingest.i18n import N_, Translate
from ingest.store import ingest_files, server_hosts
from ingest.store.server_hosts import public_url

GRACE_SECONDS = 15.0
"""Seconds that requests and additions have to be done; the rest of those of `serve` is for us."""
LEAVING = 3.0
"""Seconds that what is not done by then has to come to the end of its transaction, and say so."""
CLOSE_SECONDS = 3
"""Seconds that connections then have, which are over but for their goodbye."""
KEEP_ALIVE_SECONDS = 75
"""Seconds a connection is kept for the next request: longer than proxies and programs keep theirs,
or one that asks as it is being closed is never answered."""
RETRY_AFTER_SECONDS = 10
"""Seconds after which what is refused meanwhile may be asked again."""
SAME_SIGNAL_SECONDS = 1.0
"""Seconds in which a second signal is the first one, come by another way: a service manager tells
every process of a service, and the command tells its server."""
POLL_SECONDS = 0.05
_stop_time: float | None = None
_active_requests = 0
SERVER_FILE_UNWRITABLE = N_(
    "Beside the store {path} no file can be written: commands cannot use it while it is served."
)


def is_stopping() -> bool:
    """Whether the server is being stopped."""
    return _stop_time is not None


@contextmanager
def active_request() -> Iterator[None]:
    """A request that is waited for."""
    global _active_requests
    _active_requests += 1
    try:
        yield
    finally:
        _active_requests -= 1


async def drained() -> None:
    """Let what was begun be done; what is not, in time, says what of it was done and what not."""
    left = set(ingest_files.running_ingests)
    for patience in (GRACE_SECONDS, LEAVING):
        until = time.monotonic() + patience
        while (
            _active_requests or left & ingest_files.running_ingests
        ) and time.monotonic() < until:
            await asyncio.sleep(POLL_SECONDS)
        command_gate.is_cancelled = True  # it ends before its next transaction
    if _active_requests or left & ingest_files.running_ingests:
        log.log_event(
            "given up",
            requests=_active_requests,
            additions=len(left & ingest_files.running_ingests),
        )


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Within, a signal lets what was begun be done first; a second one ends the process."""
    server = running_server()
    if threading.current_thread() is threading.main_thread() and server is not None:
        server.config.timeout_graceful_shutdown = CLOSE_SECONDS
        server.config.timeout_keep_alive = KEEP_ALIVE_SECONDS
        loop, draining = asyncio.get_running_loop(), set[asyncio.Task[None]]()

        async def ended(number: int) -> None:
            await drained()
            server.handle_exit(number, None)  # as if it were told only now

        def end(number: int, frame: FrameType | None) -> None:
            global _stop_time
            if _stop_time is None:
                _stop_time = time.monotonic()
                log.log_event("stopping")
                loop.call_soon_threadsafe(lambda: draining.add(loop.create_task(ended(number))))
            elif time.monotonic() - _stop_time > SAME_SIGNAL_SECONDS:
                os.kill(os.getpid(), signal.SIGKILL)  # the store is whole whatever ends us

        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, end)
    log.log_event("started")
    yield
    log.log_event("stopped")


@contextmanager
def open_for_serving(port: int, t: Translate) -> Iterator[None]:
    """Take the store, and let in commands of its user. StoreError: it cannot be opened."""
    opened = open_store()
    with ExitStack() as until:
        if opened.is_single_file:  # commands open a lake themselves
            url = server_hosts.local_url(access.hosts, port)
            try:
                file = server_hosts.server_file(Path(opened.path), url, program_version())
                access.set_local_key(until.enter_context(file), public_url(access.hosts, port))
            except OSError:
                print_notice(t(SERVER_FILE_UNWRITABLE, path=opened.path))
        try:
            yield
        finally:
            access.set_local_key("", None)
            command_gate.cancel_all()
