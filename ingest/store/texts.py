"""The texts of stored matches, cut out of their blocks, and blocks made anew without some."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.blocks import rows, unpack
from schemas.store import with_tables

WINDOW = 1 << 12
"""Matches whose blocks are looked for at a time."""
BLOCKS = 16
"""Blocks taken out of the store at a time."""

Numbers = Sequence[int] | NDArray[np.int64]


def read(ask: duckdb.DuckDBPyConnection, numbers: Numbers) -> Iterator[tuple[int, bytes]]:
    """Number and text of some matches, in the order of their numbers; of a damaged block, none."""
    wanted = np.unique(np.asarray(numbers, np.int64))
    for first in range(0, len(wanted), WINDOW):
        chosen = wanted[first : first + WINDOW]
        yield from _cut_out(ask, _places(ask, "match_no", chosen))


def at_once(ask: duckdb.DuckDBPyConnection, numbers: Numbers) -> list[bytes]:
    """The texts of some matches, in the order of their numbers."""
    return [text for _, text in read(ask, numbers)]


def without(
    ask: duckdb.DuckDBPyConnection, gone: Collection[int]
) -> Iterator[tuple[NDArray[np.int64], pa.Table]]:
    """The blocks that have a text of some matches, and rows of what stays of them, in new ones."""
    touched = np.unique(_places(ask, "match_no", np.array(sorted(gone), np.int64))[:, 1])
    left_out = np.array(sorted(gone), np.int64)
    for first in range(0, len(touched), WINDOW // 64):
        some = touched[first : first + WINDOW // 64]
        places = _places(ask, "block", some)
        found = list(_cut_out(ask, places[~np.isin(places[:, 0], left_out)]))
        yield some, rows([number for number, _ in found], [text for _, text in found])


def remove(ask: duckdb.DuckDBPyConnection, gone: Collection[int]) -> None:
    """Take the texts of some matches out of the store, within a transaction."""
    for some, kept in without(ask, gone):
        with with_tables(ask, these=pa.table({"block": some}), kept=kept.to_reader()):
            ask.execute(
                "DELETE FROM raw WHERE block BETWEEN ? AND ? AND block IN (FROM these)",
                [int(some[0]), int(some[-1])],
            )
            ask.execute("INSERT INTO raw BY NAME SELECT * FROM kept")


def _places(
    ask: duckdb.DuckDBPyConnection, column: str, chosen: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Number, block, start and size of texts, in the order of their numbers."""
    if not len(chosen):
        return np.empty((0, 4), np.int64)
    with with_tables(ask, these=pa.table({column: chosen})):
        found = ask.execute(
            f"SELECT match_no, block, start::BIGINT, size::BIGINT FROM raw"
            f" WHERE {column} BETWEEN ? AND ? AND {column} IN (FROM these) ORDER BY match_no",
            [int(chosen.min()), int(chosen.max())],
        ).fetchnumpy()
    return np.stack([np.asarray(one, np.int64) for one in found.values()], axis=1)


def _cut_out(
    ask: duckdb.DuckDBPyConnection, places: NDArray[np.int64]
) -> Iterator[tuple[int, bytes]]:
    """The texts at some places, a few blocks at a time."""
    if not len(places):
        return
    # a block more wherever one is not the last one's
    blocks = np.cumsum(np.diff(places[:, 1], prepend=-1) != 0) // BLOCKS
    cuts = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(places)]
    for low, high in pairwise(cuts):
        some = places[low:high]
        with with_tables(ask, these=pa.table({"block": np.unique(some[:, 1])})):
            found = ask.execute(
                "SELECT match_no, packed FROM raw WHERE match_no BETWEEN ? AND ?"
                " AND match_no IN (FROM these)",
                [int(some[:, 1].min()), int(some[:, 1].max())],
            )
            whole = {block: unpack(packed) for block, packed in found.fetchall()}
        for number, block, start, size in some.tolist():
            yield number, whole.get(block, b"")[start : start + size]
