"""Measure the speed of ingest, from file to store, and of commands: `python -m benchmarks.ingest`.

In one process, in turn: Retourne reads, checks and stores each game's file; DuckDB's `read_ndjson`
loads it into a table. Wall time depends on what else runs, processor time hardly does. Then
commands in processes of their own, with compiled code cached and without; and the most memory that
storing a large file takes.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from unittest.mock import patch

import duckdb

from benchmarks import ROOT, RULES, Section, arguments, spread, swell, took, write
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.upload_duplicates import DuplicateFinder

RETOURNE = ("-m", "ingest.cli")
SAMPLE = str(ROOT / "data" / "exemple-lavardin.json")
COMMANDS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("`python -c pass`", ("-c", "pass"), ""),
    ("`import ingest`", ("-c", "import ingest"), ""),
    ("`retourne --version`", (*RETOURNE, "--version"), "300 ms"),
    ("`retourne --help`", (*RETOURNE, "--help"), "300 ms"),
    ("`retourne explain must-follow`", (*RETOURNE, "explain", "must-follow"), ""),
    ("`retourne check` of one match", (*RETOURNE, "check", SAMPLE), "1,200 ms"),
)
BARE = ("-c", "import typer")
FIRST = 3000
"""Deals of the first file on a machine; with compilation it may take ten seconds."""


def stored(source: Path, target: Path) -> None:
    """Read, check and store a file, and close the store."""
    target.unlink(missing_ok=True)
    with Store(target) as store:
        (report,) = ingest(store, [source])
        assert report.added == report.by_status["legal"]


def bare(source: Path, target: Path) -> None:
    """Load the file's JSON into a table on disk with DuckDB only."""
    target.unlink(missing_ok=True)
    with duckdb.connect(str(target)) as db:
        db.execute("CREATE TABLE bare AS SELECT * FROM read_ndjson(?)", [str(source)])


def road(section: Section, sources: dict[str, Path], folder: Path, wanted: int, rounds: int) -> None:
    """Measure `stored` and `bare` in turn, after a warm-up, and the size of the store."""
    section.table(
        *("game", "time, ours / bare", "ratio", "processor time, ours / bare", "ratio"),
        ">bytes a deal stored",
    )
    for game, source in sources.items():
        deals, target = write(source, game, wanted), folder / "store.duckdb"
        runs = [
            (took(partial(stored, source, target)), took(partial(bare, source, target)))
            for _ in range(rounds + 1)
        ][1:]
        cells = []
        for kind in (0, 1):
            ours, theirs = ([pair[which][kind] for pair in runs] for which in (0, 1))
            each = (1e6 * statistics.median(some) / deals for some in (ours, theirs))
            cells.append(" / ".join(f"{one:.1f}" for one in each))
            cells.append(spread([b / a for a, b in zip(ours, theirs, strict=True)], 2))
        stored(source, target)
        section.row(game, *cells, f"{target.stat().st_size / deals:,.0f}")


def again(target: Path, source: Path) -> None:
    """Store a file whose matches are all stored."""
    with Store(target) as store:
        (report,) = ingest(store, [source])
        assert report.added == 0


def duplicates(folder: Path, wanted: int, rounds: int) -> Section:
    """Measure what it costs to look for stored matches, and to store a file again."""
    section = Section(
        "Matches that are stored already",
        "ingest",
        f"{wanted:,} deals a game, the median of {rounds} rounds with the least and the greatest. Processor "
        "time in microseconds a deal: a new file without a look for stored matches, with it, and the "
        "same file again; ratios are to the file with it",
    )
    section.table("game", "without / with / again", "ratio without", "ratio again")
    for game in RULES:
        source, target = folder / f"{game}.jsonl", folder / "store.duckdb"
        deals, runs = write(source, game, wanted), list[list[float]]()
        for _ in range(rounds + 1):
            with patch.object(DuplicateFinder, "__call__", lambda finder, batch, skipped=frozenset(): {}):
                without = took(partial(stored, source, target)).processor
            runs.append([without, took(partial(stored, source, target)).processor])
            runs[-1].append(took(partial(again, target, source)).processor)
        bare_runs, found, more = zip(*runs[1:], strict=True)
        each = " / ".join(f"{1e6 * statistics.median(some) / deals:.1f}" for some in (bare_runs, found, more))
        ratios = ([a / b for a, b in zip(some, found, strict=True)] for some in (bare_runs, more))
        section.row(game, each, *(spread(some, 2) for some in ratios))
    return section


