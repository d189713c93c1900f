"""What a server holds on the day of a tournament: `python -m benchmarks.crowd [--minutes 10]`.

A server of its own, started as `retourne serve` starts it, is asked by 200 readers and by 50
players who send their games one by one: legal ones, faulty ones, torn ones, and ones that were
sent before. Afterwards every match that the server said it had taken is looked for in the store.
The table goes into its own section of `docs/benchmarks.md`; the exit code is 1 when one is missing,
when anything failed, or when 95 % of the reads took longer than 2 s.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import section
from benchmarks.samples import MOST, RULES
from benchmarks.visitors import Sample, served
from ingest.cli import demo
from ingest.i18n import translator
from ingest.store import tokens
from ingest.store.store import Store
from ingest.store.tokens import Role
from schemas.simulated import season

HEADING = "## A tournament for ten minutes"
WANTED = 2.0
"""Seconds in which 95 % of the reads are answered."""
KINDS = ("legal", "faulty", "torn", "twice")
SHARES = (70, 10, 10, 10)
EACH = 12.0
"""Seconds from a game of a player to the next, at least so many to be made beforehand."""
LOOKED_AT = 100
"""Games of the tournament that people look at."""
USERS = Path(__file__).with_name("crowd_users.py")


def games(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Matches that nobody has played, of one game after the other."""
    each = count // len(RULES) + 1
    for some in zip(*(season(game, each, seed) for game in RULES), strict=True):
        yield from some


def sent(count: int, seed: int) -> Iterator[bytes]:
    """What players send, each thing once but for what is sent twice."""
    lot, before, now = random.Random(seed), list[bytes](), datetime.now(UTC)
    kinds = lot.choices(KINDS, SHARES, k=count)
    for number, (match, kind) in enumerate(zip(games(count, seed), kinds, strict=False)):
        match["played_at"] = (now + timedelta(seconds=number)).isoformat()
        if kind == "faulty":  # an action that never was
            deal = lot.choice([one for one in match["deals"] if one.get("actions")])
            deal["actions"].pop(lot.randrange(len(deal["actions"])))
        text = json.dumps(match).encode()
        if kind == "torn":
            text = text[: lot.randrange(len(text) // 2, len(text) - 1)]
        if kind == "twice" and before:
            text = lot.choice(before)
        elif kind != "torn":
            before.append(text)
        yield text


def prepare(folder: Path, matches: int, count: int) -> tuple[Path, str]:
    """A club's store, what is read of it and what will be sent; the store and a token for it."""
    store = folder / "club.duckdb"
    demo.make(translator("en"), store, matches)
    (folder / "sent.jsonl").write_bytes(b"\n".join(sent(count, 77)))
    with Store(store) as opened:
        secret = tokens.add(opened, "players", Role.CONTRIBUTOR)
        ask = opened.cursor()
        legal = "SELECT match_id FROM matches WHERE status = 'legal' ORDER BY played_at DESC"
        ids = ask.execute(legal).fetchall()
        people = ask.execute("SELECT name FROM players").fetchall()
        found = {
            "matches": [one for (one,) in ids[:LOOKED_AT]],
            "players": [one for (one,) in people],
            "game": MOST,
        }
    (folder / "read.json").write_text(json.dumps(found))
    return store, secret


class Process(NamedTuple):
    """A server and the processes it has started: bytes of memory, and seconds of processor."""

    memory: int
    processor: float

    @classmethod
    def of(cls, pid: int) -> "Process":
        memory, ticks = 0, 0
        for one in (pid, *_below(pid)):
            memory += Sample.of(one).memory
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().split()[13:15]))
        return cls(memory, ticks / os.sysconf("SC_CLK_TCK"))


