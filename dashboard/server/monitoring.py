"""How the server is, for whoever watches it: its health, what it counted, a line a request.

Prometheus reads what is counted: no name and no id is in any of it. A request is counted and told
by its route's pattern, with an id of its own.
"""

import asyncio
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import prometheus_client as prometheus
from anyio import CapacityLimiter, fail_after, to_thread
from prometheus_client.metrics import disable_created_metrics
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.api import limits
from dashboard.api.problems import WENT_WRONG, problem
from dashboard.queries import matches
from dashboard.server import lifecycle, log
from dashboard.store import answer, path, store
from ingest.i18n import N_
from ingest.store import ingest_files
from ingest.store.errors import StoreError
from ingest.store.ingest_files import FileReport
from ingest.store.store_url import is_lake

HEALTH, METRICS = "/healthz", "/metrics"
PATIENCE = 3.0
"""Seconds the store has to answer."""
KEPT = 1.0
"""Seconds an answer is given again: however often it is asked for, the store is asked once."""
_asking = CapacityLimiter(1)
_last = float("-inf"), ""
"""When the store was asked, and how it is."""
SEEN = "retourne.seen"
HEADER = "X-Request-ID"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REFUSED = "refused"
"""The route of what never came to one: the host is not ours, the token lets nobody in."""
STOPPING = N_("This server is being stopped: ask again in some seconds.")
TRY_AGAIN = 1013
"""What a websocket is told that comes too late (RFC 6455's registry)."""


async def health(request: Request) -> Response:
    """200 where the store answers, 503 where it does not or the server is being stopped."""
    global _last
    when, said = _last
    if lifecycle.begun():
        told = {"status": "stopping"}
    else:
        if time.monotonic() - when >= KEPT:
            try:
                with fail_after(PATIENCE):
                    # a limit of its own: all other threads may be at work, and all is well
                    await to_thread.run_sync(_ask, abandon_on_cancel=True, limiter=_asking)
                said = "answers"
            except TimeoutError:
                said = "is busy"
            except Exception as error:  # whatever it is, it is not well
                said = "cannot be opened" if isinstance(error, StoreError) else "fails"
            _last = time.monotonic(), said
        told = {"status": "ok" if said == "answers" else "unavailable", "store": said}
    status = 200 if told["status"] == "ok" else 503
    return JSONResponse(told, status, {"Cache-Control": "no-store"})


def _ask() -> None:
    store().cursor().execute("SELECT 1 FROM files LIMIT 1").fetchall()


async def metrics(request: Request) -> Response:
    """All that was counted since the start, in the text format of Prometheus."""
    told = await to_thread.run_sync(prometheus.generate_latest, registry)
    return Response(told, headers={"Content-Type": prometheus.CONTENT_TYPE_LATEST})


ROUTES = (Route(HEALTH, health), Route(METRICS, metrics))

# what is counted
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

disable_created_metrics()  # type: ignore[no-untyped-call]
registry = prometheus.CollectorRegistry()
labels = ["route", "method", "status"]
counter = partial(prometheus.Counter, registry=registry)
requests = counter("retourne_requests", "Requests that were answered.", labels)
seconds = prometheus.Histogram(
    "retourne_request_seconds",
    "How long an answer took, to its last byte.",
    ["route"],
    buckets=BUCKETS,
    registry=registry,
)
logs = counter(
    "retourne_logs",
    "Logs that were taken, by verdict; known: the store had them; refused: they are no logs.",
    ["status"],
)
sessions = prometheus.Gauge(
    "retourne_sessions", "Pages that are open: websockets.", registry=registry
)
prometheus.ProcessCollector(registry=registry)


class UnderWay(Collector):
    """What is being worked on at this moment."""

    def collect(self) -> Iterator[Metric]:
        told = (
            ("checks", "Checks that keep nothing.", limits.work.borrowed_tokens),
            ("additions", "Files on their way into the store.", len(ingest_files.under_way)),
            ("uploads", "Bodies on their way to the server, or being worked on.", limits.coming()),
        )
        for name, said, value in told:
            yield GaugeMetricFamily(f"retourne_{name}_under_way", said, value)


class Stored(Collector):
    """What the store has; nothing but that it does not answer, where it does not."""

    def collect(self) -> Iterator[Metric]:
        up = 1
        try:
            by_status = answer(matches.by_status)
            sizes = [] if is_lake(path()) else [os.stat(path()).st_size]
        except (StoreError, OSError):
            up, by_status, sizes = 0, {}, [0]
        yield GaugeMetricFamily("retourne_store_up", "Whether the store answers.", up)
        for size in sizes:
            yield GaugeMetricFamily("retourne_store_bytes", "Size of the store's file.", size)
        told = GaugeMetricFamily("retourne_matches", "Matches of the store.", labels=["status"])
        for status, count in by_status.items():
            told.add_metric([status], count)
        yield told


registry.register(UnderWay())
registry.register(Stored())


def heard(report: FileReport) -> None:
    """Count what became of one file, and say so."""
    told = {**report.by_status, "known": report.duplicates, "refused": report.refused}
    found = {status: count for status, count in told.items() if count}
    for status, count in found.items():
        logs.labels(status).inc(count)
    log.say("file", number=report.number, **found)


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
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        before = time.perf_counter()
        if scope["type"] == "websocket":
            if lifecycle.begun():
                return await send({"type": "websocket.close", "code": TRY_AGAIN})
            with sessions.track_inprogress():  # an open page: told when it is over
                await self.app(scope, receive, send)
            return log.say("session", seconds=round(time.perf_counter() - before, 1))
        seen = Seen(uuid.uuid4().hex)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                MutableHeaders(scope=message)[HEADER] = seen.id
            await send(message)

        too_late = problem(
            503, STOPPING, {"Retry-After": str(lifecycle.LATER), "Connection": "close"}
        )
        try:
            if lifecycle.begun() and scope["path"] != HEALTH:
                return await too_late(scope, receive, sending)
            with lifecycle.working():
                await self.app({**scope, SEEN: seen}, receive, sending)
        except asyncio.CancelledError:
            # the end has waited for it as long as it waits: that is no fault
            if not lifecycle.begun() or seen.status:
                raise
            await too_late(scope, receive, sending)
        except Exception as error:
            if not log.is_written():  # else a fault is a line, and is told nowhere else
                raise
            log.failed(error, id=seen.id, route=seen.route)
            if not seen.status:
                await problem(500, WENT_WRONG)(scope, receive, sending)
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            took = time.perf_counter() - before
            requests.labels(seen.route, method, str(seen.status)).inc()
            seconds.labels(seen.route).observe(took)
            told = {"method": method, "route": seen.route, "status": seen.status}
            log.say("request", id=seen.id, **told, ms=round(1000 * took, 1))


class Routed:
    """The innermost one: notes the pattern of the route a request came to."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        finally:
            route = scope.get("route")
            if isinstance(seen := scope.get(SEEN), Seen) and route is not None:
                below = scope.get("root_path", "") + str(getattr(route, "path", ""))
                seen.route = f"{route.path}/*" if isinstance(route, Mount) else below
