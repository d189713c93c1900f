"""Decodes canonical texts into arrays without a Python object per deal.

Matches it cannot fully decode are left to the slow path: `DecodedBatch.valid` marks the decoded
ones, which the kernel then checks.
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
from ingest.validate.fast_path.scan_tables import DecodingSetup, scanner_shapes, setup_word_table
from schemas import match_hash
from schemas.games import schemas_of
from schemas.match_models import AnyMatch, match_models, match_setup
from schemas.models import FORMAT, Comment, Player

INVALID: Any = object()  # marks an invalid part of a log
MODEL_CHECKED_KEYS = ("event", "source", "result", "start")
"""Parts of a match that pydantic validates, each separately."""
TIMESTAMP_TYPE = pa.timestamp("us", tz="UTC")
_COMMENTS_ADAPTER = TypeAdapter(list[Comment])
_FORMAT_BYTES = f'"{FORMAT}"'.encode()
_PLAYER_KEYS = {"id", "name"}


class MatchColumns(NamedTuple):
    """Match-level columns of the store, one entry per match."""

    game: NDArray[np.object_]
    preset: NDArray[np.object_]
    options: NDArray[np.object_]
    log_id: pa.Array
    played_at: pa.Array
    played_on: pa.Array
    event: NDArray[np.object_]
    details: NDArray[np.object_]
    source: NDArray[np.object_]
    players: NDArray[np.int64]
    ids: Sequence[Sequence[str]]
    names: Sequence[Sequence[str]]


class DecodedBatch(NamedTuple):
    """Decoded matches; `valid[i]`: match i has the right types and is fully decoded."""

    valid: NDArray[np.bool_]
    match_columns: MatchColumns
    deal_arrays: DealArrays
    results: list[Any]
    play_ids: list[str | None]
    """The id of the play; None: its log is not decoded, or has no deals."""
    start_ids: list[int | None]


def places_by_game(canonical: CanonicalTexts) -> dict[str, NDArray[np.int64]]:
    """Return the indices of valid canonical texts by their `game`."""
    places = np.flatnonzero(canonical.valid)
    rows = scan.find_members(canonical, places, ["game"])[0][:, 0]
    low, high = canonical.members[rows, RAW], canonical.members[rows, RAW_END]
    names: dict[bytes, list[int]] = {}
    there = rows >= 0
    items = zip(*(one[there].tolist() for one in (places, low, high)), strict=True)
    for place, begin, end in items:
        names.setdefault(canonical.raw[begin:end], []).append(place)
    found = ((orjson.loads(text), np.array(some, np.int64)) for text, some in names.items())
    return {name: some for name, some in found if isinstance(name, str)}


@lru_cache(maxsize=1 << 14)  # most parts recur in many logs
def parse_part(name: str, key: str, text: bytes) -> Any:
    """Parse a part of a match; `INVALID` if its type is wrong or it has unknown keys."""
    model = match_models()[name]
    if key not in model.model_fields:
        return INVALID
    try:
        value = orjson.loads(text)
        _adapter(name, key).validate_python(value, strict=True)
    except ValueError:  # no JSON, or the wrong type
        return INVALID
    return INVALID if any(parse_document.unknown_keys({key: value}, model)) else value


@cache
def _adapter(name: str, key: str) -> TypeAdapter[Any]:
    annotation: Any = match_models()[name].model_fields[key].annotation
    return TypeAdapter(annotation)


@lru_cache(maxsize=256)
def decoding_setup(
    name: str, players: int, texts: tuple[tuple[str, bytes], ...], rules: Callable[[Any], Any] | None
) -> DecodingSetup | None:
    """Return the setup of matches with these parts; None if rules or equipment are invalid."""
    fields = {key: parse_part(name, key, text) for key, text in texts}
    if any(value is INVALID for value in fields.values()):
        return None
    if rules is not None:
        fields["rules"] = rules(fields.get("rules"))
    seats = [Player(id=str(seat)) for seat in range(players)]
    match = match_models()[name].model_construct(format=FORMAT, game=name, players=seats, deals=[], **fields)
    try:
        found = match_setup(match)
    except UnknownRule:
        return None
    if found.problems:
        return None
    layout = schemas_of(name).row_layout(found)
    return DecodingSetup(found, layout, setup_word_table(found, layout), preset_of(match), options_of(match))


@lru_cache(maxsize=1 << 14)  # most cuts are one attempt, so most recur
def dealers_in_cuts(name: str, text: bytes, players: int) -> tuple[int, int, int] | None:
    """Return the three seats from the cuts of a log; None if the cuts have a fault."""
    result = parse_part(name, "cuts", text)
    if result is None:
        return NO_DEALS_BEFORE, NO_DEALS_BEFORE, NO_DEALS_BEFORE
    if result is INVALID:
        return None
    read, faults = cut.read_cuts(game(name), result, players)
    return None if faults else cut.dealers_by_cut(game(name), read)


class MatchHeader(NamedTuple):
    """The content of one match except its deals."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    decoding_setup: DecodingSetup | None = None
    opening: Sequence[int] = (NO_DEALS_BEFORE,) * 3
    """Three seats from the cuts, then the encoded `start` if the log has one."""
    log_id: str | None = None
    played_at: datetime | None = None
    event: Any = None
    source: Any = None
    result: Any = None


