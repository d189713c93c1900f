"""Rate limits per client, and how many uploads run at once."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anyio import CapacityLimiter
from cachetools import LRUCache
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.api.auth import principal_of
from dashboard.api.content_negotiation import response_texts
from dashboard.api.problems import Problem, problem_response
from ingest.i18n import N_
from ingest.store.server_hosts import DEFAULT_REQUESTS_PER_SECOND

MAX_CLIENTS = 10_000
"""Clients whose last requests are known."""
MAX_UPLOADS = 64
"""Bodies that may be on their way at a time."""
MAX_CONCURRENT = 4
"""Of long work, so much at a time: pages have the other threads, and the processors."""
MAX_MATCHES = MAX_FINDINGS = 10_000
"""What readers may have checked at a time: matches, and what is wrong with them."""
RATE_LIMITED = N_("You asked more often than a client may: ask again after Retry-After seconds.")
TOO_MANY_UPLOADS = N_("Many uploads are on their way already: send this again in some seconds.")
RETRY_AFTER_SECONDS = 5
"""Seconds after which an upload may be sent again."""


def rate_limited(scope: Scope, retry_after: int) -> Response:
    """What a program is told that may ask again in so many seconds."""
    said = response_texts(HTTPConnection(scope))(RATE_LIMITED)
    return problem_response(429, said, headers={"Retry-After": str(retry_after)})


class RateLimitMiddleware:
    """A middleware: past the rate of a client, 429 with Retry-After, as `refuse` says it.

    A client is a token's bearer, else an address; nobody counts our own programs.
    """

    def __init__(
        self,
        app: ASGIApp,
        rate: float = DEFAULT_REQUESTS_PER_SECOND,
        refuse: Callable[[Scope, int], Response] = rate_limited,
    ) -> None:
        self.app, self.rate, self._refuse = app, rate, refuse
        # what each may still ask at once, and when that was
        self._buckets: LRUCache[object, tuple[float, float]] = LRUCache(MAX_CLIENTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = principal_of(scope)
        if scope["type"] != "http" or who.is_local:
            return await self.app(scope, receive, send)
        address = scope["client"][0] if scope.get("client") else ""
        client = address if who.token_no is None else who.token_no
        now = time.monotonic()
        left, at = self._buckets.get(client, (self.rate, now))
        left = min(self.rate, left + (now - at) * self.rate)
        self._buckets[client] = left if left < 1 else left - 1, now
        if left >= 1:
            return await self.app(scope, receive, send)
        await self._refuse(scope, math.ceil((1 - left) / self.rate))(scope, receive, send)


work_limiter = CapacityLimiter(MAX_CONCURRENT)
"""Whoever has long work done waits for one of these."""
check_limiter = CapacityLimiter(MAX_CONCURRENT)
"""Whoever has logs checked waits for one of these."""
stats_limiter = CapacityLimiter(MAX_CONCURRENT)
"""Whoever asks for figures waits for one of these."""
write_limiter = CapacityLimiter(MAX_CONCURRENT)
"""Whoever adds files waits for one of these: they take turns to write, which keeps nobody else."""
_upload_count = 0


def uploads_in_progress() -> int:
    """How many bodies are on their way."""
    return _upload_count


@contextmanager
def counted_upload() -> Iterator[None]:
    """One more body is on its way. Problem: there are too many."""
    global _upload_count
    if _upload_count >= MAX_UPLOADS:
        raise Problem(429, TOO_MANY_UPLOADS).retry_after(RETRY_AFTER_SECONDS)
    _upload_count += 1
    try:
        yield
    finally:
        _upload_count -= 1
