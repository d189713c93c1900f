"""Scans canonical JSON into small integers, compiled.

The tables of `ingest.validate.fast_path.scan_tables` map keys, cards, bid cards and acts to
numbers. The scanner rejects a match with any other word or form; the slow path then explains the
problem.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.actions import SEAT_SHIFT
from engine.games import NOT_DECLARED
from engine.jit import compiled, inlined
from ingest.reader.canonical import (
    BACKSLASH_BYTE,
    BRACE,
    BRACKET,
    COMMA,
    DOT,
    END_BRACE,
    END_BRACKET,
    MINUS,
    NINE,
    QUOTE_BYTE,
    SPACE,
    UNDERSCORE,
    ZERO,
    CanonicalTexts,
    bytes_at,
)
from ingest.reader.canonical import KEY as MEMBER
from ingest.validate.fast_path import scan_tables

ByteArray = NDArray[np.uint8]
IntArray = NDArray[np.int64]
WordTable = NDArray[np.uint64]

LETTER_N = ord("n")  # begins null
POWERS_OF_TEN = 10.0 ** np.arange(16)
MAX_POINTS = 5
DEALER, EXPLICIT, IS_VOID, COMMENTS_START, COMMENTS_END = range(5)
"""Columns of `facts`: seat from 0, are draws recorded, index in VOID_WORDS, span of comments."""


def find_members(canonical: CanonicalTexts, places: IntArray, keys: Sequence[str]) -> tuple[Any, Any]:
    """Return per text the row in `members` of each key, or -1; and whether it has no other keys."""
    known = [f'"{key}":'.encode() for key in keys]
    offsets = np.cumsum([0, *map(len, known)])
    found = np.full((len(places), len(keys)), -1, np.int64)
    only = np.ones(len(places), np.bool_)
    text = np.frombuffer(b"".join(known), np.uint8)
    _find_members(
        canonical.data, canonical.first_members, canonical.members, places, text, offsets, found, only
    )
    return found, only


@compiled
def _find_members(
    data: ByteArray,
    first: IntArray,
    members: IntArray,
    places: IntArray,
    text: ByteArray,
    offsets: IntArray,
    found: NDArray[np.int64],
    only: NDArray[np.bool_],
) -> None:
    for i in range(len(places)):
        for row in range(first[places[i]], first[places[i] + 1]):
            at = members[row, MEMBER]
            there = False
            for k in range(len(offsets) - 1):
                if bytes_at(data, at, text[offsets[k] : offsets[k + 1]]):
                    found[i, k] = row
                    there = True
                    break
            only[i] &= there


@compiled
def scan_deals(
    data: ByteArray,
    starts: IntArray,
    setup_rows: IntArray,
    shapes: IntArray,
    places: NDArray[np.int64],
    words: NDArray[np.uint64],
    is_draw: NDArray[np.bool_],
    dealt_cards: IntArray,
    valid: NDArray[np.bool_],
    first_deals: IntArray,
    rows: NDArray[np.uint8],
    declared: IntArray,
    facts: IntArray,
    codes: NDArray[np.uint16],
    offsets: IntArray,
) -> None:
    """Scan the lists of deals that begin at `starts`, one per match, skipping invalid matches.

    `setup_rows[i]` is the row of `shapes` and `places` for match i. Fills `first_deals` and the
    arrays after it, and clears `valid` for rejected matches.
    """
    deals = 0
    for i in range(len(starts)):
        first_deals[i + 1] = first_deals[i]
        if not valid[i]:
            continue
        valid[i] = False
        shape = shapes[setup_rows[i]]
        placed, known = places[setup_rows[i]], words[shape[scan_tables.WORD_TABLE]]
        at = starts[i]
        if data[at] != BRACKET:
            continue
        at += 1
        if data[at] == END_BRACKET:
            valid[i] = True
        while not valid[i]:
            row, result, fact, begun = rows[deals], declared[deals], facts[deals], offsets[deals]
            at, count = _scan_deal(
                data, at, shape, placed, known, is_draw, dealt_cards, row, result, fact, codes, begun
            )
            if at < 0:
                break
            deals += 1
            offsets[deals] = count
            at += 1
            valid[i] = data[at - 1] == END_BRACKET
        if valid[i]:
            first_deals[i + 1] = deals
        deals = first_deals[i + 1]


@compiled
def _scan_deal(
    data: ByteArray,
    at: int,
    shape: IntArray,
    places: NDArray[np.int64],
    words: WordTable,
    drawing: NDArray[np.bool_],
    held: IntArray,
    row: NDArray[np.uint8],
    declared: IntArray,
    facts: IntArray,
    codes: NDArray[np.uint16],
    count: int,
) -> tuple[int, int]:
    """Scan a deal; return the position after it, -1 if rejected, and the total of actions."""
    fail = -1, count
    begun = count
    for k in range(6):
        declared[k] = 0
    declared[6] = declared[7] = NOT_DECLARED
    facts[DEALER] = facts[COMMENTS_START] = -1
    facts[EXPLICIT] = facts[IS_VOID] = 0
    cards = decks = bids = 0
    times = -1
    for k in range(len(row)):
        row[k] = shape[scan_tables.NO_CARD]
    if data[at] != BRACE or data[at + 1] == END_BRACE:
        return fail
    while data[at] != END_BRACE:
        at += 1
        if data[at + 1] == UNDERSCORE:
            at = skip_value(data, skip_string(data, at) + 1)
            continue
        kind, at = _scan_quoted_word(data, at + 1, scan_tables.KEY_WORD, words)
        at += 2
        if kind < 0:
            return fail
        if data[at] == LETTER_N:
            if kind < scan_tables.NULLABLE_FLAG:
                return fail
            at += 4
            continue
        kind &= scan_tables.NULLABLE_FLAG - 1
        if kind == scan_tables.ACTIONS:
            at, count, facts[EXPLICIT] = _scan_actions(data, at, words, drawing, codes, count)
        elif kind == scan_tables.DECK:
            at, cards = _scan_cards(data, at, words, held, 0)
            decks = cards
        elif kind == scan_tables.HANDS:
            if decks:
                return fail
            at, cards = _scan_hands(data, at, shape, words, held)
        elif kind == scan_tables.TALON:
            if cards != shape[scan_tables.HAND_SIZE] * shape[scan_tables.PLAYERS] or decks:
                return fail
            at, cards = _scan_cards(data, at, words, held, cards)
        elif kind == scan_tables.BIDS:
            at, bids = _scan_bids(data, at, shape, words, row)
        elif kind == scan_tables.TIMES:
            at, times = _scan_times(data, at)
        elif kind == scan_tables.POINTS:
            at, declared[5] = _scan_points(data, at, declared)
        elif kind == scan_tables.WINNER:
            declared[6], at = _scan_integer(data, at)
        elif kind == scan_tables.MANCHE:
            declared[7], at = _scan_integer(data, at)
        elif kind == scan_tables.SEAT:
            seat, at = _scan_integer(data, at)
            facts[DEALER] = seat - 1
        elif kind == scan_tables.VOID:
            opened = data[at] == QUOTE_BYTE
            facts[IS_VOID], at = _scan_quoted_word(data, at + opened, scan_tables.VOID_WORD, words)
            if not opened or facts[IS_VOID] < 0:
                return fail
            at += 1
        elif kind == scan_tables.COMMENTS:
            facts[COMMENTS_START] = at
            at = skip_value(data, at)
            facts[COMMENTS_END] = at
        else:
            return fail
        if at < 0:
            return fail
    dealer, players, side = (facts[DEALER], shape[scan_tables.PLAYERS], shape[scan_tables.FACES_PER_CARD] - 1)
    if dealer < 0 or dealer >= players or bids != players * (shape[scan_tables.BIDS_AT] >= 0):
        return fail
    if cards != shape[scan_tables.HAND_SIZE] * players + shape[scan_tables.TALON_SIZE]:
        return fail
    if times >= 0 and times != count - begun:
        return fail
    seen = np.int64(0)
    for k in range(cards):
        bit = np.int64(1) << np.int64(held[k] >> side)
        if seen & bit:  # duplicate card
            return fail
        seen |= bit
        row[k if decks else places[dealer, k]] = held[k]
    return at + 1, count


@inlined
def _scan_word(data: ByteArray, at: int, stop: int, kind: int, words: WordTable) -> tuple[Any, Any]:
    """Look up the word before a quote or `stop`; return its number, or -1, and its end."""
    place = np.uint64(at)
    one = np.uint64(1)
    low = high = np.uint64(0)
    shift = np.uint64(0)
    if data[place + np.uint64(2)] == QUOTE_BYTE or data[place + np.uint64(2)] == stop:
        low = np.uint64(data[place]) | np.uint64(data[place + one]) << np.uint64(8)  # most: 2 bytes
        place += np.uint64(2)
    while data[place] != QUOTE_BYTE and data[place] != stop:
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
    k = scan_tables.hash_slot(low, high, size)
    while words[k, 2]:
        if words[k, 0] == low and words[k, 1] == high:
            return np.int64(words[k, 2]) - 1, np.int64(place)
        k = (k + 1) & (size - 1)
    return -1, np.int64(place)


@compiled
def _scan_quoted_word(data: ByteArray, at: int, kind: int, words: WordTable) -> tuple[Any, Any]:
    """Look up the word before a quote: `_scan_word`, not inlined, for less frequent words."""
    return _scan_word(data, at, QUOTE_BYTE, kind, words)


@compiled
def _scan_actions(
    data: ByteArray,
    at: int,
    words: WordTable,
    drawing: NDArray[np.bool_],
    codes: NDArray[np.uint16],
    count: int,
) -> tuple[int, int, int]:
    """Scan a list of actions; return its end or -1, the total of actions, and any draws."""
    explicit = 0
    if data[at] != BRACKET:
        return -1, count, 0
    at += 1
    if data[at] == END_BRACKET:
        return at + 1, count, 0
    while True:
        seat = np.int64(data[at + 1]) - ZERO - 1
        if data[at] != QUOTE_BYTE or seat < 0 or seat > 8 or data[at + 2] != SPACE:
            return -1, count, 0
        act, at = _scan_word(data, at + 3, QUOTE_BYTE, scan_tables.ACT_WORD, words)
        if act < 0:
            return -1, count, 0
        explicit |= drawing[act]
        codes[count] = seat << SEAT_SHIFT | act
        count += 1
        at += 2
        if data[at - 1] != COMMA:
            return at, count, explicit


@compiled
def _scan_cards(data: ByteArray, at: int, words: WordTable, held: IntArray, count: int) -> tuple[int, int]:
    """Scan a string of cards into `held`; return its end, -1 if rejected, and the count."""
    if data[at] != QUOTE_BYTE:
        return -1, count
    while True:
        card, at = _scan_word(data, at + 1, SPACE, scan_tables.CARD_WORD, words)
        if card < 0 or count == len(held):
            return -1, count
        held[count] = card
        count += 1
        if data[at] == QUOTE_BYTE:
            return at + 1, count


@compiled
def _scan_hands(
    data: ByteArray, at: int, shape: IntArray, words: WordTable, held: IntArray
) -> tuple[int, int]:
    """Scan a list of hands, one per seat, into `held`; return its end or -1, and the count."""
    count = 0
    for seat in range(shape[scan_tables.PLAYERS]):
        if data[at] != (COMMA if seat else BRACKET):
            return -1, count
        at, count = _scan_cards(data, at + 1, words, held, count)
        if at < 0 or count != shape[scan_tables.HAND_SIZE] * (seat + 1):
            return -1, count
    return at + 1 if data[at] == END_BRACKET else -1, count


@compiled
def _scan_bids(
    data: ByteArray, at: int, shape: IntArray, words: WordTable, row: NDArray[np.uint8]
) -> tuple[int, int]:
    """Scan bid cards, one per seat, into `row`; return the list's end or -1, and the count."""
    for seat in range(shape[scan_tables.PLAYERS]):
        if data[at] != (COMMA if seat else BRACKET) or data[at + 1] != QUOTE_BYTE:
            return -1, 0
        bid, at = _scan_quoted_word(data, at + 2, scan_tables.BID_WORD, words)
        if bid < 0:
            return -1, 0
        row[shape[scan_tables.BIDS_AT] + seat] = bid
        at += 1
    return at + 1 if data[at] == END_BRACKET else -1, shape[scan_tables.PLAYERS]


