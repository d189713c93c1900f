"""Parses a match's JSON, with errors and positions.

JSON parsers return values without positions; `source_positions` finds the positions in a text that
is known to be valid JSON.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import orjson

from ingest.i18n import N_

MAX_LINE_BYTES = 16 << 20  # bytes of the longest match
_ENCODINGS = re.compile(
    rb"(?P<UTF_32>\xff\xfe\0\0.\0|\0\0\xfe\xff\0\0)|(?P<UTF_16>\xff\xfe.\0|\xfe\xff\0|[{[]\0.\0|\0[{[]\0)",
    re.DOTALL,
)
NOT_A_NUMBER_TEXT = N_("{word} is not a JSON number: write a number or null, or remove the key")
TRAILING_COMMA_TEXT = N_("a comma before the end of a list or an object: remove it")
CUT_OFF_TEXT = N_("the text ends too early: a bracket, brace, quote or more is missing")
EXTRA_CONTENT_TEXT = N_(
    "text after its end: a comma or a line break is missing, or there is one bracket too many"
)
EXPECTED_COMMA_TEXT = N_("a comma, or the end of the list or of the object, belongs here")
BAD_CHARACTER_TEXT = N_("invalid character or escape in a string")
EXPECTED_VALUE_TEXT = N_("a value belongs here: a text, a number, a list or an object")
_QUOTES = "“”„«»″’‘'`"
_MESSAGES = (
    ("trailing comma", TRAILING_COMMA_TEXT),
    ("end of data|empty", CUT_OFF_TEXT),
    ("after document", EXTRA_CONTENT_TEXT),
    ("infinity", N_("a number is too large")),
    ("leading zero|no digit", N_("a number is not written as JSON writes it")),
    ("surrogate|escape|control character|UTF-8", BAD_CHARACTER_TEXT),
    ("depth", N_("its parts are nested too deep")),
)
_EXPECTED = (
    ("string key", N_("expected a key in double quotes")),
    ("','", EXPECTED_COMMA_TEXT),
    ("':'", N_("a colon belongs here, between the key and its value")),
    ("", EXPECTED_VALUE_TEXT),
)
_WORD = re.compile(r"[^\W\d]\w{0,30}")
TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


class SourcePosition(NamedTuple):
    """A position in a text; `line`, `column` and `end` count from 1, in characters."""

    line: int
    column: int
    end: int  # column after the last character; of an object or list, after the bracket


def json_error_message(text: bytes) -> str:
    """Return the JSON parser's error message; empty if the text is valid."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return error.msg
    return ""


def is_json(text: bytes) -> bool:
    """Return whether a text is valid JSON."""
    return not json_error_message(text)


def compact_json(value: Any) -> bytes | None:
    """Serialize a value without blanks, in one spelling; None if it is nested too deep."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return None


def has_unique_keys(value: Any, text: bytes, canonical: bytes) -> bool:
    """Return whether no object has a duplicate key: JSON parsers differ on which value wins."""
    # compares the number of colons; a text with an escape that may be a colon counts as unsure
    if any(key.startswith("_") for key in value):
        whole = compact_json(value)
        if whole is None:
            return False
        canonical = whole
    return text.count(b":") == canonical.count(b":") and b"\\u003" not in text


def other_encoding(text: bytes) -> str:
    """Return the encoding of a text that starts as UTF-16 or UTF-32; empty if it may be UTF-8."""
    found = _ENCODINGS.match(text)
    return str(found.lastgroup).replace("_", "-") if found else ""


def json_pointer(*parts: str | int) -> str:
    """Build a JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def abbreviated(value: Any) -> Any:
    """Shorten a value of a log for display, between words: half a name could not be redacted."""
    result = value
    if not (isinstance(value, str | int | float | bool) or value is None):
        try:
            result = json.dumps(value, ensure_ascii=False, default=str)
        except RecursionError:
            return "[[[…"
    text = str(result)
    return result if len(text) <= 80 else re.sub(r"(?<=\s)\S{1,40}\Z", "", text[:81])[:80] + "…"


