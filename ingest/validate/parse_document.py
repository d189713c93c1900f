"""Parses a match's text into models, or into findings such as a key that the format does not have."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args

import orjson
from pydantic import BaseModel, ValidationError

from engine.cards import HIDDEN_WORD
from engine.games import game, game_names
from engine.options import UnknownRule, resolve_options
from ingest.cancellation import check_cancelled
from ingest.findings.codes import PLAYER_ID_PATH, code_info
from ingest.findings.finding import ERROR, MAX_FINDINGS, MORE_FINDINGS, WARNING, Finding
from ingest.i18n import N_
from ingest.reader.did_you_mean import intended_key
from ingest.reader.json_text import (
    MAX_LINE_BYTES,
    abbreviated,
    byte_position,
    duplicate_keys,
    explain_json_error,
    json_pointer,
    other_encoding,
)
from schemas.match_models import AnyMatch, deal_model, match_models
from schemas.models import FORMAT
from schemas.notation import act_codes

Keys = tuple[str | int, ...]
UnknownKey = tuple[Keys, str, Mapping[str, Any], type[BaseModel]]
RFC3339_PATTERN = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
    r"(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)"
)
DIGITS_TEXT = N_("must be an integer, written in digits")
PROBLEM_TEXTS = {
    "missing": N_("is missing"),
    "string_type": N_("must be text"),
    "string_too_short": N_("must not be empty"),
    "int_type": DIGITS_TEXT,
    "int_from_float": DIGITS_TEXT,
    "float_type": N_("must be a number"),
    "list_type": N_("must be a list"),
    "dict_type": N_("must be an object"),
    "model_type": N_("must be an object"),
    "model_attributes_type": N_("must be an object"),
    "literal_error": N_("must be one of {expected}"),
}
EXAMPLE_VALUES = {
    r"/rules": '"lavardin"',
    r"/players": '[{"id": "jean", "name": "Jean"}, {"id": "charles"}]',
    r"/players/\d+": '{"id": "jean", "name": "Jean"}',
    r"/players/\d+/(id|name)": '"jean"',
    r"/cuts": '[["8h 8s", "7d Kc"]]',
    r"/cuts/\d+": '["8h 8s", "7d Kc"]',
    r"/cuts/\d+/\d+": '"7d Kc"',
    r"/start": '{"score": [7, 6], "manche": 2, "parties": [2, 4]}',
    r"/start/(score|parties)": "[2, 4]",
    r"/deals/\d+/actions": '["2 Jh", "1 Kd"]',
    r"/deals/\d+/actions/\d+": '"2 Jh"',
    r"/deals/\d+/hands": '["9c Qc As 8s Js", "Kc Jh 8d Ad Kd"]',
    r"/deals/\d+/hands/\d+": '"9c Qc As 8s Js"',
    r"/deals/\d+/(talon|deck)": '"9c Qc As 8s"',
    r"/deals/\d+/points": "[87, 103]",
    r"/deals/\d+/times": "[3.1, 9.8]",
    r"/deals/\d+/comments": '[{"after": 3, "text": "Ah !"}]',
    r"/deals/\d+/comments/\d+": '{"after": 3, "text": "Ah !"}',
    r"/deals/\d+/score_line": '{"end": "2 resign"}',
    r"/deals/\d+/score_line/announcements": '["1 mariage-h", "2 tierce-s"]',
    r"/deals/\d+/score_line/announcements/\d+": '"1 mariage-h"',
    r"/deals/\d+/score_line/contract": '{"bid": "1 bid 90h"}',
    r"/deals/\d+/score_line/contract/bid": '"1 bid 90h"',
    r"/deals/\d+/score_line/bids": '["2-3-4", "0-1"]',
    r"/deals/\d+/score_line/reserve": "[0, 2]",
    r"/deals/\d+/score_line/end": '"2 resign"',
    r"/result": '{"score": [3, 2], "winner": 1}',
    r"/result/score": "[3, 2]",
    r"/(deals/\d+|result)/winner": "1",
    r"/played_at": '"2026-03-15T14:00:00+01:00"',
}
"""Regex of JSON pointers to parts often written wrongly → an example value."""
MAX_DUPLICATE_KEYS = 100  # reported per text
MAX_HAND_CHARACTERS = 200  # more than any pack takes
MAX_DEALS = 10_000
"""Longer matches are rejected; a match of several evenings has a few dozen deals."""
MAX_ENTRIES = 10_000
"""Matches with another list or object of more entries are rejected."""
FATAL_CODES = ("schema", "unknown-rule", "players-count", "duplicate-player")
"""Without rules, players or deals nothing of the match can be replayed."""


def document_finding(
    code: str, found: Any = None, legal: Any = None, path: str = "", **fields: Any
) -> Finding:
    """Return a finding about the document itself, not about a rule of a game."""
    return Finding(code, "format", code_info(code).severity, path, found=found, legal=legal, **fields)


def read_json(text: bytes) -> tuple[Any, list[Finding]]:
    """Return the JSON value of a text, or None with a finding."""
    if len(text) > MAX_LINE_BYTES:
        return None, [document_finding("too-long", len(text), MAX_LINE_BYTES >> 20)]
    if encoding := other_encoding(text):
        return None, [document_finding("not-utf8", encoding, line=1)]
    try:
        text.decode()
        return orjson.loads(text), []
    except UnicodeDecodeError as error:
        finding = document_finding("not-utf8", error.start + 1)
        finding.line, finding.column, finding.end = byte_position(text, error.start)
    except orjson.JSONDecodeError as error:
        problem, values = explain_json_error(error.doc, error.pos, error.msg)
        finding = document_finding("not-json", error.msg, detail={"problem": problem, "values": values})
        finding.line, finding.column, finding.end = error.lineno, error.colno, error.colno + 1
    return None, [finding]


def duplicate_key_findings(text: bytes) -> list[Finding]:
    """Return findings for duplicate keys, at their last place, at most MAX_DUPLICATE_KEYS."""
    findings = []
    for path, place in duplicate_keys(text, MAX_DUPLICATE_KEYS).items():
        key = path.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        findings.append(document_finding("duplicate-key", abbreviated(key), path=path, **place._asdict()))
    return findings


def match_of_json(value: Any) -> tuple[AnyMatch | None, list[Finding]]:
    """Parse a JSON value into a match, or None, with all findings."""
    if not isinstance(value, dict):
        detail = {"where": "JSON", "problem": PROBLEM_TEXTS["dict_type"]}
        return None, [document_finding("schema", abbreviated(value), detail=detail)]
    if value.get("format") != FORMAT:
        found = abbreviated(value.get("format"))
        return None, [document_finding("format-version", found, [FORMAT], "/format")]
    if not isinstance(value.get("game"), str) or value["game"] not in game_names():
        found = abbreviated(value.get("game"))
        return None, [document_finding("unknown-game", found, list(game_names()), "/game")]
    deals = value.get("deals")
    if isinstance(deals, list) and len(deals) > MAX_DEALS:
        return None, [document_finding("too-many-deals", len(deals), MAX_DEALS, "/deals")]
    model = match_models()[value["game"]]
    for path, length in _long_lists(value, model):
        return None, [document_finding("list-too-long", length, MAX_ENTRIES, json_pointer(*path))]
    if (other := _game_of_cards(value)) is not None:
        pack = {"values": {"pack": len(game(other).pack.names)}}
        return None, [document_finding("other-game", value["game"], [other], "/game", detail=pack)]
    match, wrong = _validated(value, model)
    document = wrong if match is None else _semantic_findings(match)
    findings, more = list[Finding](), dict[str, int]()  # more: severity → findings that are only counted
    fatal = False
    for one in document:
        fatal = fatal or one.code in FATAL_CODES
        if len(findings) < MAX_FINDINGS:
            findings.append(one)
        else:
            more[one.severity] = more.get(one.severity, 0) + (one.found if one.code == MORE_FINDINGS else 1)
    for path, key, within, inner in unknown_keys(value, model):
        check_cancelled()
        if len(findings) >= MAX_FINDINGS:
            more[WARNING] = more.get(WARNING, 0) + 1
            continue
        meant = intended_key(key, within, inner.model_fields)
        found = document_finding("unknown-key", abbreviated(key), meant, json_pointer(*path, key))
        match path:
            case ("deals", int(deal), *_):  # an unvalidated `deals` may be no list
                found.deal_index = deal
        findings.append(found)
    findings += more_findings(more)
    return (None if fatal else match), findings


def more_findings(counts: Mapping[str, int]) -> list[Finding]:
    """Return the finding that counts those beyond MAX_FINDINGS, given by severity; none if there are none."""
    count = sum(counts.values())
    found = document_finding(MORE_FINDINGS, count, MAX_FINDINGS)
    found.severity = ERROR if ERROR in counts else WARNING
    return [found] if count else []


def _game_of_cards(value: dict[str, Any]) -> str | None:
    """Return the only other game whose whole pack every deal has, None if a deal may be of the game named."""
    deals, players = value.get("deals"), value.get("players")
    if not isinstance(deals, list) or not isinstance(players, list):
        return None
    if game(value["game"]).dealing_rules is None:  # the match has a deck of its own
        return None
    hands = [found for deal in deals if (found := _written_hands(deal))]
    if not hands or any(_fits_game(value["game"], one, len(players)) for one in hands):
        return None
    others = [name for name in game_names() if all(_fits_game(name, one, len(players)) for one in hands)]
    if len(others) > 1:  # the same cards: the words of one of them are those of the log
        words = [word[2:] for deal in deals for word in _list_of(deal, "actions") if isinstance(word, str)]
        known = {name: sum(word in act_codes(name) for word in words) for name in others}
        others = [name for name in others if known[name] == max(known.values())]
    return others[0] if len(others) == 1 else None


def _list_of(deal: Any, key: str) -> list[Any]:
    found = deal.get(key) if isinstance(deal, dict) else None
    return found if isinstance(found, list) else []


def _written_hands(deal: Any) -> list[list[str]]:
    """Return the cards of a deal that is written whole: by hand, a talon last, or a deck as one."""
    deck, talon = (deal.get(key) if isinstance(deal, dict) else None for key in ("deck", "talon"))
    texts = [deck] if isinstance(deck, str) else _list_of(deal, "hands")
    texts = [*texts, talon] if isinstance(talon, str) else texts
    hands = [text[:MAX_HAND_CHARACTERS].split(" ") for text in texts if isinstance(text, str)]
    return [] if any(HIDDEN_WORD in hand for hand in hands) else hands


def _fits_game(name: str, hands: list[list[str]], players: int) -> bool:
    """Return whether hands, or a deck as one, are dealt from the whole pack of a game."""
    this = game(name)
    cards = [card for hand in hands for card in hand]
    if this.dealing_rules is None or players not in this.players or sorted(cards) != sorted(this.pack.names):
        return False
    size = this.dealing_rules.hand_size(players)
    return len(hands) == 1 or all(len(hand) == size for hand in hands[:players])


def _long_lists(value: Any, model: type[BaseModel], path: Keys = ()) -> Iterator[tuple[Keys, int]]:
    """Yield the path and length of each list or object of known keys with more than MAX_ENTRIES entries."""
    if not isinstance(value, dict):
        return
    models = _models_in(model)
    for name in model.model_fields:
        part = value.get(name)
        if name in models and not isinstance(part, list):
            yield from _long_lists(part, models[name], (*path, name))
        elif isinstance(part, list | dict):
            if len(part) > MAX_ENTRIES:
                yield (*path, name), len(part)
            for index, one in part.items() if isinstance(part, dict) else enumerate(part):
                if name in models:
                    yield from _long_lists(one, models[name], (*path, name, index))
                elif isinstance(one, list | dict) and len(one) > MAX_ENTRIES:
                    yield (*path, name, index), len(one)


def _validated(value: dict[str, Any], model: type[AnyMatch]) -> tuple[AnyMatch | None, list[Finding]]:
    """Validate a match, or return None with findings.

    Each deal is validated on its own: pydantic's errors take far more memory than the text they are of.
    """
    deals = value.get("deals")
    parts: list[tuple[Keys, type[BaseModel], Any]] = [((), model, value)]
    if isinstance(deals, list) and len(deals) > 1:
        one = deal_model(value["game"])
        parts = [((), model, value | {"deals": []})]
        parts += [(("deals", index), one, deal) for index, deal in enumerate(deals)]
    findings, valid, more = list[Finding](), list[Any](), 0
    for path, part_model, part in parts:
        try:
            valid.append(part_model.model_validate(part))
        except ValidationError as error:
            if len(findings) < MAX_FINDINGS:
                findings += _schema_findings(error, path)
            else:
                more += error.error_count()
    if findings:
        return None, findings + more_findings({ERROR: more} if more else {})
    match, *read = valid
    if read:
        match.deals = read
    return match, []


def _schema_findings(error: ValidationError, within: Keys) -> Iterator[Finding]:
    """Convert pydantic's errors of a part into one finding per place, merging the branches of a union."""
    entries: dict[Keys, list[Any]] = {}
    for entry in error.errors(include_url=False):
        # pydantic adds the union branch to the location: leave only keys and indices of the log
        place = [part for part in entry["loc"] if not (isinstance(part, str) and "[" in part)]
        while place and place[-1] in ("str", "int", "float", "bool"):
            place.pop()
        entries.setdefault((*within, *place), []).append(entry)
    for count, (keys, (entry, *others)) in enumerate(entries.items()):
        path = json_pointer(*keys)
        if count == MAX_FINDINGS:
            yield from more_findings({ERROR: len(entries) - count})
            return
        missing = entry["type"] == "missing"
        shapes = (text for part, text in EXAMPLE_VALUES.items() if re.fullmatch(part, path))
        found, legal = (None, None) if missing else (abbreviated(entry["input"]), next(shapes, None))
        problem = PROBLEM_TEXTS.get(entry["type"], N_("has the wrong type"))
        if others and path == "/rules":
            problem = N_("must be text or an object")
        elif others:
            problem = N_("must be text, a number, true, false or null")
        expected = {}
        if entry["type"] == "literal_error":  # the allowed words, without pydantic's English
            expected["expected"] = ", ".join(re.findall(r"'([^']*)'", entry["ctx"]["expected"]))
        if missing and (player := re.fullmatch(PLAYER_ID_PATH, path)):
            expected["n"] = str(int(player[1]) + 1)
        detail = {"where": path or "/", "problem": problem, "values": expected}
        of_deal = re.match(r"/deals/(\d+)", path)
        deal = int(of_deal[1]) if of_deal else None
        yield document_finding("schema", found, legal, path, detail=detail, deal_index=deal)


