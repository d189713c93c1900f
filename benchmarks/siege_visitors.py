"""The visitors of `benchmarks.siege`: readers of good will, attackers, uploaders and an administrator."""

import bz2
import gzip
import lzma
import random
import socket
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from http.client import HTTPConnection, HTTPException
from threading import Event, Lock, Thread

import orjson
from websockets.exceptions import WebSocketException

from benchmarks import ID, MOST, lines
from benchmarks.linear import sample, zipped
from benchmarks.pages import RUDE, WAYS, Visit

READERS, RUNNERS, ATTACKERS, UPLOADERS = 68, 12, 20, 10
"""Visitors: readers who fetch, readers who run pages, attackers, and uploaders."""
PAUSE = (2.0, 6.0)
"""Seconds between two requests of a visitor: minimum and maximum."""
PATIENCE = 60.0
"""Seconds after which a visitor gives a request up."""
READ = (
    *("/", "/rencontres", "/joueurs", "/healthz", "/_stcore/host-config", "/in"),
    *("/api/v1/matches?limit=50", "/api/v1/players", "/api/v1/fairness", "/api/v1/announcements"),
    *("/api/v1/matches/{match}", "/api/v1/matches/{match}/log", "/api/v1/matches/{match}/deals/1"),
    *("/r/{match}", "/r/{match}?embed", "/r/trouver?game=" + MOST),
)
"""Addresses that readers fetch."""


DRAWN_AGAIN = "drawn again"
"""A page whose files were removed, as a player was masked: the server draws it again."""
LEFT, MANY, BOMBS = "costly check, left after 3 s", "zip of 1,000 matches", "zip of bombs"
KINDS = {"api": "reading the API", "r": "reading boards"}


