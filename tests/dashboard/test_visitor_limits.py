"""Limits on what one visitor holds: messages, open pages, idle and slow connections."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import uvicorn
from anyio import CapacityLimiter
from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.routing import Match
from starlette.types import Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from websockets.sync.client import connect

from dashboard.api.app import PrefixMount
from dashboard.api.auth import PRINCIPAL_KEY
from dashboard.api.problems import Problem
from dashboard.api.rate_limits import ClientSlots, RateLimitMiddleware, client_key
from dashboard.authentication import Principal
from dashboard.server import visitor_limits
from dashboard.server.page_limits import SLOT_SECONDS, PageRunSlots
from dashboard.server.visitor_limits import (
    BUSY_PAGES,
    BYTES_PER_MESSAGE,
    MAX_PAGES,
    MESSAGE_BURST,
    MESSAGES_PER_SECOND,
    OPENING_BURST,
    OPENINGS_PER_SECOND,
    MessageBudget,
    VisitorLimitMiddleware,
    watch_connections,
)
from dashboard.web.replay import routes
from tests.dashboard.api import Client
from tests.dashboard.api import served as served_api


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, as its only item."""
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_messages_wait_once_a_page_has_sent_too_many(clock: list[float]) -> None:
    budget = MessageBudget()
    assert {budget.take() for _ in range(int(MESSAGE_BURST))} == {0.0}
    assert budget.take() == 1 / MESSAGES_PER_SECOND
    assert budget.take() == 2 / MESSAGES_PER_SECOND
    clock[0] += 3 / MESSAGES_PER_SECOND
    assert budget.take() == 0.0


def test_the_next_script_is_that_of_the_visitor_of_whom_the_fewest_run() -> None:
    slots = PageRunSlots(most=2)
    runs = [slots.enter(visitor) for visitor in ("many", "many", "many", "one")]
    assert [run.started.is_set() for run in runs] == [True, True, False, False]
    slots.leave(runs[0])
    assert [run.started.is_set() for run in runs[2:]] == [False, True]
    slots.leave(runs[1])
    assert runs[2].started.is_set()


def test_a_script_that_takes_long_gives_its_slot_up(clock: list[float]) -> None:
    slots = PageRunSlots(most=1)
    first, second, third = (slots.enter("one") for _ in range(3))
    assert slots.seconds_to_next() == SLOT_SECONDS
    assert not second.started.is_set()
    clock[0] += SLOT_SECONDS
    assert slots.seconds_to_next() == SLOT_SECONDS
    assert second.started.is_set()
    slots.leave(first)
    assert not third.started.is_set()
    slots.leave(second)
    assert third.started.is_set()


def test_a_large_message_waits_as_so_many_small_ones(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    slept = list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        for _ in range(2):
            await receive()

    async def message() -> Message:
        return {"type": "websocket.receive", "bytes": bytes(BYTES_PER_MESSAGE * int(MESSAGE_BURST + 8))}

    monkeypatch.setattr("asyncio.sleep", sleep)
    scope = {"type": "websocket", "client": ("192.0.2.1", 1)}
    asyncio.run(VisitorLimitMiddleware(page)(scope, message, ignore))
    assert slept == [8 / MESSAGES_PER_SECOND, (MESSAGE_BURST + 16) / MESSAGES_PER_SECOND]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("no address", "another one", True),
        ("192.0.2.1", "192.0.2.2", False),
    ],
)
def test_a_visitor_is_an_address_or_a_network_of_ipv6(one: str, other: str, is_same: bool) -> None:
    keys = [client_key({"type": "http", "client": (host, 1)}) for host in (one, other)]
    assert (keys[0] == keys[1]) is is_same


def test_a_visitor_with_a_token_is_the_token_at_every_address() -> None:
    who = Principal(None, token_no=7)
    keys = {
        client_key({"type": "http", "client": (host, 1), PRINCIPAL_KEY: who}) for host in ("192.0.2.1", "::1")
    }
    assert keys == {7}


def behind_proxy(portal: BlockingPortal, rate: float = 1e9) -> Client:
    """A client whose requests come by a proxy of this computer."""
    app: Any = served_api(rate)
    through: Any = ProxyHeadersMiddleware(app, "127.0.0.1")
    return Client(portal, through)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("addresses", "allowed"),
    [
        (["none", "unknown", "_hidden", "1.2.3.4.5", "%", "evil.example"], 1),
        ([f"2001:db8:0:1::{number:x}" for number in range(6)], 1),
        ([f"2001:db8:0:{number:x}::1" for number in range(6)], 6),
        ([f"192.0.2.{number}" for number in range(6)], 6),
    ],
    ids=["no addresses", "one network", "networks", "addresses"],
)
def test_a_visitor_behind_a_proxy_is_what_the_proxy_names_or_one_with_all_it_does_not(
    addresses: list[str], allowed: int
) -> None:
    with start_blocking_portal() as portal:
        visitor = behind_proxy(portal, 1e-6)
        answers = [
            visitor.ask("GET", "/openapi.json", headers={"X-Forwarded-For": address}).status_code
            for address in addresses
        ]
    assert answers == [200] * allowed + [429] * (len(addresses) - allowed)


