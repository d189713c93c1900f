"""Decodes canonical texts into arrays without a Python object per deal.

Whatever this road cannot take for certain is left to the explanation: `DecodedBatch.valid` says
which matches it vouches for, before the kernel has its word.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from engine import cut
from engine.games import DECLARED_COLUMNS, Game, game
from engine.match import NO_DEALS_BEFORE
from engine.options import UnknownRule, default_preset, rules_dtype
from ingest.reader.canonical import END, RAW, RAW_END, VALUE, CanonicalTexts
from ingest.validate import parse_document
from ingest.validate.fast_path import scan
from ingest.validate.fast_path.deal_arrays import DealArrays, opening_rows
from ingest.validate.fast_path.scan_tables import (
    DecodingSetup,
    draw_acts,
    scanner_shapes,
    setup_word_table,
)
from schemas.games import schemas_of
from schemas.match_models import AnyMatch, match_models, match_setup
from schemas.models import FORMAT, Comment, Player

INVALID: Any = object()  # stands for a part of a log that is not what it should be
MODEL_CHECKED_KEYS = ("event", "source", "result", "start")
"""Parts of a match that are read by the models, each by itself."""
TIMESTAMP_TYPE = pa.timestamp("us", tz="UTC")
_COMMENTS_ADAPTER = TypeAdapter(list[Comment])
_FORMAT_BYTES = f'"{FORMAT}"'.encode()
_PLAYER_KEYS = {"id", "name"}


class MatchColumns(NamedTuple):
    """Match-level columns as the store keeps them, one entry a match."""

    game: NDArray[np.object_]
    preset: NDArray[np.object_]
    options: NDArray[np.object_]
    log_id: pa.Array
    played_at: pa.Array
    event: NDArray[np.object_]
    details: NDArray[np.object_]
    source: NDArray[np.object_]
    players: NDArray[np.int64]
    ids: Sequence[Sequence[str]]
    names: Sequence[Sequence[str]]


class DecodedBatch(NamedTuple):
    """`sure[i]` where match i is typed right and every part of it was understood."""

    valid: NDArray[np.bool_]
    match_columns: MatchColumns
    deal_arrays: DealArrays
    results: list[Any]


def places_by_game(canonical: CanonicalTexts) -> dict[str, NDArray[np.int64]]:
    """The places of texts that are vouched for, by the game each says it is of."""
    places = np.flatnonzero(canonical.valid)
    rows = scan.find_members(canonical, places, ["game"])[0][:, 0]
    low, high = canonical.members[rows, RAW], canonical.members[rows, RAW_END]
    names: dict[bytes, list[int]] = {}
    there = rows >= 0
    told = zip(*(one[there].tolist() for one in (places, low, high)), strict=True)
    for place, begin, end in told:
        names.setdefault(canonical.raw[begin:end], []).append(place)
    found = ((orjson.loads(text), np.array(some, np.int64)) for text, some in names.items())
    return {name: some for name, some in found if isinstance(name, str)}


@lru_cache(maxsize=1 << 14)  # most parts of a log are those of many
def parse_part(name: str, key: str, text: bytes) -> Any:
    """The value of a part of a match, `INVALID` where it is none or has a key nobody knows."""
    model = match_models()[name]
    if key not in model.model_fields:
        return INVALID
    try:
        value = orjson.loads(text)
        _adapter(name, key).validate_python(value, strict=True)
    except ValueError:  # no JSON, or not of its type
        return INVALID
    return INVALID if any(parse_document.unknown_keys({key: value}, model)) else value


@cache
def _adapter(name: str, key: str) -> TypeAdapter[Any]:
    annotation: Any = match_models()[name].model_fields[key].annotation
    return TypeAdapter(annotation)


@lru_cache(maxsize=256)
def decoding_setup(
    name: str,
    players: int,
    texts: tuple[tuple[str, bytes], ...],
    rules: Callable[[Any], Any] | None,
) -> DecodingSetup | None:
    """The table of matches with such parts; None where rules or equipment are not known."""
    told = {key: parse_part(name, key, text) for key, text in texts}
    if any(value is INVALID for value in told.values()):
        return None
    if rules is not None:
        told["rules"] = rules(told.get("rules"))
    seats = [Player(id=str(seat)) for seat in range(players)]
    match = match_models()[name].model_construct(
        format=FORMAT, game=name, players=seats, deals=[], **told
    )
    try:
        found = match_setup(match)
    except UnknownRule:
        return None
    if found.problems:
        return None
    layout = schemas_of(name).row_layout(found)
    return DecodingSetup(
        found, layout, setup_word_table(found, layout), preset_of(match), options_of(match)
    )


@lru_cache(maxsize=1 << 14)  # most cuts are one attempt, so few are new
def dealers_in_cuts(name: str, text: bytes, players: int) -> tuple[int, int, int] | None:
    """Whom the cuts of a log name, None where there is a fault in them."""
    told = parse_part(name, "cuts", text)
    if told is None:
        return NO_DEALS_BEFORE, NO_DEALS_BEFORE, NO_DEALS_BEFORE
    if told is INVALID:
        return None
    read, faults = cut.read_cuts(game(name), told, players)
    return None if faults else cut.dealers_by_cut(game(name), read)


class MatchHeader(NamedTuple):
    """What one match says besides its deals."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    decoding_setup: DecodingSetup | None = None
    opening: Sequence[int] = (NO_DEALS_BEFORE,) * 3
    """Whom the cuts name, and where the log begins if it tells that."""
    log_id: str | None = None
    played_at: datetime | None = None
    event: Any = None
    source: Any = None
    result: Any = None