@compiled
def _scan_integer(data: ByteArray, at: int) -> tuple[int, int]:
    """Scan an integer of at most nine digits; return it and its end, -1 if rejected."""
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
def _scan_points(data: ByteArray, at: int, declared: IntArray) -> tuple[int, int]:
    """Scan integers, the first MAX_POINTS into `declared`; return the end or -1, and the count."""
    if data[at] != BRACKET:
        return -1, 0
    if data[at + 1] == END_BRACKET:
        return at + 2, 0
    count = 0
    while True:
        value, at = _scan_integer(data, at + 1)
        if at < 0:
            return -1, 0
        if count < MAX_POINTS:
            declared[count] = value
        count += 1
        if data[at] == END_BRACKET:
            return at + 1, count


@compiled
def _scan_times(data: ByteArray, at: int) -> tuple[int, int]:
    """Scan a list of times; return its end, -1 if one is less than the last, and the count."""
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
        time = value / POWERS_OF_TEN[max(decimals, 0)]
        if at == begin or time < last:
            return -1, 0
        last = time
        count += 1
        if data[at] == END_BRACKET:
            return at + 1, count
        if data[at] != COMMA:
            return -1, 0


@compiled
def skip_string(data: ByteArray, at: int) -> int:
    """Return the position after a string of canonical text."""
    at += 1
    while data[at] != QUOTE_BYTE:
        at += 1 + (data[at] == BACKSLASH_BYTE)
    return at + 1


@compiled
def skip_value(data: ByteArray, at: int) -> int:
    """Return the position after any value of canonical text."""
    depth = 0
    while True:
        sign = data[at]
        if sign == QUOTE_BYTE:
            at = skip_string(data, at)
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
