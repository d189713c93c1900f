"""Streamlit's own first page, with three things that make ours come sooner and go back right.

On the way back among the deals of a match the board moves by itself; a window's listeners are
called in the order they came, and Streamlit's would run the page again.

Where the server lies is told: from `/relecture` Streamlit would ask `/relecture/_stcore/health`
first, be refused, and wait before it asks `/_stcore/health`: four tenths of a second.

Scripts that Streamlit asks for when it meets a link, buttons, HTML or a component are asked for at
once: what it draws in their place meanwhile would stay for three tenths of a second.
"""

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from dashboard.compat import BACKEND, LATE, STATIC
from dashboard.pages import NAMES

LISTENER = 'addEventListener("popstate", (event) => window.retourneBack?.(event))'
# the last part of an address is the page; what a proxy has put before it stays
SERVER = r'location.origin + location.pathname.replace(/\/[^/]*$/, "")'
BEFORE = f"<script>{LISTENER}; window.__streamlit = {{{BACKEND}: {SERVER}}}</script>"
PRELOAD = '<link rel="modulepreload" crossorigin href="./static/js/{name}">'


def routes() -> list[Route]:
    """The page every address begins with."""
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    text = text.replace("<head>", f"<head>{BEFORE}", 1)
    # whatever is added to their names in this Streamlit
    late = (
        file.name for name in LATE for file in sorted((STATIC / "static/js").glob(f"{name}.*.js"))
    )
    early = "".join(PRELOAD.format(name=name) for name in late if name not in text)
    text = text.replace("</head>", f"{early}</head>", 1)

    async def first(request: Request) -> HTMLResponse:
        # browsers ask each time whether it is still the same
        return HTMLResponse(text, headers={"Cache-Control": "no-cache"})

    return [Route(path, first) for path in ("/", *(f"/{name}" for name in NAMES))]
