"""The HTML document in which Streamlit's pages open, changed so that they open sooner."""

import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from dashboard.api.content_negotiation import accepts_encoding
from dashboard.compat import BACKEND_KEY, PRELOADED_MODULES, STREAMLIT_STATIC
from dashboard.pages import PAGE_NAMES

BACK_LISTENER = 'addEventListener("popstate", (event) => window.retourneBack?.(event))'
# the address's last segment is the page; a path prefix of a proxy stays
SERVER_URL_SCRIPT = r'location.origin + location.pathname.replace(/\/[^/]*$/, "")'
OPENING_STYLE = (
    "<style>.opening #root * { visibility: hidden !important; transition: none !important; }"
    "@media (prefers-color-scheme: dark) { .opening { background: #121a17; } }</style>"
)
"""Until a page is shown, it has the colour it will have, and a menu that closes does so at once."""
OPENING_SCRIPT = Path(__file__).with_name("first-page.js").read_text(encoding="utf-8")
TYPED_SCRIPT = Path(__file__).with_name("typed-input.js").read_text(encoding="utf-8")
HEAD_SCRIPT = (
    f"<script>{BACK_LISTENER}; window.__streamlit = {{{BACKEND_KEY}: {SERVER_URL_SCRIPT}}}</script>"
    f"<script>{TYPED_SCRIPT}</script>"
)
MANIFEST_LINK = '<link rel="manifest" href="./manifest.webmanifest">'
PRELOAD = '<link rel="modulepreload" crossorigin href="./static/js/{name}">'


def first_page_routes() -> list[Route]:
    """Return Streamlit's first page at the address of each page.

    The first page is changed in five ways. A `popstate` listener comes first: when the reader goes
    back among a match's deals, the board moves itself, where Streamlit would run the page again.
    The server's URL is set: from `/relecture` Streamlit would first request
    `/relecture/_stcore/health`, be refused, and lose 0.4 seconds. Scripts for links, buttons, HTML
    and components are preloaded: otherwise placeholders stay for 0.3 seconds. The page is shown in
    one frame (`first-page.js`). Typed text stays when its field or page is left (`typed-input.js`).
    """
    text = (STREAMLIT_STATIC / "index.html").read_text(encoding="utf-8")
    text = text.replace("<head>", f"<head>{HEAD_SCRIPT}", 1)
    # file names contain a hash that depends on the Streamlit version
    late = (
        file.name
        for name in PRELOADED_MODULES
        for file in sorted((STREAMLIT_STATIC / "static/js").glob(f"{name}.*.js"))
    )
    early = "".join(PRELOAD.format(name=name) for name in late if name not in text)
    opening = f"{OPENING_STYLE}<script>{OPENING_SCRIPT}</script>"
    text = text.replace("</head>", f"{early}{opening}</head>", 1)
    # where matches are typed in, browsers offer to install the page of drafts
    installable = {"saisir": text.replace("</head>", f"{MANIFEST_LINK}</head>", 1)}
    return [Route(f"/{name}", _document(installable.get(name, text))) for name in ("", *PAGE_NAMES)]


def _document(text: str) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers with a document, compressed where the client accepts that."""
    packed = gzip.compress(text.encode(), mtime=0)

    async def answer(request: Request) -> Response:
        # browsers revalidate it on each load
        headers = {"Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
        if not accepts_encoding(request.headers.get("accept-encoding", ""), "gzip"):
            return HTMLResponse(text, headers=headers)
        return HTMLResponse(packed, headers=headers | {"Content-Encoding": "gzip"})

    return answer
