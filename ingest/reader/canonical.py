"""Rewrites match texts into canonical JSON in one compiled pass.

The output equals `schemas.content_hash.canonical_bytes`: sorted keys, no blanks, and no key of the
match that starts with `_`. A text is valid here only if it has a single reading and spelling: no
duplicate keys, no escapes with another spelling, no numbers that JSON writers format differently.
Other texts may still be valid JSON; callers parse them in full.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.jit import compiled, inlined
from ingest.reader.json_text import MAX_LINE_BYTES
from schemas.content_hash import TIMES_KEY

ByteArray = NDArray[np.uint8]
IntArray = NDArray[np.int64]

QUOTE_BYTE, BACKSLASH_BYTE, COMMA, COLON, MINUS, DOT, ZERO, NINE, UNDERSCORE = (ord(c) for c in '"\\,:-.09_')
BRACE, END_BRACE, BRACKET, END_BRACKET, SPACE = (ord(c) for c in "{}[] ")
IS_ESCAPE_BYTE = np.zeros(256, np.bool_)
IS_ESCAPE_BYTE[list(b'"\\bfnrt')] = True
"""Escape characters whose escape has no other canonical spelling."""
CONTROL_ESCAPE, THREE_ZEROS = np.frombuffer(b"\\u00", np.uint8), np.frombuffer(b"000", np.uint8)
LITERAL_BYTES = np.zeros((256, 6), np.uint8)
for _word in (b"true", b"false", b"null"):
    LITERAL_BYTES[_word[0], : len(_word)] = list(_word)
MAX_DIGITS = 15  # digits up to which a decimal is its own shortest spelling
TIMES_KEY_BYTES = np.frombuffer(b'"%s":' % TIMES_KEY.encode(), np.uint8)
PADDING_BYTES = 32  # bytes after the last text, so that look-ahead stays in bounds
MAX_DEPTH = 12  # nesting levels; a match has five, free keys a few more
MAX_KEYS = 128  # keys of the largest object
IS_PLAIN_BYTE = np.arange(256) >= SPACE  # bytes a string contains unescaped
IS_PLAIN_BYTE[[QUOTE_BYTE, BACKSLASH_BYTE]] = False
KEY, VALUE, END, RAW, RAW_END, _NAME, _SIZE = range(7)
"""Columns of `CanonicalTexts.members`; the last two are used only for sorting."""
_BEGIN, _FIRST, _KIND, _MIXED = range(4)
"""Columns of the open levels: start, first key, bracket, and whether keys need sorting."""


class CanonicalTexts(NamedTuple):
    """Canonical texts: text i is `data[low[i]:high[i]]`.

    Its rows in `members` are `first_members[i]` to `first_members[i + 1]`; a 0 byte ends each text.
    """

    data: ByteArray
    text: memoryview  # a view of `data`, for slicing
    low: IntArray
    high: IntArray
    valid: NDArray[np.bool_]
    has_point_zero: NDArray[np.bool_]
    """Whether a text has a number like `3.0`; its identity bytes drop `.0` from times."""
    first_members: IntArray
    members: IntArray
    """A row per top-level key: offsets of key and value in `data`, and of the value in `raw`."""
    raw: bytes  # all input texts, which `RAW` and `RAW_END` index
    object_count: int  # JSON objects in all texts


def canonicalize(texts: Sequence[bytes]) -> CanonicalTexts:
    """Canonicalize texts; a text that is not `valid` gets no bytes and no members."""
    raw = b"\0".join([*texts, b""])
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = np.cumsum(sizes + 1) - sizes - 1
    data = np.frombuffer(raw or b"\0", np.uint8)
    sure = sizes <= MAX_LINE_BYTES
    if not _is_utf8(raw):
        sure &= np.fromiter(map(_is_utf8, texts), np.bool_, len(texts))
    points = np.zeros(len(texts), np.bool_)
    low, high = np.zeros((2, len(texts)), np.int64)
    first = np.zeros(len(texts) + 1, np.int64)
    out = np.empty(len(data) + PADDING_BYTES, np.uint8)
    most = min(len(data) // 4, len(texts) * MAX_KEYS) + 2  # "":0
    members = np.empty((most, 5), np.int64)
    spare = np.empty(int(sizes.max(initial=0)) + 1, np.uint8)
    open_ = np.empty((MAX_DEPTH + 1, 4), np.int64)
    keys = np.empty((MAX_DEPTH * MAX_KEYS, 7), np.int64)
    room, filled = (out, spare, open_, keys), (sure, points, low, high, first, members)
    size, objects = _canonicalize_texts(data, starts, starts + sizes, *room, *filled)
    # one row more, so that looking up a missing key stays in bounds
    out = out[:size]
    return CanonicalTexts(
        out, out.data, low, high, sure, points, first, members[: first[-1] + 1], raw, objects
    )


def _is_utf8(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@compiled
def _canonicalize_texts(
    data: ByteArray,
    starts: IntArray,
    ends: IntArray,
    out: ByteArray,
    spare: ByteArray,
    open_: IntArray,
    keys: IntArray,
    sure: NDArray[np.bool_],
    points: NDArray[np.bool_],
    low: IntArray,
    high: IntArray,
    first: IntArray,
    members: IntArray,
) -> tuple[int, int]:
    """Fill `out` and the arrays after `keys`; return the bytes written and the objects."""
    to = objects = 0
    for i in range(len(starts)):
        low[i] = high[i] = to
        first[i + 1] = first[i]
        if not sure[i]:
            continue
        at, past, count, some, points[i] = _canonicalize_text(data, starts[i], out, to, spare, open_, keys)
        sure[i] = at >= 0 and skip_blanks(data, at) == ends[i]
        if not sure[i]:
            continue
        for k in range(count):
            for column in range(5):
                members[first[i] + k, column] = keys[k, column]
        first[i + 1] += count
        objects += some
        high[i] = past
        out[past] = 0
        to = past + 1
    return to, objects


@compiled
def bytes_at(data: ByteArray, at: int, word: ByteArray) -> bool:
    """Return whether `data` contains `word` at an offset."""
    for k in range(len(word)):
        if data[at + k] != word[k]:
            return False
    return True


@compiled
def skip_blanks(data: ByteArray, at: int) -> int:
    """Return the offset after any blanks."""
    while data[at] == SPACE or data[at] == 10 or data[at] == 13 or data[at] == 9:
        at += 1
    return at


@compiled
def _canonicalize_text(
    data: ByteArray, at: int, out: ByteArray, to: int, spare: ByteArray, open_: IntArray, keys: IntArray
) -> tuple[int, int, int, int, bool]:
    """Canonicalize one text: its end in `data` (-1: not valid) and `out`, keys, and objects.

    The last item is whether one of its numbers ends with `.0`.

    Bytes between blanks are copied in runs: `run` is the start of the current run, so that a later
    offset `place` of `data` will be at `to + place - run` of `out`.
    """
    fail = -1, to, 0, 0, False
    points = False
    level = count = objects = 0
    run = at = skip_blanks(data, at)
    if data[at] != BRACE:
        return fail
    while True:
        sign = data[at]
        if sign == QUOTE_BYTE:
            at = _skip_string(data, at)
            if open_[level, _KIND] == BRACKET:  # fast path: most of a log is lists of strings
                while at >= 0 and data[at] == COMMA and data[at + 1] == QUOTE_BYTE:
                    at = _skip_string(data, at + 1)
        elif sign in (BRACE, BRACKET):
            if level == MAX_DEPTH:
                return fail
            level += 1
            open_[level, _BEGIN] = to + at - run
            open_[level, _FIRST] = count
            open_[level, _KIND] = sign
            open_[level, _MIXED] = 0
            objects += sign == BRACE
            at += 1
            if data[at] <= SPACE:
                run, at, to = _copy_run(data, run, at, out, to)
            if data[at] != sign + 2:
                if sign == BRACE:
                    run, at, to = _note_key(data, run, at, out, to, level, open_, keys, count)
                    count += 1
                    if at < 0:
                        return fail
                continue
            at += 1
            level -= 1
        elif sign == MINUS or ZERO <= sign <= NINE:
            at = _skip_number(data, at)
            points |= data[at - 1] == ZERO and data[at - 2] == DOT
        else:
            at = _skip_literal(data, at)
        if at < 0:
            return fail
        while level:
            inside = open_[level, _KIND]
            if inside == BRACE:
                keys[count - 1, END] = to + at - run
                keys[count - 1, RAW_END] = at
            if data[at] <= SPACE:
                run, at, to = _copy_run(data, run, at, out, to)
            sign = data[at]
            at += 1
            if sign == COMMA:
                if data[at] <= SPACE:
                    run, at, to = _copy_run(data, run, at, out, to)
                if inside == BRACE:
                    run, at, to = _note_key(data, run, at, out, to, level, open_, keys, count)
                    count += 1
                    if at < 0:
                        return fail
                break
            if sign != inside + 2:
                return fail
            if inside == BRACE:
                began = open_[level, _FIRST]
                if open_[level, _MIXED]:
                    run, at, to = _copy_run(data, run, at, out, to)
                    remaining, to = _sort_object(
                        data, out, open_[level, _BEGIN], to, spare, keys[began:count], level == 1
                    )
                    if remaining < 0:
                        return fail
                    count = began + remaining
                if level > 1:
                    count = began
            level -= 1
        if level == 0:
            run, at, to = _copy_run(data, run, at, out, to)
            return at, to, count, objects, points


@compiled
def _copy_run(data: ByteArray, run: int, at: int, out: ByteArray, to: int) -> tuple[int, int, int]:
    """Copy the run up to `at` and skip blanks; return the new `run`, `at` and `to`."""
    to = _copy_bytes(data, run, at, out, to)
    at = skip_blanks(data, at)
    return at, at, to


@inlined
def _copy_bytes(data: ByteArray, low: int, high: int, out: ByteArray, to: int) -> int:
    """Copy bytes to `out` at `to`; return the offset after them."""
    some, place = data[low:high], out[to : to + high - low]
    for k in range(len(some)):
        place[k] = some[k]
    return to + len(some)


@compiled
def _note_key(
    data: ByteArray,
    run: int,
    at: int,
    out: ByteArray,
    to: int,
    level: int,
    open_: IntArray,
    keys: IntArray,
    count: int,
) -> tuple[int, int, int]:
    """Store where a key and its value start; return `run`, `at` (-1: not valid) and `to`."""
    fail = run, -1, to
    began = open_[level, _FIRST]
    if data[at] != QUOTE_BYTE or count - began == MAX_KEYS or count == len(keys):
        return fail
    keys[count, KEY] = to + at - run
    keys[count, _NAME] = name = at + 1
    at = _skip_string(data, at)
    if at < 0:
        return fail
    keys[count, _SIZE] = at - 1 - name
    for place in range(name, at):
        if data[place] == BACKSLASH_BYTE:
            return fail
    if data[at] <= SPACE:
        run, at, to = _copy_run(data, run, at, out, to)
    if data[at] != COLON:
        return fail
    at += 1
    if data[at] <= SPACE:
        run, at, to = _copy_run(data, run, at, out, to)
    keys[count, VALUE] = to + at - run
    keys[count, RAW] = at
    if level == 1 and data[name] == UNDERSCORE:
        open_[level, _MIXED] = 1
    if count > began:
        order = _compare_keys(data, keys, count - 1, count)
        if order == 0:
            return fail
        if order > 0:
            open_[level, _MIXED] = 1
    return run, at, to


@compiled
def _compare_keys(data: ByteArray, keys: IntArray, one: int, other: int) -> int:
    """Compare two keys: negative if `one` sorts first, 0 if they are equal."""
    size, others = keys[one, _SIZE], keys[other, _SIZE]
    left, right = keys[one, _NAME], keys[other, _NAME]
    for k in range(min(size, others)):
        if data[left + k] != data[right + k]:
            return -1 if data[left + k] < data[right + k] else 1
    return size - others


@compiled
def _sort_object(
    data: ByteArray, out: ByteArray, begin: int, to: int, spare: ByteArray, keys: IntArray, top: bool
) -> tuple[int, int]:
    """Sort an object's keys; at `top`, drop those that start with `_`.

    Returns the number of keys left (-1: a duplicate key) and the offset after the object.
    """
    count = 0
    for k in range(len(keys)):
        if top and data[keys[k, _NAME]] == UNDERSCORE:
            continue
        _swap_keys(keys, count, k)
        at = count
        count += 1
        while at:
            order = _compare_keys(data, keys, at - 1, at)
            if order == 0:
                return -1, to
            if order < 0:
                break
            _swap_keys(keys, at - 1, at)
            at -= 1
    _copy_bytes(out, begin, to, spare, 0)
    to = begin + 1
    for k in range(count):
        if k:
            out[to] = COMMA
            to += 1
        shift = to - keys[k, KEY]
        to = _copy_bytes(spare, keys[k, KEY] - begin, keys[k, END] - begin, out, to)
        for column in (KEY, VALUE, END):
            keys[k, column] += shift
    out[to] = END_BRACE
    return count, to + 1


@compiled
def _swap_keys(keys: IntArray, one: int, other: int) -> None:
    for column in range(7):
        keys[one, column], keys[other, column] = keys[other, column], keys[one, column]


@inlined
def _skip_string(data: ByteArray, at: int) -> Any:
    """Return the offset after a string; -1 if it has another spelling."""
    one = np.uint64(1)
    place = np.uint64(at) + one  # unsigned: Numba omits the check for negative indices
    while True:
        while IS_PLAIN_BYTE[data[place]]:
            place += one
        if data[place] == QUOTE_BYTE:
            return np.int64(place + one)
        if data[place] != BACKSLASH_BYTE:
            return -1
        if not IS_ESCAPE_BYTE[data[place + one]] and not _is_control_escape(data, place):
            return -1
        place += one + one


@compiled
def _is_control_escape(data: ByteArray, place: Any) -> bool:
    """Return whether an escape is the only one of a control character (`u` and four digits)."""
    at = np.int64(place)
    if not bytes_at(data, at, CONTROL_ESCAPE):
        return False
    high, low = data[at + 4], data[at + 5]
    if high == ZERO:
        return ZERO <= low <= 55 or low in (98, 101, 102)  # 7, b, e, f
    return high == ZERO + 1 and (ZERO <= low <= NINE or 97 <= low <= 102)  # a, f


@compiled
def _skip_number(data: ByteArray, at: int) -> int:
    """Return the offset after a number; -1 if it has another spelling."""
    whole = at + (data[at] == MINUS)
    point = _skip_digits(data, whole)
    digits = point - whole
    zero = data[whole] == ZERO
    if digits == 0 or (digits > 1 and zero):
        return -1
    past = point
    if data[point] == DOT:
        past = _skip_digits(data, point + 1)
        rest = past - point - 1
        digits += rest
        if rest == 0 or (data[past - 1] == ZERO and (rest > 1 or (zero and whole > at))):
            return -1
        if zero and rest > 3 and bytes_at(data, point + 1, THREE_ZEROS):
            return -1  # the smallest are written with exponents
    elif zero and whole > at:
        return -1
    if digits > MAX_DIGITS or data[past] == 101 or data[past] == 69:  # e, E
        return -1
    return past


@compiled
def _skip_digits(data: ByteArray, at: int) -> int:
    """Return the offset after any digits."""
    while ZERO <= data[at] <= NINE:
        at += 1
    return at


@compiled
def _skip_literal(data: ByteArray, at: int) -> int:
    """Return the offset after `true`, `false` or `null`; -1 for anything else."""
    word = LITERAL_BYTES[data[at]]
    if word[0] == 0:
        return -1
    k = 0
    while word[k]:
        if data[at + k] != word[k]:
            return -1
        k += 1
    return at + k


def identity_bytes(canonical: CanonicalTexts) -> Iterator[memoryview]:
    """Yield the bytes that identify each text; empty if it is not valid."""
    text = canonical.text
    places = zip(
        canonical.low.tolist(), canonical.high.tolist(), canonical.has_point_zero.tolist(), strict=True
    )
    for low, high, points in places:
        yield _without_point_zero(canonical.data[low:high]).data if points else text[low:high]


@compiled
def _without_point_zero(text: ByteArray) -> ByteArray:
    """Return a canonical text with `.0` removed from its times."""
    out, moments = np.empty_like(text), np.zeros(MAX_DEPTH + 1, np.bool_)
    at = to = level = 0
    while at < len(text):
        sign, past = text[at], at + 1
        if sign == QUOTE_BYTE:
            while text[past] != QUOTE_BYTE:
                past += 1 + (text[past] == BACKSLASH_BYTE)
            past += 1
        elif sign in (BRACE, BRACKET):
            level += 1
            key = at - len(TIMES_KEY_BYTES)
            moments[level] = sign == BRACKET and key >= 0 and bytes_at(text, key, TIMES_KEY_BYTES)
        elif sign in (END_BRACE, END_BRACKET):
            level -= 1
        elif sign == DOT and moments[level] and text[past] == ZERO:
            if not ZERO <= text[past + 1] <= NINE:
                at += 2
                continue
        for place in range(at, past):
            out[to] = text[place]
            to += 1
        at = past
    return out[:to]
