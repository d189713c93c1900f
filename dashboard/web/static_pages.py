"""Pages served without Streamlit: the first load, sign-in, short messages.

To sign in, a user sends a token, by a link or a form; it becomes a cookie that scripts cannot read.
"""

import gzip
import time
from collections import deque
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from dashboard.api.content_negotiation import accepts_encoding, response_texts
from dashboard.authentication import SESSION_COOKIE
from dashboard.board.offline import csp_hash
from dashboard.compat import BACKEND_KEY, PRELOADED_MODULES, STREAMLIT_STATIC
from dashboard.pages import PAGE_NAMES, PRODUCT_NAME
from dashboard.store import RETRY_AFTER_SECONDS, STORE_NOT_ANSWERING, open_store, translate_duckdb_errors
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store import tokens
from ingest.store.errors import CatalogUnavailable, StoreError
from ingest.store.tokens import SESSION_LIFETIME

RELOADS_ITSELF = N_("This page comes by itself as soon as it can.")
WEB_FOLDER = Path(__file__).parent
PAGE_STYLE = (WEB_FOLDER / "plain.css").read_text(encoding="utf-8")
SIGN_IN_SCRIPT = (WEB_FOLDER / "sign_in.js").read_text(encoding="utf-8")
MAX_BODY_BYTES = 4096
"""Bytes of a form with a token."""
MAX_FAILURES, FAILURE_WINDOW_SECONDS = 10, 300.0
"""Failed tokens a client may send, and within how many seconds."""
MAX_CLIENTS = 10_000


async def read_small_body(request: Request, max_bytes: int) -> bytes | None:
    """Return the body; None if it is longer than `max_bytes` or incomplete."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > max_bytes:
                return None
    except ClientDisconnect:
        return None
    return body


# messages: short pages without Streamlit that load nothing


def html_page(
    t: Translate, status: int, title: str, *sentences: str, markup: str = "", run: str = ""
) -> HTMLResponse:
    """Return a page; `markup` and `run` (a script) are trusted and not escaped."""
    text = "".join(f"<p>{escape(one)}</p>" for one in sentences)
    script = f"<script>{run}</script>" if run else ""
    runs = f"'{csp_hash(run)}'" if run else "'none'"
    policy = (
        f"default-src 'none'; style-src '{csp_hash(PAGE_STYLE)}'; script-src {runs}; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(
        f"""<!doctype html>
