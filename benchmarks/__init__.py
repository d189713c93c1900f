"""Shared by all benchmarks: the samples they measure, files of them, and the page of figures.

Only this module names games.
"""

import argparse
import gc
import os
import re
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import orjson

from schemas.simulated import match_document, simulate_matches, simulated_setup

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "retourne"
"""Folder of large stores, which later runs use again."""

# samples

MOST = "chouine"
"""The game that most benchmarks measure."""
PARTNERS = "coinche"
"""A game of four with partners and contracts, comparable to those of other libraries."""
RULES = {"chouine": "lavardin", "coinche": "tournoi-2018", "chouineurs": "blam", "belote": "classique"}
"""Preset of each game."""
PLAYERS = {"chouine": 2, "coinche": 4, "chouineurs": 2, "belote": 4}
"""Players per match in files of many matches."""
SCOPES = (("coinche", 4), ("chouineurs", 3))
"""Games and numbers of players whose statistics are timed, in addition to the default scope."""
SHARES = (
    ("chouine", "lavardin", 2, 0.8),
    ("coinche", "tournoi-2018", 4, 0.15),
    ("chouineurs", "blam", 3, 0.05),
)
"""Game, rules, players and share of the deals in a large store."""
TENTHS = {"chouine": 9, "coinche": 1}
"""Share of each game in the store that pages are timed on, in tenths."""


class Solving(NamedTuple):
    """A solver benchmark and its target."""

    what: str
    game: str
    preset: str
    wanted: str


SOLVED = (
    Solving(
        "Chouine, `lavardin`: closed phase, every card",
        "chouine",
        "lavardin",
        "95% under 0.1; a million deals in 60 s",
    ),
    Solving("Chouine, `mondoubleau`", "chouine", "mondoubleau", ""),
    Solving("Chouine, `regles-completes`", "chouine", "regles-completes", ""),
    Solving("Coinche: last five tricks, every card", "coinche", "tournoi-2018", "95% under 10"),
    Solving("Belote, `classique`: last five tricks, every card", "belote", "classique", "95% under 10"),
    Solving("Belote, `contree`", "belote", "contree", ""),
)
"""Solver benchmarks."""

SAMPLED = (("Chouine, `lavardin`", "chouine", "lavardin"), ("Coinche", "coinche", "tournoi-2018"))
"""Sampling benchmarks: label, game and preset."""

# files

DEALS = 10
ID = re.compile(rb'"id":"bench-[0-9]+"')


def lines(game: str, matches: int, seed: int = 1, events: int = 0) -> Iterator[bytes]:
    """Yield distinct legal matches of up to ten deals each, the same for the same seed.

    They are spread over `events` events, if any.
    """
    played = simulated_setup(game, RULES[game], PLAYERS[game])
    for number, match in enumerate(islice(simulate_matches(played, matches, seed), matches)):
        players = [
            {"id": f"p{(number + 31 * seat) % 997}", "name": f"Player {(number + 31 * seat) % 997}"}
            for seat in range(played.players)
        ]
        document = match_document(
            played,
            match._replace(deals=match.deals[:DEALS]),
            RULES[game],
            players,
            id=f"bench-{number}",
            played_at=f"2026-{number % 12 + 1:02d}-15T14:00:00+01:00",
        )
        if events:
            document["event"] = {"name": f"Event {number % events}"}
        del document["result"]
        yield orjson.dumps(document)


def write(path: Path, game: str, deals: int, events: int = 0) -> int:
    """Write matches with at least that many deals to a file; return the number of deals."""
    count = 0
    with path.open("wb") as file:
        for line in lines(game, deals, events=events):
            file.write(line + b"\n")
            count += line.count(b'"actions"')
            if count >= deals:
                break
    return count


def swell(sources: Sequence[Path], target: Path, size: int) -> None:
    """Repeat the lines of files in turn until `size` bytes; every match gets its own id."""
    number, written = 0, 0
    each = [source.read_bytes().splitlines() for source in sources]
    originals = [line for lines in zip(*each, strict=False) for line in lines]
    with target.open("wb") as file:
        while written < size:
            for line in originals:
                number += 1
                written += file.write(ID.sub(b'"id":"bench-%d"' % (number + 10**8), line) + b"\n")


# the page of figures


class Took(NamedTuple):
    """Seconds of one run: wall time, and user and system time of all processors."""

    passed: float
    processor: float


def took(run: Callable[[], object], who: int = resource.RUSAGE_SELF) -> Took:
    """Measure a run in this process, or in its child processes (`RUSAGE_CHILDREN`)."""
    before, start = resource.getrusage(who), time.perf_counter()
    run()
    passed, after = time.perf_counter() - start, resource.getrusage(who)
    return Took(passed, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def spread(values: Sequence[float], digits: int = 1, unit: str = "") -> str:
    """Return the median, with the minimum and maximum."""
    middle, *ends = (f"{one:,.{digits}f}" for one in (median(values), *_ends(values)))
    return f"{middle}{unit} ({'–'.join(ends)})"


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


class Section:
    """A section of the page: a line on how it was measured, tables or a list, and prose.

    Writing replaces all but the prose.
    """

    def __init__(self, heading: str, module: str, measured: str) -> None:
        self.heading = f"## {heading}"
        self.blocks = [
            [
                f"`benchmarks.{module}`, {date.today():%Y-%m-%d}, {os.cpu_count()} processors with a "
                f"load of {os.getloadavg()[0]:.0f}: {measured}."
            ]
        ]

    def table(self, *headings: str) -> None:
        """Begin a table; columns whose heading begins with > are aligned right."""
        rule = "".join("--:|" if one.startswith(">") else "---|" for one in headings)
        self.blocks.append([_row(one.lstrip(">") for one in headings), "|" + rule])

    def row(self, *cells: str) -> None:
        """Add a row, and print it."""
        self._add(_row(cells))

    def item(self, name: str, words: str) -> None:
        """Add an item to the list of this section, and print it."""
        if not self.blocks[-1][0].startswith("- "):
            self.blocks.append([])
        self._add(f"- {name}: {words}")

    def _add(self, line: str) -> None:
        self.blocks[-1].append(line)
        print(line, flush=True)

    def write(self, path: Path = PAGE) -> None:
        """Replace the section with the same heading, or append it."""
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        before, _, after = text.partition(f"\n{self.heading}\n")
        old, following, after = after.partition("\n## ")
        prose = [one for one in old.strip().split("\n\n") if one]
        blocks = ["\n".join(one) for one in self.blocks]
        blocks += [one for one in prose if not one.startswith(("|", "- ", "`benchmarks."))]
        section = "\n\n".join([self.heading, *blocks]) + "\n"
        path.write_text(before.rstrip("\n") + "\n\n" + section + following + after, "utf-8")


def print_progress(sentence: str) -> None:
    """Print how far a long benchmark is."""
    print(f"{datetime.now():%H:%M:%S} {sentence}", file=sys.stderr, flush=True)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def arguments(module: str, doc: str | None, **more: int) -> argparse.Namespace:
    """Parse a benchmark's command line: its numbers and the output file."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{module}", description=doc)
    for name, default in more.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    gc.set_threshold(100_000)  # as the command line does
    parser.add_argument("--output", type=Path, default=PAGE)
    return parser.parse_args()
