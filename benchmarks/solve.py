"""Measure what solving costs, for `docs/benchmarks.md`: `python -m benchmarks.solve`.

Deals are simulated and replayed first; what is measured is the solving alone, in processor time,
which whatever else runs hardly makes longer.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks import section
from benchmarks.samples import SOLVED
from engine import options, simulate
from engine.games import Game, Solver, game
from engine.replay import Replay
from engine.values import values

HEADING = "## Solving"
MILLION, DIFFERENT = 1_000_000, 100_000
"""Deals solved in bulk, and how many of them are not the same."""
LIMIT = 10_000_000
"""Beginnings of tricks after which a search is given up."""


def replays(of: Game, preset: str, deals: int) -> Iterator[Replay]:
    """Simulated deals of the fewest players the game takes."""
    players = of.players[0]
    rules = options.encode(of.name, options.settings(of.name, preset, players))
    found = (
        Replay(of, rules, players, deal.dealer, deal.deck, deal.codes)
        for match in simulate.matches(of, rules, players, deals, 1)
        for deal in match.deals
    )
    return islice(found, deals)


def milliseconds(run: Callable[[], object], times: int) -> float:
    """The least of some times."""
    took = []
    for _ in range(times):
        start = time.thread_time_ns()
        run()
        took.append(time.thread_time_ns() - start)
    return min(took) / 1e6


def row(what: str, took: list[float], wanted: str) -> str:
    """A line of the table: how many, the mean, the median and the ninety-fifth in a hundred."""
    mean, middle, most = np.mean(took), np.median(took), np.percentile(took, 95)
    return f"| {what} | {len(took):,} | {mean:.3f} | {middle:.3f} | {most:.3f} | {wanted} |"


def ends(of: Game, solver: Solver, preset: str, deals: int) -> list[float]:
    """Each deal's end, every card of it."""
    took: list[float] = []
    for replay in replays(of, preset, deals):
        start = solver.begins(replay.states)
        if start is not None:
            states, rules = replay.states[start:], replay.rules
            took.append(milliseconds(lambda s=states, r=rules: solver.judge(s, r), 3))  # type: ignore[misc]
    return took[1:]  # the first is compiled


def in_bulk(of: Game, preset: str, deals: int) -> float:
    """Seconds of processor that so many deals take in one call, all of their cards judged."""
    players = of.players[0]
    rules = options.encode(of.name, options.settings(of.name, preset, players))
    matches = simulate.matches(of, rules, players, deals, 1)
    some = list(islice((deal for match in matches for deal in match.deals), min(deals, DIFFERENT)))
    codes = np.concatenate([deal.codes for deal in some])
    told = (
        np.array([rules]),
        np.zeros(len(some), np.int64),
        np.full(len(some), players),
        np.array([deal.dealer for deal in some]),
        np.array([deal.deck for deal in some]),
        np.zeros(len(some), np.int64),
        codes,
        np.cumsum([0, *(len(deal.codes) for deal in some)]),
    )
    values(of, *told)  # compiled
    start = time.thread_time_ns()
    for _ in range(deals // len(some)):
        values(of, *told)
    return (time.thread_time_ns() - start) / 1e9


def earlier(of: Game, solver: Solver, preset: str, deals: int, tricks: int) -> list[float]:
    """Who wins, from the beginning of a trick on with so many to play."""
    took: list[float] = []
    for replay in replays(of, preset, 3 * deals):
        at = np.flatnonzero(
            (replay.states["trick"] == replay.last.trick - tricks)
            & (replay.states["on_table"] == 0)
            & (replay.states["over"] == 0)
        )
        full = replay.last.trick == len(replay.last.state["takers"])
        if full and len(at) and len(took) <= deals:
            state, rules = replay.states[at[0]], replay.rules
            took.append(milliseconds(lambda s=state, r=rules: solver.winner(s, r, LIMIT), 1))  # type: ignore[misc]
    return took[1:]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solve", description=__doc__)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    lines = [
        f"By `python -m benchmarks.solve`, {date.today():%Y-%m-%d}: milliseconds of processor",
        "time a deal, without what reading, checking and replaying take. A mean of 0.06 is a",
        "million deals in a minute.",
        "",
        "| what | how many | mean | median | 95 % under | wanted |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for one in SOLVED:
        of = game(one.game)
        solver = of.solver
        assert solver is not None
        if one.tricks is None:
            took = ends(of, solver, one.preset, args.deals)
        else:
            took = earlier(of, solver, one.preset, max(args.deals // 20, 5), one.tricks)
        lines.append(row(one.what, took, one.wanted))
        print(lines[-1], flush=True)
    of = game(SOLVED[0].game)
    took_all = in_bulk(of, SOLVED[0].preset, MILLION)
    lines += [
        "",
        f"In bulk, as `retourne revalidate --values` has it, {MILLION:,} deals of the first row",
        f"take {took_all:.0f} s of one processor, replayed and every card of their ends judged.",
    ]
    print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
