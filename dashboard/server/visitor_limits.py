"""Bounds what one visitor can hold of the server: messages, open pages, idle and slow connections.

Pages are bounded by `VisitorLimitMiddleware`, connections by `watch_connections`. Requests of the API
have their own rate (`dashboard.api.rate_limits`).
"""

import asyncio
import os
import resource
import time
from asyncio import Transport
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from cachetools import LRUCache, TTLCache
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from uvicorn import Server

from dashboard.api.auth import principal_of
from dashboard.api.rate_limits import client_key
from dashboard.api.uploads import MAX_CHECK_BYTES
from dashboard.compat import Connection, open_connections
from dashboard.server import server_logging

MAX_HELD_BYTES = 8 * MAX_CHECK_BYTES
"""Bytes of uploaded files that one reader may hold in open pages."""
MESSAGES_PER_SECOND = 8.0
"""Messages that an open page may send in the long run: a slider that is dragged sends fewer."""
MESSAGE_BURST = 40.0
"""Messages that a page may send at once after a pause."""
MAX_MESSAGE_BYTES = MAX_CHECK_BYTES + (1 << 20)
"""Bytes of a message: a reader may paste a log that is checked."""
BYTES_PER_MESSAGE = 1 << 16
"""A message that is so many times as large counts as so many."""
BUSY_PAGES = 8
"""Open pages of one visitor that may send at the full rate at a time."""
MAX_PAGES = 200
"""Pages that one visitor may have open: a club behind one address has fewer."""
OPENINGS_PER_SECOND, OPENING_BURST = 2.0, 30.0
"""Pages that one visitor may open in the long run, and at once: a club that comes in at a time."""
VISITOR_SECONDS = 120.0
"""Seconds after its last page closed for which a visitor without a page is remembered: all its budgets are
full again by then."""
MAX_VISITORS = 10_000
"""Visitors without a page that are remembered."""
TRY_AGAIN_LATER = 1013
"""Close code for a page too many (RFC 6455's registry)."""
FIRST_REQUEST_SECONDS = 20.0
"""Seconds for a connection to send a whole request head."""
CHUNK_SECONDS = 30.0
"""Seconds within which the next bytes of a body arrive, and within which a client takes the next
bytes of a response."""
MIN_BYTES_PER_SECOND = 500
"""The rate at which a body must arrive in the long run: a modem of the 1990s sends ten times that."""
CLOSING_SECONDS = 10.0
"""Seconds after which a connection that closes is cut off: its client takes nothing any more."""
FULL_SHARE, FREED_SHARE = 0.9, 0.8
"""From which share of the process's file descriptors idle connections are closed, and down to which."""
MAX_DESCRIPTORS = 65_536
"""File descriptors of the process, where the system allows as many."""
POLL_SECONDS = 1.0


