"""What a server holds while a club looks: `python -m benchmarks.visitors [--minutes 10]`.

A server of its own, started as `retourne serve` starts it, is visited by so many at a time. Each
does over the network what a browser does, but for drawing it: fetches the page's files, opens a
websocket, has pages run and fetches what they show; leaves after a while, sometimes as a laptop
does that is shut, and comes anew. The table goes into its own section of `docs/benchmarks.md`; the
exit code is 1 when memory, threads or descriptors were not flat.
"""

import argparse
import math
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import date
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import NamedTuple

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks import section
from ingest.cli import demo
from ingest.i18n import translator
from ingest.store.store import Store

HEADING = "## Visitors for ten minutes"
EVERY = 3.0
"""Seconds between two looks at the server."""
WARM = 3.0
"""Minutes until what a server keeps for a while is kept: a session that was left, for two."""
MORE = {"memory": 0.10, "threads": 0.10, "descriptors": 0.10}
"""How much more the last third may have than the first, the warming up left out."""
PAUSE = (2.0, 6.0)
"""Seconds a visitor looks at a page."""
RUDE = 0.2
"""The share of visits that end without a word."""

WAYS = (
    ("", "parties", "parties?q=zo", "relecture?{match}", "relecture?{match}&ply=20"),
    ("relecture?{match}", "relecture?{match}&deal=2", "relecture?{other}"),
    ("", "joueurs", "joueurs?player=jean", "face_a_face?one=jean&other=charles", "classement"),
    ("annonces", "annonces?since=2026-01-01", "tirage", "classement", "parties?page=3"),
    ("regles", "regles?words=monter", "verificateur?{match}", "donnees", "deposer"),
)
"""The pages of a visit, one after the other."""


class Sample(NamedTuple):
    """What a process holds: bytes of memory, threads, open descriptors and two kinds of them."""

    at: float
    memory: int
    threads: int
    descriptors: int
    sockets: int
    polls: int

    @classmethod
    def of(cls, pid: int, since: float = 0.0) -> "Sample":
        """As it is now."""
        told = Path(f"/proc/{pid}/status").read_text()
        numbers = {
            name: int(re.findall(rf"^{name}:\s+(\d+)", told, re.MULTILINE)[0])
            for name in ("VmRSS", "Threads")
        }
        kinds = Counter[str]()
        for one in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                kinds[re.sub(r":\[\d+\]", "", os.readlink(one))] += 1
        return cls(
            time.monotonic() - since,
            numbers["VmRSS"] << 10,
            numbers["Threads"],
            kinds.total(),
            kinds["socket"],
            kinds["anon_inode:[eventpoll]"],
        )


class Visit:
    """A page in a browser that draws nothing: its connections, kept until it is left."""

    def __init__(self, host: str) -> None:
        self._open = ExitStack()
        self.files = HTTPConnection(host, timeout=60)
        self._open.callback(self.files.close)
        for path in ("/", "/_stcore/health", "/_stcore/host-config"):
            found = self.fetch(path)
            for file in re.findall(rb'(?:src|href)="\./(static/[^"]+)"', found):
                self.fetch(f"/{file.decode()}")
        opening = connect(
            f"ws://{host}/_stcore/stream",
            origin=Origin(f"http://{host}"),
            subprotocols=[Subprotocol("streamlit")],
            open_timeout=60,
            max_size=None,
        )
        self.socket = self._open.enter_context(opening)

    def fetch(self, path: str) -> bytes:
        """A file of the server's, over the same connection unless that was closed meanwhile."""
        try:
            answer = self._answer(path)
        except ConnectionError:
            self.files.close()
            answer = self._answer(path)
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}")
        return body

    def _answer(self, path: str) -> HTTPResponse:
        self.files.request("GET", path)
        return self.files.getresponse()

    def open(self, address: str) -> None:
        """Have a page run, until all it shows is there. RuntimeError: it shows an error."""
        wish = BackMsg()
        wish.rerun_script.page_name, _, wish.rerun_script.query_string = address.partition("?")
        self.socket.send(wish.SerializeToString())
        files = set[str]()
        while True:
            data = self.socket.recv(timeout=60)
            assert isinstance(data, bytes)
            told = ForwardMsg.FromString(data)
            files |= {one.decode() for one in re.findall(rb"/media/\w+\.\w+", data)}
            if told.delta.new_element.WhichOneof("type") == "exception":
                raise RuntimeError(f"{address}: {told.delta.new_element.exception.message}")
            if told.WhichOneof("type") == "script_finished":
                break
        for file in files:
            self.fetch(file)

    def leave(self, rude: bool = False) -> None:
        """Close the page, or the laptop."""
        if rude:
            with suppress(OSError):
                self.socket.socket.shutdown(socket.SHUT_RDWR)
        self._open.close()


