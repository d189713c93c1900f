"""Streamlit's own first page, with one listener that stands before those of Streamlit.

On the way back among the deals of a match the board moves by itself; a window's listeners are
called in the order they came, and Streamlit's would run the page again.
"""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from dashboard.pages import NAMES

LISTENER = '<script>addEventListener("popstate", (event) => window.retourneBack?.(event))</script>'


def routes(streamlit: Path) -> list[Route]:
    """The page every address begins with; `streamlit` is the folder of Streamlit's own files."""
    text = (streamlit / "index.html").read_text(encoding="utf-8")
    text = text.replace("<head>", f"<head>{LISTENER}", 1)

    async def first(request: Request) -> HTMLResponse:
        # browsers ask each time whether it is still the same
        return HTMLResponse(text, headers={"Cache-Control": "no-cache"})

    return [Route(path, first) for path in ("/", *(f"/{name}" for name in NAMES))]
