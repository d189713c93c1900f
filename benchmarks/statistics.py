"""Time every statistics query on growing stores: `python -m benchmarks.statistics [--sizes N …]`.

Each query runs warm, as on a page, and for the player with most matches; the results are medians of
wall and processor time. The stores are made once and cached: simulated matches are stored as any
file, then multiplied by SQL.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path

import duckdb
import orjson

from benchmarks import CACHE, PAGE, PARTNERS, RULES, SCOPES, SHARES, Section
from dashboard.queries import (
    announcements,
    comparison,
    contracts,
    exclusions,
    fairness,
    head_to_head,
    ladder,
    player_deals,
    player_search,
    players,
    scope,
    simulated_baseline,
)
from dashboard.queries.scope import Scope
from dashboard.tables import profile
from ingest.store import endgame_rows, ratings, rollups, solve_job
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import match_document, simulate_matches, simulated_setup

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
WANTED, AT = 0.3, 10_000_000
"""Target in seconds for each query, and the number of deals that it applies to."""
FACTOR = 10
"""Greatest factor of processor time for ten times the deals."""

# stores

PLAYED = 100_000
"""Deals that are simulated; larger stores contain copies with other players and days."""
PLAYERS = 500
EVENTS = 50
SOURCES = ("site", "feuille", "application")

_SHIFTED = {
    "match_no": "match_no + {copy} * (SELECT max(match_no) + 1 FROM played.matches)",
    "block": "block + {copy} * (SELECT max(match_no) + 1 FROM played.matches)",
    "player_no": "(player_no + {copy} * (SELECT max(player_no) + 1 FROM played.players))::INTEGER",
    "file_no": "file_no + {copy} * (SELECT max(file_no) + 1 FROM played.files)",
    "match_index": "(match_index + {copy} * (SELECT max(match_index) + 1 FROM played.ratings))::INTEGER",
    "match_id": "md5(match_id || '-' || {copy})",
    "log_id": "log_id || '-' || {copy}",
    "player_id": "player_id || '-' || {copy}",
    "name": "name || ' ' || {copy}",
    "played_at": "played_at + to_months(({copy})::INTEGER)",
    # each copy deals its cards in another order: some stay, the others rotate
    "deck": "deck[:{copy} // 25] || deck[{copy} // 25 + 1 + {copy} % 25:]"
    " || deck[{copy} // 25 + 1:{copy} // 25 + {copy} % 25]",
    "month": "(month + to_months(({copy})::INTEGER))::DATE",
    "day": "(day + to_months(({copy})::INTEGER))::DATE",
}
"""SQL that makes each copy differ, by column, for all tables."""
TABLES = (
    *("files", "matches", "players", "seats", "deals", "deal_seats", "announcements"),
    *rollups.ROLLUP_TABLES,
    *endgame_rows.VALUE_TABLES,
    *("raw", "ratings"),
)


def store_of(deals: int, other_decks: bool = True) -> Path:
    """Return a store of about that many legal, dated and rated deals; make it if missing.

    Up to PLAYED deals are all distinct; larger stores have a multiple of PLAYED. `other_decks`: each
    copy has its own, with which its plays are mostly impossible; else it has neither rollups nor ratings.
    """
    path = CACHE / f"{'statistics' if other_decks or deals <= PLAYED else 'plays'}-{deals}.duckdb"
    if path.exists():
        return path
    base = _played(min(deals, PLAYED))
    if deals <= PLAYED:
        return base
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with Store(part) as store:
        store.connection.execute(f"ATTACH '{base}' AS played (READ_ONLY)")
        for copy in range(deals // PLAYED):
            for table in TABLES:
                if not other_decks and table in ("ratings", *rollups.ROLLUP_TABLES):
                    continue
                same = () if other_decks else ("deck",)
                store.connection.execute(
                    f"INSERT INTO {table} SELECT * REPLACE ({_replaced(store, table, copy, same)})"
                    f" FROM played.{table}"
                )
    part.rename(path)
    return path


def _replaced(store: Store, table: str, copy: int, same: Sequence[str]) -> str:
    """Return the SQL of the columns that differ in a copy of a table, but for `same`."""
    columns = store.connection.execute(f"DESCRIBE played.{table}").fetchall()
    return ", ".join(
        f"{_SHIFTED[column].format(copy=copy)} AS {column}"
        for column, *_ in columns
        if column in _SHIFTED and column not in same
    )


def _played(deals: int) -> Path:
    """Return a store of simulated deals, with ratings and solved ends."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"statistics-{deals}.duckdb"
    if path.exists():
        return path
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder, Store(part) as store:
        source = Path(folder) / "played.jsonl"
        with source.open("wb") as file:
            file.writelines(line + b"\n" for line in _lines(deals))
        (report,) = ingest(store, [source])
        assert report.added == report.by_status["legal"]
        ratings.refresh_ratings(store)
        list(solve_job.solve_missing(store))
    part.rename(path)
    return path


