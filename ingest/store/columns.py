"""NumPy → Arrow columns with unknown values, words and lists."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.games.base import Words


def nullable(values: NDArray[Any], null: NDArray[np.bool_], kind: pa.DataType) -> pa.Array:
    """A column in which some rows are unknown."""
    return pa.array(values, type=kind, mask=null)


def words(index: NDArray[Any], names: Sequence[str | None] | pa.Array) -> pa.Array:
    """A column of a few words, by their index."""
    return pa.DictionaryArray.from_arrays(pa.array(index, pa.uint8()), pa.array(names, pa.string()))


def encoded(column: pa.ChunkedArray) -> pa.Array:
    """A column as numbers of its different values."""
    whole = column.combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def indices(column: pa.ChunkedArray, names: pa.Array) -> NDArray[np.int64]:
    """Where each word of a column stands among some; all of them are."""
    whole = encoded(column)
    known = pc.index_in(whole.dictionary, names).to_numpy(zero_copy_only=False)
    found: NDArray[np.int64] = known[whole.indices.to_numpy()].astype(np.int64)
    return found


def arrow(column: NDArray[Any] | Words) -> pa.Array | NDArray[Any]:
    """A column of a game's as Arrow takes it."""
    return words(*column) if isinstance(column, Words) else column


def lists(values: NDArray[Any], offsets: NDArray[np.int64], null: NDArray[np.bool_]) -> pa.Array:
    """A column of lists; a row that is null has no items."""
    return pa.ListArray.from_arrays(
        pa.array(offsets.astype(np.int32)), pa.array(values), mask=pa.array(null)
    )
