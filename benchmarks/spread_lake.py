"""Measure files stored in a lake by a cluster, for `docs/benchmarks.md`.

    python -m benchmarks.spread_lake GAME

The same file stored by one process alone, by one worker and by four, in turn, each time in a new
lake of a PostgreSQL of its own; workers are there and have opened it before their time is taken.
What it costs is counted too: bytes, seconds of processor with PostgreSQL's, its transactions.
"""

import argparse
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import NamedTuple

import psutil
import psycopg

from benchmarks import logs, section
from benchmarks.samples import RULES
from benchmarks.spread import ratio
from ingest.cli.terminal import program_version
from ingest.spread.cluster import Cluster, joined
from ingest.spread.ingest_files import Writing
from ingest.store.add import FileReport, ingest
from ingest.store.address import parsed
from ingest.store.lake.store import LakeStore
from ingest.text.ranges import Reading, ranges
from ingest.text.storage import objects
from tests.ingest import postgres
from tests.ingest.storage import answering, environ

HEADING = "## Stored in a lake by a cluster"
MANY = 4
RANGE = re.compile(r"bytes=([0-9]+)-([0-9]+)")


class Cost(NamedTuple):
    """What it took to store a file."""

    seconds: float
    processor: float
    """Seconds, of the command, its workers and PostgreSQL."""
    bytes: int
    files: int
    catalogue: int
    """Bytes of the database."""
    transactions: int


