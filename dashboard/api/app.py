"""The API as the server mounts it: everything below `/api` is answered here alone."""

from typing import Any

from fastapi import Depends, FastAPI
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.api import commands, logs, matches, statistics
from dashboard.api.auth import BEARER, secured
from dashboard.api.content_negotiation import texts
from dashboard.api.docs_page import page
from dashboard.api.limits import Limited
from dashboard.api.models import problems
from dashboard.api.params import declared
from dashboard.api.problems import BELOW, NOTHING, problem, told
from ingest.i18n import N_
from ingest.store.server_hosts import RATE

TITLE = "Retourne"
ABOUT = """The HTTP API of one store: check logs, add them, and read what the pages show.

Whoever may do what is said by tokens: Authorization: Bearer … What is refused is refused as a
problem (RFC 9457, application/problem+json). {rate}"""
LIMIT = "A client may ask {rate:g} times a second."
VERSION = "1"
PARTS = (logs.router, matches.router, statistics.router, statistics.exports, commands.router)
SLASH = N_("What has a slash cannot stand in an address: the parameter log_id finds such a match.")


def application(rate: float = RATE) -> FastAPI:
    """The API of the store that is open; one client may ask `rate` times a second, 0: any."""
    app = FastAPI(
        title=TITLE,
        version=VERSION,
        description=ABOUT.format(rate=LIMIT.format(rate=rate) if rate else "").rstrip(),
        openapi_url=None,  # both are our own, below
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(declared)],
        generate_unique_id_function=lambda route: route.name,
    )
    if rate:
        app.add_middleware(Limited, rate=rate)
    told(app)
    for one in PARTS:
        app.include_router(one)
    # FastAPI has them as a tree of its own
    app.state.operations = [route for one in PARTS for route in one.routes]

    def document() -> dict[str, Any]:
        found = app.openapi()
        found["components"]["schemas"] |= problems()
        found["components"]["securitySchemes"] = BEARER
        secured(found["paths"], app.state.operations)
        return found | {"servers": [{"url": BELOW}]}

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(document())

    @app.get("/", include_in_schema=False)
    def docs() -> HTMLResponse:
        return page(document(), BELOW)

    return app


def _asked(scope: Scope) -> str:
    """The path below where an app is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


class _Lenient:
    """Asks an app as its routes are: HEAD is GET without a body, a slash at the end is none."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, asked = scope["path"], _asked(scope)
        if asked == "":
            scope = {**scope, "path": f"{path}/"}
        elif asked.endswith("/") and asked != "/":
            scope = {**scope, "path": path.removesuffix("/")}
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


class Below(Mount):
    """All below a path, whatever signs are in it: Starlette's own lets a line break through."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        asked = "" if scope["type"] == "lifespan" else _asked(scope)
        if asked != self.path and not asked.startswith(f"{self.path}/"):
            return Match.NONE, {}
        if b"%2f" in scope.get("raw_path", b"").lower():  # Starlette's routes have it unquoted
            # it would be the address of another thing: the log of a match, not the match `a/log`
            return Match.FULL, {"endpoint": _nowhere(SLASH), "path_params": {}}
        below = scope.get("root_path", "") + self.path
        return Match.FULL, {"root_path": below, "endpoint": self.app, "path_params": {}}


def _nowhere(text: str, **values: str) -> ASGIApp:
    """An app that says why there is nothing at any address."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        said = texts(HTTPConnection(scope))(text, **values)
        await problem(404, said)(scope, receive, send)

    return answer


def routes(rate: float = RATE) -> list[BaseRoute]:
    """What comes before every page: the API, and below it nothing else."""
    nothing = _nowhere(NOTHING, page=f"{BELOW}/")
    return [Below(BELOW, _Lenient(application(rate))), Below("/api", _Lenient(nothing))]
