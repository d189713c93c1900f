"""Writes the tables that the JavaScript package needs besides the kernels: cards, faults, keys, texts.

Nothing here is a rule or a word of one game: the names of options, codes and acts, the keys of a log
and the layout of the kernel's records are read from where they are defined.
"""

import re
from itertools import groupby
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
from pydantic import BaseModel

from engine import RULES_VERSION, actions, cards, faults
from engine.games import NOT_DECLARED, Game, game, game_modules, game_names
from engine.options import rules_dtype
from ingest.findings import finding
from ingest.findings.codes import SHARED_CODES, code_info
from ingest.reader.did_you_mean import KEY_ALIASES
from ingest.reader.json_text import MAX_LINE_BYTES
from ingest.validate import parse_document
from schemas.french_deck import TrumpOrder
from schemas.games import schemas_of
from schemas.match_models import deal_model
from schemas.models import FORMAT
from schemas.notation import MAX_SEATS, act_codes


def shared_table() -> dict[str, Any]:
    """Return the table for logs of all games: statuses, limits, codes of documents."""
    return {
        "format": FORMAT,
        "rulesVersion": RULES_VERSION,
        "games": list(game_names()),
        "statuses": list(finding.STATUSES),
        "maxFindings": finding.MAX_FINDINGS,
        "maxDeals": parse_document.MAX_DEALS,
        "maxBytes": MAX_LINE_BYTES,
        "maxDuplicates": parse_document.MAX_DUPLICATE_KEYS,
        "maxSeats": MAX_SEATS,
        "seatShift": actions.SEAT_SHIFT,
        "actMask": actions.ACT_MASK,
        "unknownAct": actions.UNKNOWN_ACT,
        "hiddenWord": cards.HIDDEN_WORD,
        "hiddenCard": cards.HIDDEN_CARD,
        "hiddenDraw": actions.DRAW_HIDDEN,
        "notDeclared": NOT_DECLARED,
        "suits": cards.SUITS,
        "packs": _packs(),
        "fatal": list(parse_document.FATAL_CODES),
        "severities": {code: one.severity for code, one in SHARED_CODES.items() if one.severity},
        "examples": list(parse_document.EXAMPLE_VALUES.items()),
        "aliases": KEY_ALIASES,
    }


def game_table(name: str) -> dict[str, Any]:
    """Return the table of one game."""
    this = game(name)
    own = game_modules(name).brings_deck
    options = this.options
    return {
        "game": name,
        "players": list(this.players),
        "partners": this.partners,
        "opens": deal_model(name).OPENS,
        "ranks": this.pack.ranks,
        "pack": list(this.pack.names),
        "trumpOrder": _trump_order(name),
        "exampleDeck": list(this.example_deck),
        "hasCut": this.has_cut,
        "takings": dict(getattr(schemas_of(name), "TAKINGS", {})),
        "records": {
            "state": _layout(this.kernel.State),
            "match": _layout(this.match.Match),
            "rules": _layout(rules_dtype(name)),
        },
        "running": this.kernel.RUNNING,
        "over": this.kernel.OVER,
        "noSeat": this.kernel.NOBODY,
        "faults": _fault_rows(name, this.faults),
        "matchFaults": _fault_rows(name, this.match_faults),
        "options": [
            [one.name, one.values and list(one.values), one.low, one.high, one.two_players_only]
            for one in options.OPTIONS
        ],
        "presets": {preset: dict(values) for preset, values in options.PRESETS.items()},
        "draws": this.acts.FIRST_DRAW >= 0,
        "actCount": this.acts.ACT_COUNT,
        "kinds": _kinds_of_acts(this),
        "requiredKinds": dict(this.acts.REQUIRED_KINDS),
        "acts": _words(name, this, own),
        "shape": shape_of(schemas_of(name).MATCH_MODEL),
        "ownDeck": _own_deck(name) if own else None,
    }


def _trump_order(name: str) -> dict[str, Any] | None:
    """Return how a game orders the trumps of a hand, None if as all other suits."""
    order: TrumpOrder | None = getattr(schemas_of(name), "TRUMP_ORDER", None)
    if order is None:
        return None
    return {"field": order.field, "strength": order.strength.tolist(), "allTrumps": order.all_trumps}