<html lang="{t.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>{escape(title)} · {PRODUCT_NAME}</title><style>{PAGE_STYLE}</style></head>
<body><main><p class="product">{PRODUCT_NAME}</p>
<h1>{escape(title)}</h1>{text}{markup}</main>{script}</body>
</html>
""",
        status,
        {"Content-Security-Policy": policy, "Cache-Control": "no-store"},
    )


def retry_page(t: Translate, status: int, title: str, text: str, wait: str, markup: str = "") -> HTMLResponse:
    """Return a page that reloads itself after `wait` seconds."""
    again = f'<p><a href="">{escape(t("Try again"))}</a></p>'
    answer = html_page(t, status, title, text, t(RELOADS_ITSELF), markup=again + markup)
    answer.headers.update({"Refresh": wait, "Retry-After": wait})
    return answer


def home_link(t: Translate) -> str:
    """Return a link to the home page, as markup."""
    return f'<p><a href="/">{escape(t("Home"))}</a></p>'


# signing in


class FailedSignIns:
    """Times of failed tokens, for the last `MAX_CLIENTS` clients."""

    def __init__(self) -> None:
        self._when: LRUCache[str, deque[float]] = LRUCache(MAX_CLIENTS)

    def seconds_to_wait(self, client: str) -> int:
        """Return the seconds until a client may try again, 0 for now."""
        times, now = self._when.get(client, deque()), time.monotonic()
        while times and now - times[0] > FAILURE_WINDOW_SECONDS:
            times.popleft()
        return 0 if len(times) < MAX_FAILURES else max(1, round(FAILURE_WINDOW_SECONDS - (now - times[0])))

    def add(self, client: str) -> None:
        self._when.setdefault(client, deque(maxlen=MAX_FAILURES)).append(time.monotonic())


failed_sign_ins = FailedSignIns()


def sign_in_page(t: Translate, status: int, title: str, *sentences: str) -> Response:
    """Return the page with the token form."""
    label, go = escape(t("Token")), escape(t("Sign in"))
    form = (
        f'<form method="post" action="/in"><label>{label}'
        '<input name="token" type="password" autocomplete="current-password" required></label>'
        f"<button>{go}</button></form>"
    )
    return html_page(t, status, title, *sentences, markup=form, run=SIGN_IN_SCRIPT)


async def show_link_page(request: Request) -> Response:
    """Return the page that a sign-in link opens."""
    t = response_texts(request, LANGUAGES[0])
    return sign_in_page(t, 200, t("Sign in"), t("With the token, or the link, that the admin gave you."))


async def sign_in_with_token(request: Request) -> Response:
    """Sign in with the token sent, in a new session."""
    t = response_texts(request, LANGUAGES[0])
    client = request.client.host if request.client else ""
    if wait := failed_sign_ins.seconds_to_wait(client):
        refused = html_page(t, 429, t("Wait a little"), t("Too many tokens that let nobody in."))
        refused.headers["Retry-After"] = str(wait)
        return refused
    body = await read_small_body(request, MAX_BODY_BYTES) or b""
    secret = parse_qs(body.decode(errors="replace")).get("token", [""])[0].strip()
    before = request.cookies.get(SESSION_COOKIE, "")
    try:
        with translate_duckdb_errors():
            opened = await run_in_threadpool(lambda: tokens.sign_in(open_store(), secret, before))
    except CatalogUnavailable:
        return retry_page(
            t, 503, t("In a moment"), t(STORE_NOT_ANSWERING), str(RETRY_AFTER_SECONDS), home_link(t)
        )
    except StoreError:
        return html_page(t, 503, t("The store cannot be opened."), markup=home_link(t))
    if opened is None:
        failed_sign_ins.add(client)
        message = t("This token lets nobody in: it may be over, or revoked. Ask the admin.")
        return sign_in_page(t, 401, t("Not signed in"), message)
    session, token = opened
    answer = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
    left = SESSION_LIFETIME if token.expires_at is None else token.expires_at - datetime.now(UTC)
    age, secure = int(min(SESSION_LIFETIME, left).total_seconds()), request.url.scheme == "https"
    answer.set_cookie(SESSION_COOKIE, session, age, secure=secure, httponly=True, samesite="lax")
    return answer


# the first page

BACK_LISTENER = 'addEventListener("popstate", (event) => window.retourneBack?.(event))'
# the address's last segment is the page; a path prefix of a proxy stays
SERVER_URL_SCRIPT = r'location.origin + location.pathname.replace(/\/[^/]*$/, "")'
HEAD_SCRIPT = f"<script>{BACK_LISTENER}; window.__streamlit = {{{BACKEND_KEY}: {SERVER_URL_SCRIPT}}}</script>"
PRELOAD = '<link rel="modulepreload" crossorigin href="./static/js/{name}">'


def page_routes() -> list[Route]:
    """Return the sign-in routes, and Streamlit's first page at the address of each page.

    The first page is changed in three ways. A `popstate` listener comes first: when the reader goes
    back among a match's deals, the board moves itself, where Streamlit would run the page again.
    The server's URL is set: from `/relecture` Streamlit would first request
    `/relecture/_stcore/health`, be refused, and lose 0.4 seconds. Scripts for links, buttons, HTML
    and components are preloaded: otherwise placeholders stay for 0.3 seconds.
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
    text = text.replace("</head>", f"{early}</head>", 1)

    packed = gzip.compress(text.encode(), mtime=0)

    async def first(request: Request) -> Response:
        # browsers revalidate it on each load
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if not accepts_encoding(request.headers.get("accept-encoding", ""), "gzip"):
            return HTMLResponse(text, headers=headers)
        return HTMLResponse(packed, headers=headers | {"Content-Encoding": "gzip"})

    sign_in = [Route("/in", show_link_page), Route("/in", sign_in_with_token, methods=["POST"])]
    return sign_in + [Route(path, first) for path in ("/", *(f"/{name}" for name in PAGE_NAMES))]
