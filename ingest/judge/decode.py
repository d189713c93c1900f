"""A batch of match texts → `Numbers`, decoded by DuckDB and compiled scanning, no Python string.

Whatever this road cannot take for certain is left to the explanation: `Decoded.sure` says
which matches it vouches for, before the kernel has its word.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import duckdb
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.games import TOLD, UNSAID, game
from engine.options import UnknownRule, default_preset, dtype, encode, settings
from ingest.judge.document import RFC3339
from ingest.judge.numbers import VOIDS, Numbers, openings
from ingest.judge.scan import (
    card_tables,
    dealing,
    read_actions,
    scan_decks,
    scan_hands,
    strings,
    talon_places,
)
from ingest.text.shape import fits
from schemas.log import FORMAT, AnyMatch

_STRUCTURE = orjson.dumps(
    {
        "format": "VARCHAR",
        "game": "VARCHAR",
        "rules": "JSON",
        "id": "VARCHAR",
        "played_at": "VARCHAR",
        "event": "JSON",
        "source": "JSON",
        "players": [{"id": "VARCHAR", "name": "VARCHAR"}],
        "cuts": "JSON",
        "start": "JSON",
        "result": "JSON",
        "deals": [
            {
                "dealer": "DOUBLE",
                "deck": "VARCHAR",
                "hands": "VARCHAR",
                "talon": "VARCHAR",
                "actions": "VARCHAR",
                "times": ["DOUBLE"],
                "points": ["DOUBLE"],
                "winner": "DOUBLE",
                "manche": "DOUBLE",
                "void": "VARCHAR",
                "comments": [{"after": "DOUBLE", "text": "VARCHAR"}],
                "told": "JSON",
            }
        ],
    }
).decode()

_DOCUMENTS = f"""
CREATE OR REPLACE TEMP TABLE documents AS
SELECT place, try(json_structure(text))::VARCHAR AS shape,
       unnest(json_transform(text, '{_STRUCTURE}'))
FROM batch
"""

SEEN = r"[^\s\p{Z}\x0b\x1c-\x1f\x85]"
"""A sign of a name that is no blank, as `str.isspace` knows them."""
_MATCHES = f"""
SELECT shape, format, game, rules::VARCHAR AS rules, id AS log_id, played_at AS written,
       CASE WHEN regexp_full_match(played_at, '{RFC3339.pattern}')
            THEN try_cast(played_at AS TIMESTAMPTZ) END AS played_at,
       event::VARCHAR AS event, source::VARCHAR AS source, cuts::VARCHAR AS cuts,
       "start"::VARCHAR AS "start",
       result::VARCHAR AS result, len(players)::BIGINT AS players,
       list_transform(players, lambda p: p.id) AS ids,
       list_transform(players, lambda p:
           IF(regexp_matches(p.name, '{SEEN}'), p.name, p.id)) AS names,
       len(deals)::BIGINT AS deals
FROM documents
"""

_DEALS = "SELECT place, d.* FROM (SELECT place, unnest(deals) AS d FROM documents)"


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
    ids: list[list[str]]
    names: list[list[str]]


class Decoded(NamedTuple):
    """`sure[i]` where match i is typed right and every part of it was understood."""

    sure: NDArray[np.bool_]
    head: Head
    numbers: Numbers
    results: list[Any]


def connection() -> duckdb.DuckDBPyConnection:
    """A connection of one's own to decode in: nothing of a log ever reaches the store's DuckDB."""
    made = _database().cursor()
    made.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
    return made


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """One for the process, which takes a while to begin; tables and batches are temporary ones."""
    made = duckdb.connect(":memory:")
    made.execute("SET threads = 1")
    return made


def decode(
    db: duckdb.DuckDBPyConnection,
    name: str,
    texts: Sequence[bytes],
    rules: Callable[[Any], Any] | None = None,
) -> Decoded:
    """Decode texts that are JSON objects of one game; `rules` makes other rules of their own."""
    batch = pa.table({"place": np.arange(len(texts)), "text": pa.array(texts, pa.string())})
    db.register("batch", batch)
    db.execute(_DOCUMENTS)
    heads = db.execute(_MATCHES).to_arrow_table()
    if rules is not None:
        others = [orjson.dumps(rules(_loads(text))).decode() for text in heads["rules"].to_pylist()]
        at = heads.column_names.index("rules")
        heads = heads.set_column(at, "rules", pa.array(others, pa.string()))
    deals = db.execute(_DEALS).to_arrow_table()
    return _Batch(name, heads, deals).decoded()


@cache
def _rules(name: str, text: str | None, players: int) -> tuple[np.void, str, str | None] | None:
    """(record, preset, options as JSON) of a log's rules, None when they are not known."""
    value = None if text is None else orjson.loads(text)
    try:
        record = encode(name, settings(name, value, players))
    except UnknownRule:
        return None
    if isinstance(value, dict):
        return record, value.get("preset", default_preset(name)), text
    return record, value or default_preset(name), None


