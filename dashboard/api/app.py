"""The API as the server mounts it: everything below `/api` is answered here alone."""

from typing import Any

from fastapi import FastAPI
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from dashboard.api import exports, figures, logs, matches
from dashboard.api.limits import RATE, Limited
from dashboard.api.page import page
from dashboard.api.problems import problem, told

BELOW = "/api/v1"
TITLE = "Retourne"
ABOUT = """The HTTP API of one store: check logs, add them, and read what the pages show.

Whoever may do what is said by tokens: Authorization: Bearer … What is refused is refused as a
problem (RFC 9457, application/problem+json). A client may ask 20 times a second."""
VERSION = "1"


def application(rate: float = RATE) -> FastAPI:
    """The API of the store that is open; `rate` is how often a second one client may ask."""
    app = FastAPI(
        title=TITLE,
        version=VERSION,
        description=ABOUT,
        openapi_url=None,  # both are our own, below
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.add_middleware(Limited, rate=rate)
    told(app)
    for one in (logs, matches, figures, exports):
        app.include_router(one.router)

    def document() -> dict[str, Any]:
        return app.openapi() | {"servers": [{"url": BELOW}]}

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(document())

    @app.get("/", include_in_schema=False)
    def docs() -> HTMLResponse:
        return page(document(), BELOW)

    return app


def _nothing(request: object) -> Response:
    return problem(404)


def routes(rate: float = RATE) -> list[BaseRoute]:
    """What comes before every page: the API, and that nothing else is there."""
    every = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    others = [Route(path, _nothing, methods=every) for path in ("/api", "/api/{rest:path}")]
    return [Mount(BELOW, application(rate)), *others]
