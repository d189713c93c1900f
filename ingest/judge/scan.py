"""Cards and actions as text in Arrow buffers → the engine's small integers, compiled.

What is not exactly as the format writes it is only marked: the explanation says why.
"""

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from engine.acts import UNKNOWN
from engine.games import game
from schemas.words import codes

QUOTE, COMMA, SPACE, OPENING, CLOSING = (ord(mark) for mark in '", []')


class Strings(NamedTuple):
    """An Arrow string column as NumPy sees it: text i is `data[offsets[i]:offsets[i + 1]]`."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    valid: NDArray[np.bool_]


def strings(column: pa.ChunkedArray) -> Strings:
    """The buffers of a string column."""
    array = column.combine_chunks().cast(pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], pa.large_string())
    buffers = array.buffers()
    offsets = np.frombuffer(buffers[1], np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(buffers[2] or b"\0", np.uint8)
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return Strings(data, offsets if len(array) else np.zeros(1, np.int64), valid)


class WordTable(NamedTuple):
    """Actions of up to sixteen bytes by open addressing on their two halves."""

    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    code: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _slot(low, high, size):
    mixed = (low ^ (high * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed >> np.uint64(40)) & np.uint64(size - 1))


@cache
def word_table(name: str) -> WordTable:
    """The table of a game's actions."""
    size = 1
    while size < 4 * len(codes(name)):
        size *= 2
    table = WordTable(
        np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.full(size, -1, np.int64)
    )
    for word, code in codes(name).items():
        packed = word.encode().ljust(16, b"\0")
        low, high = np.frombuffer(packed, np.uint64)
        slot = _slot(low, high, size)
        while table.code[slot] >= 0:
            slot = (slot + 1) % size
        table.low[slot], table.high[slot], table.code[slot] = low, high, code
    return table


@njit(cache=True, nogil=True)
def scan_actions(data, offsets, low, high, code, drawing, out, ends, explicit):
    """Read n JSON lists of actions: codes to `out`, where each list ends to `ends`.

    `drawing[act]` tells the draws; `explicit[i]` is set where a list has one. A list that
    is not plain strings gets the act UNKNOWN, which no kernel takes.
    """
    size = len(code)
    count = 0
    for i in range(len(offsets) - 1):
        at = offsets[i]
        end = offsets[i + 1]
        explicit[i] = 0
        if end - at >= 2 and data[at] == OPENING and data[at + 1] != CLOSING:
            at += 1
            while at < end:
                if data[at] != QUOTE:
                    out[count] = UNKNOWN
                    count += 1
                    break
                at += 1
                first = np.uint64(0)
                second = np.uint64(0)
                length = 0
                while at < end and data[at] != QUOTE:
                    if length < 8:
                        first |= np.uint64(data[at]) << np.uint64(8 * length)
                    elif length < 16:
                        second |= np.uint64(data[at]) << np.uint64(8 * (length - 8))
                    length += 1
                    at += 1
                found = np.int64(UNKNOWN)
                if length <= 16:
                    slot = _slot(first, second, size)
                    while code[slot] >= 0:
                        if low[slot] == first and high[slot] == second:
                            found = code[slot]
                            break
                        slot = (slot + 1) & (size - 1)
                out[count] = found
                count += 1
                if drawing[found & 255]:
                    explicit[i] = 1
                at += 1
                if at < end and data[at] == COMMA:
                    at += 1
                else:
                    break
            if at != end - 1 or data[at] != CLOSING:
                out[count] = UNKNOWN
                count += 1
        ends[i] = count
    return count


