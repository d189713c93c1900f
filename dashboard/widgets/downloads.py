"""Files made for a download: they lie on disk and go out a block at a time."""

import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

DOWNLOADS_KEPT = 20
"""Downloads that stay ready; an older one has to be made again."""


class Download(NamedTuple):
    """One file to fetch; `address` is relative to any page of the dashboard."""

    path: Path
    name: str
    address: str
    rows: int


_folder = tempfile.TemporaryDirectory(prefix="retourne-")
_ready: dict[str, Download] = {}


def prepare(name: str, write: Callable[[Path], int]) -> Download:
    """Have a file written, and ready to fetch under a name; `write` says how many rows it has."""
    token = secrets.token_urlsafe(16)
    path = Path(_folder.name) / token
    rows = write(path)
    _ready[token] = Download(path, name, f"exports/{token}/{name}", rows)
    while len(_ready) > DOWNLOADS_KEPT:
        _ready.pop(next(iter(_ready))).path.unlink(missing_ok=True)
    return _ready[token]


def send(request: Request) -> Response:
    """The file of a token; 404 when it is not ready, or not any more."""
    found = _ready.get(request.path_params["token"])
    if found is None or not found.path.exists():
        return PlainTextResponse("404", status_code=404)
    return FileResponse(found.path, filename=found.name)


ROUTE = Route("/exports/{token}/{name}", send)
