"""What was copied, held against what it was copied from: every row and every text read again.

A match counts as copied where it came with the same file, at the same line; one that had come there
by itself only has to be there. Rows are compared by what means the same in both stores: a match by
its hash, a player by the true id.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import pyarrow as pa

from ingest.store import raw_texts
from ingest.store.factory import Store
from ingest.store.pseudonyms import PLAYERS
from ingest.store.transfer import copy
from schemas.migrations import with_tables

RAW = "raw"
MODULUS = 1 << 64
_CAME = """
SELECT m.match_id, m.match_no, f.name, epoch_us(f.added_at) AS at, m.line
FROM matches m LEFT JOIN files f USING (file_no)
"""
_BESIDE = {
    "files": "SELECT name, epoch_us(added_at), matches, duplicates FROM files",
    "masked": "SELECT player_id FROM masked",
    "drafts": "SELECT hash FROM drafts",
}


class Sum(NamedTuple):
    """Rows of one table, and a number that hangs on each of them and not on their order."""

    rows: int = 0
    checksum: int = 0

    def __add__(self, other: tuple[int, ...]) -> "Sum":  # type: ignore[override]
        return Sum(self.rows + other[0], (self.checksum + other[1]) % MODULUS)


@dataclass(slots=True)
class Compared:
    """What two stores have in common, and what they do not."""

    known: int = 0
    """Matches that had come there by themselves."""
    sums: dict[str, tuple[Sum, Sum]] = field(
        default_factory=lambda: {table: (Sum(), Sum()) for table in (*copy.ROWS, RAW)}
    )
    """Of each table, the copied matches' rows in both stores."""
    differing: set[str] = field(default_factory=set)
    """Ids of matches of which something is not the same."""
    missing: dict[str, int] = field(default_factory=dict)
    """Of a table, what is not there that should be."""

    @property
    def same(self) -> bool:
        """Whether nothing is missing or different."""
        return not self.missing and all(one == other for one, other in self.sums.values())


def compare(
    source: Store, target: Store, progress: Callable[[int], object] = lambda done: None
) -> Compared:
    """Hold all that is to be in the target against it; `progress` hears of how many matches.

    StoreError: one of them cannot be read.
    """
    found, missing, done = Compared(), dict[str, int](), 0
    people = copy.table_of(source, PLAYERS), copy.table_of(target, PLAYERS)
    for low, high in copy.ranges(source):
        query = f"{_CAME} WHERE m.match_no BETWEEN ? AND ? ORDER BY 1"
        here = _by_id(copy.table_of(source, query, [low, high]))
        query = f"{_CAME} WHERE m.match_id IN (SELECT unnest(?::VARCHAR[]))"
        there = _by_id(copy.table_of(target, query, [[*here]]))
        if absent := [number for one, (number, *_) in here.items() if one not in there]:
            block = copy.block_of(source, absent)
            left = len(block.ids) - len(copy.purged_in(target, block))
            missing["matches"] = missing.get("matches", 0) + left
        copied = [one for one in there if here[one][1:] == there[one][1:]]
        found.known += len(there) - len(copied)
        if copied:
            both = (source, here, people[0]), (target, there, people[1])
            for table, before in found.sums.items():
                one, other = (
                    _sums(store, table, {came[match][0]: match for match in copied}, known)
                    for store, came, known in both
                )
                found.differing |= {match for match, _ in one.items() ^ other.items()}
                found.sums[table] = (
                    sum(one.values(), start=before[0]),
                    sum(other.values(), start=before[1]),
                )
        done += len(here)
        progress(done)
    for table, query in _BESIDE.items():
        own, others = (
            set(map(repr, copy.table_of(one, query).to_pylist())) for one in (source, target)
        )
        missing[table] = len(own - others)
    missing["trash"] = _trash(source, target)
    found.missing = {table: count for table, count in missing.items() if count}
    return found


Came = dict[str, tuple[Any, ...]]
"""Match → its number, and with which file and at which line it came."""


def _by_id(rows: pa.Table) -> Came:
    return {one: tuple(more) for one, *more in zip(*rows.to_pydict().values(), strict=True)}


def _sums(store: Store, table: str, chosen: dict[int, str], people: pa.Table) -> dict[str, Sum]:
    """Of each match that has rows in a table, what they come to; `chosen`: number → id."""
    numbers = [*chosen]
    if table == RAW:
        read = copy.at_once(store, lambda ask: [*raw_texts.read(ask, numbers)])
        return {
            chosen[number]: Sum(1, int.from_bytes(blake2b(text, digest_size=8).digest()))
            for number, text in read
        }
    ids = pa.table({"match_no": numbers, "match_id": [*chosen.values()]})

    def rows(ask: copy.Ask) -> dict[str, Sum]:
        # of an ENUM the word counts: its number is a file's own, as those of matches and files are
        told, join = ["c.match_id"], ""
        for name, kind, *_ in ask.execute(f"DESCRIBE {table}").fetchall():
            if name == "player_no":
                told.insert(1, "p.player")
                join = "LEFT JOIN people p USING (player_no)"
            elif name not in ("match_no", "file_no"):
                told.append(f"t.{name}::VARCHAR" if kind.startswith("ENUM") else f"t.{name}")
        with with_tables(ask, chosen=ids, people=people):
            found = ask.execute(
                f"SELECT c.match_id, count(*), sum(hash({', '.join(told)})) % {MODULUS}"
                f" FROM {table} t JOIN chosen c USING (match_no) {join}"
                " WHERE match_no BETWEEN ? AND ? GROUP BY 1",
                [min(numbers), max(numbers)],
            ).fetchall()
        return {match: Sum(count, int(checksum)) for match, count, checksum in found}

    return copy.at_once(store, rows)


def _trash(source: Store, target: Store) -> int:
    """How many deleted matches are there neither in the trash nor out of it, nor were purged."""
    query = "SELECT match_id, md5(coalesce(bytes, encode(text))) FROM trash"
    here, there = (_by_id(copy.table_of(store, query)) for store in (source, target))
    left = [match for match, text in here.items() if there.get(match) != text]
    left = [*set(left) - copy.known_in(target, left)]
    query = "FROM trash WHERE match_id IN (SELECT unnest(?::VARCHAR[]))"
    return len(left) - len(copy.purged_texts(target, copy.table_of(source, query, [left])))
