"""Time the dashboard's pages on a large store: `python -m benchmarks.pages [--deals N]`.

Each page runs as the server runs it, by Streamlit's own AppTest: what a browser then draws is not
in the figure. The store is made once in a cache and kept. The table goes into its own section of
`docs/benchmarks.md`.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from streamlit.testing.v1 import AppTest

from benchmarks import logs
from benchmarks.samples import MOST, TENTHS
from benchmarks.section import TABLE, write
from benchmarks.stores import CACHE
from dashboard.pages import NAMES
from dashboard.widgets import store as resources
from engine.games import title
from ingest.store.add import ingest
from ingest.store.store import Store

APP = Path(__file__).parents[1] / "dashboard" / "app.py"
HEADING = "## Pages on a large store"
LIMITS = {"first": 2000, "filter": 500, "replay": 300}
"""Milliseconds that we want no page to take."""

FILTERS: dict[str, tuple[dict[str, str], ...]] = {
    "parties": (
        {"q": "Player 12"},
        {"status": "legal", "game": title(MOST)},
        {"player": "Player 7"},
        {"event": "Event 3"},
        {"since": "2026-03-01", "until": "2026-03-31"},
        {"kind": "quinte"},
        {"sort": "event"},
        {"page": "3000"},
    ),
    "joueurs": ({"name": "Player 12"}, {"since": "2026-03-01"}, {"against": "Player 7"}),
    "annonces": ({"since": "2026-03-01"}, {"event": "Event 3"}),
    "classement": ({"name": "Player 12"}, {"event": "Event 3"}),
    "face_a_face": ({"one": "Player 7", "other": "Player 38"},),
    "donnees": ({"q": "Player 12"},),
    "regles": ({"words": "monter"},),
}
"""What is asked of a page that has been open for a while."""


def store_of(deals: int) -> Path:
    """The store with about so many deals, most of one game; made if it is not there."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"pages-{deals}.duckdb"
    if path.exists():
        return path
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        files = {game: deals * tenths // 10 for game, tenths in TENTHS.items()}
        for game, count in files.items():
            logs.write(Path(folder) / f"{game}.jsonl", game, count, events=500)
        with Store(part) as store:
            for report in ingest(store, sorted(Path(folder).iterdir())):
                print(f"{report.name}: {report.added:,}", flush=True)
    part.rename(path)
    return path


def opened(page: str, query: dict[str, str]) -> AppTest:
    """A page in a session of its own, not run yet."""
    app = AppTest.from_file(APP, default_timeout=120)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    return app.switch_page(f"app_pages/{page}.py")


def milliseconds(run: Callable[[], AppTest]) -> float:
    start = time.perf_counter()
    app = run()
    took = (time.perf_counter() - start) * 1000
    assert not app.exception, app.exception
    return took


def first_paint(page: str, query: dict[str, str], rounds: int) -> list[float]:
    """Runs of a page whose answers nobody has asked for yet, the store being open."""
    times = []
    for _ in range(rounds):
        app = opened(page, query)
        resources.forget()
        times.append(milliseconds(app.run))
    return times


def filter_change(page: str, query: dict[str, str], rounds: int) -> list[float]:
    """The same page once what does not depend on the filter has been answered."""
    times = []
    for _ in range(rounds):
        resources.forget()
        opened(page, {}).run()
        times.append(milliseconds(opened(page, query).run))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    path = store_of(args.deals)
    os.environ["RETOURNE_STORE"] = str(path)
    with Store(path) as store:
        row = store.cursor().execute(
            "SELECT (SELECT count(*) FROM deals), (SELECT count(*) FROM matches),"
            " (SELECT match_id FROM matches OFFSET (SELECT count(*) // 2 FROM matches) LIMIT 1)"
        )
        [(deals, matches, match_id)] = row.fetchall()
    rows = []

    def measure(what: str, limit: str, times: list[float]) -> None:
        middle = statistics.median(times)
        told = f"{middle:,.0f} ms ({min(times):,.0f}–{max(times):,.0f})"
        rows.append(f"| {what} | {told} | {LIMITS[limit]:,} ms | {middle / LIMITS[limit]:.2f} |")
        print(rows[-1], flush=True)

    for page in NAMES:
        measure(f"{page}: first paint", "first", first_paint(page, {}, args.rounds))
    for page, queries in FILTERS.items():
        for query in queries:
            asked = "&".join(f"{key}={value}" for key, value in query.items())
            times = filter_change(page, query, args.rounds)
            measure(f"{page}: filter `{asked}`", "filter", times)
    replay = {"match": match_id, "deal": "1", "ply": "9"}
    measure("relecture: a match opened", "replay", first_paint("relecture", replay, args.rounds))
    write(args.output, HEADING, written(rows, deals, matches, args.rounds))


def written(rows: list[str], deals: int, matches: int, rounds: int) -> list[str]:
    """The section of the table."""
    return [
        f"By `python -m benchmarks.pages`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors; "
        f"{deals:,} deals in {matches:,} matches,",
        f"median of {rounds} rounds with the least and the greatest. A run of the page on the "
        "server, the browser not",
        "included; *first paint* with no answer kept, a *filter* once the bare page was open. The",
        "ratio is to the time we want no page to take.",
        "",
        "| what | took | wanted | ratio |",
        "|---|---|---|---|",
        *rows,
    ]


if __name__ == "__main__":
    main()
