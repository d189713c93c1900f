"""Measure whole processes, for a section of `docs/benchmarks.md`: `python -m benchmarks.start`.

What a command costs before and beside its work: the processor time of a process of its own, user
and system, caches warm, against a Python that only imports what the command line is built with.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
from datetime import date
from pathlib import Path

from benchmarks import section

ROOT = Path(__file__).parents[1]
HEADING = "## A command from beginning to end"
BARE = ("-c", "import typer")
RETOURNE = ("-m", "ingest.cli")
SAMPLE = str(ROOT / "data" / "exemple-lavardin.json")

MEASURED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("`python -c pass`", ("-c", "pass"), ""),
    ("`import ingest`", ("-c", "import ingest"), ""),
    ("`retourne --version`", (*RETOURNE, "--version"), "300 ms"),
    ("`retourne --help`", (*RETOURNE, "--help"), "300 ms"),
    ("`retourne explain must-follow`", (*RETOURNE, "explain", "must-follow"), ""),
    ("`retourne check` of one match", (*RETOURNE, "check", SAMPLE), "1,200 ms"),
)


def milliseconds(words: tuple[str, ...]) -> float:
    """The processor time of a Python with these words, in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return 1e3 * spent


def row(what: str, words: tuple[str, ...], wanted: str, rounds: int) -> str:
    """A line of the table: the two in turn, after a round that is not counted."""
    milliseconds(words)
    pairs = [(milliseconds(words), milliseconds(BARE)) for _ in range(rounds)]
    own = [pair[0] for pair in pairs]
    ratios = [ours / bare for ours, bare in pairs]
    spread = f"{statistics.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})"
    took = f"{statistics.median(own):,.0f} ms ({min(own):,.0f}–{max(own):,.0f})"
    return f"| {what} | {took} | {wanted} | {spread} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    lines = [
        f"By `python -m benchmarks.start`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors, "
        f"median of {args.rounds} rounds",
        "with the least and the greatest. Processor time of a whole process, user and system,",
        "compiled functions in their cache; the ratio is to `import typer` in the same round.",
        "",
        "| what | took | wanted | ratio |",
        "|---|---|---|---|",
    ]
    for what, words, wanted in MEASURED:
        lines.append(row(what, words, wanted, args.rounds))
        print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
