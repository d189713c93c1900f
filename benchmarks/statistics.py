"""Time every statistics query on growing stores: `python -m benchmarks.statistics [--sizes N …]`.

Each query is asked warm, as a page asks it, and of whoever played most; the median of some rounds
is told. The stores are made once in a cache and kept. The table goes into its own section of
`docs/benchmarks.md`.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
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
from ingest.store.store import Store

HEADING = "## Statistics on growing stores"
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
WANTED, AT = 0.3, 10_000_000
"""Seconds that we want no query to take on so many deals."""

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


def seconds(ask: Ask, cursor: duckdb.DuckDBPyConnection, rounds: int) -> float:
    """The median of some rounds, after one that is not counted."""
    times = []
    for _ in range(1 + rounds):
        start = time.perf_counter()
        ask(cursor)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def measured(deals: int, rounds: int, only: str) -> tuple[dict[str, float], int, int]:
    """Seconds of each query on a store of so many deals, how many it has, and its bytes."""
    path = stores.of(deals)
    times = {}
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        [(count,)] = cursor.execute("SELECT count(*) FROM deals").fetchall()
        for name, ask in queries(cursor).items():
            if only in name:
                times[name] = seconds(ask, cursor, rounds)
                print(f"{count:>12,}  {times[name] * 1000:>9,.1f} ms  {name}", flush=True)
    return times, count, path.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.statistics", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="deals of each store")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="part of a query's name; writes no table")
    parser.add_argument("--output", type=Path, default=TABLE)
    args = parser.parse_args()
    found = [measured(size, args.rounds, args.only) for size in sorted(args.sizes)]
    if not args.only:
        write(args.output, HEADING, table(found, args.rounds))


def table(found: list[tuple[dict[str, float], int, int]], rounds: int) -> list[str]:
    """The section: what each store takes, and a row per query, the slowest first."""
    counts = [count for _, count, _ in found]
    lines = [
        f"By `python -m benchmarks.statistics`, {date.today():%Y-%m-%d}: {os.cpu_count()} "
        f"processors, DuckDB {duckdb.__version__}; each query warm, the",
        f"median of {rounds} rounds in milliseconds. *Growth* is the greatest factor from one "
        "store to the next for",
        "ten times the deals: to 10 a query grows no faster than linearly. "
        f"Wanted: under {WANTED * 1000:.0f} ms with ten",
        "million deals.",
        "",
        "| | " + " | ".join(f"{count:,} deals" for count in counts) + " | growth | wanted |",
        "|---|" + "--:|" * (len(counts) + 2),
        "| bytes a deal | "
        + " | ".join(f"{size / count:,.0f}" for _, count, size in found)
        + " | | |",
    ]
    at = next((place for place, (_, count, _) in enumerate(found) if count >= 0.9 * AT), None)
    order = sorted(found[-1][0], key=lambda name: -found[-1][0][name])
    for name in order:
        times = [took[name] for took, _, _ in found]
        growth = [
            after / before * 10 * some / more
            for (before, some), (after, more) in pairwise(zip(times, counts, strict=True))
        ]
        good = "" if at is None else "yes" if times[at] < WANTED else "**no**"
        cells = [f"{took * 1000:,.1f}" for took in times]
        told = f"{max(growth):.1f}" if growth else ""
        lines.append(f"| {name} | {' | '.join(cells)} | {told} | {good} |")
    return lines


if __name__ == "__main__":
    main()
