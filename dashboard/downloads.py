"""Files made for a download: on disk, sent a block at a time, to whom they are for.

They say what the store said when they were made, so they go when anything of it is another: a name
that was masked or purged since is in no file that can still be fetched.
"""

import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import duckdb
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from dashboard import access
from dashboard.compat import sessions_showing
from dashboard.store import path as store_path
from dashboard.store import version, which
from ingest.store.errors import StoreError
from ingest.store.factory import Store, changed
from ingest.store.tokens import Role

DOWNLOADS_KEPT = 20
"""Downloads that stay ready; an older one has to be made again."""
PREFIX = "retourne-downloads-"
NEW = 60.0
"""Seconds in which a folder may not be held yet by the server that has just made it."""


class Download(NamedTuple):
    """One file to fetch; `address` is relative to any page of the dashboard."""

    path: Path
    name: str
    address: str
    rows: int
    token_no: int | None
    """Whom it was made for: the bearer of this token, or somebody without one."""
    role: Role
    """What they have to be still."""
    state: object
    """What the store was."""
    alone: str = ""


_folder = tempfile.TemporaryDirectory(prefix=PREFIX)
_ready: dict[str, Download] = {}


def prepare(
    name: str,
    write: Callable[[Path], int],
    token_no: int | None,
    alone: str = "",
    role: Role = Role.READER,
) -> Download:
    """Have a file written, and ready to fetch under a name; `write` says how many rows it has.

    Only the bearer of the token may fetch it; None: anybody without one.
    Of the large ones that are `alone` under a word, only the last one stays ready. StoreError: the
    store cannot be opened.
    """
    token = secrets.token_urlsafe(16)
    path, state = Path(_folder.name) / token, _state()
    try:
        while True:  # again where the store has become another meanwhile
            rows = write(path)
            path.chmod(0o600)
            before, state = state, _state()
            if before == state:
                break
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    older = [one for one, known in _ready.items() if alone and known.alone == alone]
    address = f"exports/{token}/{name}"
    _ready[token] = Download(path, name, address, rows, token_no, role, state, alone)
    for one in (*older, *list(_ready)[:-DOWNLOADS_KEPT]):
        _drop(one)
    return _ready[token]


def _state() -> object:
    """Another one after whatever was done to the store, but for files that were added."""
    opened, times = which()
    return opened.path, times, version(opened)[1]


def _drop(token: str) -> None:
    if (found := _ready.pop(token, None)) is not None:
        found.path.unlink(missing_ok=True)


def is_ready(made: Download) -> bool:
    """Whether a file can still be fetched by whom it was made for; one that cannot is removed."""
    token = made.path.name
    try:
        holds = made.state == _state() and access.bearer_of(made.token_no).may(made.role)
    except (StoreError, duckdb.Error):
        holds = False
    if not holds:
        _drop(token)
    return token in _ready


def sweep(other: Store) -> None:
    """Remove what the change of a store has made another, or nobody's."""
    if Path(other.path) == store_path():
        for made in list(_ready.values()):
            is_ready(made)


changed.append(sweep)


def send(request: Request) -> Response:
    """The file of a token; 404 when it is not ready, or not any more."""
    found = _ready.get(request.path_params["token"])
    if found is None or not is_ready(found):
        return PlainTextResponse("404", status_code=404)
    return FileResponse(found.path, filename=found.name)


def is_for(path: str, token_no: int | None) -> bool:
    """Whether a file under `/exports/`, or Streamlit's `/media/`, is for a token's bearer."""
    _, folder, name, *_ = path.split("/")
    if folder == "exports":
        return name in _ready and _ready[name].token_no == token_no and is_ready(_ready[name])
    sessions = sessions_showing(name.split(".")[0])
    # what Streamlit makes when it is asked for is of no session, under a name nobody can guess
    return not sessions or any(access.is_of(one, token_no) for one in sessions)


# folders


def _hold(folder: str | Path) -> int | None:
    """Have a folder for as long as this process lives; None: another one has it, or none can."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


_held = _hold(_folder.name)


def clear_left() -> None:
    """Remove the folders of servers that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            if time.time() - folder.lstat().st_mtime > NEW and (held := _hold(folder)) is not None:
                shutil.rmtree(folder)
                os.close(held)


ROUTE = Route("/exports/{token}/{name}", send)
