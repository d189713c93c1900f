"""The gate: every request and every websocket comes by it before Streamlit hears of it.

It answers only for hosts that are ours, lets no other site's page in, and asks for each route what
role it needs. What a page may do once it is open is asked where it is done
(`dashboard.widgets.current_store`). Every answer tells the browser to load nothing from elsewhere,
and to be in nobody's frame.
"""

from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard import access
from dashboard.access import COOKIE, TO_CHECK, Who
from dashboard.api.auth import ASKS, NO_TOKEN
from dashboard.api.content_negotiation import takes, texts
from dashboard.api.params import GONE, MATCH_GONE
from dashboard.api.problems import problem, refusal
from dashboard.compat import joining
from dashboard.downloads import is_for
from dashboard.pages import HOME, NAMES
from dashboard.queries.player_search import known
from dashboard.server.monitoring import HEALTH, METRICS
from dashboard.store import AGAIN, NO_ANSWER, steady, store
from dashboard.web.static_pages import Failures, ask, home, later, page
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store.errors import Away, StoreError
from ingest.store.server_hosts import hostname, is_local
from ingest.store.tokens import Role
from ingest.store.tombstones import is_gone

PUBLIC = ("/static/", "/app/static/", "/component/", "/_stcore/bidi-components/", "/r/-/")
"""Folders of files that are the same in every store."""
OPEN = ("/_stcore/health", "/_stcore/host-config", "/in", HEALTH)
UPLOAD = "/_stcore/upload_file/"
ENTRY = "/entry"
"""Where a match that is typed in is sent, step by step."""
STREAMLIT = ("/_stcore/", "/auth/", "/oauth2callback")
"""Whatever else Streamlit answers: its figures of itself, and what is switched off here."""
API = "/api"
"""Below it programs are answered, by problems where something is wrong; each operation asks there
for the role it needs."""
REPLAYS = ("/r", "/oembed")
"""Here replays are read that need no page of Streamlit; programs are answered by problems."""
FILES = (*PUBLIC, *STREAMLIT, "/media/", "/exports/", ENTRY, METRICS)
"""What is below these is no page."""
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""What a proxy adds."""
SAFE = ("GET", "HEAD", "OPTIONS")
CODING = "gzip"
"""What answers are compressed with."""
NOTHING = N_("There is nothing at this address.")
TOO_MANY = N_("Too many tokens that let nobody in came from there. Seconds until the next try: {n}")
OTHER_SITE = N_("A page of another site may not do this.")
POLICY = {
    "default-src": "'self'",
    # Streamlit's first page and our history.html are scripts within a page, a component's script
    # is one that the page has made
    "script-src": "'self' 'unsafe-inline' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{key} {of}" for key, of in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # forms of ours have to tell where they come from; nobody else is told anything
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
PRIVATE = {"Cache-Control": "private, no-store"}
"""For what not everybody may see: no proxy keeps it for the next who asks."""
NOBODY = Who(None)
"""Whoever asks for what needs no role."""
OF_HERE = Who(Role.ADMIN, here=True)
"""A program of whoever serves the store; it may ask for a backup where nobody could sign in."""


def needs(kind: str, method: str, path: str) -> Role | None:
    """The role a request needs, None for none; what is not known here needs the highest."""
    if kind == "websocket" or is_below(path, API) or path.startswith(UPLOAD):
        return Role.READER
    if path in OPEN or (path.startswith(PUBLIC) and method in SAFE):
        return None
    if path == ENTRY and method == "POST":
        return Role.CONTRIBUTOR
    if path == METRICS or path.startswith(STREAMLIT) or method not in SAFE:
        return Role.ADMIN
    return Role.READER


def is_below(path: str, *roots: str) -> bool:
    """Whether a path is one of these, or below one."""
    return any(path == one or path.startswith(f"{one}/") for one in roots)


def is_for_programs(path: str) -> bool:
    """Whether whoever asks here reads a problem and no page."""
    return path in (HEALTH, METRICS) or is_below(path, API)


class Asked(HTTPConnection):
    """A request or a websocket, as the gate looks at it."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.kind, self.path = scope["type"], scope["path"]
        self.method = scope.get("method", "GET")  # a websocket has none
        self.query = scope.get("query_string", b"").decode("latin-1")
        self.by = self.client.host if self.client else ""
        self.reads = "text/html" in self.headers.get("accept", "")
        # asked for twice, or not at all, it is none
        hosts = self.headers.getlist("host")
        self.host = hosts[0].lower() if len(hosts) == 1 else ""
        self.bearer = access.bearer(self.headers.get("authorization", ""))
        # whatever slashes a path begins with
        path = "/" + self.path.lstrip("/")
        replays = is_below(path, *REPLAYS)
        self.ours = is_for_programs(path) or replays
        """Whether what is asked for is never a page of Streamlit's."""
        self.by_problem = self.ours and not (self.reads and replays)
        """Whether a program asks that is refused by a problem."""

        self.calls = self.kind == "http" and is_below(self.path, API)
        """Whether it is of the HTTP API."""

    @property
    def foreign(self) -> bool:
        """Whether a page of another site asks."""
        origin = self.headers.get("origin")
        return origin is not None and origin.lower().partition("://")[2] != self.host

    @property
    def shown(self) -> str | None:
        """What a signed-in browser shows; to change anything, a page of ours has to ask."""
        safe = self.kind == "http" and self.method in SAFE
        if self.foreign or (not safe and "origin" not in self.headers):
            return None
        return self.cookies.get(COOKIE)

    @property
    def page(self) -> str | None:
        """The page a reader asks for, as the address has it; None: what is asked for is no page."""
        no_page = self.path in OPEN or self.path.startswith(FILES) or self.ours
        return None if no_page or self.kind != "http" or not self.reads else self.path.strip("/")

    @property
    def odd(self) -> bool:
        """Whether the path has what none of ours has: `..`, a NUL, two slashes before all else."""
        return "\0" in self.path or ".." in self.path.split("/") or self.path.startswith("//")

    @property
    def from_here(self) -> bool:
        """Whether a program of this computer asks by itself, and no proxy for somebody else."""
        passed_on = any(name in self.headers for name in FORWARDED)
        return is_local(self.by) and is_local(hostname(self.host)) and not passed_on

    def refused(
        self, status: int, why: str = "", headers: dict[str, str] | None = None
    ) -> Response:
        """A refusal in a form that whoever asks can read; of pages programs ask for none."""
        if self.by_problem:
            return problem(status, why, headers)
        return PlainTextResponse(str(status), status, headers)

    def told(self, t: Translate, status: int, title: str, why: str) -> Response:
        """The same with a page for a reader."""
        return problem(status, why) if self.by_problem else page(t, status, title, why)


