"""Time every statistics query on growing stores: `python -m benchmarks.statistics [--sizes N …]`.

Each query is asked warm, as a page asks it, and of whoever played most; the medians of some rounds
are told, of the wall and of the processors' time. The stores are made once in a cache and kept. The
table goes into its own section of `docs/benchmarks.md`, beside what each took before.
"""

import argparse
import csv
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path

import duckdb

from benchmarks import stores
from benchmarks.samples import PARTNERS, RULES, SCOPES
from benchmarks.section import TABLE, write
from dashboard.queries import (
    announcements,
    chance,
    contracts,
    duels,
    fairness,
    ladder,
    left_out,
    people,
    played,
    players,
    scope,
)
from dashboard.queries.scope import Scope
from dashboard.tables import profile
from ingest.store import totals
from ingest.store.store import Store

HEADING = "## Statistics on growing stores"
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
WANTED, AT = 0.3, 10_000_000
"""Seconds that we want no query to take on so many deals."""
FACTOR = 10
"""What a query may take at most of ten times the deals, in times of what it took."""
BEFORE = Path(__file__).with_name("statistics-before.csv")
"""What each query took of AT deals on 2026-11-22, before anything was counted beforehand."""

Took = tuple[float, float]
"""Seconds on the wall, and of all processors."""

Ask = Callable[[duckdb.DuckDBPyConnection], object]


def queries(cursor: duckdb.DuckDBPyConnection) -> dict[str, Ask]:
    """What is timed, by name: every query there is, and what its filters make of some."""
    found: dict[str, Ask] = {
        "scope.scopes": scope.scopes,
        "scope.names event": partial(scope.names, column="event", scope=Scope()),
        "people.offered": people.offered,
        "ladder.ladders": ladder.ladders,
        "fairness.tests": partial(fairness.tests, scope=Scope()),
        "fairness.left_out": partial(fairness.left_out, scope=Scope()),
        "fairness.untested": partial(fairness.untested, scope=Scope()),
        "fairness.repeated": partial(fairness.repeated, scope=Scope()),
        "chance.under": partial(chance.under, scope=Scope()),
        f"fairness.tests {PARTNERS}": partial(fairness.tests, scope=Scope(PARTNERS, 4)),
        "contracts.contracts": partial(contracts.contracts, scope=Scope(PARTNERS, 4)),
    }
    filtered = {
        "": Scope(),
        " since": Scope(since=date(2026, 6, 1)),
        " event": Scope(event="Event 3"),
    }
    for told, asked in filtered.items():
        found |= {
            f"scope.deals{told}": partial(scope.deals, scope=asked),
            f"left_out.reasons{told}": partial(left_out.reasons, scope=asked),
            f"players.table{told}": partial(players.table, scope=asked),
            f"players.count{told}": partial(players.count, scope=asked),
            f"left_out.reasons decided{told}": partial(left_out.reasons, scope=asked, decided=True),
            f"left_out.deals{told}": partial(left_out.deals, scope=asked, decided=True),
            f"announcements.frequencies{told}": partial(announcements.frequencies, scope=asked),
            f"announcements.missed{told}": partial(announcements.missed, scope=asked),
            f"announcements.winning{told}": partial(announcements.winning, scope=asked),
        }
    for listed in (announcements.behind, announcements.behind_count):
        found[f"announcements.{listed.__name__}"] = asking(listed, Scope(), "mariage", True)
    for key in announcements.KEYS:
        found[f"announcements.by {key}"] = partial(announcements.by, scope=Scope(), key=key)
    found["players.table words"] = partial(players.table, scope=Scope(), words="player 12")
    for asked in (Scope(), *(Scope(*table) for table in SCOPES)):
        one, other = busiest(cursor, asked)
        found[f"players.table opponent {asked.game}"] = partial(
            players.table, scope=Scope(asked.game, asked.players, opponent=one)
        )
        for name, section in profile.SECTIONS.items():
            if profile.has_section(name, asked.game):
                found[f"profile {name} {asked.game}"] = asking(section.query, asked, one)
        found[f"played.deals {asked.game}"] = asking(played.deals, asked, one)
        duel: tuple[Callable[..., object], ...] = (
            *(duels.series, duels.score, duels.margins, duels.widest, duels.announcements),
        )
        for each in duel:
            found[f"duels.{each.__name__} {asked.game}"] = asking(each, asked, (one,), (other,))
        ranked = Scope(asked.game, 0, RULES[asked.game])
        looked = {
            "": ranked,
            " since": replace(ranked, since=date(2026, 6, 1)),
            " event": replace(ranked, event="Event 3"),
            " opponent": replace(ranked, opponent=other),
        }
        for told, which in looked.items():
            found |= {
                f"ladder.standings {asked.game}{told}": partial(ladder.standings, which=which),
                f"ladder.count {asked.game}{told}": partial(ladder.count, which=which),
                f"ladder.left_out {asked.game}{told}": partial(ladder.left_out, which=which),
                f"ladder.history {asked.game}{told}": partial(
                    ladder.history, player_no=one, which=which
                ),
            }
    return found


def asking(query: Callable[..., object], *values: object) -> Ask:
    """A query of some values, whatever it calls them."""
    return lambda cursor: query(cursor, *values)


