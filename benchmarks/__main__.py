"""Measure and write the first table of `docs/benchmarks.md`, of what no section below is about.

`python -m benchmarks [--deals N] [--memory GB]`. Every figure is a ratio of two things measured in
turn in one run, because machines differ and are shared; the median of the rounds is told, with the
least and the greatest.
"""

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from benchmarks import logs
from benchmarks.samples import MOST, RULES
from ingest.judge.decode import decode
from ingest.judge.explain import explain
from ingest.judge.numbers import Numbers, judge
from ingest.text.canonical import canonical
from ingest.text.sources import source_batches as read_batches

TABLE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def rounds(
    ours: Callable[[], object], theirs: Callable[[], object], count: int
) -> list[tuple[float, float]]:
    """Seconds of the two in turn, after one round that is not counted."""
    ours(), theirs()
    return [(seconds(ours), seconds(theirs)) for _ in range(count)]


class Report:
    """The rows of the table as they are measured."""

    def __init__(self) -> None:
        self.rows: list[str] = []

    def add(self, *cells: str) -> None:
        self.rows.append("| " + " | ".join(cells) + " |")
        print(self.rows[-1], flush=True)

    def write(self, path: Path, deals: int, count: int) -> None:
        """The table with what it was measured on."""
        head = [
            "# Benchmarks",
            "",
            f"By `make bench`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors "
            f"({platform.machine()}), Python {platform.python_version()}, DuckDB "
            f"{duckdb.__version__}; {deals:,} deals in matches of ten, {count} rounds. Absolute",
            "figures are this machine's and may be noisy; the ratio is of two things measured in",
            "turn in the same run, its median with the least and the greatest.",
            "",
            "| what | ours | the other | ratio |",
            "|---|---|---|---|",
        ]
        # what other programs measured stands below
        _, heading, below = path.read_text(encoding="utf-8").partition("\n## ")
        text = "\n".join(head + self.rows) + "\n" + heading + below
        path.write_text(text, encoding="utf-8")


def numbers_of(game: str, source: Path) -> Numbers:
    """A file's deals as the kernel takes them."""
    (batch, *_) = read_batches([source])
    read = canonical([one.text for one in batch.texts])
    return decode(game, read, np.arange(len(batch.texts))).numbers


def kernels(report: Report, sources: dict[str, Path], count: int) -> None:
    """The bulk kernel of each game, against the same kernel called a step at a time."""
    for game, source in sources.items():
        numbers = numbers_of(game, source)
        steps = len(numbers.codes)
        judge(numbers)
        best = min(seconds(partial(judge, numbers)) for _ in range(2 + count))
        one = by_steps(numbers, 200)
        report.add(
            f"{game}: kernel in bulk, one core, against `step` called from Python",
            f"{len(numbers.dealers) / best:,.0f} deals/s, {steps / best / 1e6:.0f} M steps/s",
            f"{one / 1e6:.2f} M steps/s",
            f"{steps / best / one:.0f}",
        )


def by_steps(numbers: Numbers, deals: int) -> float:
    """Steps a second when Python calls the kernel for each."""
    kernel = numbers.game.kernel
    state = np.zeros(1, kernel.State)[0]
    steps, start = 0, time.perf_counter()
    for d in range(min(deals, len(numbers.dealers))):
        rules = numbers.rules[numbers.rule_of[d]]
        kernel.start(state, rules, numbers.players[d], numbers.dealers[d], numbers.decks[d], 0)
        for code in numbers.codes[numbers.offsets[d] : numbers.offsets[d + 1]].tolist():
            kernel.step(state, rules, code)
            steps += 1
    return steps / (time.perf_counter() - start)


def explanation(report: Report, count: int) -> None:
    """A match with 300 faults explained, against the explanation of the same match without."""
    legal, spoilt = logs.swarming()
    assert not explain(legal).findings
    assert len(explain(spoilt).findings) == 300
    pairs = rounds(partial(explain, spoilt), partial(explain, legal), 5 * count)
    ours, theirs = (statistics.median(times) * 1e3 for times in zip(*pairs, strict=True))
    ratios = [own / other for own, other in pairs]
    report.add(
        f"{MOST}: a match with 300 faults explained, against the same match without",
        f"{ours:.1f} ms",
        f"{theirs:.1f} ms",
        f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
    )


def memory(report: Report, sources: Sequence[Path], folder: Path, gigabytes: float) -> None:
    """The most memory that storing one large file of all games takes, in a process of its own."""
    large = folder / "large.jsonl"
    logs.swell(sources, large, int(gigabytes * 1e9))
    script = (
        "import sys, pathlib\n"
        "from ingest.store.add import ingest\nfrom ingest.store.store import Store\n"
        "with Store(sys.argv[2]) as store: list(ingest(store, [pathlib.Path(sys.argv[1])]))"
    )
    command = [sys.executable, "-c", script, str(large), str(folder / "large.duckdb")]
    subprocess.run(command, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9
    size = large.stat().st_size / 1e9
    report.add(
        f"most memory while storing a file of {size:.1f} GB of all games, against the file's size",
        f"{peak:.2f} GB",
        f"{size:.2f} GB",
        f"{peak / size:.2f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", type=float, default=2.0, help="gigabytes; 0 leaves it out")
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = {game: folder / f"{game}.jsonl" for game in RULES}
        for game, path in sources.items():
            logs.write(path, game, args.deals)
        kernels(report, sources, args.rounds)
        explanation(report, args.rounds)
        if args.memory:
            memory(report, [*sources.values()], folder, args.memory)
    report.write(args.output, args.deals, args.rounds)


main()