INVALID_HEADER = MatchHeader()


def parse_header(this: Game, texts: dict[str, bytes], rules: Callable[[Any], Any] | None) -> MatchHeader:
    """Parse the parts of a match, emptying `texts`; INVALID_HEADER if a part is invalid."""
    take, name = texts.pop, this.name
    if sum(map(len, texts.values())) > 2 * parse_document.MAX_ENTRIES:  # an entry and its comma
        return INVALID_HEADER
    seated = _parse_players(take("players", b"null"))
    if take("format", b"") != _FORMAT_BYTES or seated is None or len(seated[0]) not in this.players:
        return INVALID_HEADER
    players, null = len(seated[0]), b"null"
    log_id, when = orjson.loads(take("id", null)), orjson.loads(take("played_at", null))
    played_at = parse_document.parse_moment(when) if isinstance(when, str) else None
    event, source, result, start = (
        parse_part(name, key, take(key)) if key in texts else None for key in MODEL_CHECKED_KEYS
    )
    opening = dealers_in_cuts(name, take("cuts"), players) if "cuts" in texts else INVALID_HEADER.opening
    del texts["game"]
    played = decoding_setup(
        name, players, tuple(texts.items()), rules
    )  # the remaining parts determine how deals are decoded
    if played is None or opening is None or INVALID in (event, source, result, start):
        return INVALID_HEADER
    if not (log_id is None or isinstance(log_id, str)) or (played_at is None) != (when is None):
        return INVALID_HEADER
    if start is not None:
        row, wrong = this.match.parse_start(start, players, played.setup.rules)
        if wrong:
            return INVALID_HEADER
        opening = (*opening, *row)
    return MatchHeader(*seated, played, opening, log_id, played_at, event, source, result)


def decode_matches(
    name: str, canonical: CanonicalTexts, places: NDArray[np.int64], rules: Callable[[Any], Any] | None = None
) -> DecodedBatch:
    """Decode texts of one game; `rules` maps their rules to others."""
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
    setups = {id(one): one for one in tables if one is not None}
    at = {one: place for place, one in enumerate(setups)}
    setup_of = np.array([at.get(id(one), 0) for one in tables], np.int64)
    numbers = _decode_deals(this, canonical, deals, sure, found, [*setups.values()], setup_of)
    preset = _object_column(one and one.preset for one in tables)
    options = _object_column(one and one.options for one in tables)
    log_id, moments = pa.array(log_ids, pa.string()), moment_columns(dates)
    event, source = (_object_column(map(source_name, events)), _object_column(map(source_name, sources)))
    games, about = (
        np.full(len(found), name, np.object_),
        _object_column(map(event_details, events, sources)),
    )
    head = MatchColumns(games, preset, options, log_id, *moments, event, about, source, seats, ids, names)
    play_ids, start_ids = _play_ids(numbers, sure, ids, [*setups.values()], setup_of)
    return DecodedBatch(sure, head, numbers, [*results], play_ids, start_ids)


def _play_ids(
    numbers: DealArrays,
    sure: NDArray[np.bool_],
    ids: Sequence[tuple[str, ...]],
    setups: Sequence[DecodingSetup],
    setup_of: NDArray[np.int64],
) -> tuple[list[str | None], list[int | None]]:
    """Return the hash of the play of each match, and of its first deal."""
    play_ids: list[str | None] = [None] * len(ids)
    start_ids: list[int | None] = [None] * len(ids)
    if not setups or not len(numbers.dealers):
        return play_ids, start_ids
    setup_texts = [match_hash.setup_of(one.setup) for one in setups]
    layouts = match_hash.layout_arrays([(one.setup, one.layout) for one in setups])
    rows = numbers.decks, numbers.dealers, numbers.rule_of
    text, ends = match_hash.written_plays(numbers.game.name, *rows, layouts, numbers.codes, numbers.offsets)
    view, first = memoryview(text), numbers.first
    starts = np.concatenate([[0], ends[:, 1]])
    spans = zip(
        *(starts[first[:-1]].tolist(), starts[first[1:]].tolist()),
        *(ends[np.minimum(first[:-1], len(ends) - 1), 0].tolist(), sure.tolist()),
        strict=True,
    )
    for i, (begin, end, cards, good) in enumerate(spans):
        if good and begin < end:
            of = setup_texts[setup_of[i]]
            play_ids[i] = match_hash.play_id(of, match_hash.players_bytes(ids[i]), view[begin:end])
            start_ids[i] = match_hash.start_id(of, view[begin:cards])
    return play_ids, start_ids


