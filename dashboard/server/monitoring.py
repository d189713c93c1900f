"""Health check and Prometheus metrics, which contain no names and no ids."""

import asyncio
import os
import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import prometheus_client as prometheus
from anyio import CapacityLimiter, fail_after, to_thread
from prometheus_client.metrics import disable_created_metrics
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dashboard.api import rate_limits
from dashboard.queries import matches
from dashboard.server import lifecycle, server_logging
from dashboard.store import cached_query, open_store, store_path
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
    "Logs that were taken, by verdict; already_stored: the store had them; rejected: they are no logs.",
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
    server_logging.log_event("file", number=report.number, **found)
