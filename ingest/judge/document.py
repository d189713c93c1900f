"""The text of one match → its models, or the findings that say why it is none."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from engine.games import game, names
from engine.options import UnknownRule, settings
from ingest.finding.codes import record
from ingest.finding.finding import Finding
from ingest.i18n import N_
from ingest.text.json import Unread, parse, pointer, short
from ingest.text.keys import shape, unknown
from ingest.text.places import twice
from schemas.log import FORMAT, AnyMatch, Deal, models

RFC3339 = re.compile(
    r"[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
    r"(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)"
)

DIGITS = N_("must be a whole number, written with digits alone")
PROBLEMS = {
    "missing": N_("is missing"),
    "string_type": N_("must be text"),
    "string_too_short": N_("must not be empty"),
    "int_type": DIGITS,
    "int_from_float": DIGITS,
    "float_type": N_("must be a number"),
    "list_type": N_("must be a list"),
    "dict_type": N_("must be an object"),
    "model_type": N_("must be an object"),
    "model_attributes_type": N_("must be an object"),
    "literal_error": N_("must be one of {expected}"),
}
OTHERWISE = N_("has the wrong type")
TEXT_OR_OBJECT = N_("must be text or an object")
SCALAR = N_("must be text, a number, true, false or null")


def document_finding(code: str, found: Any = None, legal: Any = None, path: str = "") -> Finding:
    """A finding about the document itself, which no rule of a game names."""
    return Finding(code, "format", record(code).severity, path, found=found, legal=legal)


def read(text: bytes) -> tuple[Any, list[Finding]]:
    """The JSON value of a text, or None and why there is none."""
    value = parse(text)
    if not isinstance(value, Unread):
        return value, []
    finding = document_finding(value.code, value.found, value.legal)
    finding.line, finding.column, finding.end = value.line, value.column, value.end
    if value.problem:
        finding.detail = {"problem": value.problem, "values": value.values}
    return None, [finding]


def keys_twice(text: bytes) -> list[Finding]:
    """A finding for every key that an object has twice, at its last place; at most MOST_TWICE."""
    findings = []
    for path, place in twice(text, MOST_TWICE).items():
        key = path.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        found = document_finding("key-twice", short(key), path=path)
        found.line, found.column, found.end = place
        findings.append(found)
    return findings


MOST_TWICE = 100
"""Keys of one text that are told to stand twice."""


def model(value: Any) -> tuple[AnyMatch | None, list[Finding]]:
    """The match a JSON value is, or None and every reason why it is none."""
    if not isinstance(value, dict):
        finding = document_finding("schema", short(value))
        finding.detail = {"where": "JSON", "problem": PROBLEMS["dict_type"]}
        return None, [finding]
    if value.get("format") != FORMAT:
        found = short(value.get("format"))
        return None, [document_finding("format-version", found, [FORMAT], "/format")]
    if not isinstance(value.get("game"), str) or value["game"] not in names():
        found = short(value.get("game"))
        return None, [document_finding("unknown-game", found, list(names()), "/game")]
    if too_many_deals(value):
        count = len(value["deals"])
        return None, [document_finding("too-many-deals", count, DEALS_LIMIT, "/deals")]
    try:
        match = models()[value["game"]].model_validate(value)
    except ValidationError as error:
        return None, [*_schema_findings(error), *_unknown_keys(value)]
    findings = [*_document_findings(match), *_unknown_keys(value)]
    fatal = any(finding.code in FATAL for finding in findings)
    return (None if fatal else match), findings


def too_many_deals(value: dict[str, Any]) -> bool:
    """Whether a match has more deals than are read."""
    deals = value.get("deals")
    return isinstance(deals, list) and len(deals) > DEALS_LIMIT


DEALS_LIMIT = 10_000
"""Deals of the longest match that is read; a match of some evenings has a few dozen."""

FATAL = ("unknown-rule", "players-count", "player-twice")
"""Without rules or players no deal of the match can be replayed."""


def _schema_findings(error: ValidationError) -> Iterator[Finding]:
    """What the models refuse, one finding a part; what they would take is told of all branches."""
    entries: dict[str, list[Any]] = {}
    for entry in error.errors():
        # a union adds the name of its branch to the place: only keys and indices are in the log
        place = [part for part in entry["loc"] if not (isinstance(part, str) and "[" in part)]
        while place and place[-1] in ("str", "int", "float", "bool"):
            place.pop()
        entries.setdefault(pointer(*place), []).append(entry)
    for path, (entry, *others) in entries.items():
        finding = document_finding("schema", short(entry["input"]), path=path)
        if entry["type"] == "missing":
            finding.found = None
        problem = PROBLEMS.get(entry["type"], OTHERWISE)
        if others:
            problem = TEXT_OR_OBJECT if path == "/rules" else SCALAR
        finding.detail = {"where": path or "/", "problem": problem, "values": _expected(entry)}
        if entry["type"] != "missing":
            finding.legal = shape(path)
        if deal := re.match(r"/deals/(\d+)", path):
            finding.deal = int(deal[1])
        yield finding


def _unknown_keys(value: dict[str, Any]) -> Iterator[Finding]:
    for path, key, meant in unknown(value, models()[value["game"]]):
        finding = document_finding("unknown-key", short(key), meant, pointer(*path, key))
        match path:
            case ("deals", int(deal), *_):  # deals may be no list at all
                finding.deal = deal
        yield finding


def _expected(entry: Any) -> dict[str, str]:
    """The words a literal takes, told without pydantic's English."""
    if entry["type"] != "literal_error":
        return {}
    return {"expected": ", ".join(re.findall(r"'([^']*)'", entry["ctx"]["expected"]))}


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
        path = "/rules"
        if isinstance(match.rules, dict):
            path += pointer(str(error.found) if error.what == "option" else error.what)
        finding = document_finding("unknown-rule", short(error.found), list(error.known), path)
        finding.detail = {"where": error.what}
        yield finding
    seen: set[str] = set()
    for seat, player in enumerate(match.players):
        if player.id in seen:
            yield document_finding("player-twice", player.id, path=pointer("players", seat, "id"))
        seen.add(player.id)
    if match.played_at is not None and not is_date(match.played_at):
        example = "2026-03-15T14:00:00+01:00"
        yield document_finding("date-format", short(match.played_at), example, "/played_at")
    for index, deal in enumerate(match.deals):
        yield from _misplaced(index, deal)


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
