"""Signs in browsers without Streamlit: exchanges a token, of a link or form, for a session cookie.

Scripts cannot read the cookie.
"""

import time
from collections import deque
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.api.content_negotiation import response_texts
from dashboard.api.uploads import read_small_body
from dashboard.api.visitor_address import visitor_address
from dashboard.authentication import SESSION_COOKIE
from dashboard.base_path import browser_path
from dashboard.store import RETRY_AFTER_SECONDS, STORE_NOT_ANSWERING, open_store, translate_duckdb_errors
from dashboard.web.html_pages import home_link, html_page, retry_page
from ingest.i18n import LANGUAGES, Translate
from ingest.store import sessions
from ingest.store.errors import CatalogUnavailable, StoreError
from ingest.store.sessions import SESSION_IDLE_LIMIT

SIGN_IN_SCRIPT = (Path(__file__).parent / "sign_in.js").read_text(encoding="utf-8")
MAX_BODY_BYTES = 4096
"""Bytes of a form with a token."""
MAX_FAILURES, FAILURE_WINDOW_SECONDS = 10, 300.0
"""Failed tokens a client may send, and within how many seconds."""
MAX_CLIENTS = 10_000


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
        f'<form method="post" action="{browser_path("/in")}"><label>{label}'
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
    client = visitor_address(request.scope)
    if wait := failed_sign_ins.seconds_to_wait(client):
        refused = html_page(
            t, 429, t("Wait a little"), t("Too many invalid tokens. Try again in five minutes.")
        )
        refused.headers["Retry-After"] = str(wait)
        return refused
    body = await read_small_body(request, MAX_BODY_BYTES) or b""
    secret = parse_qs(body.decode(errors="replace")).get("token", [""])[0].strip()
    before = request.cookies.get(SESSION_COOKIE, "")
    try:
        with translate_duckdb_errors():
            opened = await run_in_threadpool(lambda: sessions.sign_in(open_store(), secret, before))
    except CatalogUnavailable:
        return retry_page(
            t, 503, t("In a moment"), t(STORE_NOT_ANSWERING), str(RETRY_AFTER_SECONDS), home_link(t)
        )
    except StoreError:
        return html_page(t, 503, t("The store cannot be opened."), markup=home_link(t))
    if opened is None:
        failed_sign_ins.add(client)
        message = t(
            "This token is not valid: it may have expired or been revoked. Ask the admin for another one."
        )
        return sign_in_page(t, 401, t("Not signed in"), message)
    answer = RedirectResponse(browser_path("/"), 303, {"Cache-Control": "no-store"})
    answer.headers["Set-Cookie"] = session_cookie(opened[0], request.url.scheme)
    return answer


def session_cookie(session: str, scheme: str) -> str:
    """Return the header that has a browser keep a session until it is not used for twelve hours."""
    age = int(SESSION_IDLE_LIMIT.total_seconds())
    secure = "; Secure" if scheme in ("https", "wss") else ""
    name, path = cookie_name(scheme), browser_path("/")
    return f"{name}={session}; HttpOnly; Max-Age={age}; Path={path}; SameSite=lax{secure}"


def cookie_name(scheme: str) -> str:
    """Return the name of the session cookie in browsers.

    With https it has a prefix: browsers refuse a cookie of that name that a page without https sets, or,
    for a server without a base path, a server of another name below the same domain.
    """
    if scheme not in ("https", "wss"):
        return SESSION_COOKIE
    return f"{'__Host' if browser_path('/') == '/' else '__Secure'}-{SESSION_COOKIE}"


ROUTES = [Route("/in", show_link_page), Route("/in", sign_in_with_token, methods=["POST"])]