INVALID_HEADER = MatchHeader()


def parse_header(
    this: Game, texts: dict[str, bytes], rules: Callable[[Any], Any] | None
) -> MatchHeader:
    """What a match says in its parts, which are used up; NOT_SURE where one is not as it should."""
    take, name = texts.pop, this.name
    seated = _parse_players(take("players", b"null"))
    if take("format", b"") != _FORMAT_BYTES or seated is None or len(seated[0]) not in this.players:
        return INVALID_HEADER
    players, null = len(seated[0]), b"null"
    log_id, when = orjson.loads(take("id", null)), orjson.loads(take("played_at", null))
    dated = isinstance(when, str) and parse_document.is_date_time(when)
    played_at = datetime.fromisoformat(when.upper()) if dated else None
    event, source, result, start = (
        parse_part(name, key, take(key)) if key in texts else None for key in MODEL_CHECKED_KEYS
    )
    opening = (
        dealers_in_cuts(name, take("cuts"), players) if "cuts" in texts else INVALID_HEADER.opening
    )
    del texts["game"]
    laid = decoding_setup(
        name, players, tuple(texts.items()), rules
    )  # all else says how deals are read
    if laid is None or opening is None or INVALID in (event, source, result, start):
        return INVALID_HEADER
    if not (log_id is None or isinstance(log_id, str)) or (played_at is None) != (when is None):
        return INVALID_HEADER
    if start is not None:
        row, wrong = this.match.parse_start(start, players, laid.setup.rules)
        if wrong:
            return INVALID_HEADER
        opening = (*opening, *row)
    return MatchHeader(*seated, laid, opening, log_id, played_at, event, source, result)


def decode_matches(
    name: str,
    canonical: CanonicalTexts,
    places: NDArray[np.int64],
    rules: Callable[[Any], Any] | None = None,
) -> DecodedBatch:
    """Decode texts of one game; `rules` makes other rules of their own."""
    this, keys = game(name), [key for key in match_models()[name].model_fields if key != "deals"]
    members, sure = scan.find_members(canonical, places, [*keys, "deals"])
    deals = members[:, -1]
    sure &= deals >= 0
    low, high = canonical.members[members, RAW], canonical.members[members, RAW_END]
    low[members < 0] = -1
    found = []
    for begin, end, good in zip(low.tolist(), high.tolist(), sure.tolist(), strict=True):
        parts = zip(keys, begin, end, strict=False)
        texts = {key: canonical.raw[start:stop] for key, start, stop in parts if start >= 0}
        found.append(parse_header(this, texts, rules) if good else INVALID_HEADER)
    ids, names, tables, _, log_ids, dates, events, sources, results = zip(*found, strict=True)
    seats = np.fromiter(map(len, ids), np.int64, len(found))
    sure &= seats > 0
    numbers = _decode_deals(this, canonical, deals, sure, found)
    preset = _object_column(one and one.preset for one in tables)
    options = _object_column(one and one.options for one in tables)
    log_id, played_at = pa.array(log_ids, pa.string()), pa.array(dates, TIMESTAMP_TYPE)
    event, source = (
        _object_column(map(source_name, events)),
        _object_column(map(source_name, sources)),
    )
    games, about = (
        np.full(len(found), name, np.object_),
        _object_column(map(event_details, events, sources)),
    )
    head = MatchColumns(
        games, preset, options, log_id, played_at, event, about, source, seats, ids, names
    )
    return DecodedBatch(sure, head, numbers, [*results])


def _object_column(values: Iterable[str | None]) -> NDArray[np.object_]:
    return np.array([*values], np.object_)


