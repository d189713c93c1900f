"""CORS and CSRF: requests to the API from pages of other sites in a visitor's browser."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dashboard import authentication
from dashboard.authentication import SESSION_COOKIE
from dashboard.store import open_store
from dashboard.web import sign_in
from dashboard.web.auth_middleware import AuthMiddleware
from ingest.store import sessions, tokens
from ingest.store.server_hosts import ServerHosts
from tests.dashboard.api import Client, clients, first, is_problem
from tests.dashboard.conftest import FAUTES

pytestmark = pytest.mark.slow

Clients = dict[str, Client]
ELSEWHERE = "https://club.example"
FAULTY = (FAUTES / "points-differ.json").read_bytes()
ALLOWED = "access-control-allow-origin"


@pytest.fixture
def for_all() -> Iterator[None]:
    """The server is for the network."""
    authentication.set_hosts(ServerHosts("0.0.0.0"))
    yield
    authentication.set_hosts(ServerHosts())


def from_page(client: Client, method: str, path: str, origin: str = ELSEWHERE, **more: str) -> httpx.Response:
    """Ask as the browser does for a page of another site."""
    content = FAULTY if method in ("POST", "PUT") else None
    headers = {"Origin": origin, "Content-Type": "application/json"}
    return client.ask(method, path, content=content, headers=headers | more)


def preflight(client: Client, path: str, method: str, origin: str = ELSEWHERE) -> httpx.Response:
    """Ask beforehand, as the browser does, whether a page may send a method."""
    return from_page(client, "OPTIONS", path, origin, **{"Access-Control-Request-Method": method})


@pytest.mark.parametrize(
    ("method", "at", "status"),
    [
        ("GET", "/matches", 200),
        ("HEAD", "/matches", 200),
        ("GET", "/exports/deals.csv", 200),
        ("GET", "/openapi.json", 200),
        ("GET", "/matches/none", 404),
        ("POST", "/check", 200),
        ("POST", "/check/", 200),
    ],
)
def test_a_page_elsewhere_reads_what_is_open_to_everybody(
    api: Clients, for_all: None, method: str, at: str, status: int
) -> None:
    for origin in (ELSEWHERE, "null"):
        answer = from_page(api["nobody"], method, at, origin)
        assert (answer.status_code, answer.headers[ALLOWED]) == (status, "*")
        assert "access-control-allow-credentials" not in answer.headers


def test_a_page_elsewhere_changes_nothing(api: Clients, for_all: None) -> None:
    at = f"/matches/{first(api)['match_id']}"
    for method, path in (("DELETE", at), ("POST", f"{at}/undelete"), ("POST", "/logs"), ("PUT", "/check")):
        for who in ("nobody", "admin"):
            refused = from_page(api[who], method, path)
            assert is_problem(refused, 403)
            assert ALLOWED not in refused.headers
    assert api["nobody"].get(at).status_code == 200


def test_a_page_elsewhere_reads_nothing_by_a_visitor_s_session(
    api: Clients, api_tokens: dict[str, str], for_all: None
) -> None:
    opened = sessions.sign_in(open_store(), api_tokens["reader"])
    assert opened is not None
    session, _ = opened
    cookie = {"Cookie": f"{SESSION_COOKIE}={session}"}
    tokens.set_access(open_store(), True)
    assert api["nobody"].ask("GET", "/matches", headers=cookie).status_code == 200
    for method, path in (("GET", "/matches"), ("POST", "/check")):
        refused = from_page(api["nobody"], method, path, **cookie)
        assert is_problem(refused, 401)
        assert "set-cookie" not in refused.headers


@pytest.mark.parametrize(
    ("scheme", "base", "prefix"),
    [("http", "", ""), ("https", "", "__Host-"), ("https", "/club", "__Secure-")],
)
def test_with_https_no_other_host_can_plant_the_session(
    api_tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch, scheme: str, base: str, prefix: str
) -> None:
    async def cookies(request: Request) -> JSONResponse:
        return JSONResponse(request.cookies)

    monkeypatch.setattr("dashboard.base_path._base_path", base)
    app = Starlette(routes=[*sign_in.ROUTES, Route("/", cookies)], middleware=[Middleware(AuthMiddleware)])
    origin = f"{scheme}://localhost"

    def ask(method: str, path: str, **how: Any) -> httpx.Response:
        async def asking() -> httpx.Response:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=origin) as site:
                return await site.request(method, path, **how)

        return asyncio.run(asking())

    signed_in = ask("POST", "/in", data={"token": api_tokens["admin"]}, headers={"Origin": origin})
    first, *about = signed_in.headers["set-cookie"].split("; ")
    name, _, session = first.partition("=")
    assert name == prefix + SESSION_COOKIE
    assert about[2:] == [f"Path={base}/", "SameSite=lax", *["Secure"] * (scheme == "https")]
    own = ask("GET", "/", headers={"Cookie": f"a=b; {name}={session}; c=d"})
    assert own.json() == {"a": "b", "c": "d", SESSION_COOKIE: session}
    if prefix:
        planted = ask("GET", "/", headers={"Cookie": f"{SESSION_COOKIE}={session}; a=b"})
        assert planted.json() == {"a": "b"}


def test_what_a_token_reads_no_page_elsewhere_reads(api: Clients, for_all: None) -> None:
    answer = from_page(api["reader"], "GET", "/matches")
    assert (answer.status_code, ALLOWED in answer.headers) == (200, False)
    assert is_problem(from_page(api["reader"], "POST", "/check"), 403)


@pytest.mark.parametrize(
    ("at", "methods"), [("/matches", "GET, HEAD"), ("/logs", "GET, HEAD"), ("/check", "GET, HEAD, POST")]
)
def test_a_browser_learns_beforehand_what_a_page_elsewhere_may_send(
    api: Clients, for_all: None, at: str, methods: str
) -> None:
    tokens.set_access(open_store(), True)  # a browser sends no token when it asks
    answer = preflight(api["nobody"], at, "POST")
    assert (answer.status_code, answer.headers[ALLOWED], answer.content) == (204, "*", b"")
    assert answer.headers["access-control-allow-methods"] == methods
    assert answer.headers["access-control-allow-headers"] == "Content-Type, Content-Encoding"


def test_outside_the_api_no_page_elsewhere_reads(api: Clients, for_all: None) -> None:
    for path in ("//", "//api", "//api/v10/matches", "//healthz", "//r/m0"):
        assert ALLOWED not in from_page(api["nobody"], "GET", path).headers, path
    assert ALLOWED not in preflight(api["nobody"], "//r/m0", "GET").headers


def test_only_pages_of_this_computer_read_what_is_served_for_it_alone(games: object) -> None:
    """There all may be read without a token, as by its user; the web is not to read it."""
    with clients({}) as api:
        client = api["nobody"]
        for origin in ("http://127.0.0.1:9009", "http://localhost:3000", "http://[::1]:80"):
            assert from_page(client, "GET", "/matches", origin).headers[ALLOWED] == "*"
            assert from_page(client, "POST", "/check", origin).status_code == 200
            assert preflight(client, "/check", "POST", origin).status_code == 204
            assert is_problem(from_page(client, "POST", "/logs", origin), 403)
        for origin in (ELSEWHERE, "null", "http://localhost.evil.example", "http://127.0.0.1@evil.example"):
            assert ALLOWED not in from_page(client, "GET", "/matches", origin).headers
            assert is_problem(from_page(client, "POST", "/check", origin), 403)
            assert preflight(client, "/check", "POST", origin).status_code == 405