@pytest.mark.usefixtures("path")
def test_guesses_of_tokens_from_one_network_are_counted_together() -> None:
    guess = {"Authorization": f"Bearer retourne_{'x' * 43}"}
    with start_blocking_portal() as portal:
        visitor = behind_proxy(portal)
        statuses = [
            visitor.ask("GET", "/matches", headers={"X-Forwarded-For": address, **guess}).status_code
            for address in (*(f"2001:db8:9::{number:x}" for number in range(11)), "2001:db8:9:1::1")
        ]
    assert statuses == [401] * 10 + [429, 401]


def test_a_rate_below_one_allows_one_request_and_says_when_the_next(clock: list[float]) -> None:
    refused = list[int]()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        done.append(True)

    def refuse(scope: Scope, wait: int) -> Any:
        refused.append(wait)
        return answer

    done = list[bool]()
    limited = RateLimitMiddleware(answer, 0.5, refuse)
    scope = {"type": "http", "client": ("192.0.2.1", 1)}
    for _ in range(2):
        asyncio.run(limited(scope, never, ignore))
    assert refused == [2]
    clock[0] += 2
    asyncio.run(limited(scope, never, ignore))
    assert refused == [2]


def test_only_pages_have_websockets() -> None:
    mount = PrefixMount("/r", VisitorLimitMiddleware)  # type: ignore[arg-type]
    matches = {kind: mount.matches({"type": kind, "path": "/r/x"})[0] for kind in ("http", "websocket")}
    assert matches == {"http": Match.FULL, "websocket": Match.NONE}


NO_ONE = Principal(None)


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


async def ignore(message: Message) -> None:
    pass


def http(
    app: Callable[..., Awaitable[None]], receive: Receive, send: Send = ignore, who: Principal = NO_ONE
) -> list[Message]:
    """Run one request through the middleware; return what was sent."""
    sent = list[Message]()

    async def sending(message: Message) -> None:
        sent.append(message)
        await send(message)

    asyncio.run(VisitorLimitMiddleware(app)({"type": "http", PRINCIPAL_KEY: who}, receive, sending))
    return sent


async def read_body(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"all of it"})


def test_a_body_that_stops_coming_is_answered_408(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_limits, "CHUNK_SECONDS", 0.01)
    sent = http(read_body, never)
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_body_that_comes_byte_by_byte_is_answered_408(clock: list[float]) -> None:
    async def drip() -> Message:
        clock[0] += 1
        return {"type": "http.request", "body": b"x", "more_body": True}

    assert http(read_body, drip)[0]["status"] == 408


def test_a_body_that_comes_slowly_but_steadily_is_taken(clock: list[float]) -> None:
    parts = [b"x" * 5000] * 60

    async def line() -> Message:
        clock[0] += 1
        return {"type": "http.request", "body": parts.pop(), "more_body": bool(parts)}

    assert [one.get("status") for one in http(read_body, line)] == [200, None]


def test_a_command_of_the_server_s_user_may_pause(clock: list[float]) -> None:
    parts = [b"x"] * 60

    async def drip() -> Message:
        clock[0] += 1
        return {"type": "http.request", "body": parts.pop(), "more_body": bool(parts)}

    assert http(read_body, drip, who=Principal(None, is_local=True))[0]["status"] == 200


def test_an_answer_that_nobody_takes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_limits, "CHUNK_SECONDS", 0.01)

    async def stuck(message: Message) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def whole() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    assert [one["type"] for one in http(read_body, whole, stuck)] == [
        "http.response.start",
        "http.response.body",
    ]


def test_what_waits_for_a_disconnect_may_wait_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_limits, "CHUNK_SECONDS", 0.01)
    come = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not come:
            await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.05)
            return {"type": "http.disconnect"}
        return come.pop()

    async def follow(scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            seen.append((await receive())["type"])
            if seen[-1] == "http.disconnect":
                return

    seen = list[str]()
    http(follow, receive)
    assert seen == ["http.request", "http.disconnect"]


def test_a_page_too_many_of_one_visitor_is_closed_and_others_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_limits, "OPENING_BURST", 2.0 * MAX_PAGES)
    closed = list[int]()

    async def main() -> None:
        opened, leave = asyncio.Semaphore(0), asyncio.Event()

        async def page(scope: Scope, receive: Receive, send: Send) -> None:
            opened.release()
            await leave.wait()

        async def close(message: Message) -> None:
            closed.append(message["code"])

        limited = VisitorLimitMiddleware(page)
        scope = {"type": "websocket", "client": ("192.0.2.1", 1)}
        pages = [asyncio.create_task(limited(scope, never, close)) for _ in range(MAX_PAGES)]
        for _ in pages:
            await opened.acquire()
        await limited(scope, never, close)
        pages.append(asyncio.create_task(limited({**scope, "client": ("192.0.2.2", 1)}, never, close)))
        await opened.acquire()
        leave.set()
        await asyncio.gather(*pages)
        pages.append(asyncio.create_task(limited(scope, never, close)))
        await pages[-1]

    asyncio.run(main())
    assert closed == [1013]


