"""ASGI middleware in front of Streamlit: host, origin, role and size checks.

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
from dashboard.access import MAX_CHECK_BYTES, SESSION_COOKIE, Principal
from dashboard.api.auth import PRINCIPAL_KEY, TOKEN_REQUIRED
from dashboard.api.content_negotiation import accepts_encoding, response_texts
from dashboard.api.params import MATCH_GONE, PLAYER_PURGED
from dashboard.api.problems import error_response, problem_response
from dashboard.compat import without_foreign_session
from dashboard.downloads import is_download_of
from dashboard.pages import HOME, PAGE_NAMES
from dashboard.queries.player_search import player_by_id
from dashboard.server.monitoring import HEALTH_PATH, METRICS_PATH
from dashboard.store import RETRY_AFTER_SECONDS, STORE_NOT_ANSWERING, open_store, retry_on_reopen
from dashboard.web.static_pages import FailedSignIns, home_link, html_page, retry_page, sign_in_page
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store.errors import CatalogUnavailable, StoreError
from ingest.store.server_hosts import is_local, parse_hostname
from ingest.store.tokens import Role
from ingest.store.tombstones import is_purged

PUBLIC_PREFIXES = ("/static/", "/app/static/", "/component/", "/_stcore/bidi-components/", "/r/-/")
"""Folders of files that are the same in every store."""
PUBLIC_PATHS = ("/_stcore/health", "/_stcore/host-config", "/in", HEALTH_PATH)
UPLOAD_PREFIX = "/_stcore/upload_file/"
DRAFT_PATH = "/entry"
"""Where a match that is typed in is sent, step by step."""
STREAMLIT_PREFIXES = ("/_stcore/", "/auth/", "/oauth2callback")
"""Whatever else Streamlit answers: its figures of itself, and what is switched off here."""
API_PREFIX = "/api"
"""Below it programs are answered, by problems where something is wrong; each operation asks there
for the role it needs."""
REPLAY_PREFIXES = ("/r", "/oembed")
"""Here replays are read that need no page of Streamlit; programs are answered by problems."""
FILE_PREFIXES = (
    *PUBLIC_PREFIXES,
    *STREAMLIT_PREFIXES,
    "/media/",
    "/exports/",
    DRAFT_PATH,
    METRICS_PATH,
)
"""What is below these is no page."""
PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""What a proxy adds."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
CONTENT_ENCODING = "gzip"
"""What answers are compressed with."""
NOT_FOUND = N_("There is nothing at this address.")
TOO_MANY = N_("Too many tokens that let nobody in came from there. Seconds until the next try: {n}")
CROSS_SITE_REFUSED = N_("A page of another site may not do this.")
CSP_DIRECTIVES = {
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
SECURITY_HEADERS = {
    "Content-Security-Policy": "; ".join(f"{key} {of}" for key, of in CSP_DIRECTIVES.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # forms of ours have to tell where they come from; nobody else is told anything
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
PRIVATE_CACHE_HEADERS = {"Cache-Control": "private, no-store"}
"""For what not everybody may see: no proxy keeps it for the next who asks."""
NO_PRINCIPAL = Principal(None)
"""Whoever asks for what needs no role."""
LOCAL_ADMIN = Principal(Role.ADMIN, is_local=True)
"""A program of whoever serves the store; it may ask for a backup where nobody could sign in."""


def required_role(kind: str, method: str, path: str) -> Role | None:
    """The role a request needs, None for none; what is not known here needs the highest."""
    if kind == "websocket" or is_below(path, API_PREFIX) or path.startswith(UPLOAD_PREFIX):
        return Role.READER
    if path in PUBLIC_PATHS or (path.startswith(PUBLIC_PREFIXES) and method in SAFE_METHODS):
        return None
    if path == DRAFT_PATH and method == "POST":
        return Role.CONTRIBUTOR
    if path == METRICS_PATH or path.startswith(STREAMLIT_PREFIXES) or method not in SAFE_METHODS:
        return Role.ADMIN
    return Role.READER


def is_below(path: str, *roots: str) -> bool:
    """Whether a path is one of these, or below one."""
    return any(path == one or path.startswith(f"{one}/") for one in roots)


def is_machine_path(path: str) -> bool:
    """Whether whoever asks here reads a problem and no page."""
    return path in (HEALTH_PATH, METRICS_PATH) or is_below(path, API_PREFIX)


class RequestInfo(HTTPConnection):
    """A request or a websocket, as the gate looks at it."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.kind, self.path = scope["type"], scope["path"]
        self.method = scope.get("method", "GET")  # a websocket has none
        self.query = scope.get("query_string", b"").decode("latin-1")
        self.client_host = self.client.host if self.client else ""
        self.accepts_html = "text/html" in self.headers.get("accept", "")
        # asked for twice, or not at all, it is none
        hosts = self.headers.getlist("host")
        self.host = hosts[0].lower() if len(hosts) == 1 else ""
        self.bearer = access.bearer_token(self.headers.get("authorization", ""))
        # whatever slashes a path begins with
        path = "/" + self.path.lstrip("/")
        replays = is_below(path, *REPLAY_PREFIXES)
        self.is_own_route = is_machine_path(path) or replays
        """Whether what is asked for is never a page of Streamlit's."""
        self.wants_problem = self.is_own_route and not (self.accepts_html and replays)
        """Whether a program asks that is refused by a problem."""

        self.is_api_call = self.kind == "http" and is_below(self.path, API_PREFIX)
        """Whether it is of the HTTP API."""

    @property
    def is_cross_site(self) -> bool:
        """Whether a page of another site asks."""
        origin = self.headers.get("origin")
        return origin is not None and origin.lower().partition("://")[2] != self.host

    @property
    def session_secret(self) -> str | None:
        """What a signed-in browser shows; to change anything, a page of ours has to ask."""
        safe = self.kind == "http" and self.method in SAFE_METHODS
        if self.is_cross_site or (not safe and "origin" not in self.headers):
            return None
        return self.cookies.get(SESSION_COOKIE)

    @property
    def page_name(self) -> str | None:
        """The page a reader asks for, as the address has it; None: what is asked for is no page."""
        no_page = (
            self.path in PUBLIC_PATHS or self.path.startswith(FILE_PREFIXES) or self.is_own_route
        )
        return (
            None
            if no_page or self.kind != "http" or not self.accepts_html
            else self.path.strip("/")
        )

    @property
    def has_odd_path(self) -> bool:
        """Whether the path has what none of ours has: `..`, a NUL, two slashes before all else."""
        return "\0" in self.path or ".." in self.path.split("/") or self.path.startswith("//")

    @property
    def is_local_program(self) -> bool:
        """Whether a program of this computer asks by itself, and no proxy for somebody else."""
        passed_on = any(name in self.headers for name in PROXY_HEADERS)
        return is_local(self.client_host) and is_local(parse_hostname(self.host)) and not passed_on

    def refusal(
        self, status: int, detail: str = "", headers: dict[str, str] | None = None
    ) -> Response:
        """A refusal in a form that whoever asks can read; of pages programs ask for none."""
        if self.wants_problem:
            return problem_response(status, detail, headers)
        return PlainTextResponse(str(status), status, headers)

    def error_page(self, t: Translate, status: int, title: str, detail: str) -> Response:
        """The same with a page for a reader."""
        return (
            problem_response(status, detail)
            if self.wants_problem
            else html_page(t, status, title, detail)
        )


