"""Serves the scripts and styles of the pages compressed, as browsers on slow lines need them.

Streamlit sends its three megabytes uncompressed and leaves compression to a proxy in front, which a
club's server seldom has. Their names contain a hash, and that of Plotly its version, so each file
is compressed once while the server runs, and a browser fetches it once.
"""

import gzip
from functools import cache
from pathlib import Path

import zstandard
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.api.content_negotiation import accepts_encoding
from dashboard.compat import STREAMLIT_STATIC

CODINGS = ("zstd", "gzip")
"""Content codings of these files, the smallest result first (RFC 8878, RFC 1952)."""
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""Files worth compressing; fonts and pictures are compressed already."""
ZSTD_LEVEL, GZIP_LEVEL = 12, 9
STATIC_MOUNT = Mount("/static", routes=[])
CACHE_FOREVER = "public, max-age=31536000, immutable"
"""Cache-Control of files whose addresses contain a hash of their content (RFC 8246)."""


@cache
def _assets() -> dict[str, Path]:
    """Return Streamlit's frontend files and Plotly by their address."""
    folders = ((STREAMLIT_STATIC, "static"), (Path(__file__).parents[1], "static/plotly"))
    return {
        f"/{file.relative_to(root).as_posix()}": file
        for root, folder in folders
        for file in (root / folder).rglob("*")
        if file.is_file()
    }


@cache
def compressed(file: Path, coding: str) -> bytes:
    """Return a file in a coding of CODINGS; `file` is one of a few hundred, so all results stay in memory."""
    content = file.read_bytes()
    if coding == "gzip":
        return gzip.compress(content, GZIP_LEVEL, mtime=0)
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(content)


async def _asset_response(file: Path, request: Request) -> Response:
    """Return a file of the pages, in the best coding that the client accepts."""
    headers = {"Cache-Control": CACHE_FOREVER}
    media_type = MEDIA_TYPES.get(file.suffix)
    if media_type is None:
        return FileResponse(file, headers=headers)
    headers["Vary"] = "Accept-Encoding"
    accepted = request.headers.get("accept-encoding", "")
    coding = next((one for one in CODINGS if accepts_encoding(accepted, one)), None)
    if coding is None:
        return FileResponse(file, headers=headers, media_type=media_type)
    content = await run_in_threadpool(compressed, file, coding)
    return Response(content, headers=headers | {"Content-Encoding": coding}, media_type=media_type)


class AssetMiddleware:
    """ASGI middleware that answers for these files; Streamlit reserves their routes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            file = _assets().get(scope["path"])
            if file is not None:
                scope["route"] = STATIC_MOUNT  # for the metrics
                app = await _asset_response(file, Request(scope))
        await app(scope, receive, send)
