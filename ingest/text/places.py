"""Where in a text the parts of its JSON stand: pointers → lines and columns.

JSON readers tell values without their places; this one reads the places alone, of a text that is
known to be JSON.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import NamedTuple

import orjson

TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


class Place(NamedTuple):
    """A place in a text; `line` and `column` count from 1, in characters; `end` is past it."""

    line: int
    column: int
    end: int
    """The column past its last character; of an object or a list, past its first one."""


def places(text: bytes, pointers: Collection[str]) -> dict[str, Place]:
    """Where the values of some JSON pointers stand in a text.

    What is not there is shown at the part it is missing from.
    """
    wanted = set(pointers)
    for pointer in pointers:
        while pointer:
            pointer = pointer.rpartition("/")[0]
            wanted.add(pointer)
    told = dict(spans(text, wanted))
    lines = _Lines(text)
    found = {}
    for pointer in pointers:
        nearest = pointer
        while nearest not in told and nearest:
            nearest = nearest.rpartition("/")[0]
        if nearest in told:
            found[pointer] = lines.place(*told[nearest])
    return found


def word_at(text: bytes, place: Place, word: str, nth: int) -> Place:
    """Where in a string at a place the nth of its words stands that reads so; `nth` -1: the last.

    The place of the string where it has no such word, or is not written letter for letter.
    """
    line = text.split(b"\n", place.line)[place.line - 1].decode(errors="replace")
    said = line[place.column : place.end - 2]
    words = said.split(" ")
    alike = [i for i, one in enumerate(words) if one == word]
    if "\\" in said or nth >= len(alike) or not alike:
        return place
    column = place.column + 1 + sum(len(one) + 1 for one in words[: alike[nth]])
    return Place(place.line, column, column + max(1, len(word)))


def twice(text: bytes, most: int) -> dict[str, Place]:
    """The pointers that stand twice in a text, each with its last place; `most` of them.

    What is in an object that stands twice is not told again, nor what is under a `_` key.
    """
    seen: set[str] = set()
    again: dict[str, tuple[int, int]] = {}
    for pointer, span in spans(text, None):
        if pointer in seen and "/_" not in pointer:
            above = pointer
            while above := above.rpartition("/")[0]:
                if above in again:
                    break
            if not above and (pointer in again or len(again) < most):
                again[pointer] = span
        seen.add(pointer)
    lines = _Lines(text)
    return {pointer: lines.place(*span) for pointer, span in again.items()}


def place_of_byte(text: bytes, at: int) -> Place:
    """The place of one byte, in a text that need be neither JSON nor UTF-8."""
    return _Lines(text).place(at, at + 1)


class _Lines:
    """Bytes of a text → lines and columns, in whatever order they are asked for."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.starts = [0, *(newline.end() for newline in re.finditer(b"\n", text))]

    def place(self, start: int, end: int) -> Place:
        line = bisect_right(self.starts, start)
        before = self.text[self.starts[line - 1] : start].decode(errors="replace")
        itself = self.text[start:end].decode(errors="replace")
        return Place(line, len(before) + 1, len(before) + 1 + max(1, len(itself)))


def spans(text: bytes, wanted: set[str] | None) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each wanted value's first byte and the one past it, as they come; None wants all of them.

    A key twice comes twice.
    """
    path = [""]  # the pointer of each part that is open
    index: list[int | None] = [None]  # how far a list has come; None in an object
    child = ""  # the pointer of the value that comes next
    key: bytes | None = None
    for token in TOKEN.finditer(text):
        mark = token.group()
        if mark == b":":
            child = f"{path[-1]}/{_escaped(key or b'')}"
        elif mark == b",":
            count = index[-1]
            if count is not None:
                index[-1] = count + 1
                child = f"{path[-1]}/{count + 1}"
            key = None
        elif mark in b"]}":
            if len(path) > 1:
                path.pop()
                index.pop()
        elif index[-1] is None and len(path) > 1 and key is None:
            key = mark
        else:
            opens = mark in b"[{"
            if wanted is None or child in wanted:
                yield child, (token.start(), token.start() + 1 if opens else token.end())
            if opens:
                path.append(child)
                index.append(0 if mark == b"[" else None)
                child, key = f"{child}/0", None


def _escaped(key: bytes) -> str:
    """A key as a JSON pointer says it (RFC 6901)."""
    said = str(orjson.loads(key))
    return said.replace("~", "~0").replace("/", "~1")
