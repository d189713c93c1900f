"""Time the replay board in Chromium: `python -m benchmarks.board [--rounds N]`.

The first board is there when its last card is. A step is timed from the key to the frame that shows
it: style, layout and paint are in the figure, and the wait for the screen's next frame too. The
table goes into its own section of `docs/benchmarks.md`.
"""

import argparse
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.samples import MATCHES
from benchmarks.section import TABLE, write
from ingest.store.add import ingest
from ingest.store.store import Store
from tests.dashboard.browser import ROOT, chromium, serving

HEADING = "## The board in a browser"
WARM, FRAME = 2000, 1000 / 60
"""Milliseconds within which the first board is wanted, and a step."""

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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.board", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    rows: list[str] = []

    def tell(what: str, times: list[float], limit: float) -> None:
        middle, worst = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        wanted = f"{limit:,.0f} ms | {middle / limit:.2f}"
        rows.append(f"| {what} | {middle:,.1f} ms | {worst:,.1f} ms | {wanted} |")
        print(rows[-1], flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "store.duckdb") as store:
            list(ingest(store, sorted((ROOT / "data").glob("*match*.json"))))
        with serving(folder / "store.duckdb", folder / "log") as address, chromium() as browser:
            for title, match in MATCHES.items():
                firsts: list[float] = []
                scripts: list[float] = []
                frames: list[float] = []
                for round_number in range(args.rounds + 1):
                    page = browser.new_page(viewport={"width": 1280, "height": 900})
                    start = time.perf_counter()
                    page.goto(f"{address}/relecture?match={match}&deal=1&ply=0")
                    page.locator(".place").wait_for(timeout=60_000)
                    page.locator(".felt").evaluate(CARDS)
                    if round_number:  # the first visit warms the server
                        firsts.append(1000 * (time.perf_counter() - start))
                    steps = int(page.locator(".place").inner_text().split("/")[1])
                    some, more = page.evaluate(STEPS, min(steps, 30))
                    assert ply(page) == min(steps, 30)
                    scripts += some
                    frames += more
                    page.close()
                tell(f"{title}: first board, warm server", firsts, WARM)
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