class Visitors:
    """So many threads, each a visitor after the other, until it is over."""

    def __init__(self, host: str, matches: Sequence[str], pause: tuple[float, float]) -> None:
        self.host, self.matches, self.pause = host, matches, pause
        self.over = threading.Event()
        self.visits, self.pages = 0, 0
        self.errors: list[str] = []
        self._threads: list[threading.Thread] = []

    def start(self, count: int) -> None:
        """Let them in, one after the other."""
        for number in range(count):
            one = threading.Thread(target=self._come, args=(random.Random(number),), daemon=True)
            one.start()
            self._threads.append(one)

    def stop(self) -> None:
        """Have them all leave."""
        self.over.set()
        for one in self._threads:
            one.join()

    def _come(self, lot: random.Random) -> None:
        self.over.wait(lot.uniform(0, self.pause[1]))
        while not self.over.is_set():
            try:
                self.visit(lot)
            except Exception as error:  # whatever it is, it is told at the end
                self.errors.append(f"{type(error).__name__}: {error}")

    def visit(self, lot: random.Random) -> None:
        """One visit, from its first page to the last."""
        page = Visit(self.host)
        self.visits += 1
        try:
            match, other = (f"match={lot.choice(self.matches)}" for _ in range(2))
            for address in lot.choice(WAYS):
                page.open(address.format(match=match, other=other))
                self.pages += 1
                if self.over.wait(lot.uniform(*self.pause)):
                    break
        finally:
            page.leave(lot.random() < RUDE)


@contextmanager
def served(store: Path, log: Path, *more: str) -> Iterator[tuple[str, int]]:
    """`retourne serve` in a process of its own: where it is, and the id of what serves."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    words = ["serve", "--store", str(store), "--port", str(port), "--no-browser", *more]
    with log.open("w") as output:
        command = subprocess.Popen(
            [sys.executable, "-m", "ingest.cli", *words], stdout=output, stderr=output
        )
    try:
        end = time.monotonic() + 120
        while True:
            assert command.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            with suppress(OSError), urllib.request.urlopen(f"http://localhost:{port}/in"):
                break
            time.sleep(0.2)
        [server] = Path(f"/proc/{command.pid}/task/{command.pid}/children").read_text().split()
        yield f"localhost:{port}", int(server)
    finally:
        command.send_signal(signal.SIGTERM)
        command.wait(30)


def some_matches(path: Path) -> list[str]:
    """Ids of the matches of a store."""
    with Store(path, read_only=True) as store:
        found = store.cursor().execute("SELECT match_id FROM matches ORDER BY match_id").fetchall()
    return [one for (one,) in found]


def by_minute(samples: Sequence[Sample], counts: Sequence[tuple[float, int, int]]) -> list[str]:
    """The rows of the table: means of each minute, and how many visits and pages it had."""
    rows, before = [], (0, 0)
    for minute in range(math.ceil(samples[-1].at / 60 - 0.1)):
        some = [one for one in samples if minute <= one.at / 60 < minute + 1]
        _, visits, pages = [one for one in counts if one[0] < 60 * (minute + 1)][-1]
        memory, *others = [statistics.mean(one[place] for one in some) for place in range(1, 6)]
        cells = [str(minute + 1), str(visits - before[0]), str(pages - before[1])]
        cells += [f"{memory / 2**20:,.0f} MB", *(f"{mean:.0f}" for mean in others)]
        rows.append(f"| {' | '.join(cells)} |")
        before = visits, pages
    return rows


def growth(samples: Sequence[Sample], warm: float) -> dict[str, float]:
    """How much more the last third has than the first, once it was warm."""
    some = [one for one in samples if one.at >= warm]
    third = len(some) // 3
    found = {}
    for name in MORE:
        first, last = (
            statistics.mean(getattr(one, name) for one in part)
            for part in (some[:third], some[-third:])
        )
        found[name] = last / first - 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.visitors", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--matches", type=int, default=1000, help="in the store they look at")
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    samples: list[Sample] = []
    counts: list[tuple[float, int, int]] = []
    with tempfile.TemporaryDirectory() as name:
        store, log = Path(name) / "club.duckdb", Path(name) / "log"
        demo.make(translator("en"), store, args.matches)
        matches = some_matches(store)
        with served(store, log) as (host, server):
            visitors, start = Visitors(host, matches, PAUSE), time.monotonic()
            visitors.start(args.visitors)
            while time.monotonic() - start < 60 * args.minutes:
                time.sleep(EVERY)
                samples.append(Sample.of(server, start))
                counts.append((samples[-1].at, visitors.visits, visitors.pages))
            visitors.stop()
        said = log.read_text()
    found = growth(samples, min(60 * WARM, 20 * args.minutes))
    lines = written(args, samples, counts, found)
    print("\n".join(lines))
    for error, times in Counter(visitors.errors).most_common(10):
        print(f"{times} × {error}", file=sys.stderr)
    if raised := "Traceback" in said:
        print(said, file=sys.stderr)
    section.write(args.output, HEADING, lines)
    flat = all(found[name] <= MORE[name] for name in MORE)
    return 0 if flat and not visitors.errors and not raised else 1


def written(
    args: argparse.Namespace,
    samples: Sequence[Sample],
    counts: Sequence[tuple[float, int, int]],
    found: dict[str, float],
) -> list[str]:
    """The section of the table."""
    told = ", ".join(f"{name} {more:+.1%}" for name, more in found.items())
    _, visits, pages = counts[-1]
    return [
        f"By `python -m benchmarks.visitors`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors "
        f"with a load of {os.getloadavg()[2]:.1f};",
        f"{args.visitors} visitors at a time for {args.minutes:g} minutes, {visits:,} visits of "
        f"{pages:,} pages in all. Each visit is a session;",
        "one that was left is kept for two minutes, in case its browser comes back, with two",
        "sockets and an event poll of its own, and goes when the next one is left after that. The",
        f"last third against the first, the first {WARM:g} minutes left out:",
        f"{told}. Wanted: no more than {max(MORE.values()):.0%} more of each.",
        "",
        "| minute | visits | pages | memory | threads | descriptors | sockets | event polls |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|",
        *by_minute(samples, counts),
    ]


if __name__ == "__main__":
    sys.exit(main())
