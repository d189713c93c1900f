"""Parts of many matches cut out of their texts: each different one once, or all as one column."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.compiled import compiled
from ingest.text.canonical import BACKSLASH, QUOTE, Bytes, Places

FEW = 8
"""Different parts that the next one is compared with: matches of a file share most of theirs."""


def cut_out(raw: bytes | memoryview, low: Places, high: Places) -> list[bytes | None]:
    """What stands between some places, the same object where it is the same; None below zero."""
    first = np.empty(len(low), np.int64)
    text = np.frombuffer(raw, np.uint8)
    text.flags.writeable = False  # as that of bytes is: what may be written is another type
    _alike(text, low, high, first)
    own = np.flatnonzero(first == np.arange(len(low)))
    texts = np.full(len(low) + 1, None, np.object_)
    spans = zip(own.tolist(), low[own].tolist(), high[own].tolist(), strict=True)
    for place, begin, end in spans:
        texts[place] = bytes(raw[begin:end])
    found: list[bytes | None] = texts[first].tolist()  # the last one is None
    return found


@compiled
def _alike(text: Bytes, low: Places, high: Places, first: Places) -> None:
    """Fill `first` with the place of an earlier part that is the same, or its own; -1 for none."""
    known = np.empty(FEW, np.int64)
    count = 0
    for i in range(len(low)):
        first[i] = -1
        if low[i] < 0:
            continue
        size = high[i] - low[i]
        for k in range(min(count, FEW)):
            other = low[known[k]]
            same = size == high[known[k]] - other
            at = 0
            while same and at < size:
                same = text[low[i] + at] == text[other + at]
                at += 1
            if same:
                first[i] = known[k]
                break
        if first[i] < 0:
            first[i] = known[count % FEW] = i
            count += 1


def plain_strings(raw: bytes, low: Places, high: Places) -> pa.Array | None:
    """A column of texts in quotes, null below zero; None where one has no quotes, or an escape."""
    there = low >= 0
    offsets = np.zeros(len(low) + 1, np.int32)
    # a sign alone, such as a 7, has no quotes: its size must not make room for others smaller
    np.cumsum(np.where(there, np.maximum(high - low - 2, 0), 0), out=offsets[1:])
    letters = np.empty(int(offsets[-1]), np.uint8)
    if not _letters(np.frombuffer(raw, np.uint8), low, high, offsets, letters):
        return None
    bits: NDArray[np.uint8] = np.packbits(there, bitorder="little")
    buffers = [pa.py_buffer(bits), pa.py_buffer(offsets), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.string(), len(low), buffers)


@compiled
def _letters(
    text: Bytes, low: Places, high: Places, offsets: NDArray[np.int32], letters: Bytes
) -> bool:
    """Copy what stands in quotes; False where something is not plainly so."""
    for i in range(len(low)):
        if low[i] < 0:
            continue
        if text[low[i]] != QUOTE:
            return False
        to = offsets[i]
        for at in range(low[i] + 1, high[i] - 1):
            if text[at] == BACKSLASH:
                return False
            letters[to] = text[at]
            to += 1
    return True