def test_pages_open_at_a_rate_also_when_the_earlier_ones_were_closed(clock: list[float]) -> None:
    closed = list[int]()

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        pass

    async def close(message: Message) -> None:
        closed.append(message["code"])

    limited = VisitorLimitMiddleware(page)

    def open_pages(number: int, host: str) -> int:
        """Open and close pages one after the other; return how many were refused."""
        closed.clear()
        for _ in range(number):
            asyncio.run(limited({"type": "websocket", "client": (host, 1)}, never, close))
        assert set(closed) <= {1013}
        return len(closed)

    assert open_pages(int(OPENING_BURST) + 3, "192.0.2.1") == 3
    assert open_pages(1, "192.0.2.2") == 0
    clock[0] += 2 / OPENINGS_PER_SECOND
    assert open_pages(3, "192.0.2.1") == 1


def test_messages_of_a_visitor_are_counted_over_pages_that_are_closed(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    slept = list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        for _ in range(int(MESSAGE_BURST)):
            await receive()

    async def message() -> Message:
        return {"type": "websocket.receive"}

    async def send(message: Message) -> None:
        raise AssertionError(message)

    async def main() -> None:
        limited = VisitorLimitMiddleware(page)
        for _ in range(BUSY_PAGES + 1):  # each within its own budget
            await limited({"type": "websocket", "client": ("192.0.2.1", 1)}, message, send)

    monkeypatch.setattr("asyncio.sleep", sleep)
    asyncio.run(main())
    assert [one > 0 for one in slept] == [False] * int(BUSY_PAGES * MESSAGE_BURST) + [True] * int(
        MESSAGE_BURST
    )


@contextmanager
def served() -> Iterator[int]:
    """Serve websockets and requests, watched as the dashboard's; yield the port."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await receive()
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(app, ws="websockets-sansio", lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    ear = socket.create_server(("127.0.0.1", 0))

    async def main() -> None:
        watch = asyncio.create_task(watch_connections(server))
        await server.serve([ear])
        watch.cancel()

    thread = Thread(target=asyncio.run, args=(main(),))
    thread.start()
    try:
        yield ear.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at connections often."""
    monkeypatch.setattr(visitor_limits, "POLL_SECONDS", 0.01)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("beginning", [b"", b"GET / HTTP/1.1\r\nHost: loc", REQUEST + b"GET /"])
def test_a_connection_without_a_whole_request_is_closed(
    monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    monkeypatch.setattr(visitor_limits, "FIRST_REQUEST_SECONDS", 0.05)
    with served() as port, socket.create_connection(("127.0.0.1", port)) as line:
        line.settimeout(60)
        line.sendall(beginning)
        while line.recv(4096):
            pass


@pytest.mark.usefixtures("quick")
def test_idle_connections_go_before_pages_when_descriptors_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [0]
    monkeypatch.setattr(visitor_limits, "_raise_descriptor_limit", lambda: 10)
    monkeypatch.setattr(visitor_limits, "_descriptors", lambda most: counts[0])
    with ExitStack() as until, served() as port, connect(f"ws://127.0.0.1:{port}/") as page:
        lines = [until.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(6)]
        for line in lines:
            line.settimeout(60)
            line.sendall(REQUEST)
            assert line.recv(4096).startswith(b"HTTP/1.1 204")
        counts[0] = 14  # 14 of 10: six are to be closed
        for line in lines:
            assert end_of(line)
        counts[0] = 0
        assert page.ping().wait(60)


def end_of(line: socket.socket) -> bool:
    """Wait for the other end to close a connection; return that it did."""
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_client_has_some_slots_and_all_together_a_few_more() -> None:
    slots = ClientSlots(2, 3, "later")
    free = slots.take("one")
    slots.take("one")
    with pytest.raises(Problem) as refused:
        slots.take("one")
    assert (refused.value.status, "Retry-After" in refused.value.headers) == (429, True)
    slots.take("two")
    with pytest.raises(Problem):
        slots.take("three")
    free()
    slots.take("three")


def test_a_visitor_has_one_replay_made_at_a_time_and_another_need_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", str(tmp_path / "store.duckdb"))
    began, other_came = list[str](), Event()

    def make(host: str) -> None:
        began.append(host)
        if host == "192.0.2.2":
            other_came.set()
        other_came.wait(5)

    async def visit() -> None:
        desk = CapacityLimiter(2)
        hosts = ["192.0.2.1"] * 3 + ["192.0.2.2"]
        scopes = [{"type": "http", "client": (host, 1), "state": {}} for host in hosts]
        made = (
            routes._run_limited(scope, desk, partial(make, host))
            for scope, host in zip(scopes, hosts, strict=True)
        )
        await asyncio.gather(*made)

    asyncio.run(visit())
    assert sorted(began[:2]) == ["192.0.2.1", "192.0.2.2"]
