"""Health check, Prometheus metrics and the access log.

Metrics contain no names and no ids. Requests are counted and logged by the pattern of their route;
in the log each has an id.
"""

import asyncio
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

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

from dashboard.api import rate_limits
from dashboard.api.problems import INTERNAL_ERROR, problem_response
from dashboard.queries import matches
from dashboard.server import lifecycle, log
from dashboard.store import cached_query, open_store, store_path
from ingest.i18n import N_
from ingest.store import ingest_files
from ingest.store.errors import StoreError
from ingest.store.ingest_files import FileReport
from ingest.store.store_url import is_lake_url

HEALTH_PATH, METRICS_PATH = "/healthz", "/metrics"
STORE_TIMEOUT_SECONDS = 3.0
"""Seconds the store has to answer."""
HEALTH_CACHE_SECONDS = 1.0
"""Seconds a health result is reused, so that frequent checks do not load the store."""
ANSWER_SECONDS = 0.1
"""Seconds that a request for the health waits for the store: a purge holds it for longer."""
_health_limiter = CapacityLimiter(1)
REQUEST_KEY = "retourne.seen"
REQUEST_ID_HEADER = "X-Request-ID"
KNOWN_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REFUSED_ROUTE = "refused"
"""Route of requests refused by host or token, before routing."""
SERVER_STOPPING = N_("This server is stopping: try again in a few seconds.")
WEBSOCKET_TRY_AGAIN = 1013
"""Close code for a websocket that arrives during shutdown (RFC 6455's registry)."""


async def health(request: Request) -> Response:
    """Answer 200 if the store answers, 503 if not or if the server is stopping.

    After `ANSWER_SECONDS` without an answer of the store, its last one counts.
    """
    global _health_check
    if lifecycle.is_stopping():
        fields = {"status": "stopping"}
    else:
        now, before = time.monotonic(), _health_check
        if before is None or (before.task.done() and now - before.began >= HEALTH_CACHE_SECONDS):
            last = "" if before is None else before.task.result()
            _health_check = before = HealthCheck(now, last, asyncio.create_task(_check_store()))
        if not before.task.done():
            await asyncio.wait({before.task}, timeout=ANSWER_SECONDS if before.last else None)
        message = before.task.result() if before.task.done() else before.last
        fields = {"status": "ok" if message == "answers" else "unavailable", "store": message}
    status = 200 if fields["status"] == "ok" else 503
    return JSONResponse(fields, status, {"Cache-Control": "no-store"})


class HealthCheck(NamedTuple):
    """A check of the store: when it began, the result before it, and its task."""

    began: float
    last: str
    task: asyncio.Task[str]


_health_check: HealthCheck | None = None


async def _check_store() -> str:
    """Return how the store answers, after `STORE_TIMEOUT_SECONDS` at most."""
    try:
        with fail_after(STORE_TIMEOUT_SECONDS):
            # its own limiter: a server whose other threads are all busy is healthy
            await to_thread.run_sync(_query_store, abandon_on_cancel=True, limiter=_health_limiter)
    except TimeoutError:
        return "is busy"
    except Exception as error:  # any error means unhealthy
        return "cannot be opened" if isinstance(error, StoreError) else "fails"
    return "answers"


def _query_store() -> None:
    open_store().cursor().execute("SELECT 1 FROM files LIMIT 1").fetchall()


async def metrics(request: Request) -> Response:
    """Return all metrics since the start, in Prometheus' text format."""
    result = await to_thread.run_sync(prometheus.generate_latest, registry)
    return Response(result, headers={"Content-Type": prometheus.CONTENT_TYPE_LATEST})


ROUTES = (Route(HEALTH_PATH, health), Route(METRICS_PATH, metrics))

# metrics
DURATION_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

disable_created_metrics()  # type: ignore[no-untyped-call]
registry = prometheus.CollectorRegistry()
labels = ["route", "method", "status"]
counter = partial(prometheus.Counter, registry=registry)
request_counter = counter("retourne_requests", "Requests that were answered.", labels)
duration_histogram = prometheus.Histogram(
    "retourne_request_seconds",
    "How long an answer took, to its last byte.",
    ["route"],
    buckets=DURATION_BUCKETS,
    registry=registry,
)
log_counter = counter(
    "retourne_logs",
    "Logs that were taken, by verdict; known: the store had them; refused: they are no logs.",
    ["status"],
)
session_gauge = prometheus.Gauge("retourne_sessions", "Pages that are open: websockets.", registry=registry)
prometheus.ProcessCollector(registry=registry)


class InProgressCollector(Collector):
    """Gauges of work in progress."""

    def collect(self) -> Iterator[Metric]:
        values = (
            ("checks", "Checks that keep nothing.", rate_limits.check_limiter.borrowed_tokens),
            ("additions", "Files on their way into the store.", len(ingest_files.running_ingests)),
            (
                "uploads",
                "Bodies on their way to the server, or being worked on.",
                rate_limits.uploads_in_progress(),
            ),
        )
        for name, result, value in values:
            yield GaugeMetricFamily(f"retourne_{name}_under_way", result, value)


class StoreCollector(Collector):
    """Gauges of the store; only `retourne_store_up` if it does not answer."""

    def collect(self) -> Iterator[Metric]:
        up = 1
        try:
            by_status = cached_query(matches.count_by_status)
            sizes = [] if is_lake_url(store_path()) else [os.stat(store_path()).st_size]
        except (StoreError, OSError):
            up, by_status, sizes = 0, {}, [0]
        yield GaugeMetricFamily("retourne_store_up", "Whether the store answers.", up)
        for size in sizes:
            yield GaugeMetricFamily("retourne_store_bytes", "Size of the store's file.", size)
        result = GaugeMetricFamily("retourne_matches", "Matches of the store.", labels=["status"])
        for status, count in by_status.items():
            result.add_metric([status], count)
        yield result


registry.register(InProgressCollector())
registry.register(StoreCollector())


def count_file(report: FileReport) -> None:
    """Count and log the result of one file."""
    fields = {**report.by_status, "already_stored": report.duplicates, "rejected": report.rejected}
    found = {status: count for status, count in fields.items() if count}
    for status, count in found.items():
        log_counter.labels(status).inc(count)
    log.log_event("file", number=report.number, **found)


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
            with session_gauge.track_inprogress():  # an open page: logged when it closes
                await self.app(scope, receive, send)
            return log.log_event("session", seconds=round(time.perf_counter() - before, 1))
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
            if lifecycle.is_stopping() and scope["path"] != HEALTH_PATH:
                return await too_late(scope, receive, sending)
            with lifecycle.active_request():
                await self.app({**scope, REQUEST_KEY: seen}, receive, sending)
        except asyncio.CancelledError:
            # cancelled at the end of the shutdown's time limit: not an error
            if not lifecycle.is_stopping() or seen.status:
                raise
            await too_late(scope, receive, sending)
        except Exception as error:
            if not log.is_logging():  # else it is logged below, not raised
                raise
            log.log_error(error, id=seen.id, route=seen.route)
            if not seen.status:
                await problem_response(500, INTERNAL_ERROR)(scope, receive, sending)
        finally:
            method = scope["method"] if scope["method"] in KNOWN_METHODS else "other"
            took = time.perf_counter() - before
            request_counter.labels(seen.route, method, str(seen.status)).inc()
            duration_histogram.labels(seen.route).observe(took)
            fields = {"method": method, "route": seen.route, "status": seen.status}
            log.log_event("request", id=seen.id, **fields, ms=round(1000 * took, 1))


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
