"""ASGI middleware in front of Streamlit: host, origin (CSRF), path, role and size checks.

It answers only for the server's own hosts, refuses requests of other sites' pages, and checks
the role that each route needs. Actions on an open page are checked where they run
(`dashboard.widgets.current_store`). Every response forbids the browser to load anything from
elsewhere, and all but embedded replays to be shown in a frame.
"""

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard import authentication
from dashboard.api.auth import PRINCIPAL_KEY, TOKEN_REQUIRED
from dashboard.api.content_negotiation import accepts_encoding, response_texts
from dashboard.api.params import MATCH_REMOVED, PLAYER_PURGED
from dashboard.api.problems import error_response, problem_response
from dashboard.api.uploads import MAX_CHECK_BYTES
from dashboard.api.visitor_address import visitor_address
from dashboard.authentication import SESSION_COOKIE, Principal
from dashboard.base_path import browser_path
from dashboard.compat import is_user_action, uploaded_bytes, without_foreign_session
from dashboard.downloads import is_download_of
from dashboard.pages import HOME, PAGE_NAMES, RENAMED_PAGES
from dashboard.queries.player_search import player_by_id
from dashboard.server.monitoring import HEALTH_PATH, METRICS_PATH
from dashboard.server.visitor_limits import UploadBudget
from dashboard.store import RETRY_AFTER_SECONDS, STORE_NOT_ANSWERING, open_store, retry_on_reopen
from dashboard.web.cross_origin import allows_other_site, preflight_response, with_cors_headers
from dashboard.web.html_pages import home_link, html_page, retry_page
from dashboard.web.sign_in import FailedSignIns, cookie_name, session_cookie, sign_in_page
from dashboard.web.static_assets import CODINGS
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store.errors import CatalogUnavailable, StoreError
from ingest.store.server_hosts import is_local, parse_hostname
from ingest.store.tokens import Role
from ingest.store.tombstones import is_purged

