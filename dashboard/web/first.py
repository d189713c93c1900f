"""Streamlit's own first page, with three things that make ours come sooner and go back right.

On the way back among the deals of a match the board moves by itself; a window's listeners are
called in the order they came, and Streamlit's would run the page again.

Where the server lies is told: from `/relecture` Streamlit would ask `/relecture/_stcore/health`
first, be refused, and wait before it asks `/_stcore/health`: four tenths of a second.

Scripts that Streamlit asks for when it meets a link, buttons, HTML or a component are asked for at
once: what it draws in their place meanwhile would stay for three tenths of a second.
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
PRELOAD = '<link rel="modulepreload" crossorigin href="./static/js/{name}">'
LATE = (
    *("PageLink", "ButtonGroup", "WidgetLabel", "WidgetLabelHelpIconInline", "styled-components"),
    *("useBasicWidgetState", "Html", "purify.es"),
    *("BidiComponent", "_arrayReduce", "serialization", "recordbatch"),
)
"""Scripts of Streamlit that pages of ours need and its first page does not name."""


def late(streamlit: Path) -> list[str]:
    """Names of the files of those scripts, whatever is added to them in this Streamlit."""
    folder = streamlit / "static" / "js"
    return [file.name for name in LATE for file in sorted(folder.glob(f"{name}.*.js"))]


def routes(streamlit: Path) -> list[Route]:
    """The page every address begins with; `streamlit` is the folder of Streamlit's own files."""
    text = (streamlit / "index.html").read_text(encoding="utf-8")
    text = text.replace("<head>", f"<head>{BEFORE}", 1)
    missing = [name for name in late(streamlit) if name not in text]
    early = "".join(PRELOAD.format(name=name) for name in missing)
    text = text.replace("</head>", f"{early}</head>", 1)

    async def first(request: Request) -> HTMLResponse:
        # browsers ask each time whether it is still the same
        return HTMLResponse(text, headers={"Cache-Control": "no-cache"})

    return [Route(path, first) for path in ("/", *(f"/{name}" for name in NAMES))]
