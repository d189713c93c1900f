"""Time the replay board in Chromium: `python -m benchmarks.board [--rounds N]`.

The first board is there when its last card is: in a browser that has been here before, and in one
that has not. A page of Streamlit that says one word and does nothing else is timed beside it, since
nothing can be there sooner. A step is timed from the key to the frame that shows
it: style, layout and paint are in the figure, and the wait for the screen's next frame too. The
table goes into its own section of `docs/benchmarks.md`.
"""

import argparse
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.samples import MATCHES
from benchmarks.section import TABLE, write
from ingest.store.add import ingest
from ingest.store.store import Store
from tests.dashboard.browser import ROOT, chromium, serving

HEADING = "## The board in a browser"
WARM, FRAME = 1000, 1000 / 60
"""Milliseconds within which the first board is wanted, and a step."""
BARE = 'import streamlit as st\n\nst.html("<b class=place>there</b>")\n'
"""The least a page of Streamlit can be."""

CARDS = "felt => Promise.all([...felt.querySelectorAll('img')].map(image => image.decode()))"

STEPS = """async count => {
    const press = () => document.dispatchEvent(new KeyboardEvent("keydown", {
        key: "ArrowRight", bubbles: true, cancelable: true}));
    const painted = () => new Promise(done => requestAnimationFrame(() => {
        const channel = new MessageChannel();  // heard once the frame has been handed on
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(null);
    }));
    const scripts = [], frames = [];
    for (let step = 0; step < count; step++) {
        await painted();  // begin right after a frame
        const start = performance.now();
        press();
        scripts.push(performance.now() - start);
        frames.push(await painted() - start);
    }
    return [scripts, frames];
}"""


def ply(page: Page) -> int:
    """Where the board stands."""
    return int(page.locator(".place").inner_text().split("/")[0])


VISITS = {"a browser that was here before": False, "a browser that was not": True}
"""What is in a browser's cache, and whether each visit has a new one."""


def visits(browser: Browser, place: str, rounds: int, fresh: bool) -> list[float]:
    """Milliseconds until the place is there, cards and all; the first visit is not counted."""
    times: list[float] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    for _ in range(rounds + 1):
        if fresh:
            context.close()
            context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        start = time.perf_counter()
        page.goto(place, wait_until="commit")
        page.locator(".place").wait_for(timeout=60_000)
        page.locator(".felt, .place").first.evaluate(CARDS)
        times.append(1000 * (time.perf_counter() - start))
        page.close()
    context.close()
    return times[1:]


@contextmanager
def bare(script: Path) -> Iterator[str]:
    """A server of Streamlit for one script; its address once it answers."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    options = {"port": port, "headless": "true", "fileWatcherType": "none"}
    told = [f"--server.{name}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *told]
    command.append("--browser.gatherUsageStats=false")
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://localhost:{port}"
    try:
        answers(f"{address}/_stcore/health", server)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def answers(url: str, server: "subprocess.Popen[bytes]") -> None:
    """Wait until a server does. RuntimeError: it ended."""
    while server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.board", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    rows: list[str] = []

    def tell(what: str, times: list[float], limit: float | None = None) -> None:
        middle, worst = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        wanted = f"{limit:,.0f} ms | {middle / limit:.2f}" if limit else " | "
        rows.append(f"| {what} | {middle:,.1f} ms | {worst:,.1f} ms | {wanted} |")
        print(rows[-1], flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "store.duckdb") as store:
            list(ingest(store, sorted((ROOT / "data").glob("*match*.json"))))
        (folder / "bare.py").write_text(BARE)
        with bare(folder / "bare.py") as other, chromium() as browser:
            for what, fresh in VISITS.items():
                tell(
                    f"a page of Streamlit alone, {what}", visits(browser, other, args.rounds, fresh)
                )
        with serving(folder / "store.duckdb", folder / "log") as address, chromium() as browser:
            for title, match in MATCHES.items():
                place = f"{address}/relecture?match={match}&deal=1&ply=0"
                for what, fresh in VISITS.items():
                    firsts = visits(browser, place, args.rounds, fresh)
                    tell(f"{title}: first board, {what}", firsts, WARM)
                scripts: list[float] = []
                frames: list[float] = []
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                for _ in range(args.rounds):
                    page.goto(place)
                    page.locator(".place").wait_for(timeout=60_000)
                    steps = int(page.locator(".place").inner_text().split("/")[1])
                    some, more = page.evaluate(STEPS, min(steps, 30))
                    assert ply(page) == min(steps, 30)
                    scripts += some
                    frames += more
                page.close()
                tell(f"{title}: a step, its script", scripts, FRAME)
                tell(f"{title}: a step, key to frame", frames, 2 * FRAME)
    write(
        args.output,
        HEADING,
        [
            f"By `python -m benchmarks.board`, {date.today()}: headless Chromium without a graphics"
            " processor. A frame lasts 16.7 ms, and the figure to the frame has the wait for it.",
            "",
            "| | median | 95% below | wanted | share of it |",
            "|---|---|---|---|---|",
            *rows,
        ],
    )


if __name__ == "__main__":
    main()
