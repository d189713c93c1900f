"""Undocumented parts of libraries that ingest uses.

`tests/ingest/test_compat.py` fails where a later version has changed it.
"""

import errno
import os
import re
import select
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import spawn
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, NamedTuple

CONNECT_TIMEOUT_SECONDS = 5.0
"""Seconds that PostgreSQL has to say why it lets nobody in."""
_POSTGRES_ERROR_CODE = re.compile(r'\bErrorResponse\b.* C "(\w{5})"')


class ConnectionRefusal(NamedTuple):
    """Why a try to connect to PostgreSQL came to nothing, without a word of its language."""

    code: str
    """The SQLSTATE; empty where the server said none."""
    needs_password: bool
    host: str
    port: str
    database: str


def connection_refusal(conninfo: str) -> ConnectionRefusal:
    """Try once more to connect, and see why that is refused.

    What: the lines of `PGconn.trace`. Why: a server refuses a connection in its own language, and
    libpq hands on these words without the code. Tried with psycopg 3.3 and libpq 18.
    """
    from psycopg import NotSupportedError
    from psycopg.pq import ConnStatus, PGconn, PollingStatus

    tried = PGconn.connect_start(conninfo.encode())
    until, codes = time.monotonic() + CONNECT_TIMEOUT_SECONDS, list[str]()
    with tempfile.TemporaryFile("w+b") as said:
        try:
            tried.trace(said.fileno())
        except NotSupportedError:  # but on Linux
            return ConnectionRefusal("", False, "", "", "")
        ended = PollingStatus.OK, PollingStatus.FAILED
        state = PollingStatus.FAILED if tried.status == ConnStatus.BAD else PollingStatus.WRITING
        while state not in ended and (left := until - time.monotonic()) > 0:
            reads = state == PollingStatus.READING
            select.select([tried.socket] * reads, [tried.socket] * (not reads), [], left)
            state = PollingStatus(tried.connect_poll())
        tried.untrace()
        said.seek(0)
        codes += _POSTGRES_ERROR_CODE.findall(said.read().decode(errors="replace"))
    host, port, database = (one.decode() for one in (tried.host, tried.port, tried.db))
    found = ConnectionRefusal(
        codes[-1] if codes else "", tried.needs_password, host, port, database
    )
    tried.finish()
    return found


# What: words of DuckDB 1.5.5 and its extensions. Why: whatever goes wrong with a file is one class
# there, IOException, and what a server or the system said of it is handed on in words only. They
# are English whatever the language: the extensions have no other, and the system's are C's own.

_OS_ERRORS = {
    "full": (errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    "refused": (errno.EACCES, errno.EPERM, errno.EROFS),
}
_FILE_ERROR_TEXTS = {
    "locked": ("Could not set lock", "Conflicting lock"),
    "full": tuple(map(os.strerror, _OS_ERRORS["full"])),
    "journal": ("WAL file",),
    "shown": ("in-memory database",),  # a table of another kind, opened to be read only
    "refused": ("read-only", *map(os.strerror, _OS_ERRORS["refused"])),
    "damaged": ("Could not read enough bytes", "checksum", "Corrupt"),
}
_LAKE_ERROR_TEXTS = {
    "missing": (os.strerror(errno.ENOENT), "(HTTP 404"),
    "storage": ("error for HTTP ",),
    "lost": (
        *("server closed the connection", "connection to server", "could not connect"),
        *("SSL SYSCALL", "terminating connection", os.strerror(errno.ECONNREFUSED)),
        *("no connection to the server", "the database system is"),
        "Unable to connect to Postgres",
        # a commit that could not even be undone, of which the client says nothing else
        'Failed to execute query "ROLLBACK"',
    ),
    "crossed": ("was given up", "maximum retry count", "Transaction conflict"),
    "elsewhere": ("does not match existing data path",),
}


_WAL_MAGIC = b"d\x00be\x00"


def may_be_wal(header: bytes) -> bool:
    """Whether what lies beside a database may be its journal, whole or broken off.

    What: how DuckDB 1.5.5 begins each. Why: it passes over what is none, and writes over it.
    """
    return header[: len(_WAL_MAGIC)] == _WAL_MAGIC[: len(header)]


def _first_matching_kind(error: Exception, words: dict[str, tuple[str, ...]]) -> str:
    said = str(error)
    return next((what for what, some in words.items() if any(one in said for one in some)), "")


def file_error_kind(error: Exception) -> str:
    """What a DuckDB error about a file is, a key of `_FILE_ERROR_TEXTS`; empty: none of these."""
    return _first_matching_kind(error, _FILE_ERROR_TEXTS)


def lake_error_kind(error: Exception) -> str:
    """What a DuckDB error about a lake is, a key of `_LAKE_ERROR_TEXTS`; empty: none of these."""
    return _first_matching_kind(error, _LAKE_ERROR_TEXTS)


def locking_pid(error: Exception) -> str:
    """The process that has a file locked; empty where that is not said."""
    found = re.search(r"PID (\d+)", str(error))
    return found[1] if found else ""


# What: `spawn.get_preparation_data`, as `SpawnProcess._Popen` calls it. Why: Python has a new
# process run the main module once more, and nothing public keeps it from that: while a page of the
# dashboard runs that is the page, and in a test the test. Tried with Python 3.11.

_spawn_lock = threading.Lock()


def preparation_without_main(
    get_preparation_data: Callable[[str], dict[str, Any]], name: str
) -> dict[str, Any]:
    """What a new process is told, without the main module."""
    return {
        key: told
        for key, told in get_preparation_data(name).items()
        if not key.startswith("init_main_")
    }


class CleanSpawnProcess(SpawnProcess):
    """A process that imports what it is asked to do, and nothing else."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        with _spawn_lock:
            prepared = spawn.get_preparation_data
            spawn.get_preparation_data = partial(preparation_without_main, prepared)
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                spawn.get_preparation_data = prepared


class CleanSpawnContext(SpawnContext):
    """How processes are begun that are nothing of who begins them, for `ProcessPoolExecutor`."""

    Process = CleanSpawnProcess


def untold() -> None:
    """Have what processes of a pool leave behind that were killed be cleared away in silence.

    What does it is begun with the first pool, with the options `-W` of who begins it, and would
    warn on the terminal of a server that is gone.
    """
    if UNTOLD not in sys.warnoptions:
        sys.warnoptions.append(UNTOLD)


UNTOLD = "ignore:resource_tracker"
