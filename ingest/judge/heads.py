"""What canonical texts say of a match besides its deals: its keys, players and date, compiled."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiled import compiled
from ingest.judge.scan import is_word, past_string, past_value
from ingest.text.canonical import (
    BRACE,
    BRACKET,
    COMMA,
    DOT,
    END_BRACE,
    END_BRACKET,
    KEY,
    MINUS,
    NINE,
    UNDERSCORE,
    ZERO,
    Canonical,
)

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

NEVER = -(2**63)
"""A date that is none, or not for certain."""
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


@compiled
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


@compiled
def scan_dates(data: Bytes, low: Places, high: Places, found: Places) -> None:
    """Microseconds since 1970 of texts between quotes, as RFC 3339 writes them plainly."""
    for i in range(len(low)):
        found[i] = NEVER if low[i] < 0 else _date(data, low[i] + 1, high[i] - 1)


_FORM = np.frombuffer(b"0000-00-00T00:00:00", np.uint8)


@compiled
def _date(data: Bytes, at: int, end: int) -> int:
    if end - at < 20:
        return NEVER
    for k in range(len(_FORM)):
        digit = ZERO <= data[at + k] <= NINE
        if (not digit) if _FORM[k] == ZERO else data[at + k] != _FORM[k]:
            return NEVER
    year = _pair(data, at) * 100 + _pair(data, at + 2)
    month, day = _pair(data, at + 5), _pair(data, at + 8)
    hour, minute, second = _pair(data, at + 11), _pair(data, at + 14), _pair(data, at + 17)
    if not (1000 <= year < 9999 and 1 <= month <= 12 and 1 <= day <= _days_in(year, month)):
        return NEVER
    if hour > 23 or minute > 59 or second > 59:
        return NEVER
    at += len(_FORM)
    part = 0
    if data[at] == DOT:
        at += 1
        begin = at
        while ZERO <= data[at] <= NINE and at - begin < 6:
            part = part * 10 + data[at] - ZERO
            at += 1
        if at == begin:
            return NEVER
        for _ in range(6 - (at - begin)):
            part *= 10
    zone = 0
    if data[at] == 90:  # Z
        at += 1
    else:
        zone = _zone(data, at, end)
        if zone == NEVER:
            return NEVER
        at += 6
    if at != end:
        return NEVER
    minutes = (_days(year, month, day) * 24 + hour) * 60 + minute - zone
    return (minutes * 60 + second) * 1_000_000 + part


@compiled
def _zone(data: Bytes, at: int, end: int) -> int:
    """The minutes a clock is before UTC."""
    if end - at != 6 or (data[at] != MINUS and data[at] != 43) or data[at + 3] != 58:  # + :
        return NEVER
    for k in (1, 2, 4, 5):
        if not ZERO <= data[at + k] <= NINE:
            return NEVER
    hours, minutes = _pair(data, at + 1), _pair(data, at + 4)
    if hours > 23 or minutes > 59:
        return NEVER
    before = hours * 60 + minutes
    return -before if data[at] == MINUS else before


@compiled
def _pair(data: Bytes, at: int) -> int:
    """Two digits as a number."""
    return (np.int64(data[at]) - ZERO) * 10 + data[at + 1] - ZERO


@compiled
def _days_in(year: int, month: int) -> int:
    if month == 2:
        return 28 + (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return 30 + (month + month // 8) % 2


@compiled
def _days(year: int, month: int, day: int) -> int:
    """Days since 1970 in the calendar of today."""
    if month <= 2:
        year -= 1
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + of_year - 719468
