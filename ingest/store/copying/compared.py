"""What was copied, held against what it was copied from: every row and every text read again.

A match counts as copied where it came with the same file, at the same line; one that had come there
by itself only has to be there. Rows are compared by what means the same in both stores: a match by
its hash, a player by the true id.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import pyarrow as pa

from ingest.store import texts
from ingest.store.copying.beside import purged_texts
from ingest.store.copying.reading import (
    PEOPLE,
    ROWS,
    Ask,
    at_once,
    block_of,
    known_in,
    purged_in,
    ranges,
    table_of,
)
from ingest.store.store import Store
from schemas.store import with_tables

RAW = "raw"
MODULUS = 1 << 64
_OWN = {"match_no", "player_no", "file_no"}
"""Columns of numbers that each store gives itself."""
_CAME = """
SELECT m.match_no, m.match_id, f.name, epoch_us(f.added_at) AS at, m.line
FROM matches m LEFT JOIN files f USING (file_no)
"""
_BESIDE = {
    "files": "SELECT name, epoch_us(added_at), matches, duplicates FROM files",
    "masked": "SELECT player_id FROM masked",
    "drafts": "SELECT hash FROM drafts",
}
_DELETED = "SELECT match_id, md5(coalesce(bytes, encode(text))) AS text FROM trash"


class Sum(NamedTuple):
    """Rows of one table, and a number that hangs on each of them and not on their order."""

    rows: int = 0
    checksum: int = 0


@dataclass(slots=True)
class Compared:
    """What two stores have in common, and what they do not."""

    known: int = 0
    """Matches that had come there by themselves."""
    sums: dict[str, tuple[Sum, Sum]] = field(default_factory=dict)
    """Of each table, the copied matches' rows in both stores."""
    differing: set[str] = field(default_factory=set)
    """Ids of matches of which something is not the same."""
    missing: dict[str, int] = field(default_factory=dict)
    """Of a table, what is not there that should be."""

    @property
    def same(self) -> bool:
        """Whether nothing is missing or different."""
        return not self.missing and all(one == other for one, other in self.sums.values())

    def miss(self, table: str, count: int) -> None:
        """Note what is not there."""
        if count:
            self.missing[table] = self.missing.get(table, 0) + count


def compare(
    source: Store, target: Store, progress: Callable[[int], object] = lambda done: None
) -> Compared:
    """Hold all that is to be in the target against it; `progress` hears of how many matches.

    StoreError: one of them cannot be read.
    """
    found = Compared(sums={table: (Sum(), Sum()) for table in (*ROWS, RAW)})
    people = table_of(source, PEOPLE), table_of(target, PEOPLE)
    done = 0
    for low, high in ranges(source):
        done += _matches((source, target), people, (low, high), found)
        progress(done)
    for table, query in _BESIDE.items():
        here, there = (set(map(repr, _rows(store, query))) for store in (source, target))
        found.miss(table, len(here - there))
    found.miss("trash", _trash(source, target))
    return found


def _rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    return at_once(store, lambda ask: ask.execute(query).fetchall())


def _matches(
    stores: tuple[Store, Store],
    people: tuple[pa.Table, pa.Table],
    numbers: tuple[int, int],
    found: Compared,
) -> int:
    """Compare those of a range of numbers; how many there are."""
    source, target = stores
    here = table_of(source, f"{_CAME} WHERE m.match_no BETWEEN ? AND ?", numbers).to_pylist()
    ids = pa.table({"match_id": pa.array([one["match_id"] for one in here], pa.string())})
    there = {one["match_id"]: one for one in at_once(target, lambda ask: _came(ask, ids))}
    both = [(one, there[one["match_id"]]) for one in here if one["match_id"] in there]
    if absent := [one["match_no"] for one in here if one["match_id"] not in there]:
        block = block_of(source, absent)
        found.miss("matches", len(block.ids) - len(purged_in(target, block)))
    copied = [
        (one, other) for one, other in both if one | {"match_no": 0} == other | {"match_no": 0}
    ]
    found.known += len(both) - len(copied)
    if copied:
        these = [
            pa.table(
                {key: [pair[side][key] for pair in copied] for key in ("match_no", "match_id")}
            )
            for side in range(2)
        ]
        for table in found.sums:
            one, other = (
                _sums(store, table, chosen, known)
                for store, chosen, known in zip(stores, these, people, strict=True)
            )
            found.differing |= {match for match, _ in one.items() ^ other.items()}
            before = found.sums[table]
            found.sums[table] = (
                _all([before[0], *one.values()]),
                _all([before[1], *other.values()]),
            )
    return len(here)


def _came(ask: Ask, ids: pa.Table) -> list[dict[str, Any]]:
    with with_tables(ask, ids=ids):
        found = ask.execute(f"{_CAME} SEMI JOIN ids USING (match_id)").to_arrow_table()
    return found.to_pylist()


def _sums(store: Store, table: str, chosen: pa.Table, people: pa.Table) -> dict[str, Sum]:
    """Of each match that has rows in a table, what they come to."""
    if table == RAW:
        return at_once(store, lambda ask: _texts(ask, chosen))
    return at_once(store, lambda ask: _rows_of(ask, table, chosen, people))


def _rows_of(ask: Ask, table: str, chosen: pa.Table, people: pa.Table) -> dict[str, Sum]:
    columns = [(name, kind) for name, kind, *_ in ask.execute(f"DESCRIBE {table}").fetchall()]
    # a word is an ENUM in a file, and its number there says nothing
    told = [
        f"t.{name}::VARCHAR" if kind.startswith("ENUM") else f"t.{name}"
        for name, kind in columns
        if name not in _OWN
    ]
    seated, join = ["c.match_id"], ""
    if any(name == "player_no" for name, _ in columns):
        seated, join = [*seated, "p.player"], "LEFT JOIN people p USING (player_no)"
    with with_tables(ask, chosen=chosen, people=people):
        found = ask.execute(
            f"SELECT c.match_id, count(*), sum(hash({', '.join([*seated, *told])})) % {MODULUS}"
            f" FROM {table} t JOIN chosen c USING (match_no) {join}"
            " WHERE match_no BETWEEN ? AND ? GROUP BY 1",
            [min(chosen["match_no"].to_pylist()), max(chosen["match_no"].to_pylist())],
        ).fetchall()
    return {match: Sum(rows, int(checksum)) for match, rows, checksum in found}


def _texts(ask: Ask, chosen: pa.Table) -> dict[str, Sum]:
    ids = dict(zip(*chosen.to_pydict().values(), strict=True))
    return {
        ids[number]: Sum(1, int.from_bytes(blake2b(text, digest_size=8).digest()))
        for number, text in texts.read(ask, [*ids])
    }


def _all(sums: Iterable[Sum]) -> Sum:
    rows, checksums = zip(*sums, strict=True)
    return Sum(sum(rows), sum(checksums) % MODULUS)


def _trash(source: Store, target: Store) -> int:
    """How many deleted matches are there neither in the trash nor out of it, nor were purged."""
    here, there = (dict(_rows(store, _DELETED)) for store in (source, target))
    left = [match for match, text in here.items() if there.get(match) != text]
    left = [*set(left) - known_in(target, left)]
    if not left:
        return 0
    query = "FROM trash WHERE match_id IN (SELECT unnest(?))"
    return len(left) - len(purged_texts(target, table_of(source, query, [left])))
