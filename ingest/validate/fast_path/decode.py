"""Texts of matches → `Numbers`, scanned by compiled code, no Python object a deal.

Whatever this road cannot take for certain is left to the explanation: `Decoded.sure` says
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
from engine.games import TOLD, Game, game
from engine.match import NOTHING
from engine.options import UnknownRule, default_preset, dtype
from ingest.reader.canonical import END, RAW, RAW_END, VALUE, Canonical
from ingest.validate import parse_document
from ingest.validate.fast_path import scan
from ingest.validate.fast_path.deal_arrays import Numbers, openings
from ingest.validate.fast_path.scan_tables import Laid, drawing, shapes_of, words_of
from schemas.games import of
from schemas.match_models import AnyMatch, models, table
from schemas.models import FORMAT, Comment, Player

UNFIT: Any = object()  # stands for a part of a log that is not what it should be
FREE = ("event", "source", "result", "start")
"""Parts of a match that are read by the models, each by itself."""
TIME = pa.timestamp("us", tz="UTC")
_COMMENTS = TypeAdapter(list[Comment])
_FORMAT = f'"{FORMAT}"'.encode()
_SEAT = {"id", "name"}


class Head(NamedTuple):
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


class Decoded(NamedTuple):
    """`sure[i]` where match i is typed right and every part of it was understood."""

    sure: NDArray[np.bool_]
    head: Head
    numbers: Numbers
    results: list[Any]


def by_game(read: Canonical) -> dict[str, NDArray[np.int64]]:
    """The places of texts that are vouched for, by the game each says it is of."""
    places = np.flatnonzero(read.sure)
    rows = scan.members_of(read, places, ["game"])[0][:, 0]
    low, high = read.members[rows, RAW], read.members[rows, RAW_END]
    names: dict[bytes, list[int]] = {}
    there = rows >= 0
    told = zip(*(one[there].tolist() for one in (places, low, high)), strict=True)
    for place, begin, end in told:
        names.setdefault(read.raw[begin:end], []).append(place)
    found = ((orjson.loads(text), np.array(some, np.int64)) for text, some in names.items())
    return {name: some for name, some in found if isinstance(name, str)}


@lru_cache(maxsize=1 << 14)  # most parts of a log are those of many
def part_of(name: str, key: str, text: bytes) -> Any:
    """The value of a part of a match, `UNFIT` where it is none or has a key nobody knows."""
    model = models()[name]
    if key not in model.model_fields:
        return UNFIT
    try:
        value = orjson.loads(text)
        _adapter(name, key).validate_python(value, strict=True)
    except ValueError:  # no JSON, or not of its type
        return UNFIT
    return UNFIT if any(parse_document.unknown({key: value}, model)) else value


@cache
def _adapter(name: str, key: str) -> TypeAdapter[Any]:
    annotation: Any = models()[name].model_fields[key].annotation
    return TypeAdapter(annotation)


@lru_cache(maxsize=256)
def laid_by(
    name: str,
    players: int,
    texts: tuple[tuple[str, bytes], ...],
    rules: Callable[[Any], Any] | None,
) -> Laid | None:
    """The table of matches with such parts; None where rules or equipment are not known."""
    told = {key: part_of(name, key, text) for key, text in texts}
    if any(value is UNFIT for value in told.values()):
        return None
    if rules is not None:
        told["rules"] = rules(told.get("rules"))
    seats = [Player(id=str(seat)) for seat in range(players)]
    match = models()[name].model_construct(
        format=FORMAT, game=name, players=seats, deals=[], **told
    )
    try:
        found = table(match)
    except UnknownRule:
        return None
    if found.problems:
        return None
    layout = of(name).layout(found)
    return Laid(found, layout, words_of(found, layout), preset_of(match), options_of(match))


@lru_cache(maxsize=1 << 14)  # most cuts are one attempt, so few are new
def dealers_by(name: str, text: bytes, players: int) -> tuple[int, int, int] | None:
    """Whom the cuts of a log name, None where there is a fault in them."""
    told = part_of(name, "cuts", text)
    if told is None:
        return NOTHING, NOTHING, NOTHING
    if told is UNFIT:
        return None
    read, faults = cut.read(game(name), told, players)
    return None if faults else cut.dealers(game(name), read)


class Said(NamedTuple):
    """What one match says besides its deals."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    laid: Laid | None = None
    opening: Sequence[int] = (NOTHING,) * 3
    """Whom the cuts name, and where the log begins if it tells that."""
    log_id: str | None = None
    played_at: datetime | None = None
    event: Any = None
    source: Any = None
    result: Any = None


NOT_SURE = Said()


def said_in(this: Game, texts: dict[str, bytes], rules: Callable[[Any], Any] | None) -> Said:
    """What a match says in its parts, which are used up; NOT_SURE where one is not as it should."""
    take, name = texts.pop, this.name
    seated = _seated(take("players", b"null"))
    if take("format", b"") != _FORMAT or seated is None or len(seated[0]) not in this.players:
        return NOT_SURE
    players, null = len(seated[0]), b"null"
    log_id, when = orjson.loads(take("id", null)), orjson.loads(take("played_at", null))
    dated = isinstance(when, str) and parse_document.is_date(when)
    played_at = datetime.fromisoformat(when.upper()) if dated else None
    event, source, result, start = (
        part_of(name, key, take(key)) if key in texts else None for key in FREE
    )
    opening = dealers_by(name, take("cuts"), players) if "cuts" in texts else NOT_SURE.opening
    del texts["game"]
    laid = laid_by(name, players, tuple(texts.items()), rules)  # all else says how deals are read
    if laid is None or opening is None or UNFIT in (event, source, result, start):
        return NOT_SURE
    if not (log_id is None or isinstance(log_id, str)) or (played_at is None) != (when is None):
        return NOT_SURE
    if start is not None:
        row, wrong = this.match.read_start(start, players, laid.table.rules)
        if wrong:
            return NOT_SURE
        opening = (*opening, *row)
    return Said(*seated, laid, opening, log_id, played_at, event, source, result)