class Client:
    """A visitor with an address of its own, who may have a token."""

    def __init__(self, number: int, token: str = "") -> None:
        self.lot = random.Random(number)
        self.headers = {"X-Forwarded-For": f"198.18.{number // 250}.{number % 250 + 1}"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"


Task = Callable[[Client], object]


@cache
def costly() -> bytes:
    """Return a log of half a megabyte with 45,000 attempts to cut."""
    return orjson.dumps(sample(MOST) | {"cuts": [["9s Jh"] * 45_000]})


@cache
def many() -> bytes:
    """Return a zip of a thousand files of a match each."""
    return zipped(orjson.dumps(sample(MOST)) for _ in range(1000))


@cache
def bombs() -> bytes:
    """Return a zip of packed files that are megabytes when unpacked."""
    zeros = bytes(8 << 20)
    packed = [*[gzip.compress(zeros[: 1 << 18])] * 3000, *[bz2.compress(zeros), lzma.compress(zeros)] * 100]
    return zipped(iter(packed))


def ask_for_health(host: str, seconds: float) -> list[tuple[str, float]]:
    """Ask for the server's health again and again; return each outcome and the seconds until it.

    It runs in a process of its own: among the threads of all visitors, its own would wait for theirs.
    """
    found, end = list[tuple[str, float]](), time.monotonic() + seconds
    while (began := time.monotonic()) < end:
        connection = HTTPConnection(host, timeout=PATIENCE)
        try:
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            content = answer.read()
            outcome = "200" if answer.status == 200 else content[:90].decode(errors="replace")
        except (OSError, HTTPException) as error:
            outcome = type(error).__name__
        finally:
            connection.close()
        found.append((outcome, time.monotonic() - began))
        time.sleep(0.25)
    return found


class Siege:
    """All visitors of a server until `over`; has their outcomes and what was stored and purged."""

    def __init__(self, host: str, matches: Sequence[str], tokens: Sequence[str]) -> None:
        self.host, self.matches = host, matches
        self.over, self._lock, self._threads = Event(), Lock(), list[Thread]()
        self.waits = defaultdict[str, list[float]](list)
        self.outcomes = defaultdict[str, Counter[str]](Counter)
        self.stored, self.purged = set[str](), set[str]()
        admin, rude, *others = tokens
        attacks: list[tuple[str, Task, str]] = [
            ("300 messages at once", self.send_messages, ""),
            ("200 idle connections", self.open_idle, ""),
            (LEFT, lambda client: self.ask(LEFT, client, "/check?name=a.json", costly(), timeout=3), ""),
            (MANY, lambda client: self.ask(MANY, client, "/check?name=a.zip", many()), ""),
            (BOMBS, lambda client: self.ask(BOMBS, client, "/logs?name=a.zip", bombs()), rude),
            ("slow export", self.take_slowly, ""),
            ("invalid token", self.guess, ""),
        ]
        self._tasks = [
            *[("reading", self.read, "")] * READERS,
            *[("page run", self.run_pages, "")] * RUNNERS,
            *(attacks[number % len(attacks)] for number in range(ATTACKERS)),
            *(("upload", self.uploading(number), token) for number, token in enumerate(others)),
            ("administration", self.administrate, admin),
        ]

    def start(self) -> None:
        """Start all visitors."""
        for number, (name, task, token) in enumerate(self._tasks):
            one = Thread(target=self._repeat, args=(name, task, Client(number, token)), daemon=True)
            one.start()
            self._threads.append(one)

    def stop(self) -> None:
        """Let all finish their last request, for `2 * PATIENCE` seconds at most."""
        self.over.set()
        end = time.monotonic() + 2 * PATIENCE
        for one in self._threads:
            one.join(max(0.0, end - time.monotonic()))

    def _repeat(self, name: str, task: Task, client: Client) -> None:
        self.over.wait(client.lot.uniform(0, PAUSE[1]))
        while not self.over.is_set():
            try:
                task(client)
            except (OSError, HTTPException, RuntimeError, EOFError, WebSocketException) as error:
                self.count(name, f"{type(error).__name__}: {error}"[:90])
            self.over.wait(client.lot.uniform(*PAUSE))

    def count(self, name: str, outcome: object, seconds: float | None = None) -> None:
        """Count an outcome, and the seconds until it."""
        with self._lock:
            self.outcomes[name][str(outcome)] += 1
            if seconds is not None:
                self.waits[name].append(seconds)

    def ask(
        self, name: str, client: Client, path: str, body: bytes | None = None, timeout: float = PATIENCE
    ) -> tuple[int, bytes]:
        """Count the answer to a request to an address, or one below the API's if there is a body."""
        began, connection = time.monotonic(), HTTPConnection(self.host, timeout=timeout)
        json = {"Content-Type": "application/json"} if "?name" not in path else {}
        method, path = ("GET", path) if body is None else ("POST", f"/api/v1{path}")
        try:
            connection.request(method, path, body, client.headers | json)
            got = connection.getresponse()
            content = got.read()
        finally:
            connection.close()
        self.count(name, got.status, time.monotonic() - began)
        return got.status, content

    def read(self, client: Client) -> None:
        """Fetch one address."""
        path = client.lot.choice(READ).format(match=client.lot.choice(self.matches))
        self.ask(KINDS.get(path.split("/")[1], "reading HTML"), client, path)

    def run_pages(self, client: Client) -> None:
        """Run some pages one after the other in a browser."""
        page, words = Visit(self.host, client.headers), {"match": f"match={client.lot.choice(self.matches)}"}
        try:
            for address in client.lot.choice(WAYS):
                began = time.monotonic()
                try:
                    page.open(address.format(**words, other=words["match"]))
                except RuntimeError as error:
                    if not str(error).startswith("/media/"):
                        raise
                    self.count("page run", DRAWN_AGAIN)
                    continue
                self.count("page run", 200, time.monotonic() - began)
                if self.over.wait(client.lot.uniform(*PAUSE)):
                    break
        finally:
            page.leave(client.lot.random() < RUDE)

    def uploading(self, number: int) -> Task:
        """Return what uploads the next match, and the same one again until it is answered."""
        played, waiting = lines(MOST, 1_000_000, seed=1000 + number), list[bytes]()

        def upload(client: Client) -> None:
            if not waiting:
                waiting.append(ID.sub(b'"id":"siege-%d"' % client.lot.getrandbits(60), next(played)))
            status, content = self.ask("upload", client, "/logs", waiting[0])
            if status in (200, 201):
                waiting.clear()
                found = {
                    one["match_id"] for file in orjson.loads(content)["files"] for one in file["matches"]
                }
                with self._lock:
                    self.stored |= found

        return upload

    def administrate(self, client: Client) -> None:
        """Mask a player, unmask it later, and purge a match that was uploaded."""
        words = orjson.dumps({"players": [f"p{client.lot.randrange(3)}"]})
        for command in ("mask", "unmask"):
            self.ask(command, client, f"/commands/{command}", words)
            self.over.wait(client.lot.uniform(*PAUSE))
        with self._lock:
            some = sorted(self.stored - self.purged)
        if some:
            match = client.lot.choice(some)
            status, content = self.ask("purge", client, "/commands/purge", orjson.dumps({"id": match}))
            if status == 200 and (b'"removed": 1' in content or b'"removed":1' in content):
                self.purged.add(match)
            elif status == 200:
                self.count("purge", content[-90:].decode(errors="replace").strip())

    def send_messages(self, client: Client) -> None:
        """Send many messages to a page and leave."""
        page = Visit(self.host, client.headers)
        for _ in range(300):
            page.request("rencontres")
        self.over.wait(3)
        page.leave(rude=True)
        self.count("300 messages at once", "sent")

    def connected(self) -> socket.socket:
        """Open a connection that sends nothing."""
        name, _, port = self.host.partition(":")
        return socket.create_connection((name, int(port)), timeout=PATIENCE)

    def open_idle(self, client: Client) -> None:
        """Open connections and send nothing."""
        with ExitStack() as opened:
            for _ in range(200):
                opened.enter_context(self.connected())
            self.over.wait(30)
        self.count("200 idle connections", "held")

    def take_slowly(self, client: Client) -> None:
        """Take an export byte by byte."""
        fields = {"Host": self.host, **client.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        with self.connected() as connection:
            connection.sendall(f"GET /api/v1/exports/logs.jsonl HTTP/1.1\r\n{head}\r\n".encode())
            while connection.recv(64) and not self.over.wait(1):
                pass
        self.count("slow export", "ended")

    def guess(self, client: Client) -> None:
        """Send invalid tokens."""
        for number in range(15):
            client.headers["Authorization"] = f"Bearer retourne_{number:043d}"
            self.ask("invalid token", client, "/api/v1/matches")
