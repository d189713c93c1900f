"""Measure stored matches judged again, for `docs/benchmarks.md`: `python -m benchmarks.revalidate`.

As after a newer version of the rules that moves nothing, beside how long the same logs take to be
stored, in turn in one process: processor time alone counts, so a busy machine is no fault.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from unittest.mock import patch

from benchmarks import logs, section
from benchmarks.samples import RULES
from engine import RULES_VERSION
from ingest.store import revalidate, rows
from ingest.store.add import ingest
from ingest.store.revalidate import Judged, refresh, would_move
from ingest.store.store import Store

HEADING = "## Judged again"


def took(run: Callable[[], object]) -> float:
    """Seconds of the processors, those of all threads."""
    before = time.process_time()
    run()
    return time.process_time() - before


def nothing_moves(judged: Iterable[Judged]) -> None:
    """Do all of it, to the end."""
    batches = list(judged)
    assert batches
    assert not any(batch.moved for batch in batches)


@contextmanager
def newer() -> Iterator[None]:
    """The next version of the rules, which moves nothing."""
    with ExitStack() as patched:
        for module in (revalidate, rows):
            patched.enter_context(patch.object(module, "RULES_VERSION", RULES_VERSION + 1))
        yield


def once(source: Path, path: Path) -> tuple[float, float, float]:
    """What storing takes, then saying what would move, then judging again."""
    path.unlink(missing_ok=True)
    with Store(path) as store:
        stored = took(lambda: list(ingest(store, [source])))
        with newer():
            dry = took(lambda: nothing_moves(would_move(store)))
            return stored, dry, took(lambda: nothing_moves(refresh(store)))


def row(game: str, folder: Path, wanted: int, rounds: int) -> str:
    """A line of the table, after a round that is not counted."""
    source = folder / f"{game}.jsonl"
    deals = logs.write(source, game, wanted)
    runs = [once(source, folder / f"{game}.duckdb") for _ in range(rounds + 1)][1:]
    _, dry, again = (statistics.median(kind) / deals for kind in zip(*runs, strict=True))
    ratios = [one[0] / one[1] for one in runs]
    cells = [
        game,
        f"{1e6 * dry:.1f} µs",
        f"{round(1 / dry, -3):,.0f}",
        f"{1e6 * again:.1f} µs",
        f"{round(1 / again, -3):,.0f}",
        f"{statistics.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.revalidate", description=__doc__)
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    lines = [
        f"By `python -m benchmarks.revalidate`, {date.today():%Y-%m-%d}: {os.cpu_count()} "
        f"processors, {args.deals:,} deals a game;",
        f"the median of {args.rounds} rounds. Texts are read and nothing moves. Processor time a "
        "deal, and deals a",
        "second and core; then how many times that of a dry run storing the same logs takes, with",
        "the least and the greatest.",
        "",
        "| game | dry run | a second and core | refreshed | a second and core | stored ÷ dry run |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    with tempfile.TemporaryDirectory() as name:
        for game in RULES:
            lines.append(row(game, Path(name), args.deals, args.rounds))
            print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
