"""Streamlit's own first page, with two things that stand before Streamlit's script.

On the way back among the deals of a match the board moves by itself; a window's listeners are
called in the order they came, and Streamlit's would run the page again.

Where the server lies is told: from `/relecture` Streamlit would ask `/relecture/_stcore/health`
first, be refused, and wait before it asks `/_stcore/health`: four tenths of a second.
"""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from dashboard.pages import NAMES

LISTENER = 'addEventListener("popstate", (event) => window.retourneBack?.(event))'
# the last part of an address is the page; what a proxy has put before it stays
SERVER = r'location.origin + location.pathname.replace(/\/[^/]*$/, "")'
BEFORE = f"<script>{LISTENER}; window.__streamlit = {{BACKEND_BASE_URL: {SERVER}}}</script>"


def routes(streamlit: Path) -> list[Route]:
    """The page every address begins with; `streamlit` is the folder of Streamlit's own files."""
    text = (streamlit / "index.html").read_text(encoding="utf-8")
    text = text.replace("<head>", f"<head>{BEFORE}", 1)

    async def first(request: Request) -> HTMLResponse:
        # browsers ask each time whether it is still the same
        return HTMLResponse(text, headers={"Cache-Control": "no-cache"})

    return [Route(path, first) for path in ("/", *(f"/{name}" for name in NAMES))]
