"""Time the same questions of a file and of a lake: `python -m benchmarks.lake [--deals N]`.

A store of deals that were all played (`benchmarks.stores`) is copied into a lake and compared with
it, or `--lake ADDRESS` has it already; then each question is asked of both in turn, warm, and the
ratio is told. The section of `docs/benchmarks.md` is written anew.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

import duckdb

from benchmarks import section, stores
from benchmarks.samples import MOST
from benchmarks.statistics import Ask, priority, queries
from ingest.store import ratings as ladder
from ingest.store.copying.compared import compare
from ingest.store.copying.run import copy
from ingest.store.lake.store import LakeStore
from ingest.store.lake.tidy import tidy
from ingest.store.store import Store
from tests.ingest import postgres

HEADING = "## A lake beside a file"
ASKED = (
    *("scope.scopes", "scope.deals", "scope.deals event", "players.table", "players.count"),
    *("left_out.reasons", "announcements.frequencies", "announcements.by event"),
    *("announcements.winning", "announcements.winning since", "fairness.tests", "chance.under"),
    *("contracts.contracts", f"ladder.standings {MOST}", f"duels.series {MOST}"),
)
"""The queries that are timed, beside all of a profile and the texts of some matches."""


class Stores(NamedTuple):
    """The same store twice."""

    file: Store
    lake: LakeStore


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lake", description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lake", metavar="ADDRESS", help="a lake with that store in it")
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    path = stores.distinct(args.deals)
    with (
        tempfile.TemporaryDirectory(dir=stores.CACHE) as folder,
        ExitStack() as until,
        Store(path, read_only=True) as file,
        Store(args.lake or _empty(until, Path(folder))) as lake,
    ):
        assert isinstance(lake, LakeStore)
        copied = None if args.lake else _copied(file, lake)
        octets = tidy(lake).after.octets
        found = _asked(Stores(file, lake), args.rounds)
        count = "SELECT count(*), count(DISTINCT hash(deck)) FROM deals"
        [(deals, packs)] = file.cursor().execute(count).fetchall()
    sizes = path.stat().st_size / deals, octets / deals
    lines = table(found, sizes, copied, (int(deals), int(packs), args.rounds))
    print("\n".join(lines))
    section.write(args.output, HEADING, lines)


def _empty(until: ExitStack, folder: Path) -> str:
    """The address of a new lake, there as long as `until` is."""
    return until.enter_context(postgres.running()).lake(folder / "lake")


def _copied(file: Store, lake: LakeStore) -> float:
    """How many times as long it took to compare a copy as to make it."""
    begun = time.perf_counter()
    assert copy(file, lake).added
    made = time.perf_counter()
    assert compare(file, lake).same
    ended = time.perf_counter()
    ladder.refresh(lake)  # is not copied, and the file has it
    return (ended - made) / (made - begun)


def _asked(both: Stores, rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    """Seconds of each question in turn, by its name."""
    asked = [queries(store.cursor()) for store in both]
    told: dict[str, tuple[str, ...]] = {name: (name,) for name in ASKED}
    profile = tuple(
        name for name in asked[0] if name.startswith("profile ") and name.endswith(f" {MOST}")
    )
    told[f"a profile, its {len(profile)} sections"] = profile
    found = {
        name: _in_turn(
            [
                partial(_all, [one[part] for part in parts], store)
                for one, store in zip(asked, both, strict=True)
            ],
            rounds,
        )
        for name, parts in told.items()
    }
    ids = "SELECT match_id FROM matches USING SAMPLE reservoir(50 ROWS) REPEATABLE (1)"
    some = [one for (one,) in both.file.cursor().execute(ids).fetchall()]
    found[f"the texts of {len(some)} matches"] = _in_turn(
        [partial(_fetched, store, some) for store in both], rounds
    )
    return found


def _all(asks: list[Ask], store: Store) -> None:
    for ask in asks:
        ask(store.cursor())


def _fetched(store: Store, ids: list[str]) -> None:
    for one in ids:
        number = store.find(one)
        assert number is not None
        store.text(number)


def _in_turn(asks: list[Callable[[], None]], rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of each, round by round, after one that is not counted."""
    took: tuple[list[float], list[float]] = [], []
    for turn in range(rounds + 1):
        for place, ask in enumerate(asks):
            begun = time.perf_counter()
            ask()
            if turn:
                took[place].append(time.perf_counter() - begun)
    return took


def table(
    found: dict[str, tuple[list[float], list[float]]],
    sizes: tuple[float, float],
    copied: float | None,
    deals: tuple[int, int, int],
) -> list[str]:
    """The section: what both take, a row a question, and the ratio."""
    count, packs, rounds = deals
    rows = []
    for name, (file, lake) in found.items():
        ratios = sorted(other / one for one, other in zip(file, lake, strict=True))
        told = [f"{statistics.median(some) * 1000:,.1f}" for some in (file, lake)]
        middle, spread = statistics.median(ratios), f"{ratios[0]:.1f}–{ratios[-1]:.1f}"
        rows.append((middle, f"| {name} | {' | '.join(told)} | {middle:.1f} ({spread}) |"))
    middle = statistics.median(ratio for ratio, _ in rows)
    return [
        f"By `python -m benchmarks.lake`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors, a "
        f"load of {os.getloadavg()[0]:.1f}{priority()}, DuckDB {duckdb.__version__};",
        f"{count:,} deals, of {packs:,} packs, copied from a store in a file into a lake, compared "
        "and put in order,",
        "PostgreSQL and the folder on the same machine. Each question of both in turn, "
        f"{rounds} rounds, milliseconds",
        "on the wall and how many times as long a lake takes: the median, the least and the "
        f"greatest. Over all of them {middle:.1f} times.",
        *([] if copied is None else [f"To compare took {copied:.1f} times as long as to copy."]),
        "All deals were played; what was lost in their ends is not reckoned.",
        "",
        "| | file | lake | times as long |",
        "|---|--:|--:|--:|",
        f"| bytes a deal | {sizes[0]:,.0f} | {sizes[1]:,.0f} | {sizes[1] / sizes[0]:.1f} |",
        *(told for _, told in sorted(rows, reverse=True)),
    ]


if __name__ == "__main__":
    main()
