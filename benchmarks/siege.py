"""Attack a server on loopback while a club reads and uploads: `python -m benchmarks.siege`.

Eighty readers of good will fetch pages, the API and boards, and run pages; twenty other readers each
repeat one attack; ten people upload; an administrator masks, unmasks and purges. Every visitor has an
address of its own, as behind a proxy. At the end the matches are counted: stored is what was answered
as stored and not purged. The exit code is 1 if a reader waited too long or got no answer, if memory or
descriptors grew, or if a match is missing.
"""

import bz2
import gzip
import lzma
import math
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event, Lock, Thread
from typing import NamedTuple

import orjson
from websockets.exceptions import WebSocketException

from benchmarks import ID, MOST, ROOT, Section, arguments, lines
from benchmarks.linear import sample, zipped
from benchmarks.pages import EVERY, RUDE, WAYS, Sample, Visit, served, some_matches
from dashboard.cli import demo
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.tokens import Role, add_token

READERS, RUNNERS, ATTACKERS, UPLOADERS = 68, 12, 20, 10
"""Visitors: readers of good will, those of them who run pages, attackers, and uploaders."""
PAUSE = (2.0, 6.0)
"""Seconds between two requests of a visitor: minimum and maximum."""
SECONDS = 2.0
"""Most seconds that a reader of good will waits."""
GROWTH = 0.10
"""Most growth of memory and descriptors from the half to the end."""
PATIENCE = 60.0
"""Seconds after which a visitor gives a request up."""
REFUSALS = ("429", "503")
LIMITS = {"/healthz": 0.2}
"""Most seconds of what is to be faster."""
READ = (
    *("/", "/parties", "/joueurs", "/healthz", "/_stcore/host-config", "/in"),
    *("/api/v1/matches?limit=50", "/api/v1/players", "/api/v1/ladder", "/api/v1/announcements"),
    *("/api/v1/matches/{match}", "/api/v1/matches/{match}/log", "/api/v1/matches/{match}/deals/1"),
    *("/r/{match}", "/r/{match}?embed", "/r/trouver?game=chouine"),
)
"""Addresses that readers fetch."""


LEFT, MANY, BOMBS = "costly check, left after 3 s", "zip of 1,000 matches", "zip of bombs"
KINDS = {"api": "reading the API", "r": "reading boards"}
GOOD_WILL = ("/healthz", "reading HTML", *KINDS.values(), "reading", "page run")


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
            *[("administration", self.administrate, admin), ("/healthz", self.check_health, "")],
        ]

    def start(self) -> None:
        """Start all visitors."""
        for number, (name, task, token) in enumerate(self._tasks):
            one = Thread(target=self._repeat, args=(name, task, Client(number, token)), daemon=True)
            one.start()
            self._threads.append(one)

    def stop(self) -> None:
        """Let all finish their last request."""
        self.over.set()
        for one in self._threads:
            one.join(2 * PATIENCE)

    def _repeat(self, name: str, task: Task, client: Client) -> None:
        self.over.wait(client.lot.uniform(0, PAUSE[1]))
        while not self.over.is_set():
            try:
                task(client)
            except (OSError, HTTPException, RuntimeError, EOFError, WebSocketException) as error:
                self.count(name, f"{type(error).__name__}: {error}"[:90])
            self.over.wait(client.lot.uniform(*PAUSE) if name != "/healthz" else 0.25)

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
                page.open(address.format(**words, other=words["match"]))
                self.count("page run", 200, time.monotonic() - began)
                if self.over.wait(client.lot.uniform(*PAUSE)):
                    break
        finally:
            page.leave(client.lot.random() < RUDE)

    def check_health(self, client: Client) -> None:
        """Ask for the server's health."""
        self.ask("/healthz", client, "/healthz")

    def uploading(self, number: int) -> Task:
        """Return what uploads the next match, and the same one again until it is answered."""
        played, waiting = lines(MOST, 1_000_000, seed=1000 + number), list[bytes]()

        def upload(client: Client) -> None:
            if not waiting:
                waiting.append(ID.sub(b'"id":"siege-%d"' % client.lot.getrandbits(60), next(played)))
            status, content = self.ask("upload", client, "/logs", waiting[0])
            if status in (200, 201):
                waiting.clear()
                found = {one["id"] for file in orjson.loads(content)["files"] for one in file["matches"]}
                with self._lock:
                    self.stored |= found

        return upload

    def administrate(self, client: Client) -> None:
        """Mask a player, unmask it later, and purge a match that was uploaded."""
        words = orjson.dumps({"players": [f"p{client.lot.randrange(997)}"]})
        for command in ("mask", "unmask"):
            self.ask(command, client, f"/commands/{command}", words)
            self.over.wait(client.lot.uniform(*PAUSE))
        with self._lock:
            some = sorted(self.stored - self.purged)
        if some:
            match = client.lot.choice(some)
            status, content = self.ask("purge", client, "/commands/purge", orjson.dumps({"what": match}))
            if status == 200 and b'"removed":1' in content:
                self.purged.add(match)
            elif status == 200:
                self.count("purge", content[-90:].decode(errors="replace"))

    def send_messages(self, client: Client) -> None:
        """Send many messages to a page and leave."""
        page = Visit(self.host, client.headers)
        for _ in range(300):
            page.request("parties")
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


