"""The text of one match → its models, or the findings that say why it is none."""

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from engine.games import game
from engine.rules import UnknownRule, settings
from ingest.findings import ERROR, WARNING, Finding
from ingest.i18n import N_
from ingest.places import place_of_byte
from schemas.log import FORMAT, MODELS, AnyMatch, Deal

LINE_LIMIT = 16 << 20
"""Bytes of the longest match that is read."""

RFC3339 = re.compile(
    r"[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
    r"(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)"
)

PROBLEMS = {
    "missing": N_("is missing"),
    "string_type": N_("must be text"),
    "string_too_short": N_("must not be empty"),
    "int_type": N_("must be a whole number"),
    "int_from_float": N_("must be a whole number"),
    "float_type": N_("must be a number"),
    "list_type": N_("must be a list"),
    "dict_type": N_("must be an object"),
    "model_type": N_("must be an object"),
    "model_attributes_type": N_("must be an object"),
    "literal_error": N_("must be one of {expected}"),
}
OTHERWISE = N_("has the wrong type")


def document(text: bytes) -> Any:
    """The JSON value of a text. ValueError: it has none."""
    return orjson.loads(text)


def content(value: Any, text: bytes) -> bytes:
    """What a match is known by: its values, however they are written, without `_` keys.

    A text that is no JSON object, or too deep to be written again, is known by its bytes.
    """
    if not isinstance(value, dict):
        return text
    kept = {key: part for key, part in value.items() if not key.startswith("_")}
    try:
        return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return text


def identity(value: Any, text: bytes) -> str:
    """The hash of a match's content: the same game written twice is one game."""
    return digest(content(value, text))


def digest(known_by: bytes) -> str:
    """32 hexadecimal digits of some content."""
    return hashlib.sha256(known_by).hexdigest()[:32]


def keys_once(value: Any, text: bytes, known_by: bytes) -> bool:
    """Whether no object of a text names a key twice: JSON's readers differ on which one holds.

    Told by the number of colons, so a text that writes one as an escape is not sure.
    """
    if any(key.startswith("_") for key in value):
        try:
            known_by = orjson.dumps(value)
        except orjson.JSONEncodeError:
            return False
    return text.count(b":") == known_by.count(b":") and b"\\u003" not in text


WARNINGS = ("unknown-key", "comment-place")
"""Codes of what a match can do without: it stays legal."""


def document_finding(code: str, found: Any = None, legal: Any = None, path: str = "") -> Finding:
    """A finding about the document itself, which no rule of a game names."""
    severity = WARNING if code in WARNINGS else ERROR
    return Finding(code, "format", severity, path, found=found, legal=legal)


def read(text: bytes) -> tuple[Any, list[Finding]]:
    """The JSON value of a text, or None and why there is none."""
    if len(text) > LINE_LIMIT:
        return None, [document_finding("too-long", len(text), LINE_LIMIT >> 20)]
    try:
        text.decode()
    except UnicodeDecodeError as error:
        found = document_finding("not-utf8", error.start + 1)
        found.line, found.column, found.end = place_of_byte(text, error.start)
        return None, [found]
    try:
        return document(text), []
    except orjson.JSONDecodeError as error:
        found = document_finding("not-json", str(error))
        found.line, found.column, found.end = error.lineno, error.colno, error.colno + 1
        return None, [found]


_ENCODINGS = re.compile(
    rb"(?P<UTF_32>\xff\xfe\0\0.\0|\0\0\xfe\xff\0\0)|(?P<UTF_16>\xff\xfe.\0|\xfe\xff\0|[{[]\0|\0[{[])",
    re.DOTALL,
)


def other_encoding(text: bytes) -> str:
    """What a text is written in that begins as no UTF-8 does; empty where it may be UTF-8."""
    found = _ENCODINGS.match(text)
    return str(found.lastgroup).replace("_", "-") if found else ""


