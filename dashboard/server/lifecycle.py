"""The server from its beginning, when it takes the store, to its end.

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
from dashboard.store import commands, store
from engine import program_version
from ingest.cli.common import remark
from ingest.i18n import N_, Translate
from ingest.store import ingest_files, server_hosts
from ingest.store.server_hosts import address

GRACE = 15.0
"""Seconds that requests and additions have to be done; the rest of those of `serve` is for us."""
LEAVING = 3.0
"""Seconds that what is not done by then has to come to the end of its transaction, and say so."""
CLOSING = 3
"""Seconds that connections then have, which are over but for their goodbye."""
IDLE = 75
"""Seconds a connection is kept for the next request: longer than proxies and programs keep theirs,
or one that asks as it is being closed is never answered."""
LATER = 10
"""Seconds after which what is refused meanwhile may be asked again."""
ONCE = 1.0
"""Seconds in which a second signal is the first one, come by another way: a service manager tells
every process of a service, and the command tells its server."""
LOOK = 0.05
_begun: float | None = None
_working = 0
NO_FILE = N_(
    "Beside the store {path} no file can be written: commands cannot use it while it is served."
)


def begun() -> bool:
    """Whether the server is being stopped."""
    return _begun is not None


@contextmanager
def working() -> Iterator[None]:
    """A request that is waited for."""
    global _working
    _working += 1
    try:
        yield
    finally:
        _working -= 1


async def drained() -> None:
    """Let what was begun be done; what is not, in time, says what of it was done and what not."""
    left = set(ingest_files.under_way)
    for patience in (GRACE, LEAVING):
        until = time.monotonic() + patience
        while (_working or left & ingest_files.under_way) and time.monotonic() < until:
            await asyncio.sleep(LOOK)
        commands.ended = True  # it ends before its next transaction
    if _working or left & ingest_files.under_way:
        log.say("given up", requests=_working, additions=len(left & ingest_files.under_way))


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Within, a signal lets what was begun be done first; a second one ends the process."""
    server = running_server()
    if threading.current_thread() is threading.main_thread() and server is not None:
        server.config.timeout_graceful_shutdown = CLOSING
        server.config.timeout_keep_alive = IDLE
        loop, draining = asyncio.get_running_loop(), set[asyncio.Task[None]]()

        async def ended(number: int) -> None:
            await drained()
            server.handle_exit(number, None)  # as if it were told only now

        def end(number: int, frame: FrameType | None) -> None:
            global _begun
            if _begun is None:
                _begun = time.monotonic()
                log.say("stopping")
                loop.call_soon_threadsafe(lambda: draining.add(loop.create_task(ended(number))))
            elif time.monotonic() - _begun > ONCE:
                os.kill(os.getpid(), signal.SIGKILL)  # the store is whole whatever ends us

        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, end)
    log.say("started")
    yield
    log.say("stopped")


@contextmanager
def serving(port: int, t: Translate) -> Iterator[None]:
    """Take the store, and let in commands of its user. StoreError: it cannot be opened."""
    opened = store()
    with ExitStack() as until:
        if opened.in_a_file:  # commands open a lake themselves
            url = server_hosts.url_of(access.served, port)
            try:
                file = server_hosts.written(Path(opened.path), url, program_version())
                access.let_in(until.enter_context(file), address(access.served, port))
            except OSError:
                remark(t(NO_FILE, path=opened.path))
        try:
            yield
        finally:
            access.let_in("", None)
            commands.end()
