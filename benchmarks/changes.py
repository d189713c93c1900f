"""Time a change of page in Chromium, beside a bare Streamlit page: `python -m benchmarks.changes`.

A change is timed from the click in the sidebar until the page stands there: its title, its run at
an end, nothing pale and nothing still to come. The bare page is a title and a line of text, of an
app with two such pages; it is measured in turn with ours. The table goes into its own section of
`docs/benchmarks.md`.
"""

import argparse
import json
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
from io import BytesIO
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.section import TABLE, write
from dashboard.pages import HOME, NAMES
from engine.games import names
from ingest.store.add import ingest
from ingest.store.store import Store
from schemas.simulated import season
from tests.dashboard.browser import chromium, drawn, serving

HEADING = "## A change of page"
MORE = 200
"""Milliseconds that a page of ours may take longer than a bare one."""
SEASON = 60
"""Matches of each game."""

BARE = """import streamlit as st

def page(title):
    def show():
        st.title(title)
        st.write("Nothing else.")
    return show

pages = [
    st.Page(page("One"), title="One", default=True),
    st.Page(page("Two"), title="Two", url_path="two"),
]
st.navigation(pages).run()
"""

CHANGE = """async path => {
    const links = [...document.querySelectorAll("[data-testid=stSidebar] a")];
    const link = links.find(one => new URL(one.href).pathname === path) ?? links[0];
    const title = () => document.querySelector("h1")?.textContent;
    const before = title(), start = performance.now();
    const stands = () => title() && title() !== before
        && document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")
        && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]");
    link.click();
    while (!stands()) await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""


def fill(path: Path) -> None:
    """A club's season at every game."""
    every = (one for game in names() for one in season(game, SEASON, 1))
    text = "".join(json.dumps(one) + "\n" for one in every)
    with Store(path) as store:
        list(ingest(store, [("season.jsonl", BytesIO(text.encode()))]))


@contextmanager
def bare(folder: Path) -> Iterator[str]:
    """The address of a bare Streamlit app."""
    script = folder / "bare.py"
    script.write_text(BARE, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true"]
    options = [f"--server.port={port}", "--browser.gatherUsageStats=false"]
    server = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)
    address = f"http://localhost:{port}"
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and server.poll() is None:
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait()


def change(page: Page, path: str) -> float:
    """Milliseconds until the page of a path stands there."""
    took: float = page.evaluate(CHANGE, path)
    page.wait_for_timeout(100)  # what the page does once it stands there is not the next one's
    return took


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.changes", description=__doc__)
    parser.add_argument("pages", nargs="*", default=[one for one in NAMES if one != HOME.name])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "store.duckdb")
        with (
            serving(folder / "store.duckdb", folder / "log") as address,
            bare(folder) as bare_address,
            chromium() as browser,
        ):
            ours, theirs = (browser.new_page(locale="fr-FR") for _ in range(2))
            ours.goto(address)
            drawn(ours)
            theirs.goto(bare_address)
            theirs.wait_for_selector("h1")
            for path in args.pages:
                pairs = []
                for _ in range(args.rounds + 1):
                    pairs.append((change(ours, f"/{path}"), change(theirs, "/two")))
                    change(ours, "/"), change(theirs, "/")
                own, other = (statistics.median(times) for times in zip(*pairs[1:], strict=True))
                least, most = (round(few(one for one, _ in pairs[1:])) for few in (min, max))
                rows.append(
                    f"| {path} | {own:,.0f} ms ({least:,}–{most:,}) | {other:,.0f} ms"
                    f" | {own - other:+,.0f} ms | {MORE} ms |"
                )
                print(rows[-1], flush=True)
    if len(args.pages) == len(NAMES) - 1:
        write(args.output, HEADING, written(rows, args.rounds))


def written(rows: list[str], rounds: int) -> list[str]:
    """The section of the table."""
    return [
        f"By `python -m benchmarks.changes`, {date.today():%Y-%m-%d}: a click in the sidebar until "
        "the page stands there, in headless",
        f"Chromium on a club's season, median of {rounds} with the least and the greatest, beside "
        "a bare Streamlit page",
        "measured in turn.",
        "",
        "| page | took | bare page | more | wanted at most |",
        "|---|---|---|---|---|",
        *rows,
    ]


if __name__ == "__main__":
    main()
