"""Rate limits per visitor, and how many uploads run at once."""

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock
from weakref import WeakValueDictionary

from anyio import CapacityLimiter
from cachetools import LRUCache
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.api.auth import principal_of
from dashboard.api.content_negotiation import response_texts
from dashboard.api.problems import Problem, problem_response
from dashboard.api.visitor_address import visitor_address
from ingest.i18n import N_
from ingest.store.server_hosts import DEFAULT_REQUESTS_PER_SECOND

MAX_CLIENTS = 10_000
"""Clients whose last requests are remembered."""
MAX_UNDER_WAY = 64
"""Uploads, and as many checks, that may be in progress at a time."""
MAX_CONCURRENT = 4
"""Long tasks that run at a time: pages need the other threads and processors."""
MAX_CHECKS_PER_CLIENT = 2
"""The part of them that checks of one visitor may take, so that another's need not wait."""
MAX_WRITES_PER_CLIENT = 2
"""Uploads of one visitor that are written at a time: another's need not wait for all of them."""
MAX_CHECKS_WAITING = 8
"""Checks of one visitor that are in progress, those that wait included."""
MAX_UPLOADS_PER_CLIENT = 4
"""Uploads of one visitor in progress: they are written one after the other anyway."""
MAX_PICTURES_PER_CLIENT = 8
"""Pictures of one visitor that are in progress: a messenger asks for one a replay."""
MAX_MATCHES = MAX_FINDINGS = 10_000
"""Matches, and findings, of one check by a reader."""
RATE_LIMITED = N_("You asked more often than a client may: ask again after Retry-After seconds.")
TOO_MANY_UPLOADS = N_("Too many uploads at once: send this again in a few seconds.")
TOO_MANY_UNDER_WAY = N_("Several of your downloads are running. Try again in a few seconds.")
TOO_MANY_AT_ONCE = N_("Too many requests at once: wait a moment, then reload.")
RETRY_AFTER_SECONDS = 5
"""Seconds after which a client may send a refused request again."""


def client_key(scope: Scope) -> object:
    """Return what identifies a visitor: a token's number, else the address."""
    who = principal_of(scope)
    return visitor_address(scope) if who.token_no is None else who.token_no


def rate_limited(scope: Scope, retry_after: int) -> Response:
    """Return a 429 for API clients; they may retry after that many seconds."""
    result = response_texts(HTTPConnection(scope))(RATE_LIMITED)
    return problem_response(429, result, headers={"Retry-After": str(retry_after)})


class RateLimitMiddleware:
    """Middleware that answers with `refuse` (429 and Retry-After) when a client exceeds its rate.

    A client is a token, else an address; local programs of the server's user are not limited.
    """

    def __init__(
        self,
        app: ASGIApp,
        rate: float = DEFAULT_REQUESTS_PER_SECOND,
        refuse: Callable[[Scope, int], Response] = rate_limited,
    ) -> None:
        self.app, self.rate, self._refuse = app, rate, refuse
        # client → requests it may still send at once, and the time of that count
        self._buckets: LRUCache[object, tuple[float, float]] = LRUCache(MAX_CLIENTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = principal_of(scope)
        if scope["type"] != "http" or who.is_local:
            return await self.app(scope, receive, send)
        client, now = client_key(scope), time.monotonic()
        burst = max(1.0, self.rate)  # a rate below one a second still allows one
        left, at = self._buckets.get(client, (burst, now))
        left = min(burst, left + (now - at) * self.rate)
        self._buckets[client] = left if left < 1 else left - 1, now
        if left >= 1:
            return await self.app(scope, receive, send)
        await self._refuse(scope, math.ceil((1 - left) / self.rate))(scope, receive, send)


class ClientSlots:
    """How many pieces of long work one client, and all clients together, may have under way.

    `refusal`: the message of the answer to one more.
    """

    def __init__(self, per_client: int, together: int, refusal: str) -> None:
        self._most, self._together, self._refusal = per_client, together, refusal
        self._held, self._lock = Counter[object](), Lock()

    def take(self, client: object) -> Callable[[], None]:
        """Take a slot of a client; return what frees it. Problem: none is free."""
        with self._lock:
            if self._held[client] >= self._most or self._held.total() >= self._together:
                raise Problem(429, self._refusal).retry_after(RETRY_AFTER_SECONDS)
            self._held[client] += 1
        return partial(self._free, client)

    @contextmanager
    def holding(self, client: object) -> Iterator[None]:
        """Hold a slot of a client within the block. Problem: none is free."""
        free = self.take(client)
        try:
            yield
        finally:
            free()

    def total(self) -> int:
        """Count the slots that are held."""
        with self._lock:
            return self._held.total()

    def _free(self, client: object) -> None:
        with self._lock:
            self._held[client] -= 1
            if not self._held[client]:
                del self._held[client]


export_slots = ClientSlots(4, 32, TOO_MANY_UNDER_WAY)
"""Exports that are written or sent."""
check_slots = ClientSlots(MAX_CHECKS_WAITING, MAX_UNDER_WAY, TOO_MANY_UPLOADS)
"""Checks in progress: those of readers take nothing of contributors' uploads."""
upload_slots = ClientSlots(MAX_UPLOADS_PER_CLIENT, MAX_UNDER_WAY, TOO_MANY_UPLOADS)
"""Uploads in progress."""
picture_slots = ClientSlots(MAX_PICTURES_PER_CLIENT, 256, TOO_MANY_AT_ONCE)
"""Pictures of replays that are drawn or wait for it."""
export_limiter = CapacityLimiter(MAX_CONCURRENT)
"""Limits exports."""
check_limiter = CapacityLimiter(MAX_CONCURRENT)
"""Limits checks of logs."""
MAX_COMPUTING = (os.cpu_count() or 1) + 1
"""Statistics, or scripts of pages, at a time: one may wait for DuckDB while the others compute."""
stats_limiter = CapacityLimiter(min(MAX_CONCURRENT, MAX_COMPUTING))
"""Limits statistics."""
_client_limiters: WeakValueDictionary[object, CapacityLimiter] = WeakValueDictionary()


def client_limiter(scope: Scope, work: CapacityLimiter, most: int) -> CapacityLimiter:
    """Return the limiter of a visitor's part of some work: the rest of it waits, and not before others."""
    return _client_limiters.setdefault((client_key(scope), work), CapacityLimiter(most))


write_limiter = CapacityLimiter(MAX_CONCURRENT)
"""Limits uploads, which write one after the other, so that they do not hold up other work."""


def uploads_in_progress() -> int:
    """Count the uploads and checks in progress."""
    return upload_slots.total() + check_slots.total()