_failures = Failures()
"""Of programs; those of people who sign in are counted apart."""


def guarded(send: Send, private: bool) -> Send:
    """What sends answers with these headers, but for what an answer says itself."""
    told = HEADERS | PRIVATE if private else HEADERS

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            # an older browser's word for frame-ancestors, where that lets nobody
            framed = "frame-ancestors *" in headers.get("Content-Security-Policy", "")
            for name, value in told.items():
                if not (framed and name == "X-Frame-Options"):
                    headers.setdefault(name, value)
            if varies := headers.getlist("Vary"):  # what compresses says it again
                said = (one.strip() for one in ",".join(varies).split(","))
                headers["Vary"] = ", ".join(dict.fromkeys(said))
        await send(message)

    return sending


class Gate:
    """The middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked = Asked(scope)
        if asked.kind == "http":
            send = guarded(send, needs(asked.kind, asked.method, asked.path) is not None)
        t = texts(asked, "en" if asked.by_problem else LANGUAGES[0])
        refused = await self._refused(asked, t)
        if isinstance(refused, Who):
            await self.app(_told(scope, asked, refused), receive, send)
        elif asked.kind == "http":
            await refused(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _refused(self, asked: Asked, t: Translate) -> Response | Who:
        """What is answered instead, or who asks: the request goes on."""
        if not access.served.answers(asked.host):
            name = hostname(asked.host) or "…"
            here = N_("Whoever serves this dashboard can have it answer here: --host {host}")
            return asked.told(t, 421, t("Not here"), t(here, host=name))
        if asked.odd and asked.kind == "http" and asked.ours:
            return asked.told(t, 404, t("No such page"), t(NOTHING))
        if asked.foreign and (asked.kind == "websocket" or asked.method not in SAFE):
            return asked.refused(403, t(OTHER_SITE))
        role = needs(asked.kind, asked.method, asked.path)
        if role is None or (asked.path == METRICS and asked.from_here):
            return NOBODY
        if asked.calls and access.has_key(asked.bearer):
            return OF_HERE
        try:
            who = await run_in_threadpool(access.who, asked.bearer, asked.shown)
        except Away as away:
            if asked.by_problem:
                return refusal(away, t)
            if access.served.alone and asked.kind == "websocket":
                return NOBODY  # the page that is open says it
            return later(t, 503, t("In a moment"), t(NO_ANSWER), str(AGAIN))
        except StoreError:
            if asked.by_problem:
                return problem(503, t("The store cannot be opened."))
            if access.served.alone and not asked.ours:
                return NOBODY  # the page says why it cannot be opened
            return page(t, 503, t("The store cannot be opened."))
        if asked.bearer is not None and who.token_no is None:
            if wait := _failures.wait(asked.by):
                bearer = {"WWW-Authenticate": "Bearer", "Retry-After": str(wait)}
                return asked.refused(429, t(TOO_MANY, n=wait), bearer)
            _failures.note(asked.by)
            said = t("This token lets nobody in: it may be over, or revoked. Ask the admin.")
            return asked.refused(401, said, {"WWW-Authenticate": "Bearer"})
        if asked.calls:
            return who
        if not who.may(role):
            return _no_role(asked, who, t)
        return await self._not_theirs(asked, who, t) or who

    async def _not_theirs(self, asked: Asked, who: Who, t: Translate) -> Response | None:
        """What is answered to somebody of the right role."""
        if asked.path.startswith(UPLOAD) and asked.method != "OPTIONS":
            return _no_upload(asked, who)
        if asked.path.startswith(("/media/", "/exports/")):
            theirs = await run_in_threadpool(is_for, asked.path, who.token_no)
            return None if theirs else PlainTextResponse("404", 404)
        if asked.page == HOME.name:  # it is the one page without a name in its address
            return RedirectResponse(f"/?{asked.query}" if asked.query else "/")
        if asked.page and asked.page not in NAMES:
            said = t("There is no page at this address.")
            return page(t, 404, t("No such page"), said, more=home(t))
        if asked.kind == "http" and asked.query and not asked.ours:
            return await run_in_threadpool(_gone, parse_qs(asked.query), t)
        return None


def _told(scope: Scope, asked: Asked, who: Who) -> Scope:
    """What is told further in: who asks, and to Streamlit no cookie of ours that does not count, no
    session of somebody else.

    A browser whose websocket broke off names the session that it goes on with. What compresses
    answers looks for the name of its coding alone, and what is compressed as it is sent comes in
    chunks, which HTTP/1.0 does not know.
    """
    headers, own = [], COOKIE.encode()
    takes_coding = scope.get("http_version") != "1.0" and takes(
        ",".join(asked.headers.getlist("accept-encoding")), CODING
    )
    for name, value in scope["headers"]:
        if name == b"accept-encoding":
            if takes_coding:
                headers.append((name, CODING.encode()))
        elif name == b"cookie" and asked.shown is None:
            kept = (one for one in value.split(b";") if one.partition(b"=")[0].strip() != own)
            headers.append((name, b";".join(kept)))
        elif name == b"sec-websocket-protocol":
            headers.append((name, joining(value, lambda one: access.is_of(one, who.token_no))))
        else:
            headers.append((name, value))
    return {**scope, "headers": headers, ASKS: who}


def _no_role(asked: Asked, who: Who, t: Translate) -> Response:
    """What is answered to somebody whose role does not do."""
    if is_for_programs(asked.path):
        return asked.refused(401 if who.token_no is None else 403)
    if who.token_no is not None or asked.method not in SAFE:
        return asked.refused(403)
    if asked.by_problem:
        return problem(401, t(NO_TOKEN), {"WWW-Authenticate": "Bearer"})
    if not asked.reads:
        return PlainTextResponse("401", 401)
    return ask(t, 401, t("Sign in"), t("Reading these pages needs a token, or a link with one."))


def _no_upload(asked: Asked, who: Who) -> Response | None:
    """Why a file is not taken: it is for somebody else's page, or too large for one that checks."""
    session = asked.path.removeprefix(UPLOAD).partition("/")[0]
    if not access.is_of(session, who.token_no):
        return PlainTextResponse("403", 403)
    if who.may(Role.CONTRIBUTOR) or asked.method != "PUT":
        return None
    length = asked.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        return PlainTextResponse("411", 411)
    return PlainTextResponse("413", 413) if int(length) > TO_CHECK else None


def _gone(found: dict[str, list[str]], t: Translate) -> Response | None:
    """The page that says that a match or a player of an address was purged; None: none was."""

    def purged() -> str | None:
        for name in found.get("match", [])[-1:]:
            if store().find(name) is None and is_gone(store(), name):
                return MATCH_GONE
        for name in found.get("player", [])[-1:]:
            if known(store().cursor(), name) is None and is_gone(store(), name):
                return GONE
        return None

    try:
        said = steady(purged)
    except StoreError:
        return None  # the page says so
    return None if said is None else page(t, 410, t("Gone"), t(said), more=home(t))
