"""Measure the first file on a machine, for a section of `docs/benchmarks.md`:
`python -m benchmarks.first`.

A command in a process of its own, with an empty folder for what is compiled, and once more with
what it left there.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from benchmarks import logs, section
from benchmarks.samples import RULES

ROOT = Path(__file__).parents[1]
HEADING = "## The first file on a machine"
DEALS = 3000
WANTED = 10
"""Seconds that it may take in all."""


def took(words: list[str], kept: Path) -> float:
    """Seconds of a command of ours with this folder of what is compiled."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "ingest.cli", *words],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(kept)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def row(what: str, words: list[str], folder: Path, rounds: int) -> str:
    """A line of the table: first and later, each round with a folder and a store of its own."""
    first: list[float] = []
    later: list[float] = []
    for number in range(rounds):
        kept, store = folder / f"kept-{what}-{number}", folder / f"{what}-{number}"
        for found in (first, later):
            path = store.with_suffix(f".{len(first)}{len(later)}.duckdb")
            found.append(took([one.replace("STORE", str(path)) for one in words], kept))
    cells = [what]
    for found in (first, later):
        spread = f"{min(found):.1f}–{max(found):.1f}"
        cells.append(f"{statistics.median(found):.1f} s ({spread})")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    lines = [
        f"By `python -m benchmarks.first`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors "
        f"with a load of {os.getloadavg()[0]:.0f}, {DEALS:,} deals a game,",
        f"median of {args.rounds} round(s) with the least and the greatest. The whole command by "
        "the clock, with the start of",
        f"Python; the first time it may take {WANTED} s.",
        "",
        "| command | the first time | with what that left |",
        "|---|--:|--:|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for game in RULES:
            source = folder / f"{game}.jsonl"
            logs.write(source, game, DEALS)
            for command, *more in (["check"], ["ingest", "--store", "STORE"]):
                what = f"`{command}`, {game}"
                lines.append(row(what, [command, *more, str(source)], folder, args.rounds))
                print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
