"""What canonical texts say of a match besides its deals: its keys and its players, compiled."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiled import compiled, inner
from ingest.judge.scan import is_word, past_string, past_value
from ingest.text.canonical import (
    BRACE,
    BRACKET,
    COMMA,
    END_BRACE,
    END_BRACKET,
    KEY,
    UNDERSCORE,
    Canonical,
)

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

_ID, _NAME = (np.frombuffer(word, np.uint8) for word in (b'"id":"', b'"name":"'))
_NO_NAME = np.frombuffer(b'"name":null', np.uint8)
_ID_AT, _ID_END, _NAME_AT, _NAME_END = range(4)


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


@compiled
def scan_players(
    data: Bytes, low: Places, most: int, seats: Places, spans: Places, sure: NDArray[np.bool_]
) -> int:
    """Read the lists of players that begin at `low`: how many each has, and a row of `spans` each.

    Those say where id and name are, -1 where there is no name. How many rows there are.
    """
    count = 0
    for i in range(len(low)):
        if not sure[i]:
            continue
        at, begun = low[i], count
        sure[i] = data[at] == BRACKET and data[at + 1] == BRACE
        while sure[i] and data[at] != END_BRACKET:
            sure[i] = count - begun < most and data[at + 1] == BRACE
            if sure[i]:
                at = _player(data, at + 1, spans[count])
                count += 1
                sure[i] = at >= 0 and (data[at] == COMMA or data[at] == END_BRACKET)
        if not sure[i]:
            count = begun
        seats[i] = count - begun
    return count


@inner
def _player(data: Bytes, at: int, span: Places) -> int:
    """The place past a player, -1 where it is not sure."""
    span[:] = -1
    if data[at + 1] == END_BRACE:
        return -1
    while data[at] != END_BRACE:
        at += 1
        if is_word(data, at, _ID):
            begin = at + len(_ID)
            at = past_string(data, begin - 1)
            span[_ID_AT], span[_ID_END] = begin, at - 1
        elif is_word(data, at, _NAME):
            begin = at + len(_NAME)
            at = past_string(data, begin - 1)
            span[_NAME_AT], span[_NAME_END] = begin, at - 1
        elif is_word(data, at, _NO_NAME):
            at += len(_NO_NAME)
        elif data[at + 1] == UNDERSCORE:
            at = past_value(data, past_string(data, at) + 1)
        else:
            return -1
    return at + 1 if span[_ID_END] > span[_ID_AT] else -1
