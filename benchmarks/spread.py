"""Measure files checked by a cluster, for `docs/benchmarks.md`: `python -m benchmarks.spread GAME`.

The same file stored by one process alone, with one worker and with four, in turn in one run. The
workers of a cluster are there and have checked once before their time is taken.
"""

import argparse
import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from benchmarks import logs, section
from benchmarks.samples import RULES
from ingest.cli.terminal import program_version
from ingest.spread.check_files import Spread
from ingest.spread.cluster import Cluster, joined
from ingest.store.add import ingest
from ingest.store.store import Store

HEADING = "## Checked by a cluster"
MANY = 4


def seconds(source: Path, cluster: Cluster | None, size: int) -> float:
    """Time to have a file in a new store."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        start = time.perf_counter()
        with Store(Path(folder) / "bench.duckdb") as store:
            checked = None if cluster is None else Spread(cluster, [source], size).checked
            (report,) = ingest(store, [source], checked=checked)
            assert report.added == report.by_status["legal"] > 0
        return time.perf_counter() - start


def ratio(above: list[float], below: list[float]) -> str:
    """How many times as fast the second is: the median, the least and the greatest."""
    found = [one / other for one, other in zip(above, below, strict=True)]
    return f"{statistics.median(found):.2f} ({min(found):.2f}–{max(found):.2f})"


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=RULES)
    parser.add_argument("--deals", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=4 << 20, help="bytes of a part")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as until:
        source = Path(folder) / "club.jsonl"
        deals = logs.write(source, asked.game, asked.deals)
        clusters: list[Cluster | None] = [None]
        for count in (1, MANY):
            clusters.append(until.enter_context(joined(f"local:{count}", program_version)))
        found: list[list[float]] = [[] for _ in clusters]
        for turn in range(asked.rounds + 1):
            for place, cluster in enumerate(clusters):
                took = seconds(source, cluster, asked.size)
                if turn:  # the first compiles
                    found[place].append(took)
        size = source.stat().st_size
    alone, one, many = found
    lines = [
        f"By `python -m benchmarks.spread {asked.game}`, {date.today():%Y-%m-%d}: "
        f"{os.cpu_count()} processors, "
        f"a load of {os.getloadavg()[0]:.1f}; a file of",
        f"{deals:,} deals of {asked.game} ({size / 1e6:,.0f} MB, parts of {asked.size >> 20} MB), "
        "checked, and stored in one embedded store by one",
        f"process; {asked.rounds} rounds in turn. More workers than processors cannot be faster "
        "than the processors are, and what is",
        "stored is stored by one.",
        "",
        "| what | times as fast |",
        "|---|--:|",
        f"| {MANY} workers, against 1 worker | {ratio(one, many)} |",
        f"| 1 worker, against no cluster | {ratio(alone, one)} |",
        f"| {MANY} workers, against no cluster | {ratio(alone, many)} |",
    ]
    print("\n".join(lines))
    section.write(section.TABLE, HEADING, lines)


if __name__ == "__main__":
    main()
