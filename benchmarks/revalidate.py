"""Measure stored matches judged again, for `docs/benchmarks.md`: `python -m benchmarks.revalidate`.

As after a newer version of the rules that moves nothing: from columns, and from texts, in turn in
one process. Then what `retourne revalidate --dry-run` does with a store of all games.
"""

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks import logs, section
from benchmarks.samples import RULES, SHARES
from engine import RULES_VERSION
from ingest.store import from_columns, revalidate, rows
from ingest.store.add import ingest
from ingest.store.revalidate import Judged, refresh, would_move
from ingest.store.store import Store

HEADING = "## Judged again"


class Took(NamedTuple):
    """Seconds of one run."""

    passed: float
    processor: float


def took(run: Callable[[], object]) -> Took:
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    run()
    passed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return Took(passed, user + system)


def filled(path: Path, deals: dict[str, int]) -> int:
    """A store of about so many distinct deals of each game; how many they are."""
    count = 0
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, Store(path) as store:
        for game, wanted in deals.items():
            count += logs.write(source := Path(folder) / f"{game}.jsonl", game, wanted)
            (report,) = ingest(store, [source])
            assert report.added == report.by_status["legal"]
            source.unlink()
    return count


def nothing_moves(run: Callable[[], Iterable[Judged]]) -> None:
    """Do all of it, to the end."""
    judged = list(run())
    assert judged
    assert not any(batch.moved for batch in judged)


@contextmanager
def newer() -> Iterator[None]:
    """The next version of the rules, which moves nothing."""
    with ExitStack() as patched:
        for module in (revalidate, rows):
            patched.enter_context(patch.object(module, "RULES_VERSION", RULES_VERSION + 1))
        yield


def again(store: Store) -> None:
    """Let every verdict be one of today's rules."""
    store.connection.execute("UPDATE matches SET rules_version = ?", [RULES_VERSION])


def checking(store: Store) -> float:
    """Processor time of what is done with columns that are read, on one core, in seconds."""
    numbers = store.cursor().execute("SELECT match_no FROM matches ORDER BY 1").fetchnumpy()
    read = revalidate._columns(store, numbers["match_no"].astype(np.int64))
    spent = 0.0
    for _, _, games in read:
        for stored in games:
            begun = time.thread_time()
            found = from_columns.again(stored)
            spent += time.thread_time() - begun
            assert found is not None
            assert found.same.all()
    return spent


def row(game: str, folder: Path, wanted: int, rounds: int) -> str:
    """A line of the table: dry runs in turn, then refreshes, after a round that is not counted."""
    path = folder / f"{game}.duckdb"
    deals = filled(path, {game: wanted})
    with newer(), Store(path) as store:
        runs: list[Callable[[], Iterable[Judged]]] = [
            partial(would_move, store),
            partial(would_move, store, True),
            partial(refresh, store),
            partial(refresh, store, True),
        ]
        times: list[list[float]] = [[] for _ in runs]
        checks = []
        for _ in range(rounds + 1):
            checks.append(checking(store))
            for run, found in zip(runs, times, strict=True):
                again(store)
                found.append(took(partial(nothing_moves, run)).processor)
    path.unlink()
    each = [1e6 * statistics.median(found[1:]) / deals for found in times]
    check = deals / statistics.median(checks[1:])
    cells = [game, f"{check / 1e6:.2f} M"]
    for columns, texts in ((0, 1), (2, 3)):
        ratios = [b / a for a, b in zip(times[columns][1:], times[texts][1:], strict=True)]
        cells.append(f"{each[columns]:.2f} / {each[texts]:.1f}")
        cells.append(f"{statistics.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})")
    return "| " + " | ".join(cells) + " |"


def large(folder: Path, wanted: int, rounds: int) -> str:
    """What a dry run of a large store takes."""
    path = folder / "large.duckdb"
    deals = filled(path, {game: int(wanted * share) for game, _, _, share in SHARES})
    with newer(), Store(path, read_only=True) as store:
        run = partial(nothing_moves, partial(would_move, store))
        runs = [took(run) for _ in range(rounds + 1)][1:]
    path.unlink()
    passed, processor = (statistics.median(kind) for kind in zip(*runs, strict=True))
    return (
        f"`retourne revalidate --dry-run` on {deals:,} deals of all games: {passed:.1f} s, "
        f"{processor:.1f} s of the processors."
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.revalidate", description=__doc__)
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    lines = [
        f"By `python -m benchmarks.revalidate`, {date.today():%Y-%m-%d}: {os.cpu_count()} "
        f"processors, {args.deals:,} deals a game;",
        f"the median of {args.rounds} rounds with the least and the greatest. Nothing moves. "
        "*Checked*: deals a second",
        "that one core judges and compares once their columns are read. Then microseconds of the",
        "processors a deal, all in all, from columns and from texts.",
        "",
        "| game | checked | dry run | ratio | refreshed | ratio |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for game in RULES:
            lines.append(row(game, folder, args.deals, args.rounds))
            print(lines[-1], flush=True)
        if args.large:
            lines += ["", large(folder, args.large, args.rounds)]
            print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