PUBLIC_PREFIXES = ("/static/", "/app/static/", "/component/", "/_stcore/bidi-components/", "/r/-/")
"""Folders of files that are the same for every store."""
WORKER_PATH, MANIFEST_PATH = "/service-worker.js", "/manifest.webmanifest"
PUBLIC_PATHS = ("/_stcore/health", "/_stcore/host-config", "/in", HEALTH_PATH, WORKER_PATH, MANIFEST_PATH)
UPLOAD_PREFIX = "/_stcore/upload_file/"
DRAFT_PATH = "/entry"
"""The page of a draft without Streamlit (GET), and the endpoint of its steps (POST)."""
STREAMLIT_PREFIXES = ("/_stcore/", "/auth/", "/oauth2callback")
"""Streamlit's other routes: its own metrics, and features that are off here."""
API_PREFIX = "/api"
"""Routes for programs, answered with problem details; each operation checks its role itself."""
REPLAY_PREFIXES = ("/r", "/oembed")
"""Replay routes, which do not use Streamlit; programs get problem details."""
FILE_PREFIXES = (*PUBLIC_PREFIXES, *STREAMLIT_PREFIXES, "/media/", "/exports/", DRAFT_PATH, METRICS_PATH)
"""Paths that are not pages."""
PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""Headers that a proxy adds."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
NOT_FOUND = N_("Nothing at this address.")
TOO_MANY = N_("Too many invalid tokens from this address. Try again in {n} seconds.")
CSP_DIRECTIVES = {
    "default-src": "'self'",
    # inline scripts: Streamlit's first page, our history.html; blob: scripts made for components
    "script-src": "'self' 'unsafe-inline' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
SECURITY_HEADERS = {
    "Content-Security-Policy": "; ".join(f"{key} {of}" for key, of in CSP_DIRECTIVES.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # the site's own forms must send their origin; other sites get no referrer
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
PRIVATE_CACHE_HEADERS = {"Cache-Control": "private, no-store"}
"""For restricted responses: no shared cache may store them."""
NO_PRINCIPAL = Principal(None)
"""The client of requests that need no role."""
LOCAL_ADMIN = Principal(Role.ADMIN, is_local=True)
"""A local program of the server's user; it may make backups even when no token is valid."""


def required_role(kind: str, method: str, path: str) -> Role | None:
    """Return the role a request needs, None for none; unknown routes need the highest."""
    if kind == "websocket" or is_below(path, API_PREFIX) or path.startswith(UPLOAD_PREFIX):
        return Role.READER
    if path in PUBLIC_PATHS or (path.startswith(PUBLIC_PREFIXES) and method in SAFE_METHODS):
        return None
    if path == DRAFT_PATH and method in ("POST", "GET", "HEAD"):
        return Role.CONTRIBUTOR
    if path == METRICS_PATH or path.startswith(STREAMLIT_PREFIXES) or method not in SAFE_METHODS:
        return Role.ADMIN
    return Role.READER


def is_below(path: str, *roots: str) -> bool:
    """Return whether a path equals one of the roots or is below one."""
    return any(path == one or path.startswith(f"{one}/") for one in roots)


def is_machine_path(path: str) -> bool:
    """Return whether errors at a path are problem details, not pages."""
    return path in (HEALTH_PATH, METRICS_PATH) or is_below(path, API_PREFIX)


class RequestInfo(HTTPConnection):
    """The headers of a request or websocket that the middleware reads."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.kind, self.path = scope["type"], scope["path"]
        self.method = scope.get("method", "GET")  # a websocket has none
        self.query = scope.get("query_string", b"").decode("latin-1")
        self.client_host = self.client.host if self.client else ""
        self.accepts_html = "text/html" in self.headers.get("accept", "")
        # a missing or repeated Host header counts as empty
        hosts = self.headers.getlist("host")
        self.host = hosts[0].lower() if len(hosts) == 1 else ""
        self.bearer = authentication.bearer_token(self.headers.get("authorization", ""))
        # extra slashes must not hide a path's prefix
        path = "/" + self.path.lstrip("/")
        replays = is_below(path, *REPLAY_PREFIXES)
        self.is_own_route = is_machine_path(path) or replays
        """Whether Streamlit does not serve this path."""
        self.wants_problem = self.is_own_route and not (self.accepts_html and replays)
        """Whether a refusal is sent as problem details."""

        self.upload_page = ""
        """The page that a file is uploaded to."""
        if self.path.startswith(UPLOAD_PREFIX):
            self.upload_page = self.path.removeprefix(UPLOAD_PREFIX).partition("/")[0]
        length = self.headers.get("content-length", "")
        self.content_length = int(length[:20]) if length.isascii() and length.isdigit() else None

        self.is_api_call = self.kind == "http" and is_below(self.path, API_PREFIX)
        """Whether this is an HTTP API call."""

    @property
    def is_cross_site(self) -> bool:
        """Return whether a page of another site sent the request."""
        origin = self.headers.get("origin")
        return origin is not None and origin.lower().partition("://")[2] != self.host

    @property
    def is_open_to_other_sites(self) -> bool:
        """Return whether a page of another site sent the request, and may: no credential counts."""
        if self.kind != "http" or not self.is_cross_site or "authorization" in self.headers:
            return False
        return allows_other_site(self.headers["origin"], self.method, self.path)

    @property
    def session_secret(self) -> str | None:
        """Return the session cookie; to change data, a page of this site must send the request."""
        safe = self.kind == "http" and self.method in SAFE_METHODS
        if self.is_cross_site or (not safe and "origin" not in self.headers):
            return None
        return self.cookies.get(cookie_name(self.scope["scheme"]))

    @property
    def page_name(self) -> str | None:
        """Return the name of the requested page as in its address, None for other addresses."""
        no_page = self.path in PUBLIC_PATHS or self.path.startswith(FILE_PREFIXES) or self.is_own_route
        return None if no_page or self.kind != "http" or not self.accepts_html else self.path.strip("/")

    @property
    def has_odd_path(self) -> bool:
        """Return whether the path contains `..` (path traversal) or NUL, or begins with two slashes."""
        return "\0" in self.path or ".." in self.path.split("/") or self.path.startswith("//")

    @property
    def is_local_program(self) -> bool:
        """Return whether a program on this computer sent the request, without a proxy."""
        passed_on = any(name in self.headers for name in PROXY_HEADERS)
        return is_local(self.client_host) and is_local(parse_hostname(self.host)) and not passed_on

    def refusal(self, status: int, detail: str = "", headers: dict[str, str] | None = None) -> Response:
        """Return a refusal as problem details, or as plain text for files of pages."""
        if self.wants_problem:
            return problem_response(status, detail, headers)
        return PlainTextResponse(str(status), status, headers)

    def error_page(self, t: Translate, status: int, title: str, detail: str) -> Response:
        """Return a refusal as problem details, or as a page for browsers."""
        return problem_response(status, detail) if self.wants_problem else html_page(t, status, title, detail)


_failures = FailedSignIns()
"""Failed tokens of programs; those of the sign-in page are counted separately."""


def with_security_headers(send: Send, is_private: bool) -> Send:
    """Wrap `send` to add the security headers that a response does not set itself."""
    result = SECURITY_HEADERS | PRIVATE_CACHE_HEADERS if is_private else SECURITY_HEADERS

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            # X-Frame-Options has no value that allows all sites
            framed = "frame-ancestors *" in headers.get("Content-Security-Policy", "")
            for name, value in result.items():
                if not (framed and name == "X-Frame-Options"):
                    headers.setdefault(name, value)
            if headers.get("Content-Type") == "image/svg+xml":  # Streamlit names no charset
                headers["Content-Type"] = "image/svg+xml; charset=utf-8"
            if varies := headers.getlist("Vary"):  # compression adds a duplicate
                items = (one.strip() for one in ",".join(varies).split(","))
                headers["Vary"] = ", ".join(dict.fromkeys(items))
        await send(message)

    return sending


def _renewing_cookie(send: Send, session: str, scheme: str) -> Send:
    """Wrap `send` to have the browser keep its session for twelve hours from now on, as the store does.

    Responses that shared caches may store do not have the cookie.
    """

    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            if any(one in headers.get("Cache-Control", "private") for one in ("private", "no-store")):
                headers.append("Set-Cookie", session_cookie(session, scheme))
        await send(message)

    return sending


def _recording_use(receive: Receive, session: str) -> Receive:
    """Wrap a websocket's `receive` to record each action of the page's reader as a use of the session.

    A browser sends the first message automatically when it has opened a page or connects again; some others
    come from a page that reruns itself.
    """
    is_first = True

    async def receiving() -> Message:
        nonlocal is_first
        message = await receive()
        if message["type"] == "websocket.receive":
            if not is_first and is_user_action(message.get("bytes") or b""):
                await run_in_threadpool(authentication.record_use, session)
            is_first = False
        return message

    return receiving


class AuthMiddleware:
    """ASGI middleware that refuses requests or passes them on with their principal."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        requested = RequestInfo(scope)
        if requested.kind == "http":
            send = with_security_headers(
                send, required_role(requested.kind, requested.method, requested.path) is not None
            )
        if requested.is_open_to_other_sites:
            send = with_cors_headers(send)
        t = response_texts(requested, "en" if requested.wants_problem else LANGUAGES[0])
        refused = await self._authorize(requested, t)
        if isinstance(refused, Principal):
            if refused.token_no is not None and requested.bearer is None:
                session = requested.session_secret or ""
                send = _renewing_cookie(send, session, scope["scheme"])
                if requested.kind == "websocket":
                    receive = _recording_use(receive, session)
                elif not requested.path.startswith("/media/"):  # a page that is drawn again loads it
                    await run_in_threadpool(authentication.record_use, session)
            with _counting_upload(requested, refused):
                await self.app(_forwarded_scope(scope, requested, refused), receive, send)
        elif requested.kind == "http":
            await refused(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _authorize(self, request: RequestInfo, t: Translate) -> Response | Principal:
        """Return the principal if the request may go on, else the response that refuses it."""
        if not authentication.hosts.accepts_host(request.host):
            name = parse_hostname(request.host) or "…"
            here = N_(
                "Address not allowed. The administrator must restart the server with --allowed-host {host}"
            )
            return request.error_page(t, 421, t("Not here"), t(here, host=name))
        if request.has_odd_path and request.kind == "http" and request.is_own_route:
            return request.error_page(t, 404, t("No such page"), t(NOT_FOUND))
        if request.is_open_to_other_sites:
            if request.method == "OPTIONS":
                return preflight_response(request.path)
        elif request.is_cross_site and (request.kind == "websocket" or request.method not in SAFE_METHODS):
            return request.refusal(403, t("A page of another site may not do this."))
        role = required_role(request.kind, request.method, request.path)
        if role is None or (request.path == METRICS_PATH and request.is_local_program):
            return NO_PRINCIPAL
        if request.is_api_call and authentication.is_local_key(request.bearer):
            return LOCAL_ADMIN
        try:
            who = await run_in_threadpool(authentication.authenticate, request.bearer, request.session_secret)
        except CatalogUnavailable as error:
            if request.wants_problem:
                return error_response(error, t)
            if authentication.hosts.is_local_only and request.kind == "websocket":
                return NO_PRINCIPAL  # the open page shows the error
            return retry_page(t, 503, t("In a moment"), t(STORE_NOT_ANSWERING), str(RETRY_AFTER_SECONDS))
        except StoreError:
            if request.wants_problem:
                return problem_response(503, t("The store cannot be opened."))
            if authentication.hosts.is_local_only and not request.is_own_route:
                return NO_PRINCIPAL  # the page shows why the store cannot be opened
            return html_page(t, 503, t("The store cannot be opened."))
        if request.bearer is not None and who.token_no is None:
            client = visitor_address(request.scope)
            if wait := _failures.seconds_to_wait(client):
                bearer = {"WWW-Authenticate": "Bearer", "Retry-After": str(wait)}
                return request.refusal(429, t(TOO_MANY, n=wait), bearer)
            _failures.add(client)
            message = t(
                "This token is not valid: it may have expired or been revoked. Ask the admin for another one."
            )
            return request.refusal(401, message, {"WWW-Authenticate": "Bearer"})
        if request.is_api_call:
            # without tokens, a local server takes every page for its admin's
            is_foreign = request.is_cross_site and who.token_no is None and who.role is not None
            return Principal(Role.READER) if is_foreign else who
        if not who.has_role(role):
            return _missing_role_response(request, who, t)
        return await self._check_ownership(request, who, t) or who

    async def _check_ownership(self, request: RequestInfo, who: Principal, t: Translate) -> Response | None:
        """Refuse a request whose role suffices but whose target does not belong to the client."""
        if request.path.startswith(UPLOAD_PREFIX) and request.method != "OPTIONS":
            return _upload_refusal(request, who)
        if request.path.startswith(("/media/", "/exports/")):
            theirs = await run_in_threadpool(is_download_of, request.path, who.token_no)
            return None if theirs else PlainTextResponse("404", 404)
        if request.page_name == HOME.name or request.page_name in RENAMED_PAGES:
            name = RENAMED_PAGES.get(request.page_name, "")  # the home page has no name in its address
            return RedirectResponse(browser_path(f"/{name}?{request.query}" if request.query else f"/{name}"))
        if request.page_name and request.page_name not in PAGE_NAMES:
            message = t("No page at this address.")
            return html_page(t, 404, t("No such page"), message, markup=home_link(t))
        if request.kind == "http" and request.query and not request.is_own_route:
            return await run_in_threadpool(_purged_response, parse_qs(request.query), t)
        return None


def _forwarded_scope(scope: Scope, request: RequestInfo, who: Principal) -> Scope:
    """Return the scope to pass on: with the principal, without invalid session cookies or sessions.

    After a lost websocket, a browser names the Streamlit session it continues; a session of another
    client is removed. Accept-Encoding is reduced to the codings we use, as the compression looks for
    their bare names, and dropped for HTTP/1.0, which cannot receive chunks.
    """
    headers, session = [], request.session_secret
    own = {SESSION_COOKIE, cookie_name(scope["scheme"])}
    accepted = ",".join(request.headers.getlist("accept-encoding"))
    codings = [one for one in CODINGS if accepts_encoding(accepted, one)]
    takes_coding = codings and scope.get("http_version") != "1.0"
    for name, value in scope["headers"]:
        if name == b"accept-encoding":
            if takes_coding:
                headers.append((name, ", ".join(codings).encode()))
        elif name == b"cookie":
            remaining = [
                one for one in value.decode("latin-1").split(";") if one.split("=")[0].strip() not in own
            ]
            own_cookie = [] if session is None else [f" {SESSION_COOKIE}={session}"]
            headers.append((name, ";".join(remaining + own_cookie).strip().encode("latin-1")))
        elif name == b"sec-websocket-protocol":
            is_own = partial(authentication.is_session_of, token_no=who.token_no)
            headers.append((name, without_foreign_session(value, is_own)))
        else:
            headers.append((name, value))
    return {**scope, "headers": headers, PRINCIPAL_KEY: who}


def _missing_role_response(request: RequestInfo, who: Principal, t: Translate) -> Response:
    """Return the response to a client whose role does not suffice."""
    if is_machine_path(request.path):
        return request.refusal(401 if who.token_no is None else 403)
    if who.token_no is not None or request.method not in SAFE_METHODS:
        return request.refusal(403)
    if request.wants_problem:
        return problem_response(401, t(TOKEN_REQUIRED), {"WWW-Authenticate": "Bearer"})
    if not request.accepts_html:
        return PlainTextResponse("401", 401)
    return sign_in_page(t, 401, t("Sign in"), t("Reading these pages needs a token, or a link with one."))


def _upload_refusal(request: RequestInfo, who: Principal) -> Response | None:
    """Refuse an upload to another client's page, or one too large for a reader to check."""
    if not authentication.is_session_of(request.upload_page, who.token_no):
        return PlainTextResponse("403", 403)
    if who.has_role(Role.CONTRIBUTOR) or request.method != "PUT":
        return None
    if (length := request.content_length) is None:
        return PlainTextResponse("411", 411)
    if length > MAX_CHECK_BYTES:
        return PlainTextResponse("413", 413)
    if not _uploads.has_room(visitor_address(request.scope), length):
        return PlainTextResponse("429", 429, {"Retry-After": str(RETRY_AFTER_SECONDS)})
    return None


_uploads = UploadBudget(uploaded_bytes)


def _counting_upload(request: RequestInfo, who: Principal) -> AbstractContextManager[None]:
    """Count the file that a reader uploads within the block."""
    if who.has_role(Role.CONTRIBUTOR) or request.method != "PUT" or not request.upload_page:
        return nullcontext()
    return _uploads.arriving(visitor_address(request.scope), request.upload_page, request.content_length or 0)


def _purged_response(query: dict[str, list[str]], t: Translate) -> Response | None:
    """Return the page about a purged match or player of the address, None if there is none."""

    def purged() -> str | None:
        for name in query.get("match", [])[-1:]:
            if open_store().find_match(name) is None and is_purged(open_store(), name):
                return MATCH_REMOVED
        for name in query.get("player", [])[-1:]:
            if player_by_id(open_store().cursor(), name) is None and is_purged(open_store(), name):
                return PLAYER_PURGED
        return None

    try:
        result = retry_on_reopen(purged)
    except StoreError:
        return None  # the page itself reports it
    return None if result is None else html_page(t, 410, t("Gone"), t(result), markup=home_link(t))
