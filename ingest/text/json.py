"""The bytes of one match as JSON: its value, or why it has none."""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from ingest.i18n import N_
from ingest.text.places import Place, place_of_byte

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


NUMBER = N_("{word} is no number of JSON: write a number, or null, or leave the key out")
SMALL = N_("{word} is not JSON’s word: write true, false or null, in small letters")
QUOTES = N_('text stands between straight double quotes ("), not between {sign}')
BEGIN = N_("a match begins with an opening brace, {brace}")
BARE = N_("a key or a text stands between double quotes, and {word} does not")
REMARK = N_("JSON has no remarks: leave this one out, or make it a key that begins with _")
MARKUP = N_("this is a web page or the like")
TRAILING = N_("a comma stands before the end of a list or of an object: leave it out")
CUT_OFF = N_("it breaks off: a bracket, a brace or a quote is missing, or all that follows")
MORE = N_(
    "something stands behind its end: a comma or a line break is missing, or a bracket too many"
)
KEY = N_("a key between double quotes belongs here")
COMMA = N_("a comma, or the end of the list or of the object, belongs here")
COLON = N_("a colon belongs here, between the key and its value")
LARGE = N_("a number is larger than any machine counts")
DIGITS = N_("a number is not written as JSON writes it")
SIGN = N_("a text has a sign in it that JSON does not know, or not written so")
DEEP = N_("its parts are nested too deep")
VALUE = N_("a value belongs here: a text, a number, a list or an object")

_QUOTES = "“”„«»″’‘'`"
_MESSAGES = (
    ("trailing comma", TRAILING),
    ("end of data|empty", CUT_OFF),
    ("after document", MORE),
    ("infinity", LARGE),
    ("leading zero|no digit", DIGITS),
    ("surrogate|escape|control character|UTF-8", SIGN),
    ("depth", DEEP),
)
_EXPECTED = (("string key", KEY), ("','", COMMA), ("':'", COLON), ("", VALUE))
_WORD = re.compile(r"[^\W\d]\w{0,30}")


def json_problem(text: str, at: int, said: str) -> tuple[str, dict[str, str]]:
    """Why a text is no JSON: a sentence of the catalogue and what it needs.

    `at` is the character the reader stopped at, and `said` what it said.
    """
    for pattern, problem in _MESSAGES:
        if re.search(pattern, said):
            return problem, {}
    sign, rest = text[at : at + 1], text[at : at + 40]
    word = found[0] if (found := _WORD.match(rest)) else ""
    if rest.startswith(("//", "/*", "#")):
        return REMARK, {}
    if sign == "<":
        return MARKUP, {}
    if not text[:at].strip():
        return BEGIN, {"brace": "{"}
    if sign and sign in _QUOTES:
        return QUOTES, {"sign": sign}
    if word in ("NaN", "Infinity"):
        return NUMBER, {"word": word}
    if word.lower() in ("true", "false", "none", "null"):
        return SMALL, {"word": word}
    if word:
        return BARE, {"word": word}
    return next(problem for pattern, problem in _EXPECTED if pattern in said), {}
