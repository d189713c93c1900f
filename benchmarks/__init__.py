"""What all benchmarks share: the samples they measure, files of them, and the page of figures.

Games are named here alone, as samples are.
"""

import argparse
import gc
import os
import re
import resource
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import orjson

from schemas.simulated import match_document, simulate_matches, simulated_setup

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "retourne"
"""Where large stores are kept from one run to the next."""

# samples

MOST = "chouine"
"""The game most is measured of."""
PARTNERS = "coinche"
"""A game of four with partners and contracts, as those of other libraries are."""
RULES = {"chouine": "lavardin", "coinche": "tournoi-2018", "chouineurs": "blam"}
"""The preset each game is measured under."""
PLAYERS = {"chouine": 2, "coinche": 4, "chouineurs": 2}
"""Who sits at a table of a file of many matches."""
SCOPES = (("coinche", 4), ("chouineurs", 3))
"""Game and players of the tables whose statistics are asked, besides those of the default."""
SHARES = (
    ("chouine", "lavardin", 2, 0.8),
    ("coinche", "tournoi-2018", 4, 0.15),
    ("chouineurs", "blam", 3, 0.05),
)
"""Game, rules, players and their share of the deals of a large store."""
TENTHS = {"chouine": 9, "coinche": 1}
"""The same of the store that pages are timed on, in tenths."""


class Solving(NamedTuple):
    """Something that is solved, and what it may cost."""

    what: str
    game: str
    preset: str
    tricks: int | None
    """How many are to play where it is asked who wins; None: every card of the end."""
    wanted: str


SOLVED = (
    Solving(
        "Chouine, `lavardin`: closed phase, every card",
        "chouine",
        "lavardin",
        None,
        "95 % under 0.1; a million deals in 60 s",
    ),
    Solving("Chouine, `mondoubleau`", "chouine", "mondoubleau", None, ""),
    Solving("Chouine, `regles-completes`", "chouine", "regles-completes", None, ""),
    Solving("Chouine, who wins, talon of 8", "chouine", "lavardin", 9, "95 % under 50"),
    Solving("Chouine, who wins, talon of 10", "chouine", "lavardin", 10, "95 % under 50"),
    Solving(
        "Coinche: last five tricks, every card", "coinche", "tournoi-2018", None, "95 % under 10"
    ),
    Solving("Coinche, made or set, 7 tricks left", "coinche", "tournoi-2018", 7, "95 % under 50"),
)
"""What is solved."""

SAMPLED = (("Chouine, `lavardin`", "chouine", "lavardin"), ("Coinche", "coinche", "tournoi-2018"))
"""What is sampled: what it is called, game and preset."""

# files

DEALS = 10
ID = re.compile(rb'"id":"bench-[0-9]+"')


def lines(game: str, matches: int, seed: int = 1, events: int = 0) -> Iterator[bytes]:
    """Matches cut off after ten deals, distinct and legal; the same seed gives the same.

    They are spread over so many events, or belong to none.
    """
    laid = simulated_setup(game, RULES[game], PLAYERS[game])
    for number, match in enumerate(islice(simulate_matches(laid, matches, seed), matches)):
        players = [
            {"id": f"p{(number + 31 * seat) % 997}", "name": f"Player {(number + 31 * seat) % 997}"}
            for seat in range(laid.players)
        ]
        document = match_document(
            laid,
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
    """A file of that many deals, with those of its last match; how many it has."""
    count = 0
    with path.open("wb") as file:
        for line in lines(game, deals, events=events):
            file.write(line + b"\n")
            count += line.count(b'"actions"')
            if count >= deals:
                break
    return count


def swell(sources: Sequence[Path], target: Path, size: int) -> None:
    """Copies of files, a line of each in turn, until `size` bytes; every match under its own id."""
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
    """Seconds of one run: those that passed, and those of all processors, user and system."""

    passed: float
    processor: float


def took(run: Callable[[], object], who: int = resource.RUSAGE_SELF) -> Took:
    """What a run takes of this process, or of those it begins (`RUSAGE_CHILDREN`)."""
    before, start = resource.getrusage(who), time.perf_counter()
    run()
    passed, after = time.perf_counter() - start, resource.getrusage(who)
    return Took(passed, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def spread(values: Sequence[float], digits: int = 1, unit: str = "") -> str:
    """The median, with the least and the greatest."""
    middle, *ends = (f"{one:,.{digits}f}" for one in (statistics.median(values), *_ends(values)))
    return f"{middle}{unit} ({'–'.join(ends)})"


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


class Section:
    """A section of the page: a line that says how it was measured, tables, and then the prose.

    The prose stays as it is written there when the rest is measured anew.
    """

    def __init__(self, heading: str, module: str, measured: str) -> None:
        self.heading = f"## {heading}"
        self.blocks = [
            [
                f"By `python -m benchmarks.{module}`, {date.today():%Y-%m-%d}: {os.cpu_count()} "
                f"processors with a load of {os.getloadavg()[0]:.0f}; {measured}."
            ]
        ]

    def table(self, *headings: str) -> None:
        """Begin a table; a heading that begins with > is one of numbers."""
        rule = "".join("--:|" if one.startswith(">") else "---|" for one in headings)
        self.blocks.append([_row(one.lstrip(">") for one in headings), "|" + rule])

    def row(self, *cells: str) -> None:
        """Add a row, and show it."""
        self.blocks[-1].append(_row(cells))
        print(self.blocks[-1][-1], flush=True)

    def write(self, path: Path = PAGE) -> None:
        """Put the section in the place of the one with its heading, else at the end."""
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        before, _, after = text.partition(f"\n{self.heading}\n")
        old, following, after = after.partition("\n## ")
        prose = [one for one in old.strip().split("\n\n") if one and one[0] != "|"]
        blocks = ["\n".join(one) for one in self.blocks]
        blocks += [one for one in prose if not one.startswith("By `python")]
        section = "\n\n".join([self.heading, *blocks]) + "\n"
        path.write_text(before.rstrip("\n") + "\n\n" + section + following + after, "utf-8")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def arguments(module: str, doc: str | None, **more: int) -> argparse.Namespace:
    """The numbers a benchmark takes, and where it writes."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{module}", description=doc)
    for name, default in more.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    gc.set_threshold(100_000)  # as the command line does
    parser.add_argument("--output", type=Path, default=PAGE)
    return parser.parse_args()