def memory(section: Section, sources: dict[str, Path], folder: Path, size: int) -> None:
    """Measure the peak memory of storing one large file of all games, in a process of its own."""
    swell([*sources.values()], large := folder / "large.jsonl", size)
    script = "import sys; from pathlib import Path; from benchmarks.ingest import stored\n"
    script += "stored(*map(Path, sys.argv[1:]))"
    command = [sys.executable, "-c", script, str(large), str(folder / "large.duckdb")]
    subprocess.run(command, cwd=ROOT, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    size = large.stat().st_size
    section.table("large file of all games", "most memory", "ratio")
    section.row(f"{size / 1e9:.1f} GB", f"{peak / 1e9:.2f} GB", f"{peak / size:.2f}")


def command(*words: str, **environment: str) -> None:
    """Run Python with these arguments in a process of its own."""
    fields = {**os.environ, **environment}
    null = subprocess.DEVNULL
    subprocess.run([sys.executable, *words], cwd=ROOT, env=fields, check=True, stdout=null)


def commands(rounds: int) -> Section:
    """Measure processor time of commands, each next to a Python that imports Typer."""
    section = Section(
        "A command from beginning to end",
        "ingest",
        f"median of {rounds} rounds with the least and the greatest. Processor time of a whole "
        "process, compiled functions in their cache, and how many times that of `import typer`",
    )
    for what, words, wanted in COMMANDS:
        pairs = [
            [took(partial(command, *one), resource.RUSAGE_CHILDREN).processor for one in (words, BARE)]
            for _ in range(rounds + 1)
        ][1:]
        own, ratios = [1e3 * ours for ours, _ in pairs], [ours / bare for ours, bare in pairs]
        limit = f"; wanted: {wanted}" if wanted else ""
        section.item(what, f"{spread(own, 0, ' ms')}{limit}; {spread(ratios)} times")
    return section


def first(folder: Path, rounds: int) -> Section:
    """Measure commands with an empty cache of compiled code, and again with the filled cache."""
    section = Section(
        "The first file on a machine",
        "ingest",
        f"{FIRST:,} deals a game, median of {rounds} round(s) with the least and the greatest. The "
        "whole command by the clock, with the start of Python; the first time it may take 10 s",
    )
    section.table("command", ">the first time", ">with what that left")
    for game in RULES:
        write(source := folder / f"first-{game}.jsonl", game, FIRST)
        for name, *more in (["check"], ["ingest", "--store"]):
            times: tuple[list[float], list[float]] = [], []
            for turn in range(rounds):
                stored_text = folder / f"{game}-{name}-{turn}"
                for again, found in enumerate(times):
                    words = [name, *more, *([f"{stored_text}-{again}.duckdb"] if more else []), str(source)]
                    began = time.perf_counter()
                    command(*RETOURNE, *words, NUMBA_CACHE_DIR=str(stored_text))
                    found.append(time.perf_counter() - began)
            section.row(f"`{name}`, {game}", *(spread(found, 1, " s") for found in times))
    return section


def main() -> None:
    args = arguments("ingest", __doc__, deals=200_000, rounds=5, megabytes=2000)
    section = Section(
        "From a file to the store",
        "ingest",
        f"{args.deals:,} deals a game, the median of {args.rounds} rounds with the least and the "
        "greatest. Microseconds a deal, ours and those of bare `CREATE TABLE AS … read_ndjson`; "
        "above 1 ours is faster",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = {game: folder / f"{game}.jsonl" for game in RULES}
        road(section, sources, folder, args.deals, args.rounds)
        memory(section, sources, folder, args.megabytes * 10**6)
        section.write(args.output)
        duplicates(folder, args.deals, args.rounds).write(args.output)
        commands(args.rounds).write(args.output)
        first(folder, max(args.rounds // 2, 1)).write(args.output)


if __name__ == "__main__":
    main()