def processor(pid: int) -> float:
    """Seconds of processor of a process, and of those it has begun."""
    told, found = psutil.Process(pid), 0.0
    for one in (told, *told.children(recursive=True)):
        try:
            found += sum(one.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return found


def stored(
    server: postgres.Server, source: Path, few: list[Path], cluster: Cluster | None, size: int
) -> Cost:
    """What it takes to have a file in a new lake, which some small ones have opened everywhere."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        address = server.lake(Path(folder) / "lake")
        catalogue = parsed(address).catalogue
        pids = os.getpid(), int((server.folder / "data/postmaster.pid").read_text().split()[0])

        def used() -> float:
            return sum(map(processor, pids))

        def reports(sources: list[Path]) -> list[FileReport]:
            if cluster is None:
                return list(ingest(store, sources))
            return list(Writing(cluster, store, sources, size).reports())

        with LakeStore(address) as store:
            reports(few)
            there = _there(catalogue, folder)
            before, start = used(), time.perf_counter()
            (report,) = reports([source])
            took, after = time.perf_counter() - start, used()
            assert report.added == report.by_status["legal"] > 0
        now = _there(catalogue, folder)
        counts = [one - other for one, other in zip(now, there, strict=True)]
        return Cost(took, after - before, *counts)


def _there(catalogue: str, folder: str) -> tuple[int, int, int, int]:
    """Bytes of the files, how many, bytes of the catalogue, transactions in it."""
    time.sleep(1.5)  # what PostgreSQL counts, it says a second later
    with psycopg.connect(catalogue) as ask:
        row = ask.execute(
            "SELECT pg_database_size(datname), xact_commit FROM pg_stat_database"
            " WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    sizes = [one.stat().st_size for one in (Path(folder) / "lake").rglob("*.parquet")]
    return sum(sizes), len(sizes), int(row[0]), int(row[1])


def requests(source: Path, size: int) -> int:
    """How often object storage is asked to cut a file in parts and to read them."""
    data, asked = source.read_bytes(), list[str]()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.command)
        told = RANGE.fullmatch(handler.headers.get("Range", ""))
        first, last = (int(told[1]), int(told[2])) if told else (0, len(data) - 1)
        body = data[first : last + 1]
        handler.send_response(206 if told else 200)
        handler.send_header("Content-Length", str(len(body)))
        handler.send_header("Last-Modified", "Mon, 23 Nov 2026 12:00:00 GMT")
        if told:
            handler.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(body)

    with answering(answer) as port:
        os.environ |= environ(port)
        [there] = objects("s3://club/club.jsonl")
        read = 0
        for part in ranges(there, size):
            reading = Reading(there, part)
            read += sum(len(batch.texts) for batch in reading.batches())
        assert read == data.count(b"\n")
    return len(asked)


def per_hundred_million(cost: Cost, deals: int, read: int, asked: int) -> list[str]:
    """What was counted, and the same of a hundred million deals."""
    times = 1e8 / deals

    def row(what: str, here: str, then: str) -> str:
        return f"| {what} | {here} | {then} |"

    def gigabytes(count: float) -> str:
        return f"{count / 1e9:,.1f} GB"

    return [
        "| what it costs | here | a hundred million deals |",
        "|---|--:|--:|",
        row("logs read", f"{read / 1e6:,.0f} MB", gigabytes(read * times)),
        row(
            "requests to object storage, where they lie there",
            f"{asked:,}",
            f"{asked * times:,.0f}",
        ),
        row("Parquet files", f"{cost.bytes / 1e6:,.1f} MB", gigabytes(cost.bytes * times)),
        row("how many", f"{cost.files:,}", f"{cost.files * times:,.0f}"),
        row(
            "processor, all processes",
            f"{cost.processor:,.1f} s",
            f"{cost.processor * times / 3600:,.1f} h",
        ),
        row(
            "transactions in PostgreSQL",
            f"{cost.transactions:,}",
            f"{cost.transactions * times:,.0f}",
        ),
        row(
            "the catalogue’s database",
            f"{cost.catalogue / 1e6:,.1f} MB",
            gigabytes(cost.catalogue * times),
        ),
    ]


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=RULES)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=4 << 20, help="bytes of a part")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as until:
        source = Path(folder) / "club.jsonl"
        deals = logs.write(source, asked.game, asked.deals)
        few = [Path(folder) / f"{number}.jsonl" for number in range(3 * MANY)]
        for path, line in zip(few, logs.lines(asked.game, len(few), seed=2), strict=True):
            path.write_bytes(line + b"\n")
        server = until.enter_context(postgres.running())
        ways: list[Callable[[], Cost]] = [lambda: stored(server, source, few, None, asked.size)]
        for count in (1, MANY):
            cluster = until.enter_context(joined(f"local:{count}", program_version))
            ways.append(lambda one=cluster: stored(server, source, few, one, asked.size))  # type: ignore[misc]
        found: list[list[Cost]] = [[] for _ in ways]
        for turn in range(asked.rounds + 1):
            for place, way in enumerate(ways):
                cost = way()
                print(place, cost, flush=True)
                if turn:  # the first compiles
                    found[place].append(cost)
        size, there = source.stat().st_size, requests(source, asked.size)
    alone, one, many = ([cost.seconds for cost in some] for some in found)
    used = [statistics.median(cost.processor for cost in some) for some in found]
    lines = [
        f"By `python -m benchmarks.spread_lake {asked.game}`, {date.today():%Y-%m-%d}: "
        f"{os.cpu_count()} processors, a load of {os.getloadavg()[0]:.1f};",
        f"a file of {deals:,} deals of {asked.game} ({size / 1e6:,.0f} MB, parts of "
        f"{asked.size >> 20} MB), checked and stored in a lake whose PostgreSQL",
        f"and folder are on the same machine; {asked.rounds} rounds in turn, each in a new lake. "
        "More workers than processors cannot",
        "be faster than the processors are.",
        "",
        "| what | times as fast |",
        "|---|--:|",
        f"| {MANY} workers, against 1 worker | {ratio(one, many)} |",
        f"| 1 worker, against no cluster | {ratio(alone, one)} |",
        f"| {MANY} workers, against no cluster | {ratio(alone, many)} |",
        f"| processor that {MANY} workers take, against 1 worker | {used[2] / used[1]:.2f} |",
        f"| processor that 1 worker takes, against no cluster | {used[1] / used[0]:.2f} |",
        "",
        f"With {MANY} workers, once, and by rule of three:",
        "",
        *per_hundred_million(found[2][-1], deals, size, there),
    ]
    print("\n".join(lines))
    section.write(section.TABLE, HEADING, lines)


if __name__ == "__main__":
    main()
