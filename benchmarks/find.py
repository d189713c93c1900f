"""Time searches inside games on a large store: `python -m benchmarks.find [--deals N --rounds N]`.

Each search has a process of its own, for its memory. A store of more than `statistics.PLAYED` deals has
copies of these, by other players on other days. Words about plays are counted for COUNT_SECONDS, as on the
page.
"""

import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from benchmarks import Section, arguments, spread
from benchmarks.statistics import store_of
from dashboard.queries import find
from ingest.store.factory import Store

SEARCHES = (
    "player:{player} lost>=20",
    "contract>=120 coinched made",
    "held:tierce not announced",
    "hand:As,7t",
    "(won>=50 or points>=100) not last",
    "date:2026-04 won",
    "finding",
    "turned",
)
"""Searches that SQL answers; `{player}` has most matches."""
PLAYS = (
    "trick:1 led:As",
    "led:brisque phase:open holding:7t",
    "played:Jt took:no",
    "player:{player} (trick:1 took) (trick:2 took)",
    "player_count:2 position:At,Tt",
    "player_count:2 position:7h,9h,Jh,Qt,Kt",
    "player_count:4 position:6d,Jd,Qc",
)
"""Searches that read the plays of deals."""
COUNT_SECONDS = 1


class Measured(NamedTuple):
    """One search: seconds of each round, and megabytes at most."""

    found: int
    is_counted: bool
    first_ten: list[float]
    whole: list[float]
    megabytes: float


def measured(path: Path, text: str, rounds: int) -> Measured:
    """Search a store for the first ten deals, then for their number, after one run that is not timed."""
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        [(player,)] = cursor.execute(
            "SELECT player_id FROM players JOIN seats USING (player_no) GROUP BY ALL"
            " ORDER BY count(*) DESC, 1 LIMIT 1"
        ).fetchall()
        search = find.read_search(text.format(player=f'"{player}"'))
        whole_answer = find.find_deals(cursor, search, seconds=COUNT_SECONDS)
        total = whole_answer.total or 0
        first = [_seconds(lambda: find.find_deals(cursor, search, count=False)) for _ in range(rounds)]
        whole = [
            _seconds(lambda: find.find_deals(cursor, search, limit=0, seconds=COUNT_SECONDS))
            for _ in range(rounds)
        ]
    return Measured(
        total,
        whole_answer.is_counted,
        first,
        whole,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def _seconds(run: Callable[[], object]) -> float:
    before = time.perf_counter()
    run()
    return time.perf_counter() - before


def main() -> None:
    args = arguments("find", __doc__, deals=10_000_000, rounds=5)
    section = Section(
        "Searches inside games",
        "find",
        f"medians of {args.rounds} rounds with the least and the greatest, warm. Wanted at 10,000,000 deals:"
        " the first ten in 0.3 s, the count in 1 s, under 1,000 MB",
    )
    section.table("search", ">deals", ">found", ">first ten, s", ">count, s", ">MB")
    path = store_of(args.deals, other_decks=False)
    for text in SEARCHES + PLAYS:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            one = pool.submit(measured, path, text, args.rounds).result()
        section.row(
            f"`{text}`",
            f"{args.deals:,}",
            f"{'' if one.is_counted else '≥ '}{one.found:,}",
            spread(one.first_ten, 2),
            spread(one.whole, 2),
            f"{one.megabytes:,.0f}",
        )
    section.write(args.output)


if __name__ == "__main__":
    main()
