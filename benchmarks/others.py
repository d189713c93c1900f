"""Measure other libraries beside us, for a section of `docs/benchmarks.md`:
`python -m benchmarks.others [--deals N] [--rounds N]`.

Every round has each library once and, right after it, what we do with as comparable a game: a file
stored, checked, and its deals replayed alone. Told is processor time of the process, all its
threads together, so that a second processor is no advantage; the ratio is of one round.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import logs, section
from benchmarks.peers import Peer, peers
from benchmarks.samples import MOST, PARTNERS
from ingest.api import check
from ingest.judge.decode import decode
from ingest.judge.numbers import Numbers, judge
from ingest.store.add import ingest
from ingest.store.store import Store
from ingest.text.canonical import canonical
from ingest.text.sources import source_batches

HEADING = "## Beside other libraries"
WITH_PARTNERS = ("jass-kit", "OpenSpiel")
"""Libraries whose games are held beside ours with partners and bids."""


class Ours(NamedTuple):
    """What we do with a file of one game: seconds of the processor for all its deals."""

    game: str
    deals: int
    actions: int
    ways: Mapping[str, Callable[[], None]]


def processor(run: Callable[[], None]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def ours(game: str, deals: int, folder: Path) -> Ours:
    source, target = folder / f"{game}.jsonl", folder / f"{game}.duckdb"
    count = logs.write(source, game, deals)
    numbers = [
        decode(game, canonical([one.text for one in batch.texts]), np.arange(len(batch.texts)))
        for batch in source_batches([source])
    ]
    parts = [one.numbers for one in numbers]
    ways = {
        "stored": partial(stored, source, target),
        "checked": partial(checked, source),
        "replayed": partial(replayed, parts),
    }
    return Ours(game, count, sum(len(part.codes) for part in parts), ways)


def stored(source: Path, target: Path) -> None:
    """JSON Lines → checked → in a new store, closed."""
    target.unlink(missing_ok=True)
    with Store(target) as store:
        (report,) = ingest(store, [source])
    assert report.added == report.by_status["legal"]


def checked(source: Path) -> None:
    """JSON Lines → a verdict a match."""
    for report in check(source):
        assert report.status == "legal"


def replayed(parts: list[Numbers]) -> None:
    """Numbers → verdicts."""
    for part in parts:
        verdicts = judge(part)
        assert not verdicts.faults.any()


def row(peer: Peer, own: Ours, rounds: int) -> str:
    """A line of the table: the library and our three ways in turn."""
    peer.run()  # not counted
    spent: list[float] = []
    found: dict[str, list[float]] = {name: [] for name in own.ways}
    for _ in range(rounds):
        spent.append(processor(peer.run))
        for name, way in own.ways.items():
            theirs = spent[-1] / peer.deals
            found[name].append(theirs / (processor(way) / own.deals))
    each = statistics.median(spent) / peer.deals
    longer = (own.actions / own.deals) / (peer.actions / peer.deals)
    cells = [
        peer.name,
        peer.does,
        f"{1e6 * each:,.1f}",
        f"{peer.actions / peer.deals:.0f}",
        f"{own.game}, {own.actions / own.deals:.0f}",
    ]
    for ratios in found.values():
        middle, spread = statistics.median(ratios), f"{min(ratios):,.1f}–{max(ratios):,.1f}"
        cells.append(f"{middle:,.1f} ({spread}), {middle * longer:,.1f}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.others", description=__doc__)
    parser.add_argument("--deals", type=int, default=50_000, help="of ours")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    lines = [
        f"By `python -m benchmarks.others`, {date.today():%Y-%m-%d}: {os.cpu_count()} processors; "
        f"{args.deals:,} distinct deals a game",
        f"of ours in matches of ten, median of {args.rounds} rounds. Processor time of all threads "
        "together. A ratio says how many",
        "times as long the library takes for one of its deals (games, hands) as we do for one of "
        "ours, with the least",
        "and the greatest, then the same for one action of a player. *Stored* is a file of JSON "
        "Lines read, checked",
        "and in a new store; *checked* the same without a store; *replayed* the kernel and the "
        "count of the match",
        "alone, from arrays.",
        "",
        "The games are not the same: no two of these libraries know one game. Each has random "
        "legal games of its own, as",
        "it keeps them in memory. Only those that parse a text do what *stored* and *checked* "
        "do; to the others,",
        "which replay actions they have as objects or numbers, *replayed* is the like. Theirs "
        "is called from Python",
        "an action at a time (OpenSpiel's is C++ within), ours once for all deals. None but ours "
        "counts a match, reads",
        "a sheet or stores anything. An action is what a player does; OpenSpiel deals a card an "
        "action, which is in its",
        "time and not in its actions.",
        "",
        "| library | what it does | µs a deal | actions | ours, actions | stored | checked | "
        "replayed |",
        "|---|---|--:|--:|---|--:|--:|--:|",
    ]
    with tempfile.TemporaryDirectory() as name:
        games = {game: ours(game, args.deals, Path(name)) for game in (MOST, PARTNERS)}
        for own in games.values():
            for way in own.ways.values():
                way()  # not counted
        for peer in peers(args.deals // 5):
            own = games[PARTNERS if peer.name in WITH_PARTNERS else MOST]
            lines.append(row(peer, own, args.rounds))
            print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
