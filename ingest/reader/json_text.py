"""The bytes of one match as JSON: its value, or why it has none, and where its parts stand.

JSON readers tell values without their places; `places` reads the places alone, of a text that is
known to be JSON.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import orjson

from ingest.i18n import N_

LINE_LIMIT = 16 << 20  # bytes of the longest match that is read
_ENCODINGS = re.compile(
    rb"(?P<UTF_32>\xff\xfe\0\0.\0|\0\0\xfe\xff\0\0)|(?P<UTF_16>\xff\xfe.\0|\xfe\xff\0|[{[]\0.\0|\0[{[]\0)",
    re.DOTALL,
)
NUMBER = N_("{word} is no number of JSON: write a number, or null, or leave the key out")
SMALL = N_("{word} is not JSON’s word: write true, false or null, in small letters")
QUOTES = N_('text stands between straight double quotes ("), not between {sign}')
BARE = N_("a key or a text stands between double quotes, and {word} does not")
REMARK = N_("JSON has no remarks: leave this one out, or make it a key that begins with _")
TRAILING = N_("a comma stands before the end of a list or of an object: leave it out")
CUT_OFF = N_("it breaks off: a bracket, a brace or a quote is missing, or all that follows")
MORE = N_(
    "something stands behind its end: a comma or a line break is missing, or a bracket too many"
)
KEY = N_("a key between double quotes belongs here")
COMMA = N_("a comma, or the end of the list or of the object, belongs here")
COLON = N_("a colon belongs here, between the key and its value")
SIGN = N_("a text has a sign in it that JSON does not know, or not written so")
VALUE = N_("a value belongs here: a text, a number, a list or an object")
_QUOTES = "“”„«»″’‘'`"
_MESSAGES = (
    ("trailing comma", TRAILING),
    ("end of data|empty", CUT_OFF),
    ("after document", MORE),
    ("infinity", N_("a number is larger than any machine counts")),
    ("leading zero|no digit", N_("a number is not written as JSON writes it")),
    ("surrogate|escape|control character|UTF-8", SIGN),
    ("depth", N_("its parts are nested too deep")),
)
_EXPECTED = (("string key", KEY), ("','", COMMA), ("':'", COLON), ("", VALUE))
_WORD = re.compile(r"[^\W\d]\w{0,30}")
TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


class Place(NamedTuple):
    """A place in a text; `line` and `column` count from 1, in characters; `end` is past it."""

    line: int
    column: int
    end: int  # the column past its last character; of an object or a list, past its first one


def json_error(text: bytes) -> str:
    """What the JSON reader says of a text that has no value; empty where it has one."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return error.msg
    return ""


def is_json(text: bytes) -> bool:
    """Whether a text has a value."""
    return not json_error(text)


def written(value: Any) -> bytes | None:
    """A value as bytes without blanks, each part in one spelling; None where it is too deep."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return None


def keys_once(value: Any, text: bytes, known_by: bytes) -> bool:
    """Whether no object of a text names a key twice: JSON's readers differ on which one holds."""
    # told by the number of colons, so a text that writes one as an escape is not sure
    if any(key.startswith("_") for key in value):
        whole = written(value)
        if whole is None:
            return False
        known_by = whole
    return text.count(b":") == known_by.count(b":") and b"\\u003" not in text


def other_encoding(text: bytes) -> str:
    """What a text is written in that begins as no UTF-8 does; empty where it may be UTF-8."""
    found = _ENCODINGS.match(text)
    return str(found.lastgroup).replace("_", "-") if found else ""


def pointer(*parts: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def short(value: Any) -> Any:
    """A value of a log small enough to be shown."""
    if isinstance(value, str | int | float | bool) or value is None:
        return value if len(str(value)) <= 80 else str(value)[:80] + "…"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "[[[…"
    return text if len(text) <= 80 else text[:80] + "…"


def json_problem(text: str, at: int, said: str) -> tuple[str, dict[str, str]]:
    """Why a text is no JSON, a sentence and its values; the reader stopped `at` and `said` why."""
    for pattern, problem in _MESSAGES:
        if re.search(pattern, said):
            return problem, {}
    sign, rest = text[at : at + 1], text[at : at + 40]
    word = found[0] if (found := _WORD.match(rest)) else ""
    if rest.startswith(("//", "/*", "#")):
        return REMARK, {}
    if sign == "<":
        return N_("this is a web page or the like"), {}
    if not text[:at].strip():
        return N_("a match begins with an opening brace, {brace}"), {"brace": "{"}
    if sign and sign in _QUOTES:
        return QUOTES, {"sign": sign}
    if word in ("NaN", "Infinity"):
        return NUMBER, {"word": word}
    if word.lower() in ("true", "false", "none", "null"):
        return SMALL, {"word": word}
    if word:
        return BARE, {"word": word}
    return next(problem for pattern, problem in _EXPECTED if pattern in said), {}


def places(text: bytes, pointers: Collection[str]) -> dict[str, Place]:
    """Where the values of pointers stand in a text; what is not there, where it is missing from."""
    told = dict(spans(text, {up for one in pointers for up in _upward(one)}))
    lines = _Lines(text)
    nearest = {one: next((up for up in _upward(one) if up in told), None) for one in pointers}
    return {one: lines.place(*told[up]) for one, up in nearest.items() if up is not None}


def _upward(pointer: str) -> list[str]:
    """A pointer, and those of all it stands in."""
    parts = pointer.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


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
    """The pointers that stand twice in a text, each with its last place; `most` of them."""
    # not again what is in an object that stands twice, nor what is under a `_` key
    seen: set[str] = set()
    again: dict[str, tuple[int, int]] = {}
    for pointer, span in spans(text, None):
        if pointer in seen and "/_" not in pointer:
            within = any(up in again for up in _upward(pointer)[1:])
            if not within and (pointer in again or len(again) < most):
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
    """Each wanted value's first byte and the one past it, a key twice twice; None wants all."""
    path = [""]  # the pointer of each part that is open
    index: list[int | None] = [None]  # how far a list has come; None in an object
    child = ""  # the pointer of the value that comes next
    key: bytes | None = None
    for token in TOKEN.finditer(text):
        mark = token.group()
        if mark == b":":
            child = path[-1] + pointer(str(orjson.loads(key or b'""')))
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
