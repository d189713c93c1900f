"""Compares a copied store with its source, row by row.

A match counts as copied if it came with the same file, at the same line; one that the target
received independently only has to exist. Rows are compared by ids that both stores share: a match by
its hash, a player by the true id.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import pyarrow as pa

from ingest.store import raw_texts
from ingest.store.factory import Store
from ingest.store.transfer import copy, player_answers
from schemas.migrations import with_tables

RAW_TABLE = "raw"
CHECKSUM_MODULUS = 1 << 64
_ORIGINS = """
SELECT m.match_id, m.match_no, f.name, epoch_us(f.added_at) AS at, m.line
FROM matches m LEFT JOIN files f USING (file_no)
"""
_METADATA_QUERIES = {
    "files": "SELECT name, epoch_us(added_at), matches, already_stored FROM files",
    "masked": "SELECT player_id FROM masked",
    "drafts": "SELECT hash FROM drafts",
    "sheet_mappings": "SELECT fingerprint FROM sheet_mappings",
}


class TableChecksum(NamedTuple):
    """A row count, and a checksum that depends on each row but not on their order."""

    rows: int = 0
    checksum: int = 0

    def __add__(self, other: tuple[int, ...]) -> "TableChecksum":  # type: ignore[override]
        return TableChecksum(self.rows + other[0], (self.checksum + other[1]) % CHECKSUM_MODULUS)


@dataclass(slots=True)
class StoreDiff:
    """The matches two stores share, and their differences."""

    common_matches: int = 0
    """Matches that the target had received independently."""
    checksums: dict[str, tuple[TableChecksum, TableChecksum]] = field(
        default_factory=lambda: {
            table: (TableChecksum(), TableChecksum()) for table in (*copy.COPIED_TABLES, RAW_TABLE)
        }
    )
    """Per table, the rows of copied matches in the source and in the target."""
    differing: set[str] = field(default_factory=set)
    """Ids of matches with a difference."""
    missing: dict[str, int] = field(default_factory=dict)
    """Table → how many rows the target lacks."""

    @property
    def is_same(self) -> bool:
        """Whether nothing is missing or different."""
        return not self.missing and all(one == other for one, other in self.checksums.values())


def compare_stores(
    source: Store, target: Store, progress: Callable[[int], object] = lambda done: None
) -> StoreDiff:
    """Compare a source with the target it was copied to; `progress` receives the matches done.

    StoreError: a store cannot be read.
    """
    found, missing, done = StoreDiff(), dict[str, int](), 0
    for low, high in copy.block_ranges(source):
        query = f"{_ORIGINS} WHERE m.match_no BETWEEN ? AND ? ORDER BY 1"
        here = _origins_by_id(copy.query_table(source, query, [low, high]))
        query = f"{_ORIGINS} WHERE m.match_id IN (SELECT unnest(?::VARCHAR[]))"
        there = _origins_by_id(copy.query_table(target, query, [[*here]]))
        known = there.keys() | copy.stored_among(target, [one for one in here if one not in there])
        if absent := [number for one, (number, *_) in here.items() if one not in known]:
            block = copy.read_block(source, absent)
            left = len(block.match_ids) - len(copy.purged_in_target(target, block))
            missing["matches"] = missing.get("matches", 0) + left
        copied = [one for one in there if here[one][1:] == there[one][1:]]
        found.common_matches += len(there) - len(copied)
        if copied:
            both = (source, here), (target, there)
            for table, before in found.checksums.items():
                one, other = (
                    _table_checksums(store, table, {came[match][0]: match for match in copied})
                    for store, came in both
                )
                found.differing |= {match for match, _ in one.items() ^ other.items()}
                found.checksums[table] = (
                    sum(one.values(), start=before[0]),
                    sum(other.values(), start=before[1]),
                )
        done += len(here)
        progress(done)
    for table, query in _METADATA_QUERIES.items():
        own, others = (set(map(repr, copy.query_table(one, query).to_pylist())) for one in (source, target))
        missing[table] = len(own - others)
    with source.cursor() as theirs, target.cursor() as ttheirs:
        missing |= player_answers.missing_answers(theirs, ttheirs)
    missing["trash"] = _missing_from_trash(source, target)
    found.missing = {table: count for table, count in missing.items() if count}
    return found


Origins = dict[str, tuple[Any, ...]]
"""Match id → its number, file name, time the file came, and line."""


def _origins_by_id(rows: pa.Table) -> Origins:
    return {one: tuple(more) for one, *more in zip(*rows.to_pydict().values(), strict=True)}


def _table_checksums(store: Store, table: str, chosen: dict[int, str]) -> dict[str, TableChecksum]:
    """Return match id → checksum of its rows in a table; `chosen` maps number → id."""
    numbers = [*chosen]
    if table == RAW_TABLE:
        read = copy.read_consistently(store, lambda cursor: [*raw_texts.read_texts(cursor, numbers)])
        return {
            chosen[number]: TableChecksum(1, int.from_bytes(blake2b(text, digest_size=8).digest()))
            for number, text in read
        }
    ids = pa.table({"match_no": numbers, "match_id": [*chosen.values()]})

    def rows(cursor: copy.Connection) -> dict[str, TableChecksum]:
        # ENUMs are compared as text: their numbers, like those of matches and files, may differ
        result, join = ["c.match_id"], ""
        for name, kind, *_ in cursor.execute(f"DESCRIBE {table}").fetchall():
            if name == "player_no":
                # ids as in the log: a player may be one here and several there
                result += ["a.player_id", "a.player_no = t.player_no"]
                join = """LEFT JOIN seats s ON s.match_no = t.match_no AND s.player_no = t.player_no
                    LEFT JOIN aliases a ON a.alias_no = s.alias_no"""
            elif name not in ("match_no", "file_no", "alias_no"):
                result.append(f"t.{name}::VARCHAR" if kind.startswith("ENUM") else f"t.{name}")
        with with_tables(cursor, chosen=ids):
            found = cursor.execute(
                f"SELECT c.match_id, count(*), sum(hash({', '.join(result)})) % {CHECKSUM_MODULUS}"
                f" FROM {table} t JOIN chosen c USING (match_no) {join}"
                " WHERE t.match_no BETWEEN ? AND ? GROUP BY 1",
                [min(numbers), max(numbers)],
            ).fetchall()
        return {match: TableChecksum(count, int(checksum)) for match, count, checksum in found}

    return copy.read_consistently(store, rows)


def _missing_from_trash(source: Store, target: Store) -> int:
    """Count deleted matches that the target neither has, in the trash or outside it, nor purged."""
    query = "SELECT match_id, md5(coalesce(bytes, encode(text))) FROM trash"
    here, there = (_origins_by_id(copy.query_table(store, query)) for store in (source, target))
    left = [match for match, text in here.items() if there.get(match) != text]
    left = [*set(left) - copy.stored_among(target, left)]
    query = "FROM trash WHERE match_id IN (SELECT unnest(?::VARCHAR[]))"
    return len(left) - len(copy.purged_deleted_texts(target, copy.query_table(source, query, [left])))
