"""How much one client may ask, and how many uploads are taken at a time."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anyio import CapacityLimiter
from cachetools import LRUCache
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.api.auth import asking
from dashboard.api.content_negotiation import texts
from dashboard.api.problems import Problem, problem
from ingest.i18n import N_
from ingest.store.server_hosts import RATE

KEPT = 10_000
"""Clients whose last requests are known."""
UPLOADS = 64
"""Bodies that may be on their way at a time."""
WORKING = 4
"""Of long work, so much at a time: pages have the other threads, and the processors."""
MATCHES = FINDINGS = 10_000
"""What readers may have checked at a time: matches, and what is wrong with them."""
TOO_OFTEN = N_("You asked more often than a client may: ask again after Retry-After seconds.")
BUSY = N_("Many uploads are on their way already: send this again in some seconds.")
LATER = 5
"""Seconds after which an upload may be sent again."""


def too_often(scope: Scope, wait: int) -> Response:
    """What a program is told that may ask again in so many seconds."""
    said = texts(HTTPConnection(scope))(TOO_OFTEN)
    return problem(429, said, headers={"Retry-After": str(wait)})


class Limited:
    """A middleware: past the rate of a client, 429 with Retry-After, as `refuse` says it.

    A client is a token's bearer, else an address; nobody counts our own programs.
    """

    def __init__(
        self, app: ASGIApp, rate: float = RATE, refuse: Callable[[Scope, int], Response] = too_often
    ) -> None:
        self.app, self.rate, self._refuse = app, rate, refuse
        # what each may still ask at once, and when that was
        self._buckets: LRUCache[object, tuple[float, float]] = LRUCache(KEPT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = asking(scope)
        if scope["type"] != "http" or who.here:
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


work = CapacityLimiter(WORKING)
"""Whoever has long work done waits for one of these."""
checking = CapacityLimiter(WORKING)
"""Whoever has logs checked waits for one of these."""
counting = CapacityLimiter(WORKING)
"""Whoever asks for figures waits for one of these."""
writing = CapacityLimiter(WORKING)
"""Whoever adds files waits for one of these: they take turns to write, which keeps nobody else."""
_uploads = 0


def coming() -> int:
    """How many bodies are on their way."""
    return _uploads


@contextmanager
def upload() -> Iterator[None]:
    """One more body is on its way. Problem: there are too many."""
    global _uploads
    if _uploads >= UPLOADS:
        raise Problem(429, BUSY).after(LATER)
    _uploads += 1
    try:
        yield
    finally:
        _uploads -= 1
