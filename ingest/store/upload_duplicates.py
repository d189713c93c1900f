"""Finds duplicates on upload: a stored match again, with other comments or ids, or one that goes on."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from ingest.store import match_versions, raw_texts
from ingest.store.aliases import AliasIndex
from ingest.store.factory import Store
from ingest.store.likely_duplicate_matches import joined_matches
from ingest.store.match_comparison import (
    Duplicate,
    OnConflict,
    Relation,
    deals_with_other_points,
    differences,
    relation_of_plays,
)
from ingest.store.match_parts import related_by_start
from ingest.store.merged_matches import players_of_log
from ingest.store.prepared_batch import PreparedBatch
from ingest.validate.slow_path import read_play
from schemas.match_hash import PlayedMatch, players_bytes
from schemas.migrations import with_tables
from schemas.player_key import player_key

MAX_COMPARED = 1000
"""Matches of a file whose differences from the stored ones are listed."""


class _Head(NamedTuple):
    """The keys that identify a match."""

    match_id: str
    content_id: str
    start_id: int | None
    log_id: str | None
    source: str | None
    game: str | None


class _Heads(NamedTuple):
    """The keys of all matches of a batch; columns, since objects for each would cost more than the look."""

    match_ids: list[str]
    content_ids: list[str]
    start_ids: list[int | None]
    log_ids: list[str | None]
    sources: list[str | None]
    games: list[str | None]

    def at(self, place: int) -> _Head:
        return _Head._make(column[place] for column in self)

    def without(self, places: Collection[int]) -> "_Heads":
        if not places:
            return self
        others = [place for place in range(len(self.match_ids)) if place not in places]
        return _Heads._make([column[place] for place in others] for column in self)


KEYS = _Head._fields.index("source")
"""The first fields of `_Head`, by which matches may be related."""


class _Match:
    """A match that is stored (`match_no`) or comes with this batch (`place`)."""

    def __init__(
        self, head: _Head, read_text: Callable[[], bytes], match_no: int = -1, place: int = -1
    ) -> None:
        self.head, self.match_no, self.place, self._read_text = head, match_no, place, read_text
        self._play: list[PlayedMatch | None] = []
        self.people: tuple[int | str, ...] | None = None
        """Its players, once they were looked up."""

    @property
    def text(self) -> bytes:
        return self._read_text()

    @property
    def play(self) -> PlayedMatch | None:
        """The play; None if it is not known."""
        if not self._play:
            self._play.append(read_play(self.text))
        return self._play[0]

    def players(self) -> bytes:
        """Return the players as `PlayedMatch` has them; empty if they cannot be read."""
        if self.play is not None:
            return self.play.players
        try:
            return players_bytes(tuple(one["id"] for one in orjson.loads(self.text)["players"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            return b""


class _Index:
    """Matches by the ids that others may share with them."""

    def __init__(self, matches: Iterable[_Match]) -> None:
        self.by_id = defaultdict[str, list[_Match]](list)
        self.by_start = defaultdict[int, list[_Match]](list)
        self.by_log = defaultdict[str, list[_Match]](list)
        for one in matches:
            self.add(one)

    def add(self, one: _Match) -> None:
        self.by_id[one.head.match_id].append(one)
        if one.head.start_id is not None:
            self.by_start[one.head.start_id].append(one)
        if one.head.log_id is not None:
            self.by_log[one.head.log_id].append(one)

    def remove(self, one: _Match) -> None:
        self.by_id[one.head.match_id].remove(one)
        if one.head.start_id is not None:
            self.by_start[one.head.start_id].remove(one)
        if one.head.log_id is not None:
            self.by_log[one.head.log_id].remove(one)


def _text_at(batch: PreparedBatch, place: int) -> bytes:
    return batch.texts[place].text


class DuplicateFinder:
    """Finds what the matches of a file are to those stored before and to each other."""

    def __init__(
        self, store: Store, before: set[int], on_conflict: OnConflict, flush: Callable[[], None]
    ) -> None:
        """`before`: ids, as numbers, of earlier matches of the run; `flush` writes pending rows."""
        self.store, self.seen_before, self.on_conflict, self._flush = store, before, on_conflict, flush
        self.seen_in_file = set[int]()
        self.replaced = dict[int, str]()
        """Number of each stored match to replace → id of the match that takes its place."""
        self._starts, self._log_ids = set[int](), set[str]()
        self._compared = 0
        self._is_empty = store.is_single_file and store.is_empty()

    def __call__(self, batch: PreparedBatch, skipped: Collection[int] = frozenset()) -> dict[int, Duplicate]:
        """Return what matches of a batch are to others, by place; remember all of them.

        At `skipped` places are matches that came earlier in the run.
        """
        heads, found = _heads(batch), dict[int, Duplicate]()
        stored, elsewhere = self._stored(heads.without(skipped))
        known, numbers = _Index(stored), [int(one, 16) for one in heads.match_ids]
        before = self.seen_in_file.intersection(numbers)
        for place in skipped:
            found[place] = Duplicate(Relation.ALREADY_STORED, heads.match_ids[place], came_in_run=True)
        related_places = _places_with_shared_keys(heads, [one.head for one in stored], elsewhere)
        for place in related_places:
            if place in skipped:
                continue
            head = heads.at(place)
            mine = _Match(head, partial(_text_at, batch, place), place=place)
            replaced = list[_Match]()
            if head.match_id in elsewhere and not known.by_id[head.match_id]:
                related: Duplicate | None = Duplicate(Relation.ALREADY_STORED, elsewhere[head.match_id])
            else:
                related = self._relation(mine, known, replaced)
            for other in replaced:
                known.remove(other)
                if other.match_no >= 0:
                    self.replaced[other.match_no] = head.match_id
                else:
                    found[other.place] = Duplicate(Relation.BEGINNING, head.match_id, came_in_run=True)
            if related is not None:
                found[place] = related
                if related.relation is Relation.SAME_MATCH and related.decision is OnConflict.BOTH:
                    # two matches never have one id: the second is known by its whole content
                    batch.ids[place] = head.content_id
                    mine.head = head._replace(match_id=head.content_id)
                    self.store.claim([head.content_id], ())
            if related is None or related.is_added:
                known.add(mine)
            self.seen_in_file.add(int(batch.ids[place], 16))
        alone = {*range(len(numbers))}.difference(related_places, skipped)
        self.seen_in_file.update(numbers[place] for place in alone)
        left_out = {heads.match_ids[place] for place, one in found.items() if not one.is_added}
        self.store.release_unstored(
            {one for one in left_out if not known.by_id[one] and int(one, 16) not in before}
        )
        return found

    def _relation(self, mine: _Match, known: "_Index", replaced: list[_Match]) -> Duplicate | None:
        """Return what a match is to one known before; fills `replaced`."""
        head, decision = mine.head, self.on_conflict
        same = [*known.by_id[head.match_id], *known.by_id[head.content_id]]
        if any(one.head.content_id == head.content_id for one in same):
            return self._duplicate(Relation.ALREADY_STORED, mine, same[0])
        if same:
            if decision is OnConflict.REPLACE:
                replaced.append(same[0])
            return self._duplicate(Relation.SAME_MATCH, mine, same[0], decision)
        named, start = None, None if decision is OnConflict.BOTH else head.start_id
        for other in known.by_start[start] if start is not None else ():
            if mine.play is None or other.play is None:
                continue
            if (relation := relation_of_plays(mine.play, other.play)) is None:
                continue
            if mine.play.players != other.play.players and self._people(mine) != self._people(other):
                named = other if relation is Relation.SAME_MATCH else named
            elif relation is Relation.SAME_MATCH:
                if decision is OnConflict.REPLACE:
                    replaced.append(other)
                return self._duplicate(Relation.SAME_MATCH, mine, other, decision)
            elif relation is Relation.CONTINUED:
                replaced.append(other)
            else:
                return self._duplicate(Relation.BEGINNING, mine, other)
        if replaced:  # stored ones come first; one of this file was never stored
            is_stored = replaced[0].match_no >= 0
            return self._duplicate(Relation.CONTINUED, mine, replaced[0]) if is_stored else None
        for other in known.by_log[head.log_id] if head.log_id is not None else ():
            if not _is_same_source(mine, other):
                continue
            if mine.play is not None and other.play is not None and mine.play.may_be_view_of(other.play):
                return self._duplicate(Relation.OTHER_VIEW, mine, other)
            if decision is OnConflict.REPLACE:
                replaced.append(other)
            return self._duplicate(Relation.CONFLICT, mine, other, decision)
        return None if named is None else self._duplicate(Relation.OTHER_NAMES, mine, named)

    @cached_property
    def _aliases(self) -> AliasIndex:
        """Every alias that was stored when two matches first had other players in one play."""
        return AliasIndex(self.store.connection)

    def _people(self, one: _Match) -> tuple[int | str, ...]:
        """Return the players of a match, by seat: by number, or by key if they are new to the store."""
        if one.people is None:
            declared = players_of_log(one.text)
            numbers = zip(declared, self._aliases.players(declared), strict=True)
            one.people = tuple(
                (who.id if who.is_exact else player_key(who.id)) if number is None else number
                for who, number in numbers
            )
        return one.people

    def _duplicate(
        self, relation: Relation, mine: _Match, other: _Match, decision: OnConflict = OnConflict.KEEP
    ) -> Duplicate:
        differs = tuple[str, ...]()
        if relation is not Relation.ALREADY_STORED and self._compared < MAX_COMPARED:
            self._compared += 1
            differs = differences(mine.text, other.text)
        is_same = relation is Relation.SAME_MATCH and "points" in differs
        deals = deals_with_other_points(mine.text, other.text) if is_same else ()
        number = int(other.head.match_id, 16)
        in_run = number in self.seen_in_file or number in self.seen_before
        return Duplicate(relation, other.head.match_id, differs, in_run, decision, deals)

    def _stored(self, heads: _Heads) -> tuple[list[_Match], dict[str, str]]:
        """Return stored matches that some may be, and others that are stored, with the id of each.

        Those are ids that another program has just stored, and matches that were joined to another.
        """
        ids = [*{*heads.match_ids, *heads.content_ids}]
        starts = {one for one in heads.start_ids if one is not None}
        log_ids = {one for one in heads.log_ids if one is not None}
        again = not (
            self._starts.isdisjoint(starts)
            and self._log_ids.isdisjoint(log_ids)
            and self.seen_in_file.isdisjoint(int(one, 16) for one in heads.match_ids)
        )
        self._starts |= starts
        self._log_ids |= log_ids
        if again:
            self._flush()
        elif self._is_empty:
            return [], {}
        # where several programs write, the claims know of matches that are not visible yet
        elsewhere = dict[str, str]()
        if not self.store.is_single_file:
            elsewhere = {one: one for one in self.store.stored_ids(heads.match_ids)}
        elsewhere |= joined_matches(self.store.connection, heads.match_ids)
        tables = {
            "ids": pa.table({"one": pa.array(ids, pa.string())}),
            "starts": pa.table({"one": pa.array(sorted(starts), pa.uint64())}),
            "logs": pa.table({"one": pa.array(sorted(log_ids), pa.string())}),
        }
        query = "SELECT match_no, match_id, content_id, start_id, log_id, source, game FROM matches WHERE"
        with with_tables(self.store.connection, **tables):
            cursor = self.store.connection
            rows = cursor.execute(f"{query} match_id IN (FROM ids) ORDER BY match_no").fetchall()
            if {*heads.content_ids} - {row[2] for row in rows}:  # not all are stored as they are
                more = "start_id IN (FROM starts) OR log_id IN (FROM logs)"
                found = {*rows, *cursor.execute(f"{query} {more}").fetchall()}
                rows = sorted(found, key=itemgetter(0))
        texts = dict[int, bytes]()
        contents = {*heads.content_ids}
        numbers = [row[0] for row in rows if row[2] not in contents]

        def read(number: int) -> bytes:
            if number not in texts:
                some = [number] if number not in numbers else numbers
                texts.update(raw_texts.read_texts(self.store.connection, some))
            return texts.get(number, b"")

        return [
            _Match(_Head(*row[1:]), partial(read, row[0]), row[0])
            for row in rows
            if row[0] not in self.replaced
        ], elsewhere


def stored_beginnings(store: Store, text: bytes) -> list[tuple[str, str | None, str | None]]:
    """Return the stored matches that a log goes on with: id, the log's own id and its source."""
    play, cursor = read_play(text), store.cursor()
    rows = cursor.execute(
        "SELECT match_no, match_id, log_id, source FROM matches WHERE start_id = ? ORDER BY 1",
        [None if play is None else play.start_id()],
    ).fetchall()
    parts = {number: read_play(one) for number, one in raw_texts.read_texts(cursor, [row[0] for row in rows])}
    return [
        (match_id, log_id, source)
        for number, match_id, log_id, source in rows
        if play is not None and (part := parts[number]) is not None and play.goes_on_with(part)
    ]


