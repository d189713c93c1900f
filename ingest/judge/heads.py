"""Where the keys of a match stand in canonical texts, compiled."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiled import compiled
from ingest.judge.scan import is_word
from ingest.text.canonical import KEY, Canonical

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


def members_of(read: Canonical, places: Places, keys: Sequence[str]) -> tuple[Any, Any]:
    """Of some texts, the row of `members` that has each key, -1 for none; and who has no other."""
    known = [f'"{key}":'.encode() for key in keys]
    offsets = np.cumsum([0, *map(len, known)])
    found = np.full((len(places), len(keys)), -1, np.int64)
    only = np.ones(len(places), np.bool_)
    text = np.frombuffer(b"".join(known), np.uint8)
    _members(read.data, read.first, read.members, places, text, offsets, found, only)
    return found, only


@compiled
def _members(
    data: Bytes,
    first: Places,
    members: Places,
    places: Places,
    text: Bytes,
    offsets: Places,
    found: NDArray[np.int64],
    only: NDArray[np.bool_],
) -> None:
    for i in range(len(places)):
        for row in range(first[places[i]], first[places[i] + 1]):
            at = members[row, KEY]
            there = False
            for k in range(len(offsets) - 1):
                if is_word(data, at, text[offsets[k] : offsets[k + 1]]):
                    found[i, k] = row
                    there = True
                    break
            only[i] &= there
