"""Undocumented parts of libraries that ingest uses.

`tests/ingest/test_compat.py` fails if a later version changes one of them.
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
"""Seconds to wait for PostgreSQL to report why it refuses a connection."""
_POSTGRES_ERROR_CODE = re.compile(r'\bErrorResponse\b.* C "(\w{5})"')


class ConnectionRefusal(NamedTuple):
    """Why PostgreSQL refused a connection, independent of the server's language."""

    code: str
    """The SQLSTATE; empty if the server sent none."""
    needs_password: bool
    host: str
    port: str
    database: str


def connection_refusal(conninfo: str) -> ConnectionRefusal:
    """Connect once more and return why the server refuses.

    Depends on the lines of `PGconn.trace`: the server's message is in its own language, and libpq
    passes it on without the SQLSTATE. Tested with psycopg 3.3 and libpq 18.
    """
    from psycopg import NotSupportedError
    from psycopg.pq import ConnStatus, PGconn, PollingStatus

    tried = PGconn.connect_start(conninfo.encode())
    until, codes = time.monotonic() + CONNECT_TIMEOUT_SECONDS, list[str]()
    with tempfile.TemporaryFile("w+b") as result:
        try:
            tried.trace(result.fileno())
        except NotSupportedError:  # libpq traces only on Linux
            return ConnectionRefusal("", False, "", "", "")
        ended = PollingStatus.OK, PollingStatus.FAILED
        state = PollingStatus.FAILED if tried.status == ConnStatus.BAD else PollingStatus.WRITING
        while state not in ended and (left := until - time.monotonic()) > 0:
            reads = state == PollingStatus.READING
            select.select([tried.socket] * reads, [tried.socket] * (not reads), [], left)
            state = PollingStatus(tried.connect_poll())
        tried.untrace()
        result.seek(0)
        codes += _POSTGRES_ERROR_CODE.findall(result.read().decode(errors="replace"))
    host, port, database = (one.decode() for one in (tried.host, tried.port, tried.db))
    found = ConnectionRefusal(codes[-1] if codes else "", tried.needs_password, host, port, database)
    tried.finish()
    return found


# Depends on error messages of DuckDB 1.5.5 and its extensions: every file error is one class there,
# IOException, and only its message names the cause that the server or the system reported. The
# messages are always English: the extensions have no other, and the system's use the C locale.

_OS_ERRORS = {
    "full": (errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    "refused": (errno.EACCES, errno.EPERM, errno.EROFS),
}
_FILE_ERROR_TEXTS = {
    "locked": ("Could not set lock", "Conflicting lock"),
    "full": tuple(map(os.strerror, _OS_ERRORS["full"])),
    "journal": ("WAL file",),
    "shown": ("in-memory database",),  # not a database file, opened read-only
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
        # a commit whose rollback failed too: the client reports nothing else
        'Failed to execute query "ROLLBACK"',
    ),
    "crossed": ("was given up", "maximum retry count", "Transaction conflict"),
    "elsewhere": ("does not match existing data path",),
}


_WAL_MAGIC = b"d\x00be\x00"


def may_be_wal(header: bytes) -> bool:
    """Return whether a file next to a database may be its journal, whole or truncated.

    Depends on the magic bytes of DuckDB 1.5.5, which ignores and overwrites any other file.
    """
    return header[: len(_WAL_MAGIC)] == _WAL_MAGIC[: len(header)]


def _first_matching_kind(error: Exception, words: dict[str, tuple[str, ...]]) -> str:
    message = str(error)
    return next((what for what, some in words.items() if any(one in message for one in some)), "")


def file_error_kind(error: Exception) -> str:
    """Classify a DuckDB file error: a key of `_FILE_ERROR_TEXTS`, or empty if none matches."""
    return _first_matching_kind(error, _FILE_ERROR_TEXTS)


def lake_error_kind(error: Exception) -> str:
    """Classify a DuckDB lake error: a key of `_LAKE_ERROR_TEXTS`, or empty if none matches."""
    return _first_matching_kind(error, _LAKE_ERROR_TEXTS)


def locking_pid(error: Exception) -> str:
    """Return the id of the process that locked a file; empty if the error does not name it."""
    found = re.search(r"PID (\d+)", str(error))
    return found[1] if found else ""


# Depends on `SpawnProcess._Popen` calling `spawn.get_preparation_data`: Python makes a new process
# run the main module again (in the dashboard the page, in a test the test), and no public option
# prevents it. Tested with Python 3.11.

_spawn_lock = threading.Lock()


def preparation_without_main(
    get_preparation_data: Callable[[str], dict[str, Any]], name: str
) -> dict[str, Any]:
    """Return the preparation data of a new process without its main module."""
    return {
        key: result for key, result in get_preparation_data(name).items() if not key.startswith("init_main_")
    }


class CleanSpawnProcess(SpawnProcess):
    """A spawned process that imports only its target's module, not the main module."""

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
    """A spawn context for `ProcessPoolExecutor` that starts `CleanSpawnProcess`es."""

    Process = CleanSpawnProcess


def silence_resource_tracker() -> None:
    """Silence the resource tracker's warnings about leftovers of killed pool processes.

    The tracker starts with the first pool, inherits the `-W` options of this process, and would
    warn on the terminal after the server has exited.
    """
    if RESOURCE_TRACKER_FILTER not in sys.warnoptions:
        sys.warnoptions.append(RESOURCE_TRACKER_FILTER)


RESOURCE_TRACKER_FILTER = "ignore:resource_tracker"