def _decode_deals(
    this: Game,
    canonical: CanonicalTexts,
    members: NDArray[np.int64],
    sure: NDArray[np.bool_],
    headers: Sequence[MatchHeader],
) -> DealArrays:
    """The deals of all matches, whose lists stand at some `members`; fewer of them may be sure."""
    laid = {
        id(one.decoding_setup): one.decoding_setup
        for one in headers
        if one.decoding_setup is not None
    }
    at = {one: place for place, one in enumerate(laid)}
    table_of = np.array([at.get(id(one.decoding_setup), 0) for one in headers], np.int64)
    rules = np.zeros(max(len(laid), 1), rules_dtype(this.name))
    for place, one in enumerate(laid.values()):
        rules[place] = one.setup.rules
    low, high = canonical.members[members, VALUE], canonical.members[members, END]
    size = int((high - low)[sure].sum())
    most = min(size // 12, canonical.object_count) + 1  # {"dealer":1}
    first = np.zeros(len(sure) + 1, np.int64)
    rows = np.empty((most, len(this.example_deck)), np.uint8)
    told = np.empty((most, DECLARED_COLUMNS), np.int64)
    facts = np.empty((most, 5), np.int64)
    codes = np.empty(size // 6 + 1, np.uint16)  # "1 x",
    offsets = np.zeros(most + 1, np.int64)
    if laid:
        tables = (*scanner_shapes(this.name, [*laid.values()]), draw_acts(this.name))
        held: Any = np.empty(rows.shape[1] + 1, np.int64)
        filled: tuple[Any, ...] = (first, rows, told, facts, codes, offsets)
        scan.scan_deals(canonical.data, low, table_of, *tables, held, sure, *filled)
    sure &= np.diff(first) <= parse_document.MAX_DEALS
    count = first[-1]
    match_of = np.repeat(np.arange(len(sure)), np.diff(first))
    for deal in np.flatnonzero(facts[:count, scan.COMMENTS_START] >= 0).tolist():
        text = bytes(
            canonical.text[facts[deal, scan.COMMENTS_START] : facts[deal, scan.COMMENTS_END]]
        )
        done = offsets[deal + 1] - offsets[deal]
        try:  # each says something, after some of the actions of its deal
            sure[match_of[deal]] &= all(
                0 <= one.after <= done and all(key[:1] == "_" for key in one.model_extra or ())
                for one in _COMMENTS_ADAPTER.validate_json(text, strict=True)
            )
        except ValidationError:
            sure[match_of[deal]] = False
    cuts = opening_rows([one.opening for one in headers])
    players = np.array([len(one.ids) for one in headers], np.int64)[match_of]
    columns = (scan.DEALER, scan.EXPLICIT, scan.IS_VOID)
    dealers, explicit, voids = (facts[:count, column].copy() for column in columns)
    dealt, acts = np.ones(count, np.bool_), (codes[: offsets[count]], offsets[: count + 1])
    return DealArrays(
        *(this, first, cuts, rules, table_of[match_of], players, dealers, rows[:count], dealt),
        *(explicit, *acts, voids, told[:count]),
    )


@lru_cache(maxsize=1 << 14)  # most meet more than once
def _parse_players(text: bytes) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Ids and names of players, in their order; None where they are not what they should be."""
    players, found = orjson.loads(text), dict[str, str]()
    if not isinstance(players, list):
        return None
    for one in players:
        if not isinstance(one, dict):
            return None
        player, name = one.get("id"), one.get("name")
        if not isinstance(player, str) or not player or not isinstance(name, str | None):
            return None
        if not one.keys() <= _PLAYER_KEYS and not all(
            key in _PLAYER_KEYS or key[:1] == "_" for key in one
        ):
            return None
        found[player] = name if name and not name.isspace() else player
    return (tuple(found), tuple(found.values())) if len(found) == len(players) else None


def preset_of(match: AnyMatch) -> str:
    """The preset a log's rules name, the game's default when they name none."""
    rules = match.rules
    named = rules.get("preset") if isinstance(rules, dict) else rules
    return str(named) if named else default_preset(match.game)


def options_of(match: AnyMatch) -> str | None:
    """The rules of a log as JSON, when they are more than a preset's name."""
    return orjson.dumps(match.rules).decode() if isinstance(match.rules, dict) else None


def source_name(part: Any) -> str | None:
    """The name in an event or a source."""
    name = part.get("name") if isinstance(part, dict) else None
    return None if name is None else str(name)


def event_details(event: Any, source: Any) -> str | None:
    """An event and a source whole, as JSON."""
    if event is None and source is None:
        return None
    return orjson.dumps({"event": event, "source": source}).decode()