class Recount(NamedTuple):
    """The matches of the store afterwards, against the answers: missing, purged but there, unanswered."""

    missing: int
    returned: int
    unanswered: int

    @classmethod
    def of(cls, store: Path, before: set[str], siege: Siege) -> "Recount":
        """Count the matches of a store that is not served any more."""
        with Store(store, read_only=True) as opened:
            readable = "SELECT match_id FROM matches WHERE status <> 'unreadable'"
            after = {one for (one,) in opened.cursor().execute(readable).fetchall()}
        wanted = (before | siege.stored) - siege.purged
        return cls(
            len(wanted - after), len(after & siege.purged), len(after - before - siege.stored - siege.purged)
        )


def report(minutes: int, siege: Siege, samples: list[Sample], found: Recount, intact: bool) -> Section:
    """Return the section, with a row for each kind of visitor."""
    states = (("the start", samples[0]), ("half", samples[len(samples) // 2]), ("the end", samples[-1]))
    held = "; ".join(
        f"at {when} {one.memory / 2**20:,.0f} MB, {one.threads} threads, {one.descriptors} descriptors"
        for when, one in states
    )
    section = Section(
        "A siege",
        "siege",
        f"{READERS} readers, {RUNNERS} who run pages, {ATTACKERS} attackers, {UPLOADERS} uploaders and "
        f"an administrator for {minutes} minutes. The server: {held}. {len(siege.stored):,} matches "
        f"answered as stored, {len(siege.purged):,} purged; in the store {found.missing} are missing, "
        f"{found.returned} purged ones are there, {found.unanswered} came whose upload was not answered; "
        f"`retourne verify`: {'intact' if intact else 'damaged'}. Wanted: no reader waits over {SECONDS:g} s",
    )
    section.table("what", ">answers", ">p50", ">p99", ">longest", ">refused", "other outcomes")
    for name, outcomes in sorted(siege.outcomes.items()):
        times = sorted(siege.waits[name]) or [0.0]
        places = (len(times) // 2, math.ceil(len(times) * 0.99) - 1, -1)
        others = [f"{times} × {what}" for what, times in outcomes.most_common(5) if what != "200"]
        section.row(
            *(name, f"{len(siege.waits[name]):,}", *(f"{times[place]:.2f} s" for place in places)),
            *(str(sum(outcomes[status] for status in REFUSALS)), "; ".join(others)),
        )
    return section


def faults(siege: Siege, samples: list[Sample], found: Recount, intact: bool, log: str) -> Iterator[str]:
    """Yield what did not hold."""
    for name in GOOD_WILL:
        if (longest := max(siege.waits[name], default=0)) > LIMITS.get(name, SECONDS):
            yield f"{name}: one waited {longest:.1f} s"
        if other := {what: times for what, times in siege.outcomes[name].items() if what != "200"}:
            yield f"{name}: {other}"
    half, last = samples[len(samples) // 2], samples[-1]
    for resource_name in ("memory", "descriptors"):
        if (more := getattr(last, resource_name) / getattr(half, resource_name) - 1) > GROWTH:
            yield f"{resource_name} grew by {more:.0%} from the half to the end"
    if found.missing or found.returned or found.unanswered > UPLOADERS:
        yield f"the recount: {found}"
    if not intact:
        yield "the store is damaged"
    if "Traceback" in log:
        yield log[log.index("Traceback") :][:4000]


def main() -> int:
    """Run the siege; return 1 if anything did not hold."""
    args = arguments("siege", __doc__, minutes=60, matches=1000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65_536)), hard))
    with tempfile.TemporaryDirectory() as name:
        store, log = Path(name) / "club.duckdb", Path(name) / "log"
        demo.make_demo_store(translator("en"), store, args.matches)
        before = some_matches(store)
        with Store(store) as opened:
            roles = [Role.ADMIN, *[Role.CONTRIBUTOR] * (UPLOADERS + 1)]
            tokens = [add_token(opened, f"visitor {number}", role) for number, role in enumerate(roles)]
        proxies = ("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1")
        with served(store, log, *proxies) as (host, server):
            siege, began = Siege(host, before, tokens), time.monotonic()
            samples = [Sample.of(server, began)]
            siege.start()
            while time.monotonic() - began < 60 * args.minutes:
                time.sleep(EVERY)
                samples.append(Sample.of(server, began))
            siege.stop()
        found, message = Recount.of(store, set(before), siege), log.read_text()
        verify = [sys.executable, "-m", "ingest.cli", "verify", "--store", str(store)]
        intact = subprocess.run(verify, cwd=ROOT).returncode == 0
    report(args.minutes, siege, samples, found, intact).write(args.output)
    wrong = list(faults(siege, samples, found, intact, message))
    print(*wrong, sep="\n", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
