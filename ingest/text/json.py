"""The bytes of one match as JSON: its value, or why it has none."""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from ingest.text.places import Place, place_of_byte
from ingest.text.problems import json_problem

LINE_LIMIT = 16 << 20
"""Bytes of the longest match that is read."""


class Unread(NamedTuple):
    """Why a text has no value: a code of documents, and what its sentence needs."""

    code: str
    found: Any
    legal: Any = None
    line: int | None = None
    column: int | None = None
    end: int | None = None
    problem: str = ""
    """A sentence of the catalogue; `values` are what it needs."""
    values: Mapping[str, str] = MappingProxyType({})


def parse(text: bytes) -> Any | Unread:
    """The JSON value of a text, or why there is none."""
    if len(text) > LINE_LIMIT:
        return Unread("too-long", len(text), LINE_LIMIT >> 20)
    if encoding := other_encoding(text):
        return Unread("not-utf8", encoding, line=1)
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return Unread("not-utf8", error.start + 1, None, *place_of_byte(text, error.start))
    try:
        return value_of(text)
    except orjson.JSONDecodeError as error:
        place = Place(error.lineno, error.colno, error.colno + 1)
        problem, values = json_problem(error.doc, error.pos, error.msg)
        return Unread("not-json", error.msg, None, *place, problem, values)


def value_of(text: bytes) -> Any:
    """The JSON value of a text. ValueError: it has none."""
    return orjson.loads(text)


def written(value: Any) -> bytes | None:
    """A value as bytes without blanks, each part in one spelling; None where it is too deep."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return None


def keys_once(value: Any, text: bytes, known_by: bytes) -> bool:
    """Whether no object of a text names a key twice: JSON's readers differ on which one holds.

    Told by the number of colons, so a text that writes one as an escape is not sure.
    """
    if any(key.startswith("_") for key in value):
        whole = written(value)
        if whole is None:
            return False
        known_by = whole
    return text.count(b":") == known_by.count(b":") and b"\\u003" not in text


_ENCODINGS = re.compile(
    rb"(?P<UTF_32>\xff\xfe\0\0.\0|\0\0\xfe\xff\0\0)|(?P<UTF_16>\xff\xfe.\0|\xfe\xff\0|[{[]\0.\0|\0[{[]\0)",
    re.DOTALL,
)


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
