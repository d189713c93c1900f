"""Time the dashboard's pages, and a server under a club of visitors: `python -m benchmarks.pages`.

Pages run on a large store in Streamlit's AppTest, as on the server: the time to draw them in a
browser is not included. The store is made once and cached.

Then simulated visitors use a server started by `retourne serve`. Like browsers, but without
drawing, they fetch the page's files, open a websocket, run pages and fetch what these show; they
leave after a while, sometimes without closing the connection, as when a laptop is shut, and return.
The exit code is 1 if memory, threads or descriptors grew.
"""

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import NamedTuple

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks import CACHE, MOST, ROOT, TENTHS, Section, arguments, spread, write
from dashboard import store as resources
from dashboard.cli import demo
from dashboard.pages import PAGE_NAMES
from engine.games import game_title
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest

APP = ROOT / "dashboard" / "app.py"
LIMITS = {"first": 2000, "filter": 500, "replay": 300}
"""Target in milliseconds of each kind of page run."""

SHOWN = 5
"""Page runs that the document lists: those with the highest ratio."""

FILTERS: dict[str, tuple[dict[str, str], ...]] = {
    "rencontres": (
        {"q": "Player 12"},
        {"status": "legal", "game": game_title(MOST)},
        {"player": "Player 7"},
        {"event": "Event 3"},
        {"since": "2026-03-01", "until": "2026-03-31"},
        {"kind": "quinte"},
        {"sort": "event"},
        {"page": "3000"},
    ),
    "joueurs": ({"name": "Player 12"}, {"since": "2026-03-01"}, {"opponent": "Player 7"}),
    "annonces": ({"since": "2026-03-01"}, {"event": "Event 3"}),
    "classement": ({"name": "Player 12"}, {"event": "Event 3"}),
    "face_a_face": ({"first": "Player 7", "second": "Player 38"},),
    "donnees": ({"q": "Player 12"},),
    "regles": ({"words": "monter"},),
}
"""Filters that are set on an open page."""


def store_of(deals: int) -> Path:
    """Return the store with about that many deals, mostly of one game; make it if missing."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"pages-{deals}.duckdb"
    if path.exists():
        return path
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        files = {game: deals * tenths // 10 for game, tenths in TENTHS.items()}
        for game, count in files.items():
            write(Path(folder) / f"{game}.jsonl", game, count, events=500)
        with Store(part) as store:
            for report in ingest(store, sorted(Path(folder).iterdir())):
                print(f"{report.name}: {report.added:,}", flush=True)
    part.rename(path)
    return path


def opened(page: str, query: dict[str, str]) -> AppTest:
    """Return a page in a new session, not run yet."""
    app = AppTest.from_file(APP, default_timeout=120)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    app._page_hash = calc_hash(page)  # as a link does; `switch_page` takes only files
    return app


def milliseconds(run: Callable[[], AppTest]) -> float:
    start = time.perf_counter()
    app = run()
    took = (time.perf_counter() - start) * 1000
    assert not app.exception, app.exception
    return took


def first_paint(page: str, query: dict[str, str], rounds: int) -> list[float]:
    """Time runs of a page without cached answers, the store being open."""
    times = []
    for _ in range(rounds):
        app = opened(page, query)
        resources.clear_query_cache()
        times.append(milliseconds(app.run))
    return times


def filter_change(page: str, query: dict[str, str], rounds: int) -> list[float]:
    """Time runs of a page with a filter, after the same page without it."""
    times = []
    for _ in range(rounds):
        resources.clear_query_cache()
        opened(page, {}).run()
        times.append(milliseconds(opened(page, query).run))
    return times


def timed(wanted: int, rounds: int) -> Section:
    """Time every page, and filters on open pages."""
    path = store_of(wanted)
    os.environ["RETOURNE_STORE"] = str(path)
    with Store(path) as store:
        row = store.cursor().execute(
            "SELECT (SELECT count(*) FROM deals), (SELECT count(*) FROM matches),"
            " (SELECT match_id FROM matches OFFSET (SELECT count(*) // 2 FROM matches) LIMIT 1)"
        )
        [(deals, matches, match_id)] = row.fetchall()
    section = Section(
        "Pages on a large store",
        "pages",
        f"{deals:,} deals in {matches:,} matches, median of {rounds} rounds with the least "
        "and the greatest. A run of the page on the server, the browser not included; *first "
        "paint* with no answer kept, a *filter* once the bare page was open. The ratio is to the "
        f"time wanted at most; the {SHOWN} highest are listed",
    )
    section.table("what", "took", "wanted", "ratio")
    found: list[tuple[float, list[str]]] = []

    def measure(what: str, limit: str, times: list[float]) -> None:
        most = LIMITS[limit]
        middle = statistics.median(times) / most
        found.append((-middle, [what, spread(times, 0, " ms"), f"{most:,} ms", f"{middle:.2f}"]))

    for page in PAGE_NAMES:
        measure(f"{page}: first paint", "first", first_paint(page, {}, rounds))
    for page, queries in FILTERS.items():
        for query in queries:
            requested = "&".join(f"{key}={value}" for key, value in query.items())
            times = filter_change(page, query, rounds)
            measure(f"{page}: filter `{requested}`", "filter", times)
    replay = {"match": match_id, "deal": "1", "ply": "9"}
    measure("relecture: a match opened", "replay", first_paint("relecture", replay, rounds))
    for _, cells in sorted(found)[:SHOWN]:
        section.row(*cells)
    return section


# visitors

EVERY = 3.0
"""Seconds between two samples of the server."""
WARM = 3.0
"""Minutes until the server's caches are full: it stores a session that was left for two."""
MORE = {"memory": 0.10, "threads": 0.10, "descriptors": 0.10}
"""Greatest growth from the first third to the last, after the warm-up."""
PAUSE = (2.0, 6.0)
"""Seconds a visitor stays on a page: minimum and maximum."""
RUDE = 0.2
"""Share of visits that end without closing the connection."""