def _lines(deals: int) -> Iterator[bytes]:
    """Yield matches dated over a year; some players play more often than others."""
    number = 0
    for game, rules, seated, share in SHARES:
        played, left = simulated_setup(game, rules, seated), deals * share
        for match in simulate_matches(played, deals, 1):
            if left <= 0:
                break
            left -= len(match.deals)
            number += 1
            seats = [(number * number + 31 * seat) % PLAYERS for seat in range(seated)]
            document = match_document(
                played,
                match,
                rules,
                [{"id": f"p{seat}", "name": f"Player {seat}"} for seat in seats],
                id=f"played-{number}",
                played_at=f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}T14:00:00+01:00",
                event={"name": f"Event {number % EVENTS}"},
                source={"name": SOURCES[number % len(SOURCES)]},
            )
            yield orjson.dumps(document)


# queries

Took = tuple[float, float]
"""Seconds of wall time, and of all processors."""

Ask = Callable[[duckdb.DuckDBPyConnection], object]


def queries(cursor: duckdb.DuckDBPyConnection) -> dict[str, Ask]:
    """Return the queries to time, by name: every query, and some with filters."""
    found: dict[str, Ask] = {
        "scope.scopes": scope.available_scopes,
        "scope.names event": partial(scope.used_names, column="event", scope=Scope()),
        "people.offered": player_search.frequent_players,
        "ladder.ladders": ladder.list_ladders,
        "fairness.tests": partial(fairness.fairness_tests, scope=Scope()),
        "fairness.left_out": partial(fairness.exclusion_counts, scope=Scope()),
        "fairness.untested": partial(fairness.untested_deals, scope=Scope()),
        "fairness.repeated": partial(fairness.repeated_decks, scope=Scope()),
        "chance.under": partial(simulated_baseline.with_one_preset, scope=Scope()),
        f"fairness.tests {PARTNERS}": partial(fairness.fairness_tests, scope=Scope(PARTNERS, 4)),
        "contracts.contracts": partial(contracts.contracts, scope=Scope(PARTNERS, 4)),
    }
    filtered = {"": Scope(), " since": Scope(since=date(2026, 6, 1)), " event": Scope(event="Event 3")}
    for result, request in filtered.items():
        found |= {
            f"scope.deals{result}": partial(scope.count_deals, scope=request),
            f"left_out.reasons{result}": partial(exclusions.exclusion_counts, scope=request),
            f"players.table{result}": partial(players.players_table, scope=request),
            f"players.table by probable{result}": partial(
                players.players_table, scope=request, by_probable=True
            ),
            f"players.count{result}": partial(players.count_players, scope=request),
            f"left_out.reasons decided{result}": partial(
                exclusions.exclusion_counts, scope=request, decided=True
            ),
            f"left_out.deals{result}": partial(exclusions.excluded_deals, scope=request, decided=True),
            f"announcements.frequencies{result}": partial(
                announcements.announcement_frequencies, scope=request
            ),
            f"announcements.missed{result}": partial(announcements.missed_announcements, scope=request),
            f"announcements.winning{result}": partial(announcements.wins_with_announcements, scope=request),
        }
    for listed in (announcements.deals_behind, announcements.count_deals_behind):
        found[f"announcements.{listed.__name__}"] = timed_query(
            listed, Scope(), announcements.RowHands("mariage", True)
        )
    for key in announcements.GROUP_KEYS:
        found[f"announcements.by {key}"] = partial(announcements.frequencies_by, scope=Scope(), key=key)
    found["players.table words"] = partial(players.players_table, scope=Scope(), words="player 12")
    for request in (Scope(), *(Scope(*table) for table in SCOPES)):
        one, other = busiest(cursor, request)
        found[f"players.table opponent {request.game}"] = partial(
            players.players_table, scope=Scope(request.game, request.player_count, opponent=one)
        )
        for name, section in profile.SECTIONS.items():
            if profile.has_section(name, request.game):
                found[f"profile {name} {request.game}"] = timed_query(section.query, request, one)
        found[f"played.deals {request.game}"] = timed_query(player_deals.list_deals, request, one)
        compared = comparison.compare_players
        found[f"comparison.players {request.game}"] = timed_query(compared, request, (one, other))
        duel: tuple[Callable[..., object], ...] = (
            *(
                head_to_head.series_counts,
                head_to_head.score_table,
                head_to_head.margins,
                head_to_head.widest_margins,
                head_to_head.announcement_counts,
            ),
        )
        for each in duel:
            found[f"duels.{each.__name__} {request.game}"] = timed_query(each, request, (one,), (other,))
        ranked = Scope(request.game, 0, RULES[request.game])
        looked = {
            "": ranked,
            " since": replace(ranked, since=date(2026, 6, 1)),
            " event": replace(ranked, event="Event 3"),
            " opponent": replace(ranked, opponent=other),
        }
        for result, which in looked.items():
            found |= {
                f"ladder.standings {request.game}{result}": partial(ladder.ladder_standings, which=which),
                f"ladder.count {request.game}{result}": partial(ladder.count_standings, which=which),
                f"ladder.left_out {request.game}{result}": partial(ladder.unrated_counts, which=which),
                f"ladder.history {request.game}{result}": partial(
                    ladder.rating_history, player_no=one, which=which
                ),
            }
    return found


