"""Canonical text of matches → where their keys stand, and their deals as small integers, compiled.

What a key, a card, a bid card or an act is stands in the tables of
`ingest.validate.fast_path.scan_tables`. Whatever is not in them, or not exactly as the format
writes it, ends the match: the explanation says why.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games import UNSAID
from engine.jit import compiled, inlined
from ingest.reader.canonical import (
    BACKSLASH,
    BRACE,
    BRACKET,
    COMMA,
    DOT,
    END_BRACE,
    END_BRACKET,
    MINUS,
    NINE,
    QUOTE,
    SPACE,
    UNDERSCORE,
    ZERO,
    Canonical,
    is_word,
)
from ingest.reader.canonical import KEY as MEMBER
from ingest.validate.fast_path import scan_tables

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Table = NDArray[np.uint64]

_N = ord("n")  # of null
POWERS = 10.0 ** np.arange(16)
MOST_POINTS = 5
DEALER, EXPLICIT, IS_VOID, COMMENTS_AT, COMMENTS_END = range(5)
"""Columns of facts: the seat from 0, whether draws are told, an index of VOIDS, the comments."""


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
            at = members[row, MEMBER]
            there = False
            for k in range(len(offsets) - 1):
                if is_word(data, at, text[offsets[k] : offsets[k + 1]]):
                    found[i, k] = row
                    there = True
                    break
            only[i] &= there


@compiled
def scan_deals(
    data: Bytes,
    low: Places,
    laid: Places,
    shapes: Places,
    places: NDArray[np.int64],
    words: NDArray[np.uint64],
    drawing: NDArray[np.bool_],
    held: Places,
    sure: NDArray[np.bool_],
    first: Places,
    rows: NDArray[np.uint8],
    told: Places,
    facts: Places,
    codes: NDArray[np.uint16],
    offsets: Places,
) -> None:
    """Read the lists of deals that begin at `low`, one a match; those not sure are left out.

    `laid[i]` is the row of `shapes` and `places` that match i is read by. Fills what `first` comes
    before, and `sure` where a match is not what it should be.
    """
    deals = 0
    for i in range(len(low)):
        first[i + 1] = first[i]
        if not sure[i]:
            continue
        sure[i] = False
        shape = shapes[laid[i]]
        placed, known = places[laid[i]], words[shape[scan_tables.WORDS]]
        at = low[i]
        if data[at] != BRACKET:
            continue
        at += 1
        if data[at] == END_BRACKET:
            sure[i] = True
        while not sure[i]:
            row, said, fact, begun = rows[deals], told[deals], facts[deals], offsets[deals]
            at, count = _deal(
                data, at, shape, placed, known, drawing, held, row, said, fact, codes, begun
            )
            if at < 0:
                break
            deals += 1
            offsets[deals] = count
            at += 1
            sure[i] = data[at - 1] == END_BRACKET
        if sure[i]:
            first[i + 1] = deals
        deals = first[i + 1]


@compiled
def _deal(
    data: Bytes,
    at: int,
    shape: Places,
    places: NDArray[np.int64],
    words: Table,
    drawing: NDArray[np.bool_],
    held: Places,
    row: NDArray[np.uint8],
    told: Places,
    facts: Places,
    codes: NDArray[np.uint16],
    count: int,
) -> tuple[int, int]:
    """The place past a deal, -1 where it is not sure, and how many actions there are with it."""
    fail = -1, count
    begun = count
    for k in range(6):
        told[k] = 0
    told[6] = told[7] = UNSAID
    facts[DEALER] = facts[COMMENTS_AT] = -1
    facts[EXPLICIT] = facts[IS_VOID] = 0
    cards = decks = bids = 0
    times = -1
    for k in range(len(row)):
        row[k] = shape[scan_tables.EMPTY]
    if data[at] != BRACE or data[at + 1] == END_BRACE:
        return fail
    while data[at] != END_BRACE:
        at += 1
        if data[at + 1] == UNDERSCORE:
            at = past_value(data, past_string(data, at) + 1)
            continue
        kind, at = _one_word(data, at + 1, scan_tables.KEY, words)
        at += 2
        if kind < 0:
            return fail
        if data[at] == _N:
            if kind < scan_tables.NULLABLE:
                return fail
            at += 4
            continue
        kind &= scan_tables.NULLABLE - 1
        if kind == scan_tables.ACTIONS:
            at, count, facts[EXPLICIT] = _actions(data, at, words, drawing, codes, count)
        elif kind == scan_tables.DECK:
            at, cards = _cards(data, at, words, held, 0)
            decks = cards
        elif kind == scan_tables.HANDS:
            if decks:
                return fail
            at, cards = _hands(data, at, shape, words, held)
        elif kind == scan_tables.TALON:
            if cards != shape[scan_tables.HAND] * shape[scan_tables.PLAYERS] or decks:
                return fail
            at, cards = _cards(data, at, words, held, cards)
        elif kind == scan_tables.BIDS:
            at, bids = _bids(data, at, shape, words, row)
        elif kind == scan_tables.TIMES:
            at, times = _times(data, at)
        elif kind == scan_tables.POINTS:
            at, told[5] = _points(data, at, told)
        elif kind == scan_tables.WINNER:
            told[6], at = _integer(data, at)
        elif kind == scan_tables.MANCHE:
            told[7], at = _integer(data, at)
        elif kind == scan_tables.SEAT:
            seat, at = _integer(data, at)
            facts[DEALER] = seat - 1
        elif kind == scan_tables.VOID:
            opened = data[at] == QUOTE
            facts[IS_VOID], at = _one_word(data, at + opened, scan_tables.VOIDS, words)
            if not opened or facts[IS_VOID] < 0:
                return fail
            at += 1
        elif kind == scan_tables.COMMENTS:
            facts[COMMENTS_AT] = at
            at = past_value(data, at)
            facts[COMMENTS_END] = at
        else:
            return fail
        if at < 0:
            return fail
    dealer, players, side = facts[DEALER], shape[scan_tables.PLAYERS], shape[scan_tables.FACES] - 1
    if dealer < 0 or dealer >= players or bids != players * (shape[scan_tables.BIDS_AT] >= 0):
        return fail
    if cards != shape[scan_tables.HAND] * players + shape[scan_tables.TALON_SIZE]:
        return fail
    if times >= 0 and times != count - begun:
        return fail
    seen = np.int64(0)
    for k in range(cards):
        bit = np.int64(1) << np.int64(held[k] >> side)
        if seen & bit:  # a card is there twice
            return fail
        seen |= bit
        row[k if decks else places[dealer, k]] = held[k]
    return at + 1, count


@inlined
def _word(data: Bytes, at: int, stop: int, kind: int, words: Table) -> tuple[Any, Any]:
    """What a word up to a quote or `stop` is of a kind, -1 for nothing, and the place past it."""
    place = np.uint64(at)
    one = np.uint64(1)
    low = high = np.uint64(0)
    shift = np.uint64(0)
    if data[place + np.uint64(2)] == QUOTE or data[place + np.uint64(2)] == stop:
        low = np.uint64(data[place]) | np.uint64(data[place + one]) << np.uint64(8)  # most have two
        place += np.uint64(2)
    while data[place] != QUOTE and data[place] != stop:
        if shift < np.uint64(64):
            low |= np.uint64(data[place]) << shift
        elif shift < np.uint64(120):
            high |= np.uint64(data[place]) << (shift - np.uint64(64))
        else:
            return -1, np.int64(place)
        shift += np.uint64(8)
        place += one
    high |= np.uint64(kind) << np.uint64(56)
    size = len(words)
    k = scan_tables.slot(low, high, size)
    while words[k, 2]:
        if words[k, 0] == low and words[k, 1] == high:
            return np.int64(words[k, 2]) - 1, np.int64(place)
        k = (k + 1) & (size - 1)
    return -1, np.int64(place)


@compiled
def _one_word(data: Bytes, at: int, kind: int, words: Table) -> tuple[Any, Any]:
    """The same up to a quote, where speed is not all."""
    return _word(data, at, QUOTE, kind, words)


@compiled
def _actions(
    data: Bytes,
    at: int,
    words: Table,
    drawing: NDArray[np.bool_],
    codes: NDArray[np.uint16],
    count: int,
) -> tuple[int, int, int]:
    """The place past a list of actions, how many there are now, and whether draws are told."""
    explicit = 0
    if data[at] != BRACKET:
        return -1, count, 0
    at += 1
    if data[at] == END_BRACKET:
        return at + 1, count, 0
    while True:
        seat = np.int64(data[at + 1]) - ZERO - 1
        if data[at] != QUOTE or seat < 0 or seat > 8 or data[at + 2] != SPACE:
            return -1, count, 0
        act, at = _word(data, at + 3, QUOTE, scan_tables.ACT, words)
        if act < 0:
            return -1, count, 0
        explicit |= drawing[act]
        codes[count] = seat << 8 | act
        count += 1
        at += 2
        if data[at - 1] != COMMA:
            return at, count, explicit


@compiled
def _cards(data: Bytes, at: int, words: Table, held: Places, count: int) -> tuple[int, int]:
    """Read a text of cards to `held`: the place past it, -1 where it is none, and the count."""
    if data[at] != QUOTE:
        return -1, count
    while True:
        card, at = _word(data, at + 1, SPACE, scan_tables.CARD, words)
        if card < 0 or count == len(held):
            return -1, count
        held[count] = card
        count += 1
        if data[at] == QUOTE:
            return at + 1, count


@compiled
def _hands(data: Bytes, at: int, shape: Places, words: Table, held: Places) -> tuple[int, int]:
    """The same of a list of hands, one a seat."""
    count = 0
    for seat in range(shape[scan_tables.PLAYERS]):
        if data[at] != (COMMA if seat else BRACKET):
            return -1, count
        at, count = _cards(data, at + 1, words, held, count)
        if at < 0 or count != shape[scan_tables.HAND] * (seat + 1):
            return -1, count
    return at + 1 if data[at] == END_BRACKET else -1, count


@compiled
def _bids(
    data: Bytes, at: int, shape: Places, words: Table, row: NDArray[np.uint8]
) -> tuple[int, int]:
    """Read bid cards, one a seat, to the row; the place past the list, and how many there are."""
    for seat in range(shape[scan_tables.PLAYERS]):
        if data[at] != (COMMA if seat else BRACKET) or data[at + 1] != QUOTE:
            return -1, 0
        bid, at = _one_word(data, at + 2, scan_tables.BID, words)
        if bid < 0:
            return -1, 0
        row[shape[scan_tables.BIDS_AT] + seat] = bid
        at += 1
    return at + 1 if data[at] == END_BRACKET else -1, shape[scan_tables.PLAYERS]


@compiled
def _integer(data: Bytes, at: int) -> tuple[int, int]:
    """A whole number of at most nine digits, and the place past it, -1 where it is none."""
    sign = 1
    if data[at] == MINUS:
        sign = -1
        at += 1
    begin, value = at, 0
    while ZERO <= data[at] <= NINE:
        value = value * 10 + data[at] - ZERO
        at += 1
    if at == begin or at - begin > 9 or data[at] == DOT:
        return 0, -1
    return sign * value, at


@compiled
def _points(data: Bytes, at: int, told: Places) -> tuple[int, int]:
    """Read a list of whole numbers, the first to `told`; the place past it, how many there are."""
    if data[at] != BRACKET:
        return -1, 0
    if data[at + 1] == END_BRACKET:
        return at + 2, 0
    count = 0
    while True:
        value, at = _integer(data, at + 1)
        if at < 0:
            return -1, 0
        if count < MOST_POINTS:
            told[count] = value
        count += 1
        if data[at] == END_BRACKET:
            return at + 1, count


@compiled
def _times(data: Bytes, at: int) -> tuple[int, int]:
    """The place past a list of times that never go back, -1 where one does; how many there are."""
    if data[at] != BRACKET:
        return -1, 0
    if data[at + 1] == END_BRACKET:
        return at + 2, 0
    count, last = 0, 0.0
    while True:
        value, decimals = 0, -1
        at += 1
        begin = at
        while ZERO <= data[at] <= NINE or data[at] == DOT:
            if data[at] == DOT:
                decimals = 0
            else:
                value = value * 10 + data[at] - ZERO
                decimals += decimals >= 0
            at += 1
        time = value / POWERS[max(decimals, 0)]
        if at == begin or time < last:
            return -1, 0
        last = time
        count += 1
        if data[at] == END_BRACKET:
            return at + 1, count
        if data[at] != COMMA:
            return -1, 0


@compiled
def past_string(data: Bytes, at: int) -> int:
    """The place past a string of canonical text."""
    at += 1
    while data[at] != QUOTE:
        at += 1 + (data[at] == BACKSLASH)
    return at + 1


@compiled
def past_value(data: Bytes, at: int) -> int:
    """The place past any value of canonical text."""
    depth = 0
    while True:
        sign = data[at]
        if sign == QUOTE:
            at = past_string(data, at)
        elif sign in (BRACE, BRACKET):
            depth += 1
            at += 1
        elif sign in (END_BRACE, END_BRACKET):
            depth -= 1
            at += 1
        else:
            at += 1
        if depth == 0 and (data[at] == COMMA or data[at] == END_BRACE or data[at] == END_BRACKET):
            return at