def pointer(*parts: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def model(value: Any) -> tuple[AnyMatch | None, list[Finding]]:
    """The match a JSON value is, or None and every reason why it is none."""
    if not isinstance(value, dict):
        finding = document_finding("schema", _short(value))
        finding.detail = {"where": "JSON", "problem": PROBLEMS["dict_type"]}
        return None, [finding]
    if value.get("format") != FORMAT:
        found = _short(value.get("format"))
        return None, [document_finding("format-version", found, [FORMAT], "/format")]
    if not isinstance(value.get("game"), str) or value["game"] not in MODELS:
        found = _short(value.get("game"))
        return None, [document_finding("unknown-game", found, list(MODELS), "/game")]
    try:
        match = MODELS[value["game"]].model_validate(value)
    except ValidationError as error:
        return None, [_schema_finding(entry) for entry in error.errors()]
    findings = list(_document_findings(match))
    fatal = any(finding.code in FATAL for finding in findings)
    return (None if fatal else match), findings


FATAL = ("unknown-rule", "players-count", "player-twice")
"""Without rules or players no deal of the match can be replayed."""


def _schema_finding(entry: Any) -> Finding:
    # a union adds the name of its branch to the place: only keys and indices are in the log
    place = [part for part in entry["loc"] if not (isinstance(part, str) and "[" in part)]
    while place and place[-1] in ("str", "int", "float", "bool"):
        place.pop()
    path = pointer(*place)
    finding = document_finding("schema", _short(entry["input"]), path=path)
    if entry["type"] == "missing":
        finding.found = None
    finding.detail = {
        "where": path or "/",
        "problem": PROBLEMS.get(entry["type"], OTHERWISE),
        "values": _expected(entry),
    }
    return finding


def _expected(entry: Any) -> dict[str, str]:
    """The words a literal takes, told without pydantic's English."""
    if entry["type"] != "literal_error":
        return {}
    return {"expected": ", ".join(re.findall(r"'([^']*)'", entry["ctx"]["expected"]))}


def _short(value: Any) -> Any:
    """A value of a log small enough to be shown."""
    if isinstance(value, str | int | float | bool) or value is None:
        return value if len(str(value)) <= 80 else str(value)[:80] + "…"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "[[[…"
    return text if len(text) <= 80 else text[:80] + "…"


def _document_findings(match: AnyMatch) -> Iterator[Finding]:
    """What no type can say of a match: its rules, its players, its keys, its date."""
    this = game(match.game)
    players = len(match.players)
    if players not in this.players:
        legal = [str(count) for count in this.players]
        yield document_finding("players-count", players, legal, "/players")
    try:
        settings(match.game, match.rules, players)
    except UnknownRule as error:
        finding = document_finding("unknown-rule", _short(error.found), list(error.known), "/rules")
        finding.detail = {"where": error.what}
        yield finding
    seen: set[str] = set()
    for seat, player in enumerate(match.players):
        if player.id in seen:
            yield document_finding("player-twice", player.id, path=pointer("players", seat, "id"))
        seen.add(player.id)
    if match.played_at is not None and not is_date(match.played_at):
        example = "2026-03-15T14:00:00+01:00"
        yield document_finding("date-format", _short(match.played_at), example, "/played_at")
    for index, deal in enumerate(match.deals):
        yield from _misplaced(index, deal)
    for path, part in parts(match):
        for key in part.unknown_keys():  # type: ignore[attr-defined]
            yield document_finding("unknown-key", _short(key), path=path + pointer(key))


def _misplaced(index: int, deal: Deal) -> Iterator[Finding]:
    """Comments that stand before the first action of their deal or past its last."""
    count = len(deal.actions)
    for place, comment in enumerate(deal.comments or ()):
        if not 0 <= comment.after <= count:
            path = pointer("deals", index, "comments", place, "after")
            finding = document_finding("comment-place", comment.after, count, path)
            finding.deal = index
            yield finding


def is_date(text: str) -> bool:
    """Whether a text is a date and time of RFC 3339."""
    if not RFC3339.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text.upper())
    except ValueError:
        return False
    return True


def parts(match: AnyMatch) -> Iterator[tuple[str, BaseModel]]:
    """Every object of a match with its pointer."""
    yield "", match
    for seat, player in enumerate(match.players):
        yield pointer("players", seat), player
    for index, deal in enumerate(match.deals):
        yield pointer("deals", index), deal
        for place, comment in enumerate(deal.comments or ()):
            yield pointer("deals", index, "comments", place), comment
    if match.result is not None:
        yield "/result", match.result