def unknown_keys(value: Any, model: type[BaseModel], path: Keys = ()) -> Iterator[UnknownKey]:
    """Yield (path, key, its object, the object's model) of each unknown key that does not begin with `_`."""
    if not isinstance(value, dict):
        return
    for key in value:
        if key not in model.model_fields and not key.startswith("_"):
            yield path, key, value, model
    for name, inner in _models_in(model).items():
        part = value.get(name)
        if isinstance(part, list):
            for index, one in enumerate(part):
                yield from unknown_keys(one, inner, (*path, name, index))
        else:
            yield from unknown_keys(part, inner, (*path, name))


@cache
def _models_in(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Map the fields of a model that contain models to these models."""

    def inside(annotation: Any) -> type[BaseModel] | None:
        """Return the model within an annotation such as `list[Player] | None`."""
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return annotation
        return next((found for one in get_args(annotation) if (found := inside(one))), None)

    found = {name: inside(field.annotation) for name, field in model.model_fields.items()}
    return {name: inner for name, inner in found.items() if inner is not None}


def _semantic_findings(match: AnyMatch) -> Iterator[Finding]:
    """Check what types cannot express: rules, players, date, places of comments."""
    this = game(match.game)
    players = len(match.players)
    if "deals" not in match.model_fields_set and not match.is_result_only:
        detail = {"where": "/deals", "problem": PROBLEM_TEXTS["missing"]}
        yield document_finding("schema", path="/deals", detail=detail)
    if players not in this.players:
        yield document_finding("players-count", players, [str(count) for count in this.players], "/players")
    try:
        resolve_options(match.game, match.rules, players)
    except UnknownRule as error:
        path = "/rules"
        if isinstance(match.rules, dict):
            path += json_pointer(str(error.found) if error.subject == "option" else error.subject)
        known, detail = list(error.known), {"where": error.subject}
        yield document_finding("unknown-rule", abbreviated(error.found), known, path, detail=detail)
    seen: set[str] = set()
    for seat, player in enumerate(match.players):
        if player.id in seen:
            yield document_finding("duplicate-player", player.id, path=json_pointer("players", seat, "id"))
        seen.add(player.id)
    if match.played_at is not None and parse_moment(match.played_at) is None:
        example = "2026-03-15T14:00:00+01:00"
        yield document_finding("date-format", abbreviated(match.played_at), example, "/played_at")
    for index, deal in enumerate(match.deals):
        count = len(deal.actions)
        for place, comment in enumerate(deal.comments or ()):
            if not 0 <= comment.after <= count:
                path = json_pointer("deals", index, "comments", place, "after")
                yield document_finding("comment-place", comment.after, count, path, deal_index=index)


def parse_moment(text: str) -> datetime | None:
    """Return a date and time of RFC 3339; None for another text, or if UTC has it in no year of 1 to 9999."""
    if RFC3339_PATTERN.fullmatch(text) is None:
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment
