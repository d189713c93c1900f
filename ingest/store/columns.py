"""NumPy → Arrow columns with unknown values, words and lists."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def nullable(values: NDArray[Any], null: NDArray[np.bool_], kind: pa.DataType) -> pa.Array:
    """A column in which some rows are unknown."""
    return pa.array(values, type=kind, mask=null)


def words(index: NDArray[Any], names: Sequence[str | None]) -> pa.Array:
    """A column of a few words, by their index."""
    return pa.DictionaryArray.from_arrays(
        pa.array(index, pa.uint8()), pa.array(names, pa.string())
    ).cast(pa.string())


def lists(values: NDArray[Any], offsets: NDArray[np.int64], null: NDArray[np.bool_]) -> pa.Array:
    """A column of lists; a row that is null has no items."""
    return pa.ListArray.from_arrays(
        pa.array(offsets.astype(np.int32)), pa.array(values), mask=pa.array(null)
    )
