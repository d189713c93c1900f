"""Files made for a download: on disk, streamed, readable by their requester alone.

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
from dashboard.store import store_generation, store_path, store_version
from ingest.store.errors import StoreError
from ingest.store.factory import Store, store_changed_listeners
from ingest.store.tokens import Role

MAX_DOWNLOADS = 20
"""Downloads that stay ready; an older one has to be made again."""
FOLDER_PREFIX = "retourne-downloads-"
NEW_FOLDER_SECONDS = 60.0
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
    store_state: object
    """What the store was."""
    replaces_key: str = ""


_folder = tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX)
_downloads: dict[str, Download] = {}


def make_download(
    name: str,
    write: Callable[[Path], int],
    token_no: int | None,
    replaces_key: str = "",
    role: Role = Role.READER,
) -> Download:
    """Have a file written, and ready to fetch under a name; `write` says how many rows it has.

    Only the bearer of the token may fetch it; None: anybody without one.
    Of the large ones that are `replaces_key` under a word, only the last one stays ready.
    StoreError: the store cannot be opened.
    """
    token = secrets.token_urlsafe(16)
    path, state = Path(_folder.name) / token, _store_state()
    try:
        while True:  # again where the store has become another meanwhile
            rows = write(path)
            path.chmod(0o600)
            before, state = state, _store_state()
            if before == state:
                break
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    older = [
        one
        for one, known in _downloads.items()
        if replaces_key and known.replaces_key == replaces_key
    ]
    address = f"exports/{token}/{name}"
    _downloads[token] = Download(path, name, address, rows, token_no, role, state, replaces_key)
    for one in (*older, *list(_downloads)[:-MAX_DOWNLOADS]):
        _remove_download(one)
    return _downloads[token]


def _store_state() -> object:
    """Another one after whatever was done to the store, but for files that were added."""
    opened, times = store_generation()
    return opened.path, times, store_version(opened)[1]


def _remove_download(token: str) -> None:
    if (found := _downloads.pop(token, None)) is not None:
        found.path.unlink(missing_ok=True)


def is_ready(download: Download) -> bool:
    """Whether a file can still be fetched by whom it was made for; one that cannot is removed."""
    token = download.path.name
    try:
        holds = download.store_state == _store_state() and access.principal_of_token(
            download.token_no
        ).has_role(download.role)
    except (StoreError, duckdb.Error):
        holds = False
    if not holds:
        _remove_download(token)
    return token in _downloads


def remove_outdated(store: Store) -> None:
    """Remove what the change of a store has made another, or nobody's."""
    if Path(store.path) == store_path():
        for made in list(_downloads.values()):
            is_ready(made)


store_changed_listeners.append(remove_outdated)


def send_download(request: Request) -> Response:
    """The file of a token; 404 when it is not ready, or not any more."""
    found = _downloads.get(request.path_params["token"])
    if found is None or not is_ready(found):
        return PlainTextResponse("404", status_code=404)
    return FileResponse(found.path, filename=found.name)


def is_download_of(path: str, token_no: int | None) -> bool:
    """Whether a file under `/exports/`, or Streamlit's `/media/`, is for a token's bearer."""
    _, folder, name, *_ = path.split("/")
    if folder == "exports":
        return (
            name in _downloads
            and _downloads[name].token_no == token_no
            and is_ready(_downloads[name])
        )
    sessions = sessions_showing(name.split(".")[0])
    # what Streamlit makes when it is asked for is of no session, under a name nobody can guess
    return not sessions or any(access.is_session_of(one, token_no) for one in sessions)


# folders


def _lock_folder(folder: str | Path) -> int | None:
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


_folder_lock = _lock_folder(_folder.name)


def remove_abandoned_folders() -> None:
    """Remove the folders of servers that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            if (
                time.time() - folder.lstat().st_mtime > NEW_FOLDER_SECONDS
                and (held := _lock_folder(folder)) is not None
            ):
                shutil.rmtree(folder)
                os.close(held)


ROUTE = Route("/exports/{token}/{name}", send_download)
