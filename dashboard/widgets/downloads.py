"""Files made for a download: on disk, sent a block at a time, to whom they are for."""

import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route
from streamlit.runtime import get_instance

from dashboard import access
from dashboard.widgets.access import me

DOWNLOADS_KEPT = 20
"""Downloads that stay ready; an older one has to be made again."""


class Download(NamedTuple):
    """One file to fetch; `address` is relative to any page of the dashboard."""

    path: Path
    name: str
    address: str
    rows: int
    token_no: int | None
    """Whom it was made for: the bearer of this token, or somebody without one."""
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
    _ready[token] = Download(path, name, f"exports/{token}/{name}", rows, me().token_no, alone)
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


def is_for(path: str, token_no: int | None) -> bool:
    """Whether a file under `/exports/`, or Streamlit's `/media/`, is for a token's bearer."""
    _, folder, name, *_ = path.split("/")
    if folder == "exports":
        return name in _ready and _ready[name].token_no == token_no
    sessions = _shown_in(name.split(".")[0])
    # what Streamlit makes when it is asked for is of no session, under a name nobody can guess
    return not sessions or any(access.is_of(one, token_no) for one in sessions)


def _shown_in(file_id: str) -> set[str]:
    """Streamlit's sessions whose pages have a file."""
    known = get_instance().media_file_mgr._files_by_session_and_coord
    return {session for session, files in list(known.items()) if file_id in files.values()}


ROUTE = Route("/exports/{token}/{name}", send)
