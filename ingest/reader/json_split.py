"""Where the matches of one JSON text begin and end, told by its brackets alone, in linear time."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reader.json_text import COMMA, CUT_OFF, TRAILING, VALUE, is_json

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(_STRING + rb'|[\[\]{},"]', re.DOTALL)
_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+[\[\]{}]', re.DOTALL)
_MARK = re.compile(rb"[\[\]{},]")
"""Behind a quote that is never closed no other one is: each would be looked for to the end."""
AGAIN = 1 << 24
"""Bytes that are read again where matches do not close, at most, beyond once the whole text."""
_FORMAT = b'"retourne/'
_BEGIN = re.compile(rb'\{\s*+"format"\s*+:\s*+' + _FORMAT)


def depth(line: bytes) -> int:
    """How many more brackets a line opens than it closes."""
    pattern, at, more = _TOKEN, 0, 0
    while found := pattern.search(line, at):
        at, mark = found.end(), found.group()
        more += (mark in (b"[", b"{")) - (mark in (b"]", b"}"))
        if mark == b'"':
            pattern = _MARK
    return more


class Span(NamedTuple):
    """Where a match begins and ends, and what is wrong with the array there, if anything is."""

    low: int
    high: int
    problem: str = ""


def spans(text: bytes, start: int, among: bool, inside: bool = False) -> Iterator[Span]:
    """The matches of an array, or of one after another, and what is left.

    Where a comma is missing in an array, or something stands before a match, the cut is before
    the bracket. `inside`: the array has begun before `start`.
    """
    pattern, quick = _TOKEN, True
    depth, begin, at, comma = int(inside), start + (among and not inside), start, inside
    while True:
        found = None
        if quick and depth > among:  # inside a match commas say nothing
            found = _BRACKET.match(text, at)
            quick = found is not None
        found = found or pattern.search(text, at)
        if found is None:
            break
        at = found.end()
        mark = text[at - 1 : at]
        if mark == b'"':
            pattern = _MARK if found.end() - found.start() == 1 else pattern
        elif mark in b"[{":
            depth += 1
            if among and depth == 2 and text[begin : at - 1].strip():
                yield Span(begin, at - 1)
                begin = at - 1
        elif mark in b"]}":
            depth -= 1
        if among and ((depth == 1 and mark == b",") or depth == 0):
            yield Span(begin, at - 1, _wrong(text[begin : at - 1], mark, comma))
            begin, comma = at, True
            among = depth > 0
        elif not among and depth == 0 and mark in b"]}":
            yield Span(begin, at)
            begin = at
    yield Span(begin, len(text), CUT_OFF if among else "")


def sound_spans(text: bytes, start: int, among: bool) -> Iterator[Span]:
    """The same, but that a match whose brackets or quotes do not close hides none after it."""
    # the cut is then where the next one begins, and what comes after is read again, within AGAIN
    spare, pieces = len(text) + AGAIN, spans(text, start, among)
    while span := next(pieces, None):
        second = None
        if text.count(_FORMAT, *span[:2]) > 1 and not is_json(text[span.low : span.high]):
            second = next(islice(_BEGIN.finditer(text, *span[:2]), 1, None), None)
        if second is None or (spare := spare - span.high + span.low) < 0:
            yield span
        else:
            yield Span(span.low, second.start())
            pieces = spans(text, second.start(), among, inside=among)


def _wrong(piece: bytes, mark: bytes, comma: bool) -> str:
    """What stands wrong in an array before a `mark`, a comma or its end."""
    if mark == b"}":
        return COMMA
    if piece and not piece.isspace():
        return ""
    return VALUE if mark == b"," else TRAILING if comma else ""
