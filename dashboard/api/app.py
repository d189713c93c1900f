"""The API as the server mounts it: everything below `/api` is answered here alone."""

from typing import Any

from fastapi import FastAPI
from starlette._utils import get_route_path
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import Receive, Scope, Send

from dashboard.api import exports, figures, logs, matches
from dashboard.api.limits import Limited
from dashboard.api.models import problems
from dashboard.api.page import page
from dashboard.api.problems import problem, told
from ingest.store.served import RATE

BELOW = "/api/v1"
TITLE = "Retourne"
ABOUT = """The HTTP API of one store: check logs, add them, and read what the pages show.

Whoever may do what is said by tokens: Authorization: Bearer … What is refused is refused as a
problem (RFC 9457, application/problem+json). {rate}"""
LIMIT = "A client may ask {rate:g} times a second."
VERSION = "1"


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
        generate_unique_id_function=lambda route: route.name,
    )
    if rate:
        app.add_middleware(Limited, rate=rate)
    told(app)
    for one in (logs, matches, figures, exports):
        app.include_router(one.router)

    def document() -> dict[str, Any]:
        found = app.openapi()
        found["components"]["schemas"] |= problems()
        return found | {"servers": [{"url": BELOW}]}

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(document())

    @app.get("/", include_in_schema=False)
    def docs() -> HTMLResponse:
        return page(document(), BELOW)

    return app


class Below(Mount):
    """All below a path, whatever signs are in it: Starlette's own lets a line break through."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "lifespan" or not _is_below(self.path, get_route_path(scope)):
            return Match.NONE, {}
        below = scope.get("root_path", "") + self.path
        return Match.FULL, {"root_path": below, "endpoint": self.app, "path_params": {}}


def _is_below(path: str, asked: str) -> bool:
    return asked == path or asked.startswith(f"{path}/")


def routes(rate: float = RATE) -> list[BaseRoute]:
    """What comes before every page: the API, and below it nothing else."""

    async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
        await problem(404)(scope, receive, send)

    return [Below(BELOW, application(rate)), Below("/api", nothing)]
