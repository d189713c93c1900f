"""How fast replays are answered: `python -m benchmarks.replays [--seconds 5]`.

The server has one processor and a plain client the other, over connections that stay open, each of
which asks again when it has its answer. Every answer is looked at. Then a browser that was there
before opens a replay: from the start of the navigation until the board and its cards are there. The
table goes into its own section of `docs/benchmarks.md`.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from playwright.sync_api import Browser

from benchmarks.samples import MATCHES
from benchmarks.section import TABLE, write
from ingest.store.add import ingest
from ingest.store.store import Store
from tests.dashboard.browser import ROOT, chromium, started, until

HEADING = "## Replays that anyone opens"
WANTED, FIRST = 500, 300
"""Answers a second, and milliseconds until the first board."""
CONNECTIONS = 16

DRAWN = """
const look = () => {
    const cards = [...document.querySelectorAll(".felt img")];
    const there = document.querySelector(".place")?.textContent && cards.length;
    if (!there || !cards.every((one) => one.complete)) return requestAnimationFrame(look);
    const painted = () => requestAnimationFrame(() => { window.drawnAt = performance.now(); });
    Promise.all(cards.map((one) => one.decode())).then(painted);
};
look();
"""
"""The frame in which the board stands with all its cards, told by the page itself."""


class Speed(NamedTuple):
    """What a client saw, and the processor time of both."""

    answers: int
    seconds: float
    times: list[float]
    server: float
    client: float


async def asking(host: str, port: int, request: bytes, until: float, status: bytes) -> list[float]:
    """One connection: seconds of each answer."""
    reader, writer = await asyncio.open_connection(host, port)
    times = list[float]()
    while (began := time.perf_counter()) < until:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 " + status):
            raise SystemExit(head.decode())
        lower = head.lower()
        at = lower.find(b"content-length:")
        if at >= 0:
            await reader.readexactly(int(lower[at + 15 : lower.index(b"\r\n", at)]))
        times.append(time.perf_counter() - began)
    writer.close()
    return times


def speed(pid: int, address: str, path: str, seconds: float, tag: str = "") -> Speed:
    """Ask for a path as often as it is answered; with a tag, by somebody who has it already."""
    at = urlsplit(address)
    lines = [f"GET {path} HTTP/1.1", f"Host: {at.netloc}", "Accept: text/html"]
    lines += ["Accept-Encoding: gzip", "Accept-Language: fr"]
    lines += [f"If-None-Match: {tag}"] if tag else []
    request = ("\r\n".join(lines) + "\r\n\r\n").encode()
    status = b"304" if tag else b"200"

    async def every(seconds: float) -> list[list[float]]:
        until = time.perf_counter() + seconds
        ask = (
            asking(at.hostname or "", at.port or 0, request, until, status)
            for _ in range(CONNECTIONS)
        )
        return await asyncio.gather(*ask)

    asyncio.run(every(0.5))
    before, began, own = cpu(pid), time.perf_counter(), time.process_time()
    found = [one for times in asyncio.run(every(seconds)) for one in times]
    took = time.perf_counter() - began
    return Speed(len(found), took, found, cpu(pid) - before, time.process_time() - own)


def cpu(pid: int) -> float:
    """Seconds of processor a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tag_of(address: str, path: str) -> str:
    """The tag of an answer that is compressed."""
    headers = {"Accept-Encoding": "gzip", "Accept-Language": "fr"}
    with urlopen(Request(address + path, headers=headers)) as answer:
        return str(answer.headers["ETag"])


def anew(pid: int, address: str, what: str, paths: list[str]) -> str:
    """A row of what has to be made: each path is asked for once."""
    times, before = list[float](), cpu(pid)
    for path in paths:
        began = time.perf_counter()
        with urlopen(address + path) as answer:
            answer.read()
        times.append(1000 * (time.perf_counter() - began))
    spent = 1000 * (cpu(pid) - before) / len(paths)
    middle, worst = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    return (
        f"| {what} that has to be made | {1000 / middle:,.0f} | {spent:.0f} ms | {middle:.0f} ms"
        f" | {worst:.0f} ms |  |  |"
    )


@contextmanager
def apart(pid: int) -> Iterator[None]:
    """The server on the first processor, this process on the last, where there are two."""
    every = sorted(os.sched_getaffinity(0))
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), {every[0]})
    os.sched_setaffinity(0, {every[-1]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, set(every))
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), set(every))


def visits(browser: Browser, place: str, rounds: int) -> list[float]:
    """Milliseconds from the start of a navigation to the board with its cards, files in cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="fr-FR")
    times = list[float]()
    for _ in range(rounds + 1):
        page = context.new_page()
        page.add_init_script(DRAWN)
        page.goto(place, wait_until="commit")
        until(page, "() => window.drawnAt > 0")
        times.append(page.evaluate("drawnAt"))
        page.close()
    context.close()
    return times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replays", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    rows, visited = list[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "store.duckdb") as store:
            list(ingest(store, sorted((ROOT / "data").glob("*match*.json"))))
            found = store.cursor().execute("SELECT log_id, match_id FROM matches").fetchall()
        match = dict(found)["match-lavardin"]
        with started("dashboard", folder / "store.duckdb", folder / "log") as (server, address):
            asked = {
                "a replay": (f"/r/{match}", False),
                "a replay, by who has it already (304)": (f"/r/{match}", True),
                "a position of it": (f"/r/{match}/2/5", False),
                "another deal": (f"/r/{match}/3.json", False),
                "the picture of a position": (f"/r/{match}/2/5.png", False),
            }
            with apart(server.pid):
                for what, (path, has) in asked.items():
                    tag = tag_of(address, path) if has else ""
                    got = speed(server.pid, address, path, args.seconds, tag)
                    rate, later = got.answers / got.seconds, 1000 * statistics.median(got.times)
                    last = 1000 * statistics.quantiles(got.times, n=20)[-1]
                    spent = 1000 * got.server / got.answers
                    wanted = f"{WANTED} | {rate / WANTED:.2f}" if path == f"/r/{match}" else " | "
                    row = (
                        f"| {what} | {rate:,.0f} | {spent:.2f} ms | {later:.1f} ms | {last:.1f} ms"
                    )
                    rows.append(f"{row} | {wanted} |")
                    print(rows[-1], flush=True)
            for what, more in {"a page": "", "a picture": ".png"}.items():
                paths = [f"/r/{match}/5/{ply}{more}" for ply in range(20)]
                rows.append(anew(server.pid, address, what, paths))
                print(rows[-1], flush=True)
            with chromium() as browser:
                for what, log_id in MATCHES.items():
                    place = f"{address}/r/{dict(found)[log_id]}/2/5"
                    times = visits(browser, place, args.rounds)
                    middle, worst = statistics.median(times), max(times)
                    share = f"{FIRST} ms | {middle / FIRST:.2f}"
                    visited.append(f"| {what} | {middle:,.0f} ms | {worst:,.0f} ms | {share} |")
                    print(visited[-1], flush=True)
    write(
        args.output,
        HEADING,
        [
            f"By `python -m benchmarks.replays`, {date.today()}: the server on one processor, a"
            f" client with {CONNECTIONS} connections on the other.",
            "",
            "| | answers/s | processor each | median | 95% below | wanted | share of it |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            "The first board in a Chromium that was here before, cards and all:",
            "",
            "| | median | slowest | wanted | share of it |",
            "|---|---|---|---|---|",
            *visited,
        ],
    )


if __name__ == "__main__":
    main()
