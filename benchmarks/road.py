"""Measure files on their way into a store, for `docs/benchmarks.md`: `python -m benchmarks.road`.

Each game's file is read, checked and stored, and put into a table by DuckDB's `read_ndjson`, in
turn in one process: the time that passes, which whatever else runs makes longer, and the processor
time, user and system, which it hardly does.
"""

import argparse
import gc
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NamedTuple

import duckdb

from benchmarks import logs, section
from benchmarks.samples import RULES
from ingest.store.add import ingest
from ingest.store.store import Store

HEADING = "## From a file to the store"


class Took(NamedTuple):
    """Seconds of one run."""

    passed: float
    processor: float


def took(run: Callable[[Path, Path], None], source: Path, target: Path) -> Took:
    target.unlink(missing_ok=True)
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    run(source, target)
    passed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return Took(passed, user + system)


def stored(source: Path, target: Path) -> None:
    """Read, check and store a file, the store closed at the end."""
    with Store(target) as store:
        (report,) = ingest(store, [source])
        assert report.added == report.by_status["legal"]


def bare(source: Path, target: Path) -> None:
    """What DuckDB alone needs to have the file's JSON in a table on disk."""
    with duckdb.connect(str(target)) as db:
        db.execute("CREATE TABLE bare AS SELECT * FROM read_ndjson(?)", [str(source)])


def row(game: str, deals: int, source: Path, folder: Path, rounds: int) -> str:
    """A line of the table: the two in turn, after a round that is not counted."""
    target = folder / "store.duckdb"
    took(stored, source, target), took(bare, source, target)
    pairs = [(took(stored, source, target), took(bare, source, target)) for _ in range(rounds)]
    cells = [game]
    for kind in Took._fields:
        ours = [getattr(pair[0], kind) for pair in pairs]
        theirs = [getattr(pair[1], kind) for pair in pairs]
        ratios = [other / own for own, other in zip(ours, theirs, strict=True)]
        each = (1e6 * statistics.median(some) / deals for some in (ours, theirs))
        cells.append(" / ".join(f"{one:.1f}" for one in each))
        spread = f"({min(ratios):.2f}–{max(ratios):.2f})"
        cells.append(f"{statistics.median(ratios):.2f} {spread}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.road", description=__doc__)
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    gc.set_threshold(100_000)  # as the command line does
    lines = [
        f"By `python -m benchmarks.road`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors, "
        f"{args.deals:,} deals a game;",
        f"the median of {args.rounds} rounds with the least and the greatest. Microseconds a deal, "
        "ours and those",
        "of bare `CREATE TABLE AS … read_ndjson`; above 1 ours is faster.",
        "",
        "| game | time, ours / bare | ratio | processor time, ours / bare | ratio |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for game in RULES:
            source = folder / f"{game}.jsonl"
            deals = logs.write(source, game, args.deals)
            lines.append(row(game, deals, source, folder, args.rounds))
            print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
