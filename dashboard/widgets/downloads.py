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
    alone: str = ""


_folder = tempfile.TemporaryDirectory(prefix="retourne-")
_ready: dict[str, Download] = {}


def prepare(name: str, write: Callable[[Path], int], alone: str = "") -> Download:
    """Have a file written, and ready to fetch under a name; `write` says how many rows it has.

    Of the large ones that are `alone` under a word, only the last one stays ready.
    """
    token = secrets.token_urlsafe(16)
    path = Path(_folder.name) / token
    rows = write(path)
    older = [one for one, known in _ready.items() if alone and known.alone == alone]
    _ready[token] = Download(path, name, f"exports/{token}/{name}", rows, alone)
    for one in (*older, *list(_ready)[:-DOWNLOADS_KEPT]):
        if (found := _ready.pop(one, None)) is not None:
            found.path.unlink(missing_ok=True)
    return _ready[token]


def send(request: Request) -> Response:
    """The file of a token; 404 when it is not ready, or not any more."""
    found = _ready.get(request.path_params["token"])
    if found is None or not found.path.exists():
        return PlainTextResponse("404", status_code=404)
    return FileResponse(found.path, filename=found.name)


ROUTE = Route("/exports/{token}/{name}", send)