class MessageBudget:
    """How many messages may come now; those that come too fast wait, so none is lost."""

    def __init__(self, rate: float = MESSAGES_PER_SECOND, burst: float = MESSAGE_BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = self._burst, time.monotonic()

    def has_one(self) -> bool:
        """Return whether one may come now without waiting."""
        return self._left + (time.monotonic() - self._at) * self._rate >= 1

    def take(self, number: float = 1.0) -> float:
        """Take messages and return the seconds to wait before they are handled."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - number
        self._at = now
        return max(0.0, -self._left / self._rate)


class SlowClientError(Exception):
    """A client neither sends nor takes bytes any more."""


class Visitor:
    """The open pages of one visitor, the messages they may send together, and how many may open."""

    def __init__(self) -> None:
        self.pages = 0
        self.budget = MessageBudget(BUSY_PAGES * MESSAGES_PER_SECOND, BUSY_PAGES * MESSAGE_BURST)
        self.openings = MessageBudget(OPENINGS_PER_SECOND, OPENING_BURST)


class UploadBudget:
    """Bytes of the files that each reader holds in open pages, with those that are still arriving.

    `held`: returns the bytes that each page holds.
    """

    def __init__(self, held: Callable[[], dict[str, int]], most: int = MAX_HELD_BYTES) -> None:
        self._held, self._most = held, most
        self._clients: LRUCache[str, object] = LRUCache(MAX_VISITORS)  # by page
        self._arriving = Counter[object]()

    def has_room(self, client: object, size: int) -> bool:
        """Return whether a client may upload so many bytes more."""
        held = self._held().items()
        total = sum(count for page, count in held if self._clients.get(page) == client)
        return total + self._arriving[client] + size <= self._most

    @contextmanager
    def arriving(self, client: object, page: str, size: int) -> Iterator[None]:
        """Count a file of a client within the block, while it arrives at a page."""
        self._clients[page] = client
        self._arriving[client] += size
        try:
            yield
        finally:
            self._arriving[client] -= size
            if not self._arriving[client]:
                del self._arriving[client]


class VisitorLimitMiddleware:
    """Delays messages of pages that send too many; ends requests whose client does not go on.

    A websocket that waits is not read, so its client waits too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._visitors = dict[object, Visitor]()  # with open pages
        self._without_pages: TTLCache[object, Visitor] = TTLCache(
            MAX_VISITORS, VISITOR_SECONDS, time.monotonic
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._open_page(scope, receive, send)
        elif scope["type"] == "http" and not principal_of(scope).is_local:  # its user may pause a program
            timed = _TimedRequest(receive, send)
            try:
                await self.app(scope, timed.receive, timed.send)
            except* SlowClientError:
                await timed.end()
        else:
            await self.app(scope, receive, send)

    async def _open_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = client_key(scope)
        visitor = self._visitors.get(client) or self._without_pages.get(client) or Visitor()
        if visitor.pages >= MAX_PAGES or not visitor.openings.has_one():
            await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
            return
        visitor.openings.take()
        self._visitors[client] = visitor
        budget = MessageBudget()

        async def receiving() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                number = max(1.0, len(message.get("bytes") or message.get("text") or "") / BYTES_PER_MESSAGE)
                await asyncio.sleep(max(budget.take(number), visitor.budget.take(number)))
            return message

        visitor.pages += 1
        try:
            await self.app(scope, receiving, send)
        except WebSocketDisconnected:
            pass  # Streamlit closes a page that is closed already, when messages of it were waiting
        finally:
            visitor.pages -= 1
            if not visitor.pages:
                self._visitors.pop(client, None)
                self._without_pages[client] = visitor


class _TimedRequest:
    """The two channels of a request, with limits for a client that does not go on."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._started, self._received, self._has_answer, self._is_read = time.monotonic(), 0, False, False

    async def receive(self) -> Message:
        """Return the next part of the body, then a disconnect. SlowClientError: none came in time."""
        if self._is_read:  # what may come now is a disconnect, however late
            return await self._receive()
        try:
            async with asyncio.timeout(CHUNK_SECONDS):
                message = await self._receive()
        except TimeoutError:
            raise SlowClientError from None
        self._received += len(message.get("body", b""))
        self._is_read = not message.get("more_body", False)
        took = time.monotonic() - self._started
        if not self._is_read and took > CHUNK_SECONDS and self._received < took * MIN_BYTES_PER_SECOND:
            raise SlowClientError
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response. SlowClientError: the client took nothing for too long."""
        self._has_answer = True
        try:
            async with asyncio.timeout(CHUNK_SECONDS):
                await self._send(message)
        except TimeoutError:
            raise SlowClientError from None

    async def end(self) -> None:
        """Answer 408 if nothing was answered yet; the server then closes the connection."""
        if not self._has_answer:
            headers = [(b"connection", b"close"), (b"content-length", b"0")]
            await self._send({"type": "http.response.start", "status": 408, "headers": headers})
            await self._send({"type": "http.response.body", "body": b""})


async def watch_connections(server: Server) -> None:
    """Close what idles or hangs, once a second, until it is cancelled.

    `idle_since` and `closing_since` have the time at which a connection was first seen so.
    """
    most = _raise_descriptor_limit()
    idle_since, closing_since = dict[Transport, float](), dict[Transport, float]()
    while True:
        await asyncio.sleep(POLL_SECONDS)
        now, found = time.monotonic(), open_connections(server)
        waiting = [one for one in found if one.has_no_request]
        idle_since = {one.transport: idle_since.get(one.transport, now) for one in waiting}
        closing = [one.transport for one in found if one.transport.is_closing()]
        closing_since = {one: closing_since.get(one, now) for one in closing}
        for transport, since in idle_since.items():
            if now - since > FIRST_REQUEST_SECONDS:
                transport.close()
        for transport, since in closing_since.items():
            if now - since > CLOSING_SECONDS:
                transport.abort()
        if len(found) > most / 2 and (used := _descriptors(most)) > FULL_SHARE * most:
            some = _dispensable(found, int(used - FREED_SHARE * most))
            server_logging.log_event("connections closed", number=len(some), descriptors=used)
            for one in some:
                one.transport.abort()


def _dispensable(found: Sequence[Connection], number: int) -> list[Connection]:
    """Return idle connections to close: of whom has the most of them, requests before open pages."""
    by_host = Counter(one.host for one in found)
    idle = [one for one in found if one.is_idle]
    return sorted(idle, key=lambda one: (one.is_page, -by_host[one.host]))[:number]


def _raise_descriptor_limit() -> int:
    """Let the process open as many files as it may; return how many that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if most <= soft:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def _descriptors(most: int) -> int:
    """Count the file descriptors in use."""
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:  # none is left for this
        return most