def _packs() -> dict[str, Any]:
    """Return, of each game with one pack for all matches, its ranks and the size of hands by players."""
    found = {}
    for name in game_names():
        if (dealing := game(name).dealing_rules) is not None:
            sizes = {players: int(dealing.hand_size(players)) for players in game(name).players}
            found[name] = {"ranks": game(name).pack.ranks, "handSizes": sizes}
    return found


def _layout(record: "np.dtype[np.void]") -> dict[str, Any]:
    """Return the size of a record, and of each field its offset, its NumPy type and its shape."""
    assert record.fields is not None
    fields = {
        name: [int(offset), kind.base.str[1:], list(kind.shape)]
        for name, (kind, offset, *_) in record.fields.items()
    }
    return {"size": record.itemsize, "fields": fields}


def _fault_rows(name: str, table: faults.FaultTable) -> list[list[Any]]:
    """Return code, rule, severity, whether it stops the deal, what it depends on, its declared key."""
    return [
        [one.code, one.rule, one.severity, one.is_impossible, info.depends_on.name, info.declared_key]
        for one in table.rows
        for info in [code_info(one.code, name)]
    ]


def _kinds_of_acts(this: Game) -> list[list[Any]]:
    """Return the kinds of all acts in order, each with how many acts in a row have it."""
    kinds = map(this.acts.kind_of_act, range(actions.ACT_MASK + 1))
    return [[kind, len(list(acts))] for kind, acts in groupby(kinds)]


def _words(name: str, this: Game, own: bool) -> dict[str, int]:
    """Return word → act; a word that names a face of the match's own deck as `… {}`, the first one."""
    count = this.deck_format.card_count * this.deck_format.faces_per_card
    faces = tuple(f"{{{face}}}" for face in range(count)) if own else ()
    words = dict[str, int]()
    for word, act in act_codes(name, faces).items():
        if found := re.search(r"\{(\d+)\}", word):
            base = words.setdefault(re.sub(r"\{\d+\}", "{}", word), act - int(found[1]))
            assert act == base + int(found[1]), f"{name}: the faces of {word} are not in order"
        else:
            words[word] = act
    return words


def _own_deck(name: str) -> dict[str, Any]:
    """Return the decks that ship, and the numbers of decks that a match of this game brings."""
    schemas: Any = schemas_of(name)
    own_decks = schemas.decks
    return {
        "decks": {deck: list(schemas.shipped_deck(deck)) for deck in schemas.shipped_decks()},
        "bids": {bid: dict(points) for bid, points in own_decks.PUBLISHED_BID_CARDS.items()},
        "colours": own_decks.COLOURS,
        "cardCount": own_decks.CARD_COUNT,
        "bidCount": own_decks.BID_COUNT,
        "maxTricks": own_decks.MAX_TRICKS,
        "notMet": own_decks.BID_NOT_MET,
        "handSize": own_decks.HAND_SIZE,
        "bidsOffset": own_decks.BIDS_OFFSET,
        "rowLength": own_decks.ROW_LENGTH,
        "noFace": own_decks.NO_FACE,
    }


def shape_of(annotation: Any, metadata: tuple[Any, ...] = ()) -> Any:
    """Return the shape of a type as JSON: what pydantic would accept, strictly.

    `str`, `text` (not empty), `int`, `float`, `bool`, `null`, `any`; `[shape]` a list, `{"map": shape}`
    an object of any keys, `{"any": […]}` one of several, `{"is": […]}` words, and of an object with
    known keys `{"keys": {key: [shape, required]}}`.
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return shape_of(parts[0], parts[1:])
    if origin in (Union, UnionType):
        several = [shape_of(one) for one in parts]
        flat = [one for part in several for one in (part["any"] if _is_union(part) else [part])]
        return {"any": flat}
    if origin is Literal:
        return {"is": list(parts)}
    if origin is list:
        return [shape_of(parts[0])]
    if origin is dict:
        return {"map": shape_of(parts[1])}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.items()
        keys = {
            key: [shape_of(one.annotation, tuple(one.metadata)), one.is_required()] for key, one in fields
        }
        return {"keys": keys}
    plain = {str: "str", int: "int", float: "float", bool: "bool", NoneType: "null"}
    if annotation is str and any(getattr(one, "min_length", 0) for one in metadata):
        return "text"
    return plain.get(annotation, "any")


def _is_union(shape: Any) -> bool:
    return isinstance(shape, dict) and "any" in shape
