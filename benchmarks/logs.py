"""Files to measure on: simulated matches of ten deals, one a line."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import orjson

from benchmarks.samples import MOST, PLAYERS, RULES
from schemas.simulated import lay, match_document, play

DEALS = 10
ID = re.compile(rb'"id":"bench-[0-9]+"')


def lines(game: str, matches: int, seed: int = 1, events: int = 0) -> Iterator[bytes]:
    """Matches cut off after ten deals, distinct and legal; the same seed gives the same.

    They are spread over so many events, or belong to none.
    """
    laid = lay(game, RULES[game], PLAYERS[game])
    for number, match in enumerate(islice(play(laid, matches, seed), matches)):
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


def swarming(faults: int = 300) -> tuple[bytes, bytes]:
    """A match of thirty deals, and the same with so many faulty announcements in its play."""
    rules = {"preset": RULES[MOST], "parties": 100}
    laid = lay(MOST, rules, PLAYERS[MOST])
    match = next(play(laid, 1, 1))
    deals = match.deals[:30]
    players = [{"id": "p1"}, {"id": "p2"}]
    legal = match_document(laid, match._replace(deals=deals), rules, players)
    del legal["result"]
    spoilt = orjson.loads(orjson.dumps(legal))
    for number in range(faults):
        actions = spoilt["deals"][number % len(deals)]["actions"]
        actions.insert(number // len(deals) * 2, f"{number % 2 + 1} trente")
    return orjson.dumps(legal), orjson.dumps(spoilt)


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