def explain_json_error(text: str, at: int, message: str) -> tuple[str, dict[str, str]]:
    """Explain a JSON error as a catalogue text and its values.

    The parser stopped at the offset `at` with `message`.
    """
    for pattern, problem in _MESSAGES:
        if re.search(pattern, message):
            return problem, {}
    sign, rest = text[at : at + 1], text[at : at + 40]
    word = found[0] if (found := _WORD.match(rest)) else ""
    if rest.startswith(("//", "/*", "#")):
        return N_("JSON has no remarks: leave this one out, or make it a key that begins with _"), {}
    if sign == "<":
        return N_("this is a web page, not a log"), {}
    if not text[:at].strip():
        return N_("a match begins with an opening brace, {brace}"), {"brace": "{"}
    if sign and sign in _QUOTES:
        return N_('text goes between straight double quotes ("), not between {sign}'), {"sign": sign}
    if word in ("NaN", "Infinity"):
        return NOT_A_NUMBER_TEXT, {"word": word}
    if word.lower() in ("true", "false", "none", "null"):
        return N_("{word} is not JSON’s word: write true, false or null, in small letters"), {"word": word}
    if word:
        return N_("{word} is not in double quotes: a key or a text must be"), {"word": word}
    return next(problem for pattern, problem in _EXPECTED if pattern in message), {}


def source_positions(text: bytes, pointers: Collection[str]) -> dict[str, SourcePosition]:
    """Map pointers to the positions of their values, or of the nearest parent that exists."""
    fields = dict(value_spans(text, {up for one in pointers for up in _parent_pointers(one)}))
    lines = _LineIndex(text)
    nearest = {one: next((up for up in _parent_pointers(one) if up in fields), None) for one in pointers}
    return {one: lines.position(*fields[up]) for one, up in nearest.items() if up is not None}


def _parent_pointers(pointer: str) -> list[str]:
    """Return a pointer and its parents, innermost first."""
    parts = pointer.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


class WordIndex:
    """Finds words within the strings of a text; each line and each string is split once."""

    def __init__(self, text: bytes) -> None:
        self._lines = text.split(b"\n")
        self._columns: dict[SourcePosition, dict[str, list[int]]] = {}

    def position(self, place: SourcePosition, word: str, occurrence: int) -> SourcePosition:
        """Return the position of an occurrence (from 0; -1: the last) of a word within a string.

        Returns `place`, the string's position, if it lacks the word or contains escapes.
        """
        if place not in self._columns:
            found = self._columns[place] = dict[str, list[int]]()
            string = self._lines[place.line - 1].decode(errors="replace")[place.column : place.end - 2]
            column = place.column + 1
            for one in () if "\\" in string else string.split(" "):
                found.setdefault(one, []).append(column)
                column += len(one) + 1
        alike = self._columns[place].get(word, ())
        if occurrence >= len(alike) or not alike:
            return place
        return SourcePosition(place.line, alike[occurrence], alike[occurrence] + max(1, len(word)))


def duplicate_keys(text: bytes, maximum: int) -> dict[str, SourcePosition]:
    """Return up to `maximum` duplicate pointers with the position of the last value of each."""
    # skips values within a duplicate object, and below `_` keys
    seen: set[str] = set()
    again: dict[str, tuple[int, int]] = {}
    for pointer, span in value_spans(text, None):
        if pointer in seen and "/_" not in pointer:
            within = any(up in again for up in _parent_pointers(pointer)[1:])
            if not within and (pointer in again or len(again) < maximum):
                again[pointer] = span
        seen.add(pointer)
    lines = _LineIndex(text)
    return {pointer: lines.position(*span) for pointer, span in again.items()}


def byte_position(text: bytes, at: int) -> SourcePosition:
    """Return the position of a byte; the text need not be valid JSON or UTF-8."""
    return _LineIndex(text).position(at, at + 1)


class _LineIndex:
    """Maps byte offsets of a text to lines and columns, in any order."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.line_starts = [0, *(newline.end() for newline in re.finditer(b"\n", text))]

    def position(self, start: int, end: int) -> SourcePosition:
        line = bisect_right(self.line_starts, start)
        before = self.text[self.line_starts[line - 1] : start].decode(errors="replace")
        itself = self.text[start:end].decode(errors="replace")
        return SourcePosition(line, len(before) + 1, len(before) + 1 + max(1, len(itself)))


def value_spans(text: bytes, wanted: set[str] | None) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield pointer and byte span of each wanted value (None: all), duplicate keys included."""
    path = [""]  # pointers of the open objects and lists
    index: list[int | None] = [None]  # index in each open list; None for an object
    child = ""  # pointer of the next value
    key: bytes | None = None
    for token in TOKEN.finditer(text):
        mark = token.group()
        if mark == b":":
            child = path[-1] + json_pointer(str(orjson.loads(key or b'""')))
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
