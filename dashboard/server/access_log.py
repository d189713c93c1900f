"""The access log: counts and logs each request by the pattern of its route, with an id of its own."""

import asyncio
import time
import uuid
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.api.problems import INTERNAL_ERROR, problem_response
from dashboard.server import lifecycle, monitoring, server_logging
from ingest.i18n import N_

REQUEST_KEY = "retourne.seen"
REQUEST_ID_HEADER = "X-Request-ID"
KNOWN_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REFUSED_ROUTE = "refused"
"""Route of requests refused by host or token, before routing."""
SERVER_STOPPING = N_("This server is stopping: try again in a few seconds.")
WEBSOCKET_TRY_AGAIN = 1013
"""Close code for a websocket that arrives during shutdown (RFC 6455's registry)."""


@dataclass
class RequestRecord:
    """A request's line in the access log."""

    id: str
    route: str = REFUSED_ROUTE
    status: int = 0
    """0 until the response starts."""


class AccessLogMiddleware:
    """Outermost middleware: counts and logs requests, refuses new ones during shutdown."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        before = time.perf_counter()
        if scope["type"] == "websocket":
            if lifecycle.is_stopping():
                return await send({"type": "websocket.close", "code": WEBSOCKET_TRY_AGAIN})
            with monitoring.session_gauge.track_inprogress():  # an open page: logged when it closes
                await self.app(scope, receive, send)
            return server_logging.log_event("session", seconds=round(time.perf_counter() - before, 1))
        seen = RequestRecord(uuid.uuid4().hex)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = seen.id
            await send(message)

        too_late = problem_response(
            503, SERVER_STOPPING, {"Retry-After": str(lifecycle.RETRY_AFTER_SECONDS), "Connection": "close"}
        )
        try:
            if lifecycle.is_stopping() and scope["path"] != monitoring.HEALTH_PATH:
                return await too_late(scope, receive, sending)
            with lifecycle.active_request():
                await self.app({**scope, REQUEST_KEY: seen}, receive, sending)
        except asyncio.CancelledError:
            # cancelled at the end of the shutdown's time limit: not an error
            if not lifecycle.is_stopping() or seen.status:
                raise
            await too_late(scope, receive, sending)
        except Exception as error:
            if not server_logging.is_logging():  # else it is logged below, not raised
                raise
            server_logging.log_error(error, id=seen.id, route=seen.route)
            if not seen.status:
                await problem_response(500, INTERNAL_ERROR)(scope, receive, sending)
        finally:
            method = scope["method"] if scope["method"] in KNOWN_METHODS else "other"
            took = time.perf_counter() - before
            monitoring.request_counter.labels(seen.route, method, str(seen.status)).inc()
            monitoring.duration_histogram.labels(seen.route).observe(took)
            fields = {"method": method, "route": seen.route, "status": seen.status}
            server_logging.log_event("request", id=seen.id, **fields, ms=round(1000 * took, 1))


class RouteMiddleware:
    """Innermost middleware: records the pattern of a request's route."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        finally:
            route = scope.get("route")
            if isinstance(seen := scope.get(REQUEST_KEY), RequestRecord) and route is not None:
                below = scope.get("root_path", "") + str(getattr(route, "path", ""))
                seen.route = f"{route.path}/*" if isinstance(route, Mount) else below