def moment_columns(moments: Sequence[datetime | None]) -> tuple[pa.Array, pa.Array]:
    """Return when matches were played: the moments, and the days by the logs' own clocks."""
    days = [moment and moment.date() for moment in moments]
    return pa.array(moments, TIMESTAMP_TYPE), pa.array(days, pa.date32())


def _object_column(values: Iterable[str | None]) -> NDArray[np.object_]:
    return np.array([*values], np.object_)


def _decode_deals(
    this: Game,
    canonical: CanonicalTexts,
    members: NDArray[np.int64],
    sure: NDArray[np.bool_],
    headers: Sequence[MatchHeader],
    setups: Sequence[DecodingSetup],
    setup_of: NDArray[np.int64],
) -> DealArrays:
    """Decode the deals of all matches, at rows `members`; clears `sure` of undecodable ones."""
    rules = np.zeros(max(len(setups), 1), rules_dtype(this.name))
    for place, one in enumerate(setups):
        rules[place] = one.setup.rules
    low, high = canonical.members[members, VALUE], canonical.members[members, END]
    size = int((high - low)[sure].sum())
    most = min(size // 12, canonical.object_count) + 1  # shortest: {"dealer":1}
    first = np.zeros(len(sure) + 1, np.int64)
    rows = np.empty((most, len(this.example_deck)), np.uint8)
    values = np.empty((most, DECLARED_COLUMNS), np.int64)
    facts = np.empty((most, 5), np.int64)
    codes = np.empty(size // 6 + 1, np.uint16)  # shortest: "1 x",
    offsets = np.zeros(most + 1, np.int64)
    if setups:
        tables = (*scanner_shapes(this.name, setups), match_hash.draw_acts(this.name))
        held: Any = np.empty(rows.shape[1] + 1, np.int64)
        filled: tuple[Any, ...] = (first, rows, values, facts, codes, offsets)
        scan.scan_deals(canonical.data, low, setup_of, *tables, held, sure, *filled)
    sure &= np.diff(first) <= parse_document.MAX_DEALS
    count = first[-1]
    match_of = np.repeat(np.arange(len(sure)), np.diff(first))
    for deal in np.flatnonzero(facts[:count, scan.COMMENTS_START] >= 0).tolist():
        text = bytes(canonical.text[facts[deal, scan.COMMENTS_START] : facts[deal, scan.COMMENTS_END]])
        done = offsets[deal + 1] - offsets[deal]
        try:  # `after` must be a place within the deal
            comments = _COMMENTS_ADAPTER.validate_json(text, strict=True)
            sure[match_of[deal]] &= len(comments) <= parse_document.MAX_ENTRIES and all(
                0 <= one.after <= done and all(key[:1] == "_" for key in one.model_extra or ())
                for one in comments
            )
        except ValidationError:
            sure[match_of[deal]] = False
    cuts = opening_rows([one.opening for one in headers])
    players = np.array([len(one.ids) for one in headers], np.int64)[match_of]
    columns = (scan.DEALER, scan.EXPLICIT, scan.IS_VOID)
    dealers, explicit, voids = (facts[:count, column].copy() for column in columns)
    dealt, acts = np.ones(count, np.bool_), (codes[: offsets[count]], offsets[: count + 1])
    return DealArrays(
        *(this, first, cuts, rules, setup_of[match_of], players, dealers, rows[:count], dealt),
        *(explicit, *acts, voids, values[:count]),
    )


@lru_cache(maxsize=1 << 14)  # the same players meet often
def _parse_players(text: bytes) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return ids and names of players, in seat order; None if they are invalid."""
    players, found = orjson.loads(text), dict[str, str]()
    if not isinstance(players, list):
        return None
    for one in players:
        if not isinstance(one, dict):
            return None
        player, name = one.get("id"), one.get("name")
        if not isinstance(player, str) or not player or not isinstance(name, str | None):
            return None
        if not one.keys() <= _PLAYER_KEYS and not all(key in _PLAYER_KEYS or key[:1] == "_" for key in one):
            return None
        found[player] = name if name and not name.isspace() else player
    return (tuple(found), tuple(found.values())) if len(found) == len(players) else None


def preset_of(match: AnyMatch) -> str:
    """Return the preset in a log's rules, the game's default if there is none."""
    rules = match.rules
    named = rules.get("preset") if isinstance(rules, dict) else rules
    return str(named) if named else default_preset(match.game)


def options_of(match: AnyMatch) -> str | None:
    """Return the rules of a log as JSON; None if they are only a preset's name."""
    return orjson.dumps(match.rules).decode() if isinstance(match.rules, dict) else None


def source_name(part: Any) -> str | None:
    """Return the name of an event or a source."""
    name = part.get("name") if isinstance(part, dict) else None
    return None if name is None else str(name)


def event_details(event: Any, source: Any) -> str | None:
    """Return an event and a source as JSON; None if both are missing."""
    if event is None and source is None:
        return None
    return orjson.dumps({"event": event, "source": source}).decode()