def timed_query(query: Callable[..., object], *values: object) -> Ask:
    """Return a query with positional arguments."""
    return lambda cursor: query(cursor, *values)


def busiest(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> tuple[int, int]:
    """Return the player with most matches of a scope, and that player's most frequent opponent."""
    where, values = scope.match_condition()
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
    """Return the median times of several rounds, after a warm-up."""
    walls, works = [], []
    for _ in range(1 + rounds):
        wall, work = time.perf_counter(), time.process_time()
        ask(cursor)
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - work)
    return statistics.median(walls[1:]), statistics.median(works[1:])


SHOWN = 6
"""Queries that the page lists: the slowest."""


@dataclass(frozen=True)
class Measured:
    """Times of each query on one store."""

    times: dict[str, Took]
    deals: int
    sizes: dict[str, int]
    """Bytes of the store and of its parts, by row label."""


def measured(deals: int, rounds: int, only: Sequence[str]) -> Measured:
    """Time queries on a store of that many deals."""
    path = store_of(deals)
    times = {}
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        [(count,)] = cursor.execute("SELECT count(*) FROM deals").fetchall()
        parts = parted(cursor)
        for name, ask in queries(cursor).items():
            if any(part in name for part in only):
                wall, work = times[name] = seconds(ask, cursor, rounds)
                text = f"{wall * 1000:>9,.1f} ms {work * 1000:>9,.1f} of the processors"
                print(f"{count:>12,} {text}  {name}", flush=True)
    return Measured(times, count, {"bytes a deal": path.stat().st_size} | parts)


def parted(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the bytes of a store's rollup tables, and its free bytes."""
    blocks = " UNION ALL ".join(
        f"SELECT block_id FROM pragma_storage_info('{table}')" for table in rollups.ROLLUP_TABLES
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
    parser.add_argument("--only", nargs="+", default=[""], help="parts of queries' names; writes no table")
    parser.add_argument("--output", type=Path, default=PAGE)
    args = parser.parse_args()
    found = [measured(size, args.rounds, args.only) for size in sorted(args.sizes)]
    if not any(args.only):
        table(found, args.rounds).write(args.output)


def table(found: list[Measured], rounds: int) -> Section:
    """Return the section: the size of each store, then a row per query, slowest first."""
    last = found[-1]
    order = sorted(last.times, key=lambda name: -last.times[name][0])
    growths = {name: growth(found, name) for name in order}
    slow = sum(last.times[name][0] >= WANTED for name in order)
    steep = sum(grown > FACTOR for grown in growths.values())
    section = Section(
        "Statistics on growing stores",
        "statistics",
        f"DuckDB {duckdb.__version__}{priority()}. Under {WANTED * 1000:.0f} ms with ten million "
        f"deals are wanted: {slow or 'none'} of {len(order)} queries took longer; "
        f"{steep or 'none'} grew faster than the deals. Each query warm, the median of {rounds} "
        f"rounds in milliseconds on the wall; the {SHOWN} slowest are listed",
    )
    sizes = [f">{one.deals:,} deals" for one in found]
    section.table("", *sizes, ">processors", ">growth", ">wanted")
    for part in last.sizes:
        each = [f"{one.sizes[part] / one.deals:,.0f}" for one in found]
        section.row(part, *each, "", "", "")
    for name in order[:SHOWN]:
        section.row(*row(found, name, growths[name]))
    return section


def priority() -> str:
    """Return a note if the process has real-time priority: wall times then exclude other load."""
    if not hasattr(os, "sched_getscheduler"):
        return ""
    real = os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR)
    return ", at real-time priority" if real else ""


def growth(found: list[Measured], name: str) -> float:
    """Return the greatest growth of processor time for ten times the deals; 0 for one store."""
    return max(
        (
            more.times[name][1] / less.times[name][1] * 10 * less.deals / more.deals
            for less, more in pairwise(found)
        ),
        default=0.0,
    )


def row(found: list[Measured], name: str, grown: float) -> list[str]:
    """Return the row of one query."""
    wall, work = found[-1].times[name]
    good = "" if found[-1].deals < 0.9 * AT else "yes" if wall < WANTED else "**no**"
    each = [f"{one.times[name][0] * 1000:,.1f}" for one in found]
    return [name, *each, f"{work * 1000:,.1f}", f"{grown:.1f}" if grown else "", good]


if __name__ == "__main__":
    main()