@cache
def card_tables(name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rank of a byte, suit of a byte times the ranks), -99 for bytes that are neither."""
    pack = game(name).pack
    ranks, suits = np.full(256, -999, np.int64), np.full(256, -999, np.int64)
    for card, code in pack.codes.items():
        ranks[ord(card[0])] = code % len(pack.ranks)
        suits[ord(card[1])] = code - code % len(pack.ranks)
    return ranks, suits


@njit(cache=True, nogil=True)
def _cards(data, at, end, ranks, suits, out, count):
    """Read cards to `out` from `count` on; the new count, or -1 for anything else."""
    while at + 1 < end:
        card = ranks[data[at]] + suits[data[at + 1]]
        if card < 0 or count >= len(out):
            return -1
        out[count] = card
        count += 1
        at += 2
        if at == end:
            return count
        if data[at] != SPACE:
            return -1
        at += 1
    return -1


@njit(cache=True, nogil=True)
def scan_decks(data, offsets, valid, ranks, suits, out, good):
    """Read n packs in the order dealt; `good[i]` where every card is there once."""
    size = out.shape[1]
    for i in range(len(valid)):
        good[i] = (
            valid[i]
            and _cards(data, offsets[i], offsets[i + 1], ranks, suits, out[i], 0) == size
            and _complete(out[i])
        )


@njit(cache=True, nogil=True)
def _complete(cards):
    seen = np.int64(0)
    for card in cards:
        seen |= np.int64(1) << np.int64(card)
    return seen == (np.int64(1) << np.int64(len(cards))) - 1


@njit(cache=True, nogil=True)
def scan_hands(
    hands, hand_at, talons, talon_at, valid, players, dealers, rule_of, places, orders, sizes,
    ranks, suits, out, good,
):  # fmt: skip
    """The same from hands (a JSON list) and talon: fills the packs where `valid[i]`.

    `orders[players, dealer, k]` is which card of the hands, seat after seat, was dealt as
    k-th; `sizes[players]` how many each seat gets; `places[rule_of[i], players, k]` where, after
    the hands, the k-th card of the talon lay.
    """
    size = out.shape[1]
    row = np.zeros(size, np.uint8)
    for i in range(len(valid)):
        if not valid[i]:
            continue
        at = hand_at[i] + 1
        end = hand_at[i + 1]
        count = 0
        seats = 0
        while count >= 0 and at < end and hands[at] == QUOTE:
            stop = at + 1
            while stop < end and hands[stop] != QUOTE:
                stop += 1
            before = count
            count = _cards(hands, at + 1, stop, ranks, suits, row, count)
            if count - before != sizes[players[i]]:
                count = -1
            seats += 1
            at = stop + 2
        if count < 0 or seats != players[i] or at != end:
            continue
        dealt = count
        if dealt < size:
            count = _cards(talons, talon_at[i], talon_at[i + 1], ranks, suits, row, count)
        elif talon_at[i + 1] > talon_at[i]:
            continue
        if count != size or not _complete(row):
            continue
        for k in range(dealt):
            out[i, k] = row[orders[seats, dealers[i], k]]
        for k in range(size - dealt):
            out[i, dealt + places[rule_of[i], seats, k]] = row[dealt + k]
        good[i] = True


@cache
def dealing(name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(orders, sizes) for `scan_hands`, from the game's own way of dealing (CH-3, CO-1)."""
    this = game(name)
    assert this.dealing is not None  # no other game's deals are scanned
    most = max(this.players)
    orders = np.zeros((most + 1, most, len(this.pack)), np.int64)
    sizes = np.zeros(most + 1, np.int64)
    for players in this.players:
        sizes[players] = this.dealing.hand_size(players)
        for dealer in range(players):
            held = [0] * players
            for place in range(int(sizes[players]) * players):
                seat = int(this.dealing.receiver(players, dealer, place))
                orders[players, dealer, place] = seat * sizes[players] + held[seat]
                held[seat] += 1
    return orders, sizes


def talon_places(name: str, rules: NDArray[np.void]) -> NDArray[np.int64]:
    """`places` for `scan_hands`, a row a rule: the game knows whether a card was turned up."""
    this = game(name)
    assert this.dealing is not None  # no other game's deals are scanned
    _, sizes = dealing(name)
    places = np.zeros((len(rules), len(sizes), len(this.pack)), np.int64)
    for number, players in product(range(len(rules)), this.players):
        rest = len(this.pack) - int(sizes[players]) * players
        for turn in range(rest):
            places[number, players, turn] = this.dealing.talon_place(rules[number], rest, turn)
    return places


def read_actions(name: str, column: pa.ChunkedArray) -> tuple[Any, Any, Any]:
    """(codes, offsets, explicit) of a column of JSON lists of actions."""
    text = strings(column)
    table = word_table(name)
    n = len(text.offsets) - 1
    out = np.zeros(int(text.offsets[-1] - text.offsets[0]) // 2 + 2 * n + 2, np.uint16)
    ends = np.zeros(n + 1, np.int64)
    explicit = np.zeros(n, np.int64)
    drawing = np.zeros(256, np.bool_)
    acts = game(name).acts
    for act in range(acts.ACTS):
        drawing[act] = acts.kind_of_act(act) == "draw"
    count = scan_actions(text.data, text.offsets, *table, drawing, out, ends[1:], explicit)
    return out[:count], ends, explicit