def busiest(cursor: duckdb.DuckDBPyConnection, asked: Scope) -> tuple[int, int]:
    """Who played most matches of a table, and who most of them against that player."""
    where, values = asked.where()
    seated = f"FROM seats s JOIN matches m USING (match_no) WHERE {where}"
    most = "GROUP BY s.player_no ORDER BY count(*) DESC, s.player_no LIMIT 1"
    row = cursor.execute(f"SELECT s.player_no {seated} {most}", values).fetchone()
    assert row is not None
    against = cursor.execute(
        f"""SELECT s.player_no {seated} AND s.player_no <> ? AND match_no IN
            (SELECT match_no FROM seats WHERE player_no = ?) {most}""",
        [*values, row[0], row[0]],
    ).fetchone()
    assert against is not None
    return int(row[0]), int(against[0])


def seconds(ask: Ask, cursor: duckdb.DuckDBPyConnection, rounds: int) -> Took:
    """The medians of some rounds, after one that is not counted."""
    walls, works = [], []
    for _ in range(1 + rounds):
        wall, work = time.perf_counter(), time.process_time()
        ask(cursor)
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - work)
    return statistics.median(walls[1:]), statistics.median(works[1:])


@dataclass(frozen=True)
class Measured:
    """What each query took of one store."""

    times: dict[str, Took]
    deals: int
    sizes: dict[str, int]
    """Bytes of the store, and of its parts."""


def measured(deals: int, rounds: int, only: str, rest: float) -> Measured:
    """What queries take of a store of so many deals, with so many seconds between two of them."""
    path = stores.of(deals)
    times = {}
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        [(count,)] = cursor.execute("SELECT count(*) FROM deals").fetchall()
        parts = parted(cursor)
        for name, ask in queries(cursor).items():
            if only in name:
                time.sleep(rest)
                wall, work = times[name] = seconds(ask, cursor, rounds)
                told = f"{wall * 1000:>9,.1f} ms {work * 1000:>9,.1f} of the processors"
                print(f"{count:>12,} {told}  {name}", flush=True)
    return Measured(times, count, {"bytes a deal": path.stat().st_size} | parts)


def parted(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Bytes of a store that hold what is counted beforehand, and those the next rows will use."""
    blocks = " UNION ALL ".join(
        f"SELECT block_id FROM pragma_storage_info('{table}')" for table in totals.TABLES
    )
    [(counted, free)] = cursor.execute(
        f"""SELECT block_size * (SELECT count(DISTINCT block_id) FROM ({blocks})),
            block_size * free_blocks FROM pragma_database_size()"""
    ).fetchall()
    return {"of them counted beforehand": counted, "of them free": free}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.statistics", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="deals of each store")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="part of a query's name; writes no table")
    parser.add_argument("--rest", type=float, default=0, help="seconds before each query")
    parser.add_argument("--before", type=Path, default=BEFORE, help="what queries took, as CSV")
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    found = [measured(size, args.rounds, args.only, args.rest) for size in sorted(args.sizes)]
    if not args.only:
        write(args.output, HEADING, table(found, args.rounds, taken(args.before)))


def taken(path: Path) -> dict[str, float]:
    """Seconds that queries took, by name, of a table of milliseconds."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["query"]: float(row["milliseconds"]) / 1000 for row in csv.DictReader(file)}


def table(found: list[Measured], rounds: int, before: dict[str, float]) -> list[str]:
    """The section: what each store takes, and a row per query, the slowest first."""
    last = found[-1]
    order = sorted(last.times, key=lambda name: -last.times[name][0])
    growths = {name: growth(found, name) for name in order}
    slow = sum(last.times[name][0] >= WANTED for name in order)
    steep = sum(grown > FACTOR for grown in growths.values())
    sizes = [f"{one.deals:,} deals" for one in found]
    return [
        f"By `python -m benchmarks.statistics`, {date.today():%Y-%m-%d}: {os.cpu_count()} "
        f"processors, DuckDB {duckdb.__version__}{priority()}; each query warm,",
        f"the median of {rounds} rounds in milliseconds on the wall; of the largest store also "
        "the time of all",
        "processors together, and in *before* what the wall showed on 2026-11-22, when nothing was",
        "counted beforehand. *Growth* is the greatest factor of the processors' time from one",
        f"store to the next for ten times the deals: to {FACTOR} a query grows no faster than they "
        "do.",
        f"Wanted: under {WANTED * 1000:.0f} ms with ten million deals. {slow or 'None'} of "
        f"{len(order)} queries took longer; {steep or 'none'} grew faster.",
        "",
        f"| | {' | '.join(sizes)} | processors | before | growth | wanted |",
        "|---|" + "--:|" * (len(found) + 4),
        *(
            f"| {part} | {' | '.join(f'{one.sizes[part] / one.deals:,.0f}' for one in found)}"
            " | | | | |"
            for part in last.sizes
        ),
        *(row(found, name, before.get(name), growths[name]) for name in order),
    ]


def priority() -> str:
    """Where it was asked for, that other work had to wait: the wall is that of a quiet machine."""
    if not hasattr(os, "sched_getscheduler"):
        return ""
    real = os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR)
    return ", at real-time priority" if real else ""


def growth(found: list[Measured], name: str) -> float:
    """The greatest factor of work from one store to the next for ten times the deals; 0 of one."""
    return max(
        (
            more.times[name][1] / less.times[name][1] * 10 * less.deals / more.deals
            for less, more in pairwise(found)
        ),
        default=0.0,
    )


def row(found: list[Measured], name: str, before: float | None, grown: float) -> str:
    """What one query took."""
    wall, work = found[-1].times[name]
    good = "" if found[-1].deals < 0.9 * AT else "yes" if wall < WANTED else "**no**"
    cells = [
        *(f"{one.times[name][0] * 1000:,.1f}" for one in found),
        f"{work * 1000:,.1f}",
        "" if before is None else f"{before * 1000:,.1f}",
        f"{grown:.1f}" if grown else "",
        good,
    ]
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