WAYS = (
    ("", "rencontres", "rencontres?q=zo", "relecture?{match}", "relecture?{match}&ply=20"),
    ("relecture?{match}", "relecture?{match}&deal=2", "relecture?{other}"),
    ("", "joueurs", "joueurs?player=jean", "face_a_face?first=jean&second=charles", "classement"),
    ("annonces", "annonces?since=2026-01-01", "melange", "classement", "rencontres?page=3"),
    ("regles", "regles?words=monter", "verificateur?{match}", "donnees", "deposer"),
)
"""The pages of each kind of visit, in order."""


class Sample(NamedTuple):
    """Resources of a process: bytes of memory, threads and open descriptors, two kinds by name."""

    at: float
    memory: int
    threads: int
    descriptors: int
    sockets: int
    polls: int

    @classmethod
    def of(cls, pid: int, since: float = 0.0) -> "Sample":
        """Sample a process now."""
        text = Path(f"/proc/{pid}/status").read_text()
        numbers = {
            name: int(re.findall(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[0])
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
    """A page in a browser that draws nothing, with its connections until it is left."""

    def __init__(self, host: str, headers: Mapping[str, str] | None = None) -> None:
        self._open, self._headers = ExitStack(), headers or {}
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
            additional_headers=headers,
            open_timeout=60,
            max_size=None,
        )
        self.socket = self._open.enter_context(opening)
        self.session = ""

    def fetch(self, path: str) -> bytes:
        """Fetch a file of the server, on the same connection unless it was closed."""
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
        self.files.request("GET", path, headers=self._headers)
        return self.files.getresponse()

    def request(self, address: str) -> None:
        """Ask for a run of a page, and do not wait for it."""
        wish = BackMsg()
        wish.rerun_script.page_name, _, wish.rerun_script.query_string = address.partition("?")
        self.socket.send(wish.SerializeToString())

    def open(self, address: str) -> None:
        """Run a page until it is complete. RuntimeError: it shows an error."""
        self.request(address)
        files = set[str]()
        while True:
            data = self.socket.recv(timeout=60)
            assert isinstance(data, bytes)
            result = ForwardMsg.FromString(data)
            files |= {one.decode() for one in re.findall(rb"/media/\w+\.[a-z]+", data)}
            if result.WhichOneof("type") == "new_session":
                self.session = result.new_session.initialize.session_id
            if result.delta.new_element.WhichOneof("type") == "exception":
                raise RuntimeError(f"{address}: {result.delta.new_element.exception.message}")
            if result.WhichOneof("type") == "script_finished":
                break
        for file in files:
            self.fetch(file)

    def upload(self, name: str, content: bytes) -> None:
        """Upload a file to the page, as its field for files does. RuntimeError: it is refused."""
        mark = "a7f3b1"
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = b"%s%s\r\n--%s--\r\n" % (head.encode(), content, mark.encode())
        seal = self._answer("/_stcore/health")
        seal.read()
        cookie = (seal.getheader("Set-Cookie") or "").partition(";")[0]
        headers = {**self._headers, "Content-Type": f"multipart/form-data; boundary={mark}"}
        headers |= {"Cookie": cookie, "X-Xsrftoken": cookie.partition("=")[2]}
        self.files.request("PUT", f"/_stcore/upload_file/{self.session}/{name}", body, headers)
        answer = self.files.getresponse()
        answer.read()
        if answer.status != 204:
            raise RuntimeError(f"{name}: {answer.status}")

    def leave(self, rude: bool = False) -> None:
        """Close the page; `rude`: without closing the websocket properly."""
        if rude:
            with suppress(OSError):
                self.socket.socket.shutdown(socket.SHUT_RDWR)
        self._open.close()


class Visitors:
    """Threads that each visit the server again and again until `stop`."""

    def __init__(self, host: str, matches: Sequence[str], pause: tuple[float, float]) -> None:
        self.host, self.matches, self.pause = host, matches, pause
        self.over = threading.Event()
        self.visits, self.pages = 0, 0
        self.errors: list[str] = []
        self._threads: list[threading.Thread] = []

    def start(self, count: int) -> None:
        """Start the threads of `count` visitors."""
        for number in range(count):
            one = threading.Thread(target=self._come, args=(random.Random(number),), daemon=True)
            one.start()
            self._threads.append(one)

    def stop(self) -> None:
        """Stop all visitors."""
        self.over.set()
        for one in self._threads:
            one.join()

    def _come(self, lot: random.Random) -> None:
        self.over.wait(lot.uniform(0, self.pause[1]))
        while not self.over.is_set():
            try:
                self.visit(lot)
            except Exception as error:  # any error is reported at the end
                self.errors.append(f"{type(error).__name__}: {error}")

    def visit(self, lot: random.Random) -> None:
        """Make one visit, from its first page to the last."""
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
    """Run `retourne serve` in a process, with more options; yields its host and its process id."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    words = ["serve", "--store", str(store), "--port", str(port), "--no-browser", *more]
    with log.open("w") as output:
        command = subprocess.Popen([sys.executable, "-m", "ingest.cli", *words], stdout=output, stderr=output)
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
        command.wait(90)  # the server itself is killed after 30 s


def some_matches(path: Path) -> list[str]:
    """Return the ids of a store's matches."""
    with Store(path, read_only=True) as store:
        found = store.cursor().execute("SELECT match_id FROM matches ORDER BY match_id").fetchall()
    return [one for (one,) in found]


def by_minute(samples: Sequence[Sample], counts: Sequence[tuple[float, int, int]]) -> list[list[str]]:
    """Return a row per minute: means of the samples, and numbers of visits and pages."""
    rows, before = list[list[str]](), (0, 0)
    for minute in range(math.ceil(samples[-1].at / 60 - 0.1)):
        some = [one for one in samples if minute <= one.at / 60 < minute + 1]
        _, visits, pages = [one for one in counts if one[0] < 60 * (minute + 1)][-1]
        memory, *others = [statistics.mean(one[place] for one in some) for place in range(1, 6)]
        cells = [str(minute + 1), str(visits - before[0]), str(pages - before[1])]
        cells += [f"{memory / 2**20:,.0f} MB", *(f"{mean:.0f}" for mean in others)]
        rows.append(cells)
        before = visits, pages
    return rows


def growth(samples: Sequence[Sample], warm: float) -> dict[str, float]:
    """Return the growth from the first third of the samples to the last, after the warm-up."""
    some = [one for one in samples if one.at >= warm]
    third = len(some) // 3
    found = {}
    for name in MORE:
        first, last = (
            statistics.mean(getattr(one, name) for one in part) for part in (some[:third], some[-third:])
        )
        found[name] = last / first - 1
    return found


def watched(visitors: int, minutes: int, matches: int) -> tuple[Section, bool]:
    """Measure a visited server; return its section, and whether it did not grow or fail."""
    samples: list[Sample] = []
    counts: list[tuple[float, int, int]] = []
    with tempfile.TemporaryDirectory() as name:
        store, log = Path(name) / "club.duckdb", Path(name) / "log"
        demo.make_demo_store(translator("en"), store, matches)
        some = some_matches(store)
        with served(store, log) as (host, server):
            club, start = Visitors(host, some, PAUSE), time.monotonic()
            club.start(visitors)
            while time.monotonic() - start < 60 * minutes:
                time.sleep(EVERY)
                samples.append(Sample.of(server, start))
                counts.append((samples[-1].at, club.visits, club.pages))
            club.stop()
        message = log.read_text()
    found = growth(samples, min(60 * WARM, 20 * minutes))
    for error, times in Counter(club.errors).most_common(10):
        print(f"{times} × {error}", file=sys.stderr)
    if raised := "Traceback" in message:
        print(message, file=sys.stderr)
    flat = all(found[name] <= MORE[name] for name in MORE)
    text = f"{visitors} visitors at a time for {minutes} minutes"
    return written(text, samples, counts, found), flat and not club.errors and not raised


def written(
    heading: str, samples: Sequence[Sample], counts: Sequence[tuple[float, int, int]], found: dict[str, float]
) -> Section:
    """Return the section with the table."""
    grown = ", ".join(f"{name} {more:+.1%}" for name, more in found.items())
    _, visits, pages = counts[-1]
    section = Section(
        "Visitors for ten minutes",
        "pages",
        f"{heading}, {visits:,} visits of "
        f"{pages:,} pages in all. The last third against the first, the first {WARM:g} minutes "
        f"left out: {grown}. Wanted: no more than {max(MORE.values()):.0%} more of each",
    )
    section.table(
        *(">minute", ">visits", ">pages", ">memory", ">threads", ">descriptors", ">sockets"), ">event polls"
    )
    for cells in by_minute(samples, counts)[::3]:
        section.row(*cells)
    return section


def main() -> int:
    args = arguments("pages", __doc__, deals=1_000_000, rounds=3, visitors=20, minutes=10, matches=1000)
    timed(args.deals, args.rounds).write(args.output)
    section, good = watched(args.visitors, args.minutes, args.matches)
    section.write(args.output)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
