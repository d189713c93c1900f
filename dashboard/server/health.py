"""Whether the server is well, for whoever watches it, and what it has counted."""

import time

from anyio import CapacityLimiter, fail_after, to_thread
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dashboard.server import ending
from dashboard.server.metrics import registry
from dashboard.store import store
from ingest.store.errors import StoreError

HEALTH, METRICS = "/healthz", "/metrics"
PATIENCE = 3.0
"""Seconds the store has to answer."""
KEPT = 1.0
"""Seconds an answer is given again: however often it is asked for, the store is asked once."""
_asking = CapacityLimiter(1)
_last = float("-inf"), ""
"""When the store was asked, and how it is."""


async def health(request: Request) -> Response:
    """200 where the store answers, 503 where it does not or the server is being stopped."""
    global _last
    when, said = _last
    if ending.begun():
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
    told = await to_thread.run_sync(generate_latest, registry)
    return Response(told, headers={"Content-Type": CONTENT_TYPE_LATEST})


ROUTES = (Route(HEALTH, health), Route(METRICS, metrics))
