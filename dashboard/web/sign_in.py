"""Signing in: a token, by a link or typed, becomes a cookie that no script can read."""

import time
from collections import deque
from datetime import UTC, datetime
from html import escape
from urllib.parse import parse_qs

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.access import COOKIE
from dashboard.store import AGAIN, NO_ANSWER, answering, store
from dashboard.web.headers import small_body
from dashboard.web.plain import HERE, home, later, page
from ingest.i18n import Translate, choose, translator
from ingest.store import tokens
from ingest.store.errors import Away, StoreError
from ingest.store.tokens import SIGNED_IN

SCRIPT = (HERE / "sign_in.js").read_text(encoding="utf-8")
MOST = 4096
"""Bytes of a form with a token in it."""
TRIES, WITHIN = 10, 300.0
"""How often somebody may show a token that lets nobody in, in how many seconds."""
KEPT = 10_000


def texts(accepted: str | None) -> Translate:
    """The texts in the language of an Accept-Language header."""
    return translator(choose((accepted or "").split(",")[0]), "dashboard")


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
    t = texts(request.headers.get("accept-language"))
    return ask(t, 200, t("Sign in"), t("With the token, or the link, that the steward gave you."))


async def enter(request: Request) -> Response:
    """A token was sent: signed in, with a session that is always a new one."""
    t = texts(request.headers.get("accept-language"))
    client = request.client.host if request.client else ""
    if wait := failures.wait(client):
        refused = page(t, 429, t("Wait a little"), t("Too many tokens that let nobody in."))
        refused.headers["Retry-After"] = str(wait)
        return refused
    secret = await _token(request)
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
        said = t("This token lets nobody in: it may be over, or revoked. Ask the steward.")
        return ask(t, 401, t("Not signed in"), said)
    session, token = opened
    answer = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
    age = SIGNED_IN
    if token.expires_at is not None:
        age = min(age, token.expires_at - datetime.now(UTC))
    answer.set_cookie(
        COOKIE,
        session,
        max_age=int(age.total_seconds()),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return answer


async def _token(request: Request) -> str:
    """The token in a form; empty where there is none."""
    body = await small_body(request, MOST) or b""
    found = parse_qs(body.decode(errors="replace")).get("token", [""])
    return found[0].strip()


ROUTES = [Route("/in", show), Route("/in", enter, methods=["POST"])]