def decode(
    name: str, read: Canonical, places: NDArray[np.int64], rules: Callable[[Any], Any] | None = None
) -> Decoded:
    """Decode texts of one game; `rules` makes other rules of their own."""
    this, keys = game(name), [key for key in models()[name].model_fields if key != "deals"]
    members, sure = scan.members_of(read, places, [*keys, "deals"])
    deals = members[:, -1]
    sure &= deals >= 0
    low, high = read.members[members, RAW], read.members[members, RAW_END]
    low[members < 0] = -1
    found = []
    for begin, end, good in zip(low.tolist(), high.tolist(), sure.tolist(), strict=True):
        parts = zip(keys, begin, end, strict=False)
        texts = {key: read.raw[start:stop] for key, start, stop in parts if start >= 0}
        found.append(said_in(this, texts, rules) if good else NOT_SURE)
    ids, names, tables, _, log_ids, dates, events, sources, results = zip(*found, strict=True)
    seats = np.fromiter(map(len, ids), np.int64, len(found))
    sure &= seats > 0
    numbers = _deals(this, read, deals, sure, found)
    preset = _column(one and one.preset for one in tables)
    options = _column(one and one.options for one in tables)
    log_id, played_at = pa.array(log_ids, pa.string()), pa.array(dates, TIME)
    event, source = _column(map(name_in, events)), _column(map(name_in, sources))
    games, about = np.full(len(found), name, np.object_), _column(map(details, events, sources))
    head = Head(games, preset, options, log_id, played_at, event, about, source, seats, ids, names)
    return Decoded(sure, head, numbers, [*results])


def _column(values: Iterable[str | None]) -> NDArray[np.object_]:
    return np.array([*values], np.object_)


def _deals(
    this: Game,
    read: Canonical,
    members: NDArray[np.int64],
    sure: NDArray[np.bool_],
    said: Sequence[Said],
) -> Numbers:
    """The deals of all matches, whose lists stand at some `members`; fewer of them may be sure."""
    laid = {id(one.laid): one.laid for one in said if one.laid is not None}
    at = {one: place for place, one in enumerate(laid)}
    table_of = np.array([at.get(id(one.laid), 0) for one in said], np.int64)
    rules = np.zeros(max(len(laid), 1), dtype(this.name))
    for place, one in enumerate(laid.values()):
        rules[place] = one.table.rules
    low, high = read.members[members, VALUE], read.members[members, END]
    size = int((high - low)[sure].sum())
    most = min(size // 12, read.objects) + 1  # {"dealer":1}
    first = np.zeros(len(sure) + 1, np.int64)
    rows = np.empty((most, len(this.blank)), np.uint8)
    told = np.empty((most, TOLD), np.int64)
    facts = np.empty((most, 5), np.int64)
    codes = np.empty(size // 6 + 1, np.uint16)  # "1 x",
    offsets = np.zeros(most + 1, np.int64)
    if laid:
        tables = (*shapes_of(this.name, [*laid.values()]), drawing(this.name))
        held: Any = np.empty(rows.shape[1] + 1, np.int64)
        filled: tuple[Any, ...] = (first, rows, told, facts, codes, offsets)
        scan.scan_deals(read.data, low, table_of, *tables, held, sure, *filled)
    sure &= np.diff(first) <= parse_document.DEALS_LIMIT
    count = first[-1]
    match_of = np.repeat(np.arange(len(sure)), np.diff(first))
    for deal in np.flatnonzero(facts[:count, scan.COMMENTS_AT] >= 0).tolist():
        text = bytes(read.text[facts[deal, scan.COMMENTS_AT] : facts[deal, scan.COMMENTS_END]])
        done = offsets[deal + 1] - offsets[deal]
        try:  # each says something, after some of the actions of its deal
            sure[match_of[deal]] &= all(
                0 <= one.after <= done and all(key[:1] == "_" for key in one.model_extra or ())
                for one in _COMMENTS.validate_json(text, strict=True)
            )
        except ValidationError:
            sure[match_of[deal]] = False
    cuts = openings([one.opening for one in said])
    players = np.array([len(one.ids) for one in said], np.int64)[match_of]
    columns = (scan.DEALER, scan.EXPLICIT, scan.IS_VOID)
    dealers, explicit, voids = (facts[:count, column].copy() for column in columns)
    dealt, acts = np.ones(count, np.bool_), (codes[: offsets[count]], offsets[: count + 1])
    return Numbers(
        *(this, first, cuts, rules, table_of[match_of], players, dealers, rows[:count], dealt),
        *(explicit, *acts, voids, told[:count]),
    )


@lru_cache(maxsize=1 << 14)  # most meet more than once
def _seated(text: bytes) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
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
        if not one.keys() <= _SEAT and not all(key in _SEAT or key[:1] == "_" for key in one):
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


def name_in(part: Any) -> str | None:
    """The name in an event or a source."""
    name = part.get("name") if isinstance(part, dict) else None
    return None if name is None else str(name)


def details(event: Any, source: Any) -> str | None:
    """An event and a source whole, as JSON."""
    if event is None and source is None:
        return None
    return orjson.dumps({"event": event, "source": source}).decode()