@lru_cache(maxsize=1 << 14)  # most cuts are one attempt, so few are new
def _dealers(name: str, text: str, players: int) -> tuple[int, int, int] | None:
    """Whom the cuts of a log name, None where there is a fault in them."""
    told = orjson.loads(text)
    if any(not isinstance(attempt, str) for cut in told for attempt in cut or [None]):
        return None
    match = game(name).match
    read, faults = match.read_cuts(told, players)
    return None if faults else match.dealers_by_cut(read)


class _Batch:
    """One batch on its way from Arrow to NumPy."""

    def __init__(self, name: str, heads: pa.Table, deals: pa.Table) -> None:
        self.name, self.game = name, game(name)
        self.heads, self.deals = heads, deals
        self.matches = heads.num_rows
        self.counts = _numbers(heads["deals"], 0)
        self.first = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)
        self.match_of = np.repeat(np.arange(self.matches), self.counts)
        self.seats = _numbers(heads["players"], 0)
        self.sure = np.ones(self.matches, np.bool_)

    def decoded(self) -> Decoded:
        ids, names = self._players()
        self._shapes()
        rules, rule_of = self._rules()
        cuts = self._openings(rules, rule_of)
        players = self.seats[self.match_of]
        told = _numbers(self.deals["dealer"], 0) - 1
        dealers = np.clip(told, 0, players - 1)
        self._need(told == dealers)
        decks, good = self._decks(players, dealers, rules, rule_of[self.match_of])
        self._need(good)
        self._need(self.deals["told"].is_null().to_numpy())  # a score sheet is explained
        # a null among lists of actions has no type to be seen by
        self._need(self.deals["actions"].is_valid().to_numpy())
        codes, offsets, explicit = read_actions(self.name, self.deals["actions"])
        self._times(offsets)
        self._comments(np.diff(offsets))
        numbers = Numbers(
            game=self.game,
            first=self.first,
            cuts=cuts,
            rules=rules,
            rule_of=rule_of[self.match_of],
            players=players,
            dealers=dealers,
            decks=decks,
            dealt=good,
            explicit=explicit,
            codes=codes,
            offsets=offsets,
            voids=self._voids(),
            told=self._told(),
        )
        return Decoded(self.sure, self._head(ids, names), numbers, self._results())

    def _need(self, good: NDArray[np.bool_]) -> None:
        """Only matches whose every deal is good are sure."""
        self.sure[self.match_of[~good]] = False

    def _shapes(self) -> None:
        shapes = self.heads["shape"].combine_chunks().dictionary_encode()
        fit = [
            shape is not None and fits(self.name, shape) for shape in shapes.dictionary.to_pylist()
        ]
        index = shapes.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        self.sure &= np.array([*fit, False], np.bool_)[index]
        self.sure &= pc.fill_null(pc.equal(self.heads["format"], FORMAT), False).to_numpy()
        self.sure &= pc.fill_null(pc.equal(self.heads["game"], self.name), False).to_numpy()
        undated = pc.and_(self.heads["written"].is_valid(), self.heads["played_at"].is_null())
        self.sure &= ~undated.to_numpy()

    def _players(self) -> tuple[list[list[str]], list[list[str]]]:
        ids, names = self.heads["ids"].to_pylist(), self.heads["names"].to_pylist()
        for i, seats in enumerate(ids):
            wanted = seats is not None and len(seats) in self.game.players
            if not wanted or not all(seats) or len(set(seats)) != len(seats):
                self.sure[i] = False
            if not wanted:
                self.seats[i] = self.game.players[0]  # a kernel takes no other number
        return ids, names

    def _rules(self) -> tuple[NDArray[np.void], NDArray[np.int64]]:
        """The distinct rules of the batch and which each match has; unsure ones get the first."""
        places: dict[tuple[str | None, int], int] = {}
        found: list[tuple[np.void, str, str | None]] = []
        rule_of = np.zeros(self.matches, np.int64)
        self.presets = np.full(self.matches, None, np.object_)
        self.options = np.full(self.matches, None, np.object_)
        texts = self.heads["rules"].to_pylist()
        for i, (text, seats) in enumerate(zip(texts, self.seats.tolist(), strict=True)):
            if not self.sure[i]:
                continue
            key = (text, seats)
            if key not in places:
                known = _rules(self.name, text, seats)
                places[key] = -1 if known is None else len(found)
                if known is not None:
                    found.append(known)
            place = places[key]
            if place < 0:
                self.sure[i] = False
                continue
            rule_of[i] = place
            self.presets[i], self.options[i] = found[place][1:]
        rules = np.zeros(max(len(found), 1), dtype(self.name))
        for k, (record, _, _) in enumerate(found):
            rules[k] = record
        return rules, rule_of

    def _openings(self, rules: NDArray[np.void], rule_of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whom the cuts name, and where each log begins."""
        cuts = self._cuts()
        told = self.heads["start"]
        if told.null_count == len(told):
            return cuts
        rows = cuts.tolist()
        for i, text in enumerate(told.to_pylist()):
            if text is None or not self.sure[i]:
                continue
            start = orjson.loads(text)
            numbers = [start.get("manche"), *start["score"], *(start.get("parties") or [])]
            if None in numbers[1:]:
                self.sure[i] = False
                continue
            seats = int(self.seats[i])
            row, wrong = self.game.match.read_start(start, seats, rules[rule_of[i]])
            rows[i] += row
            self.sure[i] = not wrong
        return openings(rows)

    def _cuts(self) -> NDArray[np.int64]:
        cuts = np.full((self.matches, 3), -1, np.int64)
        seats = self.seats.tolist()
        for i, text in enumerate(self.heads["cuts"].to_pylist()):
            if text is not None and self.sure[i]:
                dealers = _dealers(self.name, text, seats[i])
                if dealers is None:
                    self.sure[i] = False
                else:
                    cuts[i] = dealers
        return cuts

    def _decks(
        self,
        players: NDArray[np.int64],
        dealers: NDArray[np.int64],
        rules: NDArray[np.void],
        rule_of: NDArray[np.int64],
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        n, size = len(dealers), len(self.game.pack)
        decks = np.zeros((n, size), np.uint8)
        good = np.zeros(n, np.bool_)
        ranks, suits = card_tables(self.name)
        deck = strings(self.deals["deck"])
        scan_decks(deck.data, deck.offsets, deck.valid, ranks, suits, decks, good)
        if not good.all():
            hands, talon = strings(self.deals["hands"]), strings(self.deals["talon"])
            only = ~deck.valid & hands.valid & (dealers >= 0) & (dealers < players)
            scan_hands(
                *(hands.data, hands.offsets, talon.data, talon.offsets, only),
                *(players, dealers, rule_of, talon_places(self.name, rules), *dealing(self.name)),
                *(ranks, suits, decks, good),
            )
        both = self.deals["hands"].is_valid().to_numpy() | self.deals["talon"].is_valid().to_numpy()
        good &= ~(deck.valid & both)
        decks[~good] = self.game.blank
        return decks, good

    def _times(self, offsets: NDArray[np.int64]) -> None:
        """Times must be one an action and never go back."""
        times = self.deals["times"].combine_chunks()
        if times.null_count == len(times):
            return
        ends = times.offsets.to_numpy().astype(np.int64)
        values = times.values.to_numpy(zero_copy_only=False)
        told = times.is_valid().to_numpy(zero_copy_only=False)
        self._need(~told | (np.diff(ends) == np.diff(offsets)))
        owner = np.repeat(np.arange(len(told)), np.diff(ends))
        values = values[ends[0] : ends[-1]]
        back = np.zeros(len(values), np.bool_)
        same = owner[1:] == owner[:-1]
        back[1:] = same & ~(values[1:] >= values[:-1])
        back |= ~(values >= 0)
        self.sure[self.match_of[owner[back]]] = False

    def _comments(self, counts: NDArray[np.int64]) -> None:
        """A comment says something, after some of the `counts` actions of its deal."""
        comments = self.deals["comments"].combine_chunks()
        if comments.null_count == len(comments):
            return
        deals = pc.list_parent_indices(comments).to_numpy()
        told = pc.list_flatten(comments)
        after = pc.fill_null(pc.struct_field(told, "after"), -1).to_numpy(zero_copy_only=False)
        length = pc.fill_null(pc.binary_length(pc.struct_field(told, "text")), 0)
        good = (after >= 0) & (after <= counts[deals])
        good &= length.to_numpy(zero_copy_only=False) > 0
        self.sure[self.match_of[deals[~good]]] = False

    def _voids(self) -> NDArray[np.int64]:
        void = self.deals["void"]
        if void.null_count == len(void):
            return np.zeros(len(void), np.int64)
        index = np.zeros(len(void), np.int64)
        for i, word in enumerate(void.to_pylist()):
            if word is None:
                continue
            if word in VOIDS:
                index[i] = VOIDS.index(word)
            else:
                self.sure[self.match_of[i]] = False
        return index

    def _told(self) -> NDArray[np.int64]:
        told = np.zeros((self.deals.num_rows, TOLD), np.int64)
        points = self.deals["points"].combine_chunks()
        if points.null_count < len(points):
            ends = points.offsets.to_numpy().astype(np.int64)
            counts = np.diff(ends)
            values = _whole(points.values.fill_null(-1).to_numpy(zero_copy_only=False))
            if points.values.null_count:
                holes = points.values.is_null().to_numpy(zero_copy_only=False)
                owner = np.repeat(np.arange(len(counts)), counts)
                self.sure[self.match_of[owner[holes[ends[0] : ends[-1]]]]] = False
            told[:, 5] = counts
            for k in range(5):
                has = counts > k
                told[has, k] = values[ends[:-1][has] + k]
        told[:, 6] = _numbers(self.deals["winner"], UNSAID)
        told[:, 7] = _numbers(self.deals["manche"], UNSAID)
        return told

    def _results(self) -> list[Any]:
        return [_loads(text) for text in self.heads["result"].to_pylist()]

    def _head(self, ids: list[list[str]], names: list[list[str]]) -> Head:
        events = [_loads(text) for text in self.heads["event"].to_pylist()]
        sources = [_loads(text) for text in self.heads["source"].to_pylist()]
        return Head(
            game=np.full(self.matches, self.name, np.object_),
            preset=self.presets,
            options=self.options,
            log_id=self.heads["log_id"].combine_chunks(),
            played_at=self.heads["played_at"].combine_chunks(),
            event=np.array([name_in(event) for event in events], np.object_),
            details=np.array(
                [details(*both) for both in zip(events, sources, strict=True)], np.object_
            ),
            source=np.array([name_in(source) for source in sources], np.object_),
            players=self.seats,
            ids=ids,
            names=names,
        )


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


def _loads(text: str | None) -> Any:
    return None if text is None else orjson.loads(text)


def _whole(values: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers within what the kernel counts with, as `explain.clipped`; a wild one stays wrong."""
    return np.clip(values, -(10.0**9), 10.0**9).astype(np.int64)


def _numbers(column: pa.ChunkedArray, missing: int) -> NDArray[np.int64]:
    values = _whole(pc.fill_null(column, 0).to_numpy())
    values[column.is_null().to_numpy()] = missing
    return values