def replace_beginnings(store: Store, numbers: Sequence[int] | NDArray[np.int64]) -> int:
    """Replace each match that another goes on with, where one of both is among some numbers.

    They become earlier versions; call within `Store.transaction`. Returns how many.
    """
    replaced = dict[int, str]()
    for one in related_by_start(store.connection, numbers):
        if one.relation is Relation.CONTINUED:
            replaced[one.other_no] = one.match_id
        elif one.relation is Relation.BEGINNING:
            replaced[one.match_no] = one.other_id
    return match_versions.replace_matches(store, replaced)


def _is_same_source(mine: _Match, other: _Match) -> bool:
    """Whether two matches of one log id are from one source: without any, if the players are."""
    if (mine.head.game, mine.head.source) != (other.head.game, other.head.source) or mine.head.game is None:
        return False
    if (mine.play is None) != (other.play is None):  # a score sheet and a log
        return False
    return mine.head.source is not None or mine.players() == other.players() != b""


def _places_with_shared_keys(heads: _Heads, stored: list[_Head], elsewhere: Collection[str]) -> list[int]:
    """Return the places of matches that share a key with another."""
    columns = heads[:KEYS]
    counts = Counter[object](chain(*columns, elsewhere, elsewhere, *(one[:KEYS] for one in stored)))
    shared = {key for key, count in counts.items() if count > 1 and key is not None}
    if not shared:
        return []
    return [place for place, keys in enumerate(zip(*columns, strict=True)) if not shared.isdisjoint(keys)]


def _heads(batch: PreparedBatch) -> _Heads:
    count = len(batch.ids)
    own: list[list[str | None]] = [[None] * count for _ in range(3)]
    for table, rows in batch.rows:
        if table == "matches":
            places = batch.order[rows["match_no"].to_numpy()].tolist()
            for column, name in zip(own, ("log_id", "source", "game"), strict=True):
                for place, value in zip(places, rows[name].to_pylist(), strict=True):
                    column[place] = value
    return _Heads([*batch.ids], batch.content_ids, batch.start_ids, *own)