def _below(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for one in map(int, (task / "children").read_text().split()):
            yield one
            yield from _below(one)


def has_replay(host: str, match: str) -> bool:
    """Whether the server has the plain page of a match."""
    try:
        with urllib.request.urlopen(f"http://{host}/r/{match}") as answer:
            return b"_stcore" not in answer.read()
    except urllib.error.HTTPError:
        return False


def crowd(args: argparse.Namespace, folder: Path, host: str, secret: str) -> None:
    """Let them all come, and go after so many minutes."""
    more = {"CROWD": str(folder), "RETOURNE_TOKEN": secret}
    more |= {"CROWD_READERS": str(args.readers), "CROWD_PLAYERS": str(args.players)}
    users = args.readers + args.players
    words = ["-f", str(USERS), "--headless", "--host", f"http://{host}", "--only-summary"]
    words += ["--users", str(users), "--spawn-rate", str(max(1, users // 10))]
    words += ["--run-time", f"{round(60 * args.minutes)}s", "--stop-timeout", "60"]
    words += ["--exit-code-on-error", "0"]
    subprocess.run([sys.executable, "-m", "locust", *words], env=os.environ | more, check=True)


class Found(NamedTuple):
    """What became of what was sent."""

    by_answer: Counter[str]
    new: int
    missing: int
    """Matches the server said it had taken, which are not in the store."""
    unasked: int
    """Matches in the store that nobody was told of."""


def looked_for(folder: Path, store: Path, before: int) -> Found:
    """Compare what the server has said with what is in the store."""
    told = [json.loads(line) for line in (folder / "taken.jsonl").read_text().splitlines()]
    by_answer = Counter(str(one["status"]) for one in told)
    taken = {id for one in told for id, _, _ in one.get("matches", [])}
    new = {id for one in told for id, _, is_new in one.get("matches", []) if is_new}
    with Store(store, read_only=True) as opened:
        rows = opened.cursor().execute("SELECT match_id FROM matches").fetchall()
    there = {id for (id,) in rows}
    return Found(by_answer, len(new), len(taken - there), len(there) - before - len(new))


def percentile(times: dict[float, int], share: float) -> float:
    """The time in which so large a share was answered [s]; locust counts in rounded ms."""
    left = share * sum(times.values())
    for taken, count in sorted(times.items()):
        left -= count
        if left <= 0:
            return taken / 1000
    return 0.0


def merged(told: Sequence[dict[str, Any]]) -> dict[float, int]:
    """The times of several kinds of requests."""
    found = Counter[float]()
    for one in told:
        for taken, count in one["times"].items():
            found[float(taken)] += count
    return dict(found)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowd", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--matches", type=int, default=3000, help="in the store they look at")
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    count = 100 + round(60 * args.minutes * args.players / EACH * 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, secret = prepare(folder, args.matches, count)
        before = _matches(store)
        with served(store, folder / "log", "--rate", "0") as (host, server):
            read = json.loads((folder / "read.json").read_text())
            read["replay"] = has_replay(host, read["matches"][0])
            (folder / "read.json").write_text(json.dumps(read))
            time.sleep(1)
            start = Process.of(server)
            crowd(args, folder, host, secret)
            end = Process.of(server)
        said = (folder / "log").read_text()
        told = json.loads((folder / "told.json").read_text())
        found = looked_for(folder, store, before)
    lines, good = written(args, told["asked"], found, start, end)
    print("\n".join([*lines, *told["errors"]]))
    if raised := "Traceback" in said:
        print(said[-8000:], file=sys.stderr)
    section.write(args.output, HEADING, lines)
    return 0 if good and not raised else 1


def _matches(store: Path) -> int:
    with Store(store, read_only=True) as opened:
        [(count,)] = opened.cursor().execute("SELECT count(*) FROM matches").fetchall()
    return int(count)


def written(
    args: argparse.Namespace, told: dict[str, Any], found: Found, start: Process, end: Process
) -> tuple[list[str], bool]:
    """The section of the table, and whether all was as wanted."""
    reads = merged([one for name, one in told.items() if name.startswith("read ")])
    failures = sum(one["failures"] for one in told.values())
    slow = percentile(reads, 0.95)
    good = not failures and not found.missing and not found.unasked and slow <= WANTED
    answers = ", ".join(
        f"{count:,} × {status}" for status, count in sorted(found.by_answer.items())
    )
    lines = [
        f"By `python -m benchmarks.crowd`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors, "
        f"shared with the crowd itself and whatever else runs, a load of {os.getloadavg()[2]:.1f};",
        f"{args.readers} readers, 5 to 15 s from one page to the next, and {args.players} players "
        "who send a game every 5 to 15 s: of ten seven legal, one",
        "faulty, one torn, one sent before; all from one address (`--rate 0`), for "
        f"{args.minutes:g} minutes, on a store of {args.matches:,} matches and more.",
        f"Sent: {answers}; {found.new:,} matches were new. Of those the server said it had taken, "
        f"{found.missing:,} are missing in the store, and {found.unasked:,} are",
        f"there that nobody was told of. Failed requests: {failures:,}. 95 % of all reads took at "
        f"most {slow:.2f} s; wanted: {WANTED:g} s. The server’s memory, its",
        f"other processes included: {start.memory / 2**20:,.0f} MB when they came, "
        f"{end.memory / 2**20:,.0f} MB when they left; its processor: "
        f"{(end.processor - start.processor) / 60 / args.minutes:.2f} of one.",
        "",
        "| what | requests | failed | half [s] | 95 % [s] | 99 % [s] | longest [s] |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, one in sorted(told.items()):
        times = merged([one])
        cells = [f"{percentile(times, share):.2f}" for share in (0.5, 0.95, 0.99, 1.0)]
        lines.append(f"| `{name}` | {one['count']:,} | {one['failures']:,} | {' | '.join(cells)} |")
    return lines, good


if __name__ == "__main__":
    sys.exit(main())
