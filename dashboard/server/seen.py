"""Every request as it is counted and told: by its route's pattern, with an id of its own."""

import asyncio
import uuid
from dataclasses import dataclass
from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.api.problems import WENT_WRONG, problem
from dashboard.server import ending, log, metrics
from dashboard.server.health import HEALTH
from ingest.i18n import N_

SEEN = "retourne.seen"
HEADER = "X-Request-ID"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REFUSED = "refused"
"""The route of what never came to one: the host is not ours, the token lets nobody in."""
STOPPING = N_("This server is being stopped: ask again in some seconds.")
TRY_AGAIN = 1013
"""What a websocket is told that comes too late (RFC 6455's registry)."""


@dataclass
class Seen:
    """What is known of a request once it is over."""

    id: str
    route: str = REFUSED
    status: int = 0
    """0 until an answer has begun."""


class Watch:
    """The outermost middleware: it counts, tells, and lets nothing in once the end has begun."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] != "websocket":
            await self.app(scope, receive, send)
        elif ending.begun():
            await send({"type": "websocket.close", "code": TRY_AGAIN})
        else:  # an open page: counted while it lasts, told when it is over
            before = perf_counter()
            with metrics.sessions.track_inprogress():
                await self.app(scope, receive, send)
            log.say("session", seconds=round(perf_counter() - before, 1))

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Where lines are written, a fault is one of them, and is told nowhere else."""
        seen, before = Seen(uuid.uuid4().hex), perf_counter()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                MutableHeaders(scope=message)[HEADER] = seen.id
            await send(message)

        too_late = problem(503, STOPPING, {"Retry-After": str(ending.LATER), "Connection": "close"})
        try:
            if ending.begun() and scope["path"] != HEALTH:
                return await too_late(scope, receive, sending)
            with ending.working():
                await self.app({**scope, SEEN: seen}, receive, sending)
        except asyncio.CancelledError:
            # the end has waited for it as long as it waits: that is no fault
            if not ending.begun() or seen.status:
                raise
            await too_late(scope, receive, sending)
        except Exception as error:
            if not log.is_written():
                raise
            log.failed(error, id=seen.id, route=seen.route)
            if not seen.status:
                await problem(500, WENT_WRONG)(scope, receive, sending)
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            took = perf_counter() - before
            metrics.requests.labels(seen.route, method, str(seen.status)).inc()
            metrics.seconds.labels(seen.route).observe(took)
            told = {"method": method, "route": seen.route, "status": seen.status}
            log.say("request", id=seen.id, **told, ms=round(1000 * took, 1))


class Routed:
    """The innermost one: notes which route a request came to."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        finally:
            if isinstance(seen := scope.get(SEEN), Seen):
                seen.route = pattern(scope)


def pattern(scope: Scope) -> str:
    """The pattern of the route a request came to, whatever its address was."""
    route = scope.get("route")
    if route is None:
        return REFUSED
    if isinstance(route, Mount):
        return f"{route.path}/*"
    below: str = scope.get("root_path", "")
    return below + str(getattr(route, "path", ""))
