"""What is counted while the server runs, as Prometheus reads it: no name and no id in any of it."""

import os
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.metrics import disable_created_metrics
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dashboard.api import limits
from dashboard.queries import matches
from dashboard.server import log
from dashboard.store import answer, path
from ingest.store import add
from ingest.store.add import FileReport
from ingest.store.address import is_lake
from ingest.store.errors import StoreError

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

disable_created_metrics()  # type: ignore[no-untyped-call]
registry = CollectorRegistry()
requests = Counter(
    "retourne_requests",
    "Requests that were answered.",
    ["route", "method", "status"],
    registry=registry,
)
seconds = Histogram(
    "retourne_request_seconds",
    "How long an answer took, to its last byte.",
    ["route"],
    buckets=BUCKETS,
    registry=registry,
)
logs = Counter(
    "retourne_logs",
    "Logs that were taken, by verdict; known: the store had them; refused: they are no logs.",
    ["status"],
    registry=registry,
)
sessions = Gauge("retourne_sessions", "Pages that are open: websockets.", registry=registry)
ProcessCollector(registry=registry)


class UnderWay(Collector):
    """What is being worked on at this moment."""

    def collect(self) -> Iterator[Metric]:
        told = (
            ("checks", "Checks that keep nothing.", limits.work.borrowed_tokens),
            ("additions", "Files on their way into the store.", len(add.under_way)),
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


def begin() -> None:
    """Hear of every file from now on."""
    if heard not in add.taken:
        add.taken.append(heard)
