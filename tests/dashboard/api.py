"""An HTTP client of the dashboard's middleware and API, without Streamlit's pages."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from dashboard import downloads
from dashboard.api.app import api_routes
from dashboard.server.access_log import AccessLogMiddleware, RouteMiddleware
from dashboard.server.monitoring import ROUTES
from dashboard.web.auth_middleware import AuthMiddleware
from dashboard.web.replay import routes as replay
from tests.waiting import comes

AT = "http://localhost:8501"


def served(rate: float = 1e9) -> Starlette:
    """The gate, the API, downloads, and a page behind them that answers whatever is left."""
    rest = Route("/{rest:path}", lambda request: PlainTextResponse("a page"))
    layers = [Middleware(AccessLogMiddleware), Middleware(AuthMiddleware), Middleware(RouteMiddleware)]
    return Starlette(
        routes=[*api_routes(rate), *ROUTES, *replay.replay_routes(rate), downloads.ROUTE, rest],
        middleware=layers,
    )


class Client:
    """What a program has: an address, and maybe a token."""

    def __init__(
        self, portal: BlockingPortal, app: Starlette, token: str = "", at: str = "127.0.0.1"
    ) -> None:
        self._portal = portal
        transport = httpx.ASGITransport(app, raise_app_exceptions=True, client=(at, 1234))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.AsyncClient(transport=transport, base_url=AT, headers=headers)

    def ask(self, method: str, path: str, /, **how: Any) -> httpx.Response:
        """One request below `/api/v1`, or at a path that begins with `//` anywhere."""
        at = path.removeprefix("/") if path.startswith("//") else f"/api/v1{path}"
        return self._portal.call(partial(self._client.request, method, at, **how))

    def get(self, path: str, /, **query: Any) -> httpx.Response:
        return self.ask("GET", path, params=query or None)

    def post(
        self, path: str, body: bytes = b"", kind: str = "application/x-ndjson", **how: Any
    ) -> httpx.Response:
        """A body of a kind, as it is."""
        headers: Mapping[str, str] = {"Content-Type": kind, **how.pop("headers", {})}
        return self.ask("POST", path, content=body, headers=headers, **how)


@contextmanager
def clients(
    tokens: Mapping[str, str], rate: float = 1e9, at: str = "127.0.0.1"
) -> Iterator[dict[str, Client]]:
    """A client for each token, and `nobody`."""
    app, every = served(rate), {"nobody": "", **tokens}
    with start_blocking_portal() as portal:
        yield {name: Client(portal, app, secret, at) for name, secret in every.items()}


@contextmanager
def listening() -> Iterator[str]:
    """The same on a port of this computer: its address."""
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(served(), log_config=None, lifespan="off"))
        work = threading.Thread(target=server.run, args=([port],))
        work.start()
        comes(lambda: server.started, "the server")
        yield f"http://localhost:{port.getsockname()[1]}"
        server.should_exit = True
        work.join()


def first(api: dict[str, Client]) -> dict[str, Any]:
    """The match that is listed first."""
    found: dict[str, Any] = api["reader"].get("/matches").json()["matches"][0]
    return found


def is_problem(answer: httpx.Response, status: int) -> bool:
    """Whether an answer is a problem as RFC 9457 has it."""
    fields = answer.json()
    return (
        answer.status_code == fields["status"] == status
        and answer.headers["content-type"] == "application/problem+json"
        and {"type", "title"} <= set(fields)
    )
