"""Builds the FastAPI application that is mounted at `/api`."""

from typing import Any

from fastapi import Depends, FastAPI
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.api import commands, logs, matches, searches, statistics
from dashboard.api.auth import BEARER_SCHEME, add_security
from dashboard.api.content_negotiation import response_texts
from dashboard.api.docs_page import docs_page
from dashboard.api.models import problem_schemas
from dashboard.api.params import reject_unknown_parameters
from dashboard.api.problems import API_PATH, NOT_FOUND, install_handlers, problem_response
from dashboard.api.rate_limits import RateLimitMiddleware
from dashboard.base_path import browser_path
from ingest.i18n import N_
from ingest.store.server_hosts import DEFAULT_REQUESTS_PER_SECOND

TITLE = "Retourne"
API_DESCRIPTION = """The HTTP API of one store: check logs, add them, and read what the pages show.

Whoever may do what is said by tokens: Authorization: Bearer … What is refused is refused as a
problem (RFC 9457, application/problem+json). {rate}"""
RATE_LIMIT_NOTE = "A client may ask {rate:g} times a second."
API_VERSION = "1"
ROUTERS = (
    *(logs.router, matches.router, statistics.router, statistics.exports),
    *(searches.router, commands.router),
)
SLASH_IN_ID = N_("An id with a slash cannot be part of an address: use the parameter log_id.")


def build_api(rate: float = DEFAULT_REQUESTS_PER_SECOND) -> FastAPI:
    """Return the API of the open store; a client may send `rate` requests a second, 0: any."""
    app = FastAPI(
        title=TITLE,
        version=API_VERSION,
        description=API_DESCRIPTION.format(rate=RATE_LIMIT_NOTE.format(rate=rate) if rate else "").rstrip(),
        openapi_url=None,  # replaced by the two routes below
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(reject_unknown_parameters)],
        generate_unique_id_function=lambda route: route.name,
    )
    if rate:
        app.add_middleware(RateLimitMiddleware, rate=rate)
    install_handlers(app)
    for one in ROUTERS:
        app.include_router(one)
    # `app.routes` nests the routers; the OpenAPI document needs one flat list
    app.state.operations = [route for one in ROUTERS for route in one.routes]

    def document() -> dict[str, Any]:
        found = app.openapi()
        found["components"]["schemas"] |= problem_schemas()
        found["components"]["securitySchemes"] = BEARER_SCHEME
        add_security(found["paths"], app.state.operations)
        return found | {"servers": [{"url": browser_path(API_PATH)}]}

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(document())

    @app.get("/", include_in_schema=False)
    def docs() -> HTMLResponse:
        return docs_page(document(), browser_path(API_PATH))

    return app


def _request_path(scope: Scope) -> str:
    """Return the path of a request below the mount point of its app."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


class _LenientPaths:
    """Middleware that serves HEAD as GET without a body and ignores a slash at a path's end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, requested = scope["path"], _request_path(scope)
        if requested == "":
            scope = {**scope, "path": f"{path}/"}
        elif requested.endswith("/") and requested != "/":
            scope = {**scope, "path": path.removesuffix("/")}
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


class PrefixMount(Mount):
    """Mount for every path below a prefix; Starlette's own misses paths with line breaks."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        requested = _request_path(scope) if scope["type"] == "http" else ""  # it has no websockets
        if requested != self.path and not requested.startswith(f"{self.path}/"):
            return Match.NONE, {}
        if b"%2f" in scope.get("raw_path", b"").lower():  # Starlette's routes see it unquoted
            # unquoted, the id `a/log` would be taken for the log of the match `a`
            return Match.FULL, {"endpoint": _not_found_app(SLASH_IN_ID), "path_params": {}}
        below = scope.get("root_path", "") + self.path
        return Match.FULL, {"root_path": below, "endpoint": self.app, "path_params": {}}


def _not_found_app(text: str, **values: str) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        result = response_texts(HTTPConnection(scope))(text, **values)
        await problem_response(404, result)(scope, receive, send)

    return answer


def api_routes(rate: float = DEFAULT_REQUESTS_PER_SECOND) -> list[BaseRoute]:
    """Return the routes to put before the pages: the API, and a 404 for the rest of its prefix."""
    nothing = _not_found_app(NOT_FOUND, page=f"{API_PATH}/")
    return [
        PrefixMount(API_PATH, _LenientPaths(build_api(rate))),
        PrefixMount("/api", _LenientPaths(nothing)),
    ]
