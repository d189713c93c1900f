"""Splits concatenated JSON into matches by brackets, in linear time."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reader import json_text

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(_STRING + rb'|[\[\]{},"]', re.DOTALL)
_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+[\[\]{}]', re.DOTALL)
_PUNCTUATION = re.compile(rb"[\[\]{},]")
"""Used after an unclosed quote: searching for each later one to the end would be quadratic."""
MAX_RESCAN_BYTES = 1 << 24
"""Bytes rescanned after unclosed matches, at most, on top of the text's own length."""
_FORMAT_VALUE = b'"retourne/'
_MATCH_START = re.compile(rb'\{\s*+"format"\s*+:\s*+' + _FORMAT_VALUE)


def bracket_depth(line: bytes) -> int:
    """Return the number of brackets a line opens minus those it closes."""
    pattern, at, more = _TOKEN, 0, 0
    while found := pattern.search(line, at):
        at, mark = found.end(), found.group()
        more += (mark in (b"[", b"{")) - (mark in (b"]", b"}"))
        if mark == b'"':
            pattern = _PUNCTUATION
    return more


class MatchSpan(NamedTuple):
    """The byte offsets of a match, and an error of the array there; empty if there is none."""

    low: int
    high: int
    problem: str = ""


def match_spans(text: bytes, start: int, in_array: bool, is_open: bool = False) -> Iterator[MatchSpan]:
    """Yield the spans of the matches in an array or a sequence, then of the rest.

    If a comma is missing in an array, or other content precedes a match, the span ends before
    the opening bracket. `is_open`: the array began before `start`.
    """
    pattern, quick = _TOKEN, True
    depth, begin, at, comma = int(is_open), start + (in_array and not is_open), start, is_open
    while True:
        found = None
        if quick and depth > in_array:  # commas within a match do not matter
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
    yield MatchSpan(begin, len(text), json_text.CUT_OFF_TEXT if in_array else "")


def complete_match_spans(text: bytes, start: int, in_array: bool) -> Iterator[MatchSpan]:
    """Yield spans as `match_spans`; an unclosed bracket or quote does not hide later matches."""
    # such a match ends where the next begins; the rest is scanned again, up to MAX_RESCAN_BYTES
    spare, pieces = len(text) + MAX_RESCAN_BYTES, match_spans(text, start, in_array)
    while span := next(pieces, None):
        second = None
        if text.count(_FORMAT_VALUE, *span[:2]) > 1 and not json_text.is_json(text[span.low : span.high]):
            second = next(islice(_MATCH_START.finditer(text, *span[:2]), 1, None), None)
        if second is None or (spare := spare - span.high + span.low) < 0:
            yield span
        else:
            yield MatchSpan(span.low, second.start())
            pieces = match_spans(text, second.start(), in_array, is_open=in_array)


def _array_problem(piece: bytes, mark: bytes, comma: bool) -> str:
    """Return the error of an array item that ends at `mark`; empty if it is valid."""
    if mark == b"}":
        return json_text.EXPECTED_COMMA_TEXT
    if piece and not piece.isspace():
        return ""
    return json_text.EXPECTED_VALUE_TEXT if mark == b"," else json_text.TRAILING_COMMA_TEXT if comma else ""
