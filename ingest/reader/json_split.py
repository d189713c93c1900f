"""Splits concatenated JSON into matches by brackets, in linear time."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reader.json_text import (
    CUT_OFF_TEXT,
    EXPECTED_COMMA_TEXT,
    EXPECTED_VALUE_TEXT,
    TRAILING_COMMA_TEXT,
    is_json,
)

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(_STRING + rb'|[\[\]{},"]', re.DOTALL)
_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+[\[\]{}]', re.DOTALL)
_PUNCTUATION = re.compile(rb"[\[\]{},]")
"""Behind a quote that is never closed no other one is: each would be looked for to the end."""
MAX_RESCAN_BYTES = 1 << 24
"""Bytes that are read again where matches do not close, at most, beyond once the whole text."""
_FORMAT_VALUE = b'"retourne/'
_MATCH_START = re.compile(rb'\{\s*+"format"\s*+:\s*+' + _FORMAT_VALUE)


def bracket_depth(line: bytes) -> int:
    """How many more brackets a line opens than it closes."""
    pattern, at, more = _TOKEN, 0, 0
    while found := pattern.search(line, at):
        at, mark = found.end(), found.group()
        more += (mark in (b"[", b"{")) - (mark in (b"]", b"}"))
        if mark == b'"':
            pattern = _PUNCTUATION
    return more


class MatchSpan(NamedTuple):
    """Where a match begins and ends, and what is wrong with the array there, if anything is."""

    low: int
    high: int
    problem: str = ""


def match_spans(
    text: bytes, start: int, in_array: bool, is_open: bool = False
) -> Iterator[MatchSpan]:
    """The matches of an array, or of one after another, and what is left.

    Where a comma is missing in an array, or something stands before a match, the cut is before
    the bracket. `is_open`: the array has begun before `start`.
    """
    pattern, quick = _TOKEN, True
    depth, begin, at, comma = int(is_open), start + (in_array and not is_open), start, is_open
    while True:
        found = None
        if quick and depth > in_array:  # inside a match commas say nothing
            found = _BRACKET.match(text, at)
            quick = found is not None
        found = found or pattern.search(text, at)
        if found is None:
            break
        at = found.end()
        mark = text[at - 1 : at]
        if mark == b'"':
            pattern = _PUNCTUATION if found.end() - found.start() == 1 else pattern
        elif mark in b"[{":
            depth += 1
            if in_array and depth == 2 and text[begin : at - 1].strip():
                yield MatchSpan(begin, at - 1)
                begin = at - 1
        elif mark in b"]}":
            depth -= 1
        if in_array and ((depth == 1 and mark == b",") or depth == 0):
            yield MatchSpan(begin, at - 1, _array_problem(text[begin : at - 1], mark, comma))
            begin, comma = at, True
            in_array = depth > 0
        elif not in_array and depth == 0 and mark in b"]}":
            yield MatchSpan(begin, at)
            begin = at
    yield MatchSpan(begin, len(text), CUT_OFF_TEXT if in_array else "")


def complete_match_spans(text: bytes, start: int, in_array: bool) -> Iterator[MatchSpan]:
    """The same, but that a match whose brackets or quotes do not close hides none after it."""
    # the cut is then where the next one begins, and what comes after is read again, within AGAIN
    spare, pieces = len(text) + MAX_RESCAN_BYTES, match_spans(text, start, in_array)
    while span := next(pieces, None):
        second = None
        if text.count(_FORMAT_VALUE, *span[:2]) > 1 and not is_json(text[span.low : span.high]):
            second = next(islice(_MATCH_START.finditer(text, *span[:2]), 1, None), None)
        if second is None or (spare := spare - span.high + span.low) < 0:
            yield span
        else:
            yield MatchSpan(span.low, second.start())
            pieces = match_spans(text, second.start(), in_array, is_open=in_array)


def _array_problem(piece: bytes, mark: bytes, comma: bool) -> str:
    """What stands wrong in an array before a `mark`, a comma or its end."""
    if mark == b"}":
        return EXPECTED_COMMA_TEXT
    if piece and not piece.isspace():
        return ""
    return EXPECTED_VALUE_TEXT if mark == b"," else TRAILING_COMMA_TEXT if comma else ""