_failures = FailedSignIns()
"""Of programs; those of people who sign in are counted apart."""


def with_security_headers(send: Send, is_private: bool) -> Send:
    """What sends answers with these headers, but for what an answer says itself."""
    told = SECURITY_HEADERS | PRIVATE_CACHE_HEADERS if is_private else SECURITY_HEADERS

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


class AuthMiddleware:
    """The middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked = RequestInfo(scope)
        if asked.kind == "http":
            send = with_security_headers(
                send, required_role(asked.kind, asked.method, asked.path) is not None
            )
        t = response_texts(asked, "en" if asked.wants_problem else LANGUAGES[0])
        refused = await self._authorize(asked, t)
        if isinstance(refused, Principal):
            await self.app(_forwarded_scope(scope, asked, refused), receive, send)
        elif asked.kind == "http":
            await refused(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _authorize(self, request: RequestInfo, t: Translate) -> Response | Principal:
        """What is answered instead, or who asks: the request goes on."""
        if not access.hosts.accepts_host(request.host):
            name = parse_hostname(request.host) or "…"
            here = N_("Whoever serves this dashboard can have it answer here: --host {host}")
            return request.error_page(t, 421, t("Not here"), t(here, host=name))
        if request.has_odd_path and request.kind == "http" and request.is_own_route:
            return request.error_page(t, 404, t("No such page"), t(NOT_FOUND))
        if request.is_cross_site and (
            request.kind == "websocket" or request.method not in SAFE_METHODS
        ):
            return request.refusal(403, t(CROSS_SITE_REFUSED))
        role = required_role(request.kind, request.method, request.path)
        if role is None or (request.path == METRICS_PATH and request.is_local_program):
            return NO_PRINCIPAL
        if request.is_api_call and access.is_local_key(request.bearer):
            return LOCAL_ADMIN
        try:
            who = await run_in_threadpool(
                access.authenticate, request.bearer, request.session_secret
            )
        except CatalogUnavailable as away:
            if request.wants_problem:
                return error_response(away, t)
            if access.hosts.is_local_only and request.kind == "websocket":
                return NO_PRINCIPAL  # the page that is open says it
            return retry_page(
                t, 503, t("In a moment"), t(STORE_NOT_ANSWERING), str(RETRY_AFTER_SECONDS)
            )
        except StoreError:
            if request.wants_problem:
                return problem_response(503, t("The store cannot be opened."))
            if access.hosts.is_local_only and not request.is_own_route:
                return NO_PRINCIPAL  # the page says why it cannot be opened
            return html_page(t, 503, t("The store cannot be opened."))
        if request.bearer is not None and who.token_no is None:
            if wait := _failures.seconds_to_wait(request.client_host):
                bearer = {"WWW-Authenticate": "Bearer", "Retry-After": str(wait)}
                return request.refusal(429, t(TOO_MANY, n=wait), bearer)
            _failures.add(request.client_host)
            said = t("This token lets nobody in: it may be over, or revoked. Ask the admin.")
            return request.refusal(401, said, {"WWW-Authenticate": "Bearer"})
        if request.is_api_call:
            return who
        if not who.has_role(role):
            return _missing_role_response(request, who, t)
        return await self._check_ownership(request, who, t) or who

    async def _check_ownership(
        self, request: RequestInfo, who: Principal, t: Translate
    ) -> Response | None:
        """What is answered to somebody of the right role."""
        if request.path.startswith(UPLOAD_PREFIX) and request.method != "OPTIONS":
            return _upload_refusal(request, who)
        if request.path.startswith(("/media/", "/exports/")):
            theirs = await run_in_threadpool(is_download_of, request.path, who.token_no)
            return None if theirs else PlainTextResponse("404", 404)
        if request.page_name == HOME.name:  # it is the one page without a name in its address
            return RedirectResponse(f"/?{request.query}" if request.query else "/")
        if request.page_name and request.page_name not in PAGE_NAMES:
            said = t("There is no page at this address.")
            return html_page(t, 404, t("No such page"), said, markup=home_link(t))
        if request.kind == "http" and request.query and not request.is_own_route:
            return await run_in_threadpool(_purged_response, parse_qs(request.query), t)
        return None


def _forwarded_scope(scope: Scope, request: RequestInfo, who: Principal) -> Scope:
    """What is told further in: who asks, and to Streamlit no cookie of ours that does not count, no
    session of somebody else.

    A browser whose websocket broke off names the session that it goes on with. What compresses
    answers looks for the name of its coding alone, and what is compressed as it is sent comes in
    chunks, which HTTP/1.0 does not know.
    """
    headers, own = [], SESSION_COOKIE.encode()
    takes_coding = scope.get("http_version") != "1.0" and accepts_encoding(
        ",".join(request.headers.getlist("accept-encoding")), CONTENT_ENCODING
    )
    for name, value in scope["headers"]:
        if name == b"accept-encoding":
            if takes_coding:
                headers.append((name, CONTENT_ENCODING.encode()))
        elif name == b"cookie" and request.session_secret is None:
            kept = (one for one in value.split(b";") if one.partition(b"=")[0].strip() != own)
            headers.append((name, b";".join(kept)))
        elif name == b"sec-websocket-protocol":
            headers.append(
                (
                    name,
                    without_foreign_session(
                        value, lambda one: access.is_session_of(one, who.token_no)
                    ),
                )
            )
        else:
            headers.append((name, value))
    return {**scope, "headers": headers, PRINCIPAL_KEY: who}


def _missing_role_response(request: RequestInfo, who: Principal, t: Translate) -> Response:
    """What is answered to somebody whose role does not do."""
    if is_machine_path(request.path):
        return request.refusal(401 if who.token_no is None else 403)
    if who.token_no is not None or request.method not in SAFE_METHODS:
        return request.refusal(403)
    if request.wants_problem:
        return problem_response(401, t(TOKEN_REQUIRED), {"WWW-Authenticate": "Bearer"})
    if not request.accepts_html:
        return PlainTextResponse("401", 401)
    return sign_in_page(
        t, 401, t("Sign in"), t("Reading these pages needs a token, or a link with one.")
    )


def _upload_refusal(request: RequestInfo, who: Principal) -> Response | None:
    """Why a file is not taken: it is for somebody else's page, or too large for one that checks."""
    session = request.path.removeprefix(UPLOAD_PREFIX).partition("/")[0]
    if not access.is_session_of(session, who.token_no):
        return PlainTextResponse("403", 403)
    if who.has_role(Role.CONTRIBUTOR) or request.method != "PUT":
        return None
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        return PlainTextResponse("411", 411)
    return PlainTextResponse("413", 413) if int(length) > MAX_CHECK_BYTES else None


def _purged_response(query: dict[str, list[str]], t: Translate) -> Response | None:
    """The page that says that a match or a player of an address was purged; None: none was."""

    def purged() -> str | None:
        for name in query.get("match", [])[-1:]:
            if open_store().find_match(name) is None and is_purged(open_store(), name):
                return MATCH_GONE
        for name in query.get("player", [])[-1:]:
            if player_by_id(open_store().cursor(), name) is None and is_purged(open_store(), name):
                return PLAYER_PURGED
        return None

    try:
        said = retry_on_reopen(purged)
    except StoreError:
        return None  # the page says so
    return None if said is None else html_page(t, 410, t("Gone"), t(said), markup=home_link(t))
