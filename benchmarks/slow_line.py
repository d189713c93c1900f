"""Time pages on a slow mobile connection: `python -m benchmarks.slow_line`.

Chromium at 390×844, which says it is a telephone, with 9 Mbit/s, 40 ms there and back, and a quarter
of the processor opens pages of the demo's store with nothing cached, and for comparison a page of
Streamlit that shows one line. A page is settled once its run has ended, it is shown and nothing of it
is still to come, with the charts in sight. The shift is that of the layout (CLS). Bytes are those that
come over the line.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from benchmarks import Section, arguments, spread
from benchmarks.pages import served
from dashboard.cli.demo import make_demo_store
from ingest.i18n import translator
from ingest.store.factory import Store
from tests.dashboard.browser import chromium, drawn

MATCHES = 600
MEGABITS, LATENCY_MS, SLOWDOWN = 9, 40, 4
PAGES = ("accueil", "joueurs", "joueurs?player={player}", "relecture?match={match}", "annonces")
TELEPHONE = (
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Mobile Safari/537.36"
)
SHIFT = """() => { window.shift = 0; new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
}).observe({ type: "layout-shift", buffered: true }); }"""
CHARTED = """() => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")].every((one) => {
  const plot = one.shadowRoot?.querySelector(".plot");
  return !plot || plot.getBoundingClientRect().top > innerHeight || plot.querySelector("svg");
})"""


class Opened(NamedTuple):
    """One page opened anew: seconds until it is settled, megabytes, layout shift."""

    seconds: float
    megabytes: float
    shift: float


def open_page(browser: Browser, address: str, settled: Callable[..., None]) -> Opened:
    """Open a page in a fresh context on the slow line."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, locale="fr-FR", is_mobile=True, user_agent=TELEPHONE
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    line = context.new_cdp_session(page)
    received = list[float]()
    line.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    line.send("Network.enable")
    speed = MEGABITS * 1_000_000 / 8
    line.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": LATENCY_MS, "downloadThroughput": speed, "uploadThroughput": speed},
    )
    line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.add_init_script(f"({SHIFT})()")
    page.goto(address)
    settled(page)
    page.wait_for_function(CHARTED)
    seconds = page.evaluate("performance.now() / 1000")
    found = Opened(seconds, sum(received) / 1e6, page.evaluate("window.shift"))
    context.close()
    return found


def bare_page(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Serve a page of Streamlit that shows one line; return its process and address."""
    script = folder / "bare.py"
    script.write_text("import streamlit as st\nst.title('Bare')\nst.write('One line.')\n", encoding="utf-8")
    port = 8599
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"]
    more = ["--server.headless=true", "--browser.gatherUsageStats=false"]
    process = subprocess.Popen(
        [*command, *more], cwd=folder, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return process, f"http://localhost:{port}"


def bare_drawn(page: Page) -> None:
    page.get_by_text("One line.").wait_for()


def main() -> None:
    args = arguments("slow_line", __doc__, rounds=3)
    section = Section(
        "Pages on a telephone",
        "slow_line",
        f"the median of {args.rounds} rounds with the least and the greatest, nothing cached; {MEGABITS} "
        f"Mbit/s, {LATENCY_MS} ms, 1/{SLOWDOWN} of the processor. Wanted: settled in 4 s, shift under 0.1",
    )
    section.table("page", ">settled, s", ">MB", ">layout shift", ">of bare Streamlit")
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        store = folder / "demo.duckdb"
        make_demo_store(translator("en"), store, MATCHES)
        with Store(store, read_only=True) as opened:
            [(player,)] = opened.cursor().execute("SELECT player_id FROM players LIMIT 1").fetchall()
            [(match,)] = opened.cursor().execute("SELECT match_id FROM matches LIMIT 1").fetchall()
        bare, bare_address = bare_page(folder)
        try:
            with served(store, folder / "log") as (host, _):
                pages = {
                    one.partition("?")[0] + ("?…" if "?" in one else ""): (
                        f"http://{host}/{one.format(player=player, match=match)}",
                        drawn,
                    )
                    for one in PAGES
                }
                rounds = {one: list[Opened]() for one in ("bare Streamlit", *pages)}
                for _ in range(args.rounds):
                    rounds["bare Streamlit"].append(open_page(browser, bare_address, bare_drawn))
                    for one, (address, settled) in pages.items():
                        rounds[one].append(open_page(browser, address, settled))
        finally:
            bare.terminate()
            bare.wait()
    for one, found in rounds.items():
        ratios = [a.seconds / b.seconds for a, b in zip(found, rounds["bare Streamlit"], strict=True)]
        section.row(
            one,
            spread([each.seconds for each in found], 1),
            spread([each.megabytes for each in found], 2),
            spread([each.shift for each in found], 2),
            spread(ratios, 2),
        )
    section.write(args.output)


if __name__ == "__main__":
    main()
