"""Pages that the server answers itself: Streamlit's first one, of a few sentences, to sign in.

Signing in is a token, by a link or typed, that becomes a cookie which no script can read.
"""

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

from dashboard.access import COOKIE
from dashboard.api.content_negotiation import texts
from dashboard.board.offline import policy_hash
from dashboard.compat import BACKEND, LATE, STATIC
from dashboard.pages import NAMES, PRODUCT
from dashboard.store import AGAIN, NO_ANSWER, answering, store
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store import tokens
from ingest.store.errors import Away, StoreError
from ingest.store.tokens import SIGNED_IN

BY_ITSELF = N_("This page comes by itself as soon as it can.")
HERE = Path(__file__).parent
STYLE = (HERE / "plain.css").read_text(encoding="utf-8")
SCRIPT = (HERE / "sign_in.js").read_text(encoding="utf-8")
MOST = 4096
"""Bytes of a form with a token in it."""
TRIES, WITHIN = 10, 300.0
"""How often somebody may show a token that lets nobody in, in how many seconds."""
KEPT = 10_000


async def small_body(request: Request, most: int) -> bytes | None:
    """What was sent; None when it has more bytes than this, or ends before it is whole."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                return None
    except ClientDisconnect:
        return None
    return body


# of a few sentences: no Streamlit, nothing loaded


def page(
    t: Translate, status: int, title: str, *sentences: str, more: str = "", run: str = ""
) -> HTMLResponse:
    """A page; `more` is markup of ours, `run` a script of ours."""
    told = "".join(f"<p>{escape(one)}</p>" for one in sentences)
    script = f"<script>{run}</script>" if run else ""
    runs = f"'{policy_hash(run)}'" if run else "'none'"
    policy = (
        f"default-src 'none'; style-src '{policy_hash(STYLE)}'; script-src {runs}; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(
        f"""<!doctype html>
<html lang="{t.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>{escape(title)} · {PRODUCT}</title><style>{STYLE}</style></head>
<body><main><p class="product">{PRODUCT}</p>
<h1>{escape(title)}</h1>{told}{more}</main>{script}</body>
</html>
""",
        status,
        {"Content-Security-Policy": policy, "Cache-Control": "no-store"},
    )


def later(
    t: Translate, status: int, title: str, said: str, wait: str, more: str = ""
) -> HTMLResponse:
    """A page that the reader waits for and need not ask for again; `wait` in seconds."""
    again = f'<p><a href="">{escape(t("Try again"))}</a></p>'
    answer = page(t, status, title, said, t(BY_ITSELF), more=again + more)
    answer.headers.update({"Refresh": wait, "Retry-After": wait})
    return answer


def home(t: Translate) -> str:
    """A link to the first page, as markup."""
    return f'<p><a href="/">{escape(t("Home"))}</a></p>'


# signing in


class Failures:
    """Who showed tokens that let nobody in, and when; the last `KEPT` of them."""

    def __init__(self) -> None:
        self._when: LRUCache[str, deque[float]] = LRUCache(KEPT)

    def wait(self, client: str) -> int:
        """Seconds until somebody may try again, 0 for now."""
        times, now = self._when.get(client, deque()), time.monotonic()
        while times and now - times[0] > WITHIN:
            times.popleft()
        return 0 if len(times) < TRIES else max(1, round(WITHIN - (now - times[0])))

    def note(self, client: str) -> None:
        """Somebody has failed."""
        self._when.setdefault(client, deque(maxlen=TRIES)).append(time.monotonic())


failures = Failures()


def ask(t: Translate, status: int, title: str, *sentences: str) -> Response:
    """The page that asks for a token."""
    label, go = escape(t("Token")), escape(t("Sign in"))
    form = (
        f'<form method="post" action="/in"><label>{label}'
        '<input name="token" type="password" autocomplete="current-password" required></label>'
        f"<button>{go}</button></form>"
    )
    return page(t, status, title, *sentences, more=form, run=SCRIPT)


async def show(request: Request) -> Response:
    """The page of the link."""
    t = texts(request, LANGUAGES[0])
    return ask(t, 200, t("Sign in"), t("With the token, or the link, that the admin gave you."))


async def enter(request: Request) -> Response:
    """A token was sent: signed in, with a session that is always a new one."""
    t = texts(request, LANGUAGES[0])
    client = request.client.host if request.client else ""
    if wait := failures.wait(client):
        refused = page(t, 429, t("Wait a little"), t("Too many tokens that let nobody in."))
        refused.headers["Retry-After"] = str(wait)
        return refused
    body = await small_body(request, MOST) or b""
    secret = parse_qs(body.decode(errors="replace")).get("token", [""])[0].strip()
    before = request.cookies.get(COOKIE, "")
    try:
        with answering():
            opened = await run_in_threadpool(lambda: tokens.sign_in(store(), secret, before))
    except Away:
        return later(t, 503, t("In a moment"), t(NO_ANSWER), str(AGAIN), home(t))
    except StoreError:
        return page(t, 503, t("The store cannot be opened."), more=home(t))
    if opened is None:
        failures.note(client)
        said = t("This token lets nobody in: it may be over, or revoked. Ask the admin.")
        return ask(t, 401, t("Not signed in"), said)
    session, token = opened
    answer = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
    left = SIGNED_IN if token.expires_at is None else token.expires_at - datetime.now(UTC)
    age, secure = int(min(SIGNED_IN, left).total_seconds()), request.url.scheme == "https"
    answer.set_cookie(COOKIE, session, age, secure=secure, httponly=True, samesite="lax")
    return answer


# the first page

LISTENER = 'addEventListener("popstate", (event) => window.retourneBack?.(event))'
# the last part of an address is the page; what a proxy has put before it stays
SERVER = r'location.origin + location.pathname.replace(/\/[^/]*$/, "")'
BEFORE = f"<script>{LISTENER}; window.__streamlit = {{{BACKEND}: {SERVER}}}</script>"
PRELOAD = '<link rel="modulepreload" crossorigin href="./static/js/{name}">'


def routes() -> list[Route]:
    """Where one signs in; and Streamlit's first page, with which every page's address begins.

    Three things make it come sooner and go back right. On the way back among the deals of a match
    the board moves by itself: a window's listeners are called in the order they came, and
    Streamlit's would run the page again. Where the server lies is told: from `/relecture` Streamlit
    would ask `/relecture/_stcore/health` first, be refused, and wait before it asks
    `/_stcore/health`: four tenths of a second. Scripts that Streamlit asks for when it meets a
    link, buttons, HTML or a component are asked for at once: what it draws in their place meanwhile
    would stay for three tenths of a second.
    """
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

    sign_in = [Route("/in", show), Route("/in", enter, methods=["POST"])]
    return sign_in + [Route(path, first) for path in ("/", *(f"/{name}" for name in NAMES))]
