"""Reads texts of stored matches in batches, to validate, verify or solve."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.reader.files import MAX_BATCH_BYTES, Batch, MatchText
from ingest.store import raw_texts
from ingest.store.factory import Store
from ingest.validate.batch import CheckedBatch, check_batch
from schemas.migrations import with_tables

BATCH_BYTES = 1 << 23
"""Bytes of text read at a time; explaining one match takes 200 kB of memory."""
MATCHES_PER_QUERY = 50_000
"""Matches whose text sizes are read at a time, to cut them into batches."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """Stored texts in order, with the columns that identify their matches."""

    match_no: Ints
    match_id: list[str]
    file_no: Ints
    batch: Batch

    def __str__(self) -> str:
        return describe_numbers(self.match_no)

    def id_columns(self, places: Ints) -> dict[str, Any]:
        """Return the columns that identify the matches at some places, as stored."""
        return {
            "match_no": self.match_no[places],
            "match_id": [self.match_id[place] for place in places],
            "file_no": self.file_no[places],
            "line": [self.batch.texts[place].line for place in places],
        }


def describe_numbers(numbers: Ints) -> str:
    """Return a label for matches, in order: their first and last numbers."""
    return f"matches {numbers[0]}–{numbers[-1]}"


def check_stored(stored: StoredBatch) -> tuple[StoredBatch, CheckedBatch]:
    """Check stored texts by the rules they name, for `ingest.store.batch_stream.map_ahead`."""
    return stored, check_batch(stored.batch)


def read_stored(store: Store, numbers: Ints, batch_bytes: int | None = None) -> Iterator[StoredBatch]:
    """Yield texts by match numbers in order, about `batch_bytes` or BATCH_BYTES at a time.

    Matches that another program deletes during the read may be missing.
    """
    for heads in _heads_by_size(store, numbers, BATCH_BYTES if batch_bytes is None else batch_bytes):
        wanted = heads["match_no"].to_numpy()
        found = store.read_consistently(partial(_texts, numbers=wanted))
        if len(found) < len(wanted):
            heads = heads.filter(pc.is_in(heads["match_no"], pa.array(found, pa.int64())))
        if not found:
            continue
        lines = heads["line"].to_pylist()
        yield StoredBatch(
            heads["match_no"].to_numpy(),
            heads["match_id"].to_pylist(),
            heads["file_no"].to_numpy(),
            Batch(store.path, list(map(MatchText, lines, found.values())), []),
        )


def batch_rows(path: str, rows: Iterable[Sequence[Any]]) -> Iterator[StoredBatch]:
    """Group rows (number, id, file, line, text, …) into batches of about MAX_BATCH_BYTES."""
    some, size = list[Sequence[Any]](), 0
    for row in chain(rows, [None]):
        if row is not None:
            some.append(row[:5])
            size += len(row[4])
        if some and (row is None or size >= MAX_BATCH_BYTES):
            match_no, match_id, file_no, line, text = zip(*some, strict=True)
            yield StoredBatch(
                np.array(match_no, np.int64),
                list(match_id),
                np.array(file_no, np.int64),
                Batch(path, list(map(MatchText, line, map(bytes, text))), []),
            )
            some, size = [], 0


_MATCH_HEADS = """
SELECT m.match_no, m.match_id, m.file_no, m.line, r.size::BIGINT AS size
FROM matches m JOIN raw r USING (match_no)
WHERE m.match_no BETWEEN $1 AND $2 AND r.match_no BETWEEN $1 AND $2
  AND m.match_no IN (FROM chosen)
ORDER BY m.match_no
"""


def _heads_by_size(store: Store, numbers: Ints, size: int) -> Iterator[pa.Table]:
    """Yield the columns that identify some matches, about `size` bytes of text at a time."""
    for start in range(0, len(numbers), MATCHES_PER_QUERY):
        chosen = pa.table({"match_no": (some := numbers[start : start + MATCHES_PER_QUERY])})
        with store.cursor() as cursor, with_tables(cursor, chosen=chosen):
            heads = cursor.execute(_MATCH_HEADS, [int(some[0]), int(some[-1])]).to_arrow_table()
        sizes = heads["size"].to_numpy()
        filled = (np.cumsum(sizes) - sizes) // size  # by where each begins
        cuts = (np.flatnonzero(np.diff(filled)) + 1).tolist()
        for low, high in pairwise([0, *cuts, len(heads)]):
            if low < high:
                yield heads.slice(low, high - low)


def _texts(cursor: duckdb.DuckDBPyConnection, numbers: Ints) -> dict[int, bytes]:
    return dict(raw_texts.read_texts(cursor, numbers))
