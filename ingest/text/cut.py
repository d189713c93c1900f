"""Where the matches of one JSON text begin and end, told by its brackets alone, in linear time."""

import re
from collections.abc import Iterator

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(_STRING + rb'|[\[\]{},"]', re.DOTALL)
_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+[\[\]{}]', re.DOTALL)
_MARK = re.compile(rb"[\[\]{},]")
"""Behind a quote that is never closed no other one is: each would be looked for to the end."""


def depth(line: bytes) -> int:
    """How many more brackets a line opens than it closes."""
    pattern, at, more = _TOKEN, 0, 0
    while found := pattern.search(line, at):
        at, mark = found.end(), found.group()
        more += (mark in (b"[", b"{")) - (mark in (b"]", b"}"))
        if mark == b'"':
            pattern = _MARK
    return more


def spans(text: bytes, start: int, among: bool) -> Iterator[tuple[int, int]]:
    """Where the matches of an array begin and end, or of one after another; then what is left."""
    pattern, quick = _TOKEN, True
    depth, begin, at = 0, start + among, start
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
        elif mark in b"]}":
            depth -= 1
        if among and ((depth == 1 and mark == b",") or depth == 0):
            yield begin, at - 1
            begin = at
            among = depth > 0
        elif not among and depth == 0 and mark in b"]}":
            yield begin, at
            begin = at
    yield begin, len(text)
