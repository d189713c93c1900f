"""Texts of matches → `Numbers`, scanned by compiled code, no Python object a deal.

Whatever this road cannot take for certain is left to the explanation: `Decoded.sure` says
which matches it vouches for, before the kernel has its word.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from engine import cut
from engine.games import TOLD, game
from engine.match import NOTHING
from engine.options import UnknownRule, default_preset, dtype
from ingest.judge import document
from ingest.judge.document import RFC3339
from ingest.judge.numbers import Numbers, openings
from ingest.judge.scan import (
    COMMENTS_AT,
    COMMENTS_END,
    DEALER,
    EXPLICIT,
    IS_VOID,
    members_of,
    scan_deals,
)
from ingest.judge.tables import Laid, drawing, layout_of, shapes_of, words_of
from ingest.text.canonical import END, RAW, RAW_END, VALUE, Canonical, Places
from ingest.text.keys import unknown
from schemas.document import Comment, Player
from schemas.log import FORMAT, AnyMatch, models
from schemas.table import table

ASIDE = frozenset(
    (
        *("format", "game", "players", "deals", "id", "played_at", "event", "source"),
        *("cuts", "start", "result"),
    )
)
"""Keys of a match that do not say how its deals are read, as all others do."""


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


def cut_out(raw: bytes | memoryview, low: Places, high: Places) -> list[bytes | None]:
    """What stands between some places, None below zero."""
    spans = zip(low.tolist(), high.tolist(), strict=True)
    return [None if begin < 0 else bytes(raw[begin:end]) for begin, end in spans]


def by_game(read: Canonical) -> dict[str, NDArray[np.int64]]:
    """The places of texts that are vouched for, by the game each says it is of."""
    places = np.flatnonzero(read.sure)
    rows = members_of(read, places, ["game"])[0][:, 0]
    told = (np.where(rows < 0, -1, read.members[rows, column]) for column in (RAW, RAW_END))
    names: dict[bytes, list[int]] = {}
    texts = cut_out(read.raw, *told)
    for place, text in zip(places.tolist(), texts, strict=True):
        if text is not None:
            names.setdefault(text, []).append(place)
    found = {}
    for text, some in names.items():
        name = orjson.loads(text)
        if isinstance(name, str):
            found[name] = np.array(some, np.int64)
    return found


def decode(
    name: str,
    read: Canonical,
    places: NDArray[np.int64],
    rules: Callable[[Any], Any] | None = None,
) -> Decoded:
    """Decode texts of one game; `rules` makes other rules of their own."""
    return _Batch(name, read, places, rules).decoded()


class Unfit(NamedTuple):
    """A part of a log that is not what it should be."""


UNFIT = Unfit()


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
    return UNFIT if any(unknown({key: value}, model)) else value


@cache
def _adapter(name: str, key: str) -> TypeAdapter[Any]:
    annotation: Any = models()[name].model_fields[key].annotation
    return TypeAdapter(annotation)


class Parts(NamedTuple):
    """The parts of a match that say by what its deals are read; `told` are their texts."""

    players: int
    told: tuple[tuple[str, bytes], ...]


@lru_cache(maxsize=256)
def laid_by(name: str, parts: Parts, rules: Callable[[Any], Any] | None) -> Laid | None:
    """The table of some matches; None where rules or equipment are not known."""
    told = {key: part_of(name, key, text) for key, text in parts.told}
    if any(value is UNFIT for value in told.values()):
        return None
    if rules is not None:
        told["rules"] = rules(told.get("rules"))
    seats = [Player(id=str(seat)) for seat in range(parts.players)]
    match = models()[name].model_construct(
        format=FORMAT, game=name, players=seats, deals=[], **told
    )
    try:
        found = table(match)
    except UnknownRule:
        return None
    if found.problems:
        return None
    layout = layout_of(found)
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


class _Batch:
    """Matches of one game on their way from canonical text to NumPy."""

    def __init__(
        self,
        name: str,
        read: Canonical,
        places: NDArray[np.int64],
        rules: Callable[[Any], Any] | None,
    ) -> None:
        self.name, self.game, self.read, self.rules = name, game(name), read, rules
        self.matches = len(places)
        self.keys = {key: at for at, key in enumerate(models()[name].model_fields)}
        self.members, self.sure = members_of(read, places, list(self.keys))
        self.members[:] = np.where(self.sure[:, None], self.members, -1)

    def decoded(self) -> Decoded:
        ids, names = self._players()
        self._format()
        results = self._values("result")
        laid, table_of = self._tables()
        rules = np.zeros(max(len(laid), 1), dtype(self.name))
        for k, one in enumerate(laid):
            rules[k] = one.table.rules
        cuts = self._openings(rules, table_of)
        numbers = self._deals(laid, table_of, rules, cuts)
        head = self._head(ids, names, laid, table_of)
        return Decoded(self.sure, head, numbers, results)

    # parts of texts

    def _span(self, key: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the values of a key stand in the canonical text, -1 where they do not."""
        return self._places(key, VALUE), self._places(key, END)

    def _raw_span(self, key: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same as it came."""
        return self._places(key, RAW), self._places(key, RAW_END)

    def _places(self, key: str, column: int) -> NDArray[np.int64]:
        rows = self.members[:, self.keys[key]]
        return np.where(rows < 0, -1, self.read.members[rows, column])

    def _told(self, key: str) -> Iterator[tuple[int, bytes]]:
        """The matches that have a key, each with its value as it came."""
        if key in self.keys:
            rows = self.members[:, self.keys[key]]
            told = np.flatnonzero(rows >= 0)
            spans = self.read.members[rows[told]].T
            low, high = spans[RAW].tolist(), spans[RAW_END].tolist()
            for i, begin, end in zip(told.tolist(), low, high, strict=True):
                yield i, self.read.raw[begin:end]

    def _parts(self, key: str) -> list[bytes | None]:
        """The values of a key as they came, None where there is none."""
        if key not in self.keys:
            return [None] * self.matches
        return cut_out(self.read.raw, *self._raw_span(key))

    def _values(self, key: str) -> list[Any]:
        """The values of a free part of each match; where one is not what it should be, not sure."""
        found: list[Any] = [None] * self.matches
        for i, text in self._told(key):
            value = part_of(self.name, key, text)
            if value is UNFIT:
                self.sure[i] = False
            else:
                found[i] = value
        return found

    def _format(self) -> None:
        other = [i for i, text in enumerate(self._parts("format")) if text != _FORMAT]
        self.sure[other] = False

    def _players(self) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
        """Ids and names, seat by seat."""
        ids: list[Sequence[str]] = [()] * self.matches
        names: list[Sequence[str]] = [()] * self.matches
        seats = self.game.players
        for i, text in self._told("players"):
            told = _seated(text)
            if told is not None and len(told[0]) in seats:
                ids[i], names[i] = told
        self.seats = np.fromiter(map(len, ids), np.int64, self.matches)
        self.sure &= self.seats > 0
        return ids, names

    def _tables(self) -> tuple[list[Laid], NDArray[np.int64]]:
        """The tables of the batch and which each match has; unsure ones have the first."""
        keys = [key for key in self.keys if key not in ASIDE]
        texts = [self._parts(key) for key in keys]
        places: dict[tuple[Any, ...], int] = {}
        found: list[Laid] = []
        table_of = np.zeros(self.matches, np.int64)
        seats = self.seats.tolist()
        for i, told in enumerate(zip(seats, *texts, strict=True)):
            if not self.sure[i]:
                continue
            if (place := places.get(told)) is None:
                some = tuple((k, v) for k, v in zip(keys, told[1:], strict=True) if v is not None)
                laid = laid_by(self.name, Parts(told[0], some), self.rules)
                place = places[told] = -1 if laid is None else len(found)
                if laid is not None:
                    found.append(laid)
            if place < 0:
                self.sure[i] = False
            else:
                table_of[i] = place
        return found, table_of

    def _openings(self, rules: NDArray[np.void], table_of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whom the cuts name, and where each log begins."""
        seats = self.seats.tolist()
        cuts = np.full((self.matches, 3), NOTHING, np.int64)
        for i, text in self._told("cuts"):
            dealers = dealers_by(self.name, text, seats[i]) if self.sure[i] else None
            if dealers is None:
                self.sure[i] = False
            else:
                cuts[i] = dealers
        starts = self._values("start")
        if not any(starts):
            return cuts
        rows = cuts.tolist()
        for i, start in enumerate(starts):
            if start is not None and self.sure[i]:
                row, wrong = self.game.match.read_start(start, seats[i], rules[table_of[i]])
                rows[i] += row
                self.sure[i] = not wrong
        return openings(rows)

    # deals

    def _deals(
        self,
        laid: list[Laid],
        table_of: NDArray[np.int64],
        rules: NDArray[np.void],
        cuts: NDArray[np.int64],
    ) -> Numbers:
        low, high = self._span("deals")
        self.sure &= low >= 0
        self.sure &= bool(laid)
        size = int((high - low)[self.sure].sum())
        most = min(size // 12, self.read.objects) + 1  # {"dealer":1}
        first = np.zeros(self.matches + 1, np.int64)
        rows = np.empty((most, len(self.game.blank)), np.uint8)
        told = np.empty((most, TOLD), np.int64)
        facts = np.empty((most, 5), np.int64)
        codes = np.empty(size // 6 + 1, np.uint16)  # "1 x",
        offsets = np.zeros(most + 1, np.int64)
        if laid:
            tables = (*shapes_of(self.name, laid), drawing(self.name))
            held: Any = np.empty(rows.shape[1] + 1, np.int64)
            filled: tuple[Any, ...] = (first, rows, told, facts, codes, offsets)
            scan_deals(self.read.data, low, table_of, *tables, held, self.sure, *filled)
        self.sure &= np.diff(first) <= document.DEALS_LIMIT
        count = first[-1]
        match_of = np.repeat(np.arange(self.matches), np.diff(first))
        self._comments(facts[:count], np.diff(offsets[: count + 1]), match_of)
        return Numbers(
            game=self.game,
            first=first,
            cuts=cuts,
            rules=rules,
            rule_of=table_of[match_of],
            players=self.seats[match_of],
            dealers=facts[:count, DEALER].copy(),
            decks=rows[:count],
            dealt=np.ones(count, np.bool_),
            explicit=facts[:count, EXPLICIT].copy(),
            codes=codes[: offsets[count]],
            offsets=offsets[: count + 1],
            voids=facts[:count, IS_VOID].copy(),
            told=told[:count],
        )

    def _comments(
        self,
        facts: NDArray[np.int64],
        counts: NDArray[np.int64],
        match_of: NDArray[np.int64],
    ) -> None:
        """A comment says something, after some of the `counts` actions of its deal."""
        for deal in np.flatnonzero(facts[:, COMMENTS_AT] >= 0).tolist():
            low, high = facts[deal, COMMENTS_AT], facts[deal, COMMENTS_END]
            try:
                comments = _COMMENTS.validate_json(bytes(self.read.text[low:high]), strict=True)
            except ValidationError:
                comments = None
            if comments is None or not all(
                0 <= comment.after <= counts[deal]
                and all(key.startswith("_") for key in comment.model_extra or ())
                for comment in comments
            ):
                self.sure[match_of[deal]] = False

    # columns of the store

    def _head(
        self,
        ids: list[Sequence[str]],
        names: list[Sequence[str]],
        laid: list[Laid],
        table_of: NDArray[np.int64],
    ) -> Head:
        presets = np.array([*(one.preset for one in laid), None], np.object_)
        options = np.array([*(one.options for one in laid), None], np.object_)
        events, sources = self._values("event"), self._values("source")
        return Head(
            game=np.full(self.matches, self.name, np.object_),
            preset=presets[table_of],
            options=options[table_of],
            log_id=self._log_ids(),
            played_at=self._dates(),
            event=_each(name_in, events),
            details=_each(details, events, sources),
            source=_each(name_in, sources),
            players=self.seats,
            ids=ids,
            names=names,
        )

    def _log_ids(self) -> pa.Array:
        return pa.array(self._strings("id"), pa.string())

    def _strings(self, key: str) -> list[str | None]:
        """The text each match has of a key; where it is none, not sure."""
        found: list[str | None] = [None] * self.matches
        for i, text in self._told(key):
            value = orjson.loads(text)
            if isinstance(value, str):
                found[i] = value
            else:
                self.sure[i] &= value is None
        return found

    def _dates(self) -> pa.Array:
        """When each match was played; where a date is none, not sure."""
        texts = pa.array(self._strings("played_at"), pa.string())
        right = pc.fill_null(pc.match_substring_regex(texts, f"^{RFC3339.pattern}$"), False)
        try:
            dates = pc.if_else(right, texts, None).cast(TIME)
        except pa.ArrowInvalid:  # no such day, or parts of a second that nobody needs
            dates = pa.array(list(map(_date, texts.to_pylist())), TIME)
        self.sure &= pc.or_(texts.is_null(), dates.is_valid()).to_numpy(zero_copy_only=False)
        return dates


TIME = pa.timestamp("us", tz="UTC")
_COMMENTS = TypeAdapter(list[Comment])
_FORMAT = f'"{FORMAT}"'.encode()


def _each(told: Callable[..., str | None], *parts: list[Any]) -> NDArray[np.object_]:
    """What some parts of each match tell; without a call where no match has any."""
    found = np.full(len(parts[0]), None, np.object_)
    if any(part.count(None) < len(part) for part in parts):
        found[:] = list(map(told, *parts))
    return found


_SEAT = {"id", "name"}


@lru_cache(maxsize=1 << 14)  # most meet more than once
def _seated(text: bytes) -> tuple[Sequence[str], Sequence[str]] | None:
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


def _date(text: str | None) -> datetime | None:
    """A date and time of RFC 3339."""
    return datetime.fromisoformat(text.upper()) if text and document.is_date(text) else None


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
