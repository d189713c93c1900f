"""Files made for a download: open without a name on disk, streamed, only for the user who requested them.

A file has no name, so no other user finds it, and it ends with the server; a backup has one while it is
written.

A file shows the store as it was when the file was made. Any later change other than added files
removes it, so that no file with a name masked or purged since can be fetched.
"""

import mimetypes
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote

import duckdb
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Send

from dashboard import authentication
from dashboard.store import store_generation, store_path, store_version
from ingest.store.errors import StoreError
from ingest.store.factory import Store, store_changed_listeners
from ingest.store.temporary_files import write_unlinked
from ingest.store.tokens import Role

BLOCK_BYTES = 1 << 18
MAX_DOWNLOADS = 20
"""Downloads that stay available; older ones must be made again."""


class Download(NamedTuple):
    """One file to fetch; `address` is relative to any page of the dashboard."""

    token: str
    file: IO[bytes]
    name: str
    address: str
    rows: int
    token_no: int | None
    """The token it was made for, None for anonymous clients."""
    role: Role
    """The role that is needed to fetch it."""
    store_state: object
    """State of the store when the file was made."""
    replaces_key: str = ""


_downloads: dict[str, Download] = {}


def make_download(
    name: str,
    write: Callable[[Path], int],
    token_no: int | None,
    replaces_key: str = "",
    role: Role = Role.READER,
    needs_name: bool = False,
) -> Download:
    """Write a file and make it available as a download; `write` returns its number of rows.

    Only the bearer of the token may fetch it; None: any anonymous client. A new file with a
    `replaces_key` replaces earlier ones with that key. StoreError: the store cannot be opened.
    """
    token, state = secrets.token_urlsafe(16), _store_state()
    while True:  # again if the store changed meanwhile
        file, rows = write_unlinked(write, needs_name)
        before, state = state, _store_state()
        if before == state:
            break
        file.close()
    older = [one for one, known in _downloads.items() if replaces_key and known.replaces_key == replaces_key]
    address = f"exports/{token}/{name}"
    _downloads[token] = Download(token, file, name, address, rows, token_no, role, state, replaces_key)
    for one in (*older, *list(_downloads)[:-MAX_DOWNLOADS]):
        _remove_download(one)
    return _downloads[token]


def _store_state() -> object:
    """Return a value that differs after every change of the store except added files."""
    opened, times = store_generation()
    return opened.path, times, store_version(opened)[1]


def _remove_download(token: str) -> None:
    if (found := _downloads.pop(token, None)) is not None:
        found.file.close()


def is_ready(download: Download) -> bool:
    """Return whether its client may still fetch a file; if not, remove the file."""
    token = download.token
    try:
        holds = download.store_state == _store_state() and authentication.principal_of_token(
            download.token_no
        ).has_role(download.role)
    except (StoreError, duckdb.Error):
        holds = False
    if not holds:
        _remove_download(token)
    return token in _downloads


def remove_outdated(store: Store) -> None:
    """Remove downloads that a change of the store made outdated."""
    if Path(store.path) == store_path():
        for made in list(_downloads.values()):
            is_ready(made)


store_changed_listeners.append(remove_outdated)


def send_download(request: Request) -> Response:
    """Send the file of a download token; 404 if it is not available."""
    found = _downloads.get(request.path_params["token"])
    if found is None or not is_ready(found):
        return PlainTextResponse("404", status_code=404)
    size = os.fstat(found.file.fileno()).st_size
    headers = {
        "Content-Disposition": f"attachment; filename*=utf-8''{quote(found.name)}",
        "Content-Length": str(size),
    }
    kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    return _DownloadResponse(
        _blocks(found.token, os.dup(found.file.fileno())), headers=headers, media_type=kind
    )


class _DownloadRemovedError(Exception):
    """A file was removed while it was sent."""


class _DownloadResponse(StreamingResponse):
    """Sends a file; if it is removed in the meantime, the connection closes before its last byte.

    The client sees that bytes are missing, as the header has their number.
    """

    async def stream_response(self, send: Send) -> None:
        with suppress(_DownloadRemovedError):
            await super().stream_response(send)


def _blocks(token: str, descriptor: int) -> Iterator[bytes]:
    """Yield a file in blocks; several clients may read it at once. _DownloadRemovedError."""
    with os.fdopen(descriptor, "rb") as file:
        at = 0
        while block := os.pread(file.fileno(), BLOCK_BYTES, at):
            if token not in _downloads:
                raise _DownloadRemovedError
            at += len(block)
            yield block


def is_download_of(path: str, token_no: int | None) -> bool:
    """Return whether a file under `/exports/`, or Streamlit's `/media/`, belongs to this token."""
    _, folder, name, *_ = path.split("/")
    if folder == "exports":
        return name in _downloads and _downloads[name].token_no == token_no and is_ready(_downloads[name])
    from dashboard.compat import sessions_showing  # it imports Streamlit, which the API does without

    sessions = sessions_showing(name.split(".")[0])
    # files that Streamlit makes on request belong to no session; their names cannot be guessed
    return not sessions or any(authentication.is_session_of(one, token_no) for one in sessions)


ROUTE = Route("/exports/{token}/{name}", send_download)
