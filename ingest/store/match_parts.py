"""Finds matches with deals in common: a log of the last deals of a match is a part of it.

A match from the trash is joined to a stored one that is the same, as an upload of it would be.
"""

from collections.abc import Sequence, Set
from itertools import combinations
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.store import match_versions, raw_texts
from ingest.store.factory import Store
from ingest.store.likely_duplicate_matches import MAX_PAIRS, different_matches
from ingest.store.match_comparison import Relation, relation_of_plays
from ingest.validate.slow_path import read_play
from schemas.migrations import with_tables

MAX_SHARING = 10
"""Matches of one deal that are compared, the first to come."""
_SHARED = f"""
WITH alike AS (
    SELECT actions_hash FROM deals WHERE {{which}}
    GROUP BY actions_hash HAVING min(match_no) < max(match_no)
), candidates AS (SELECT match_no FROM deals SEMI JOIN alike USING (actions_hash))
SELECT DISTINCT min(match_no, {MAX_SHARING}) FROM deals SEMI JOIN candidates USING (match_no)
WHERE actions_hash IS NOT NULL GROUP BY actions HAVING min(match_no) < max(match_no)
"""
"""Two deals of which nothing is unknown have the same acts only if they are one."""
_OF_ADDED = "actions_hash IN (SELECT actions_hash FROM deals SEMI JOIN added USING (match_no))"
_OF_ANY = "actions_hash IS NOT NULL"
_OTHER_SEATS = f"""
WITH near AS (
    SELECT match_no, game, played_on, deals FROM matches
    WHERE start_id IS NOT NULL
        AND (game, played_on) IN (SELECT (game, played_on) FROM matches SEMI JOIN added USING (match_no))
), seated AS (
    SELECT match_no, sum(hash(player_no, seat)) AS people, sum(hash(player_no, score)) AS scores
    FROM seats SEMI JOIN near USING (match_no) GROUP BY match_no
), alike AS (FROM near JOIN seated USING (match_no))
SELECT a.match_no, o.match_no
FROM (FROM alike SEMI JOIN added USING (match_no)) a JOIN alike o USING (game, played_on, deals, scores)
WHERE a.people <> o.people
QUALIFY row_number() OVER (PARTITION BY a.match_no ORDER BY o.match_no) <= {MAX_SHARING}
"""
"""The same people, day and scores; a log of another's view may number the seats from its own.

Sums of hashes: DuckDB's hash of a pair is an exclusive or, of which an exclusive or forgets the pairs.
"""
_LOGS = """
SELECT match_no, match_id, line, log_id, status, list(player_no ORDER BY seat)
FROM matches JOIN seats USING (match_no) WHERE list_contains(?::BIGINT[], match_no) GROUP BY ALL
"""
_SAME_START = """
WITH seated AS (
    SELECT match_no, list(player_no ORDER BY seat) AS people FROM seats
    WHERE match_no IN (SELECT match_no FROM matches
        WHERE start_id IN (SELECT start_id FROM matches SEMI JOIN added USING (match_no)))
    GROUP BY match_no
), alike AS (SELECT match_no, match_id, start_id, game, people FROM matches JOIN seated USING (match_no))
SELECT a.match_no, a.match_id, o.match_no, o.match_id, o.is_added
FROM (FROM alike SEMI JOIN added USING (match_no)) a
    JOIN (SELECT *, match_no IN (FROM added) AS is_added FROM alike) o USING (start_id, game, people)
WHERE NOT (o.is_added AND o.match_no <= a.match_no) ORDER BY ALL
"""


class SharingMatch(NamedTuple):
    """A match that has deals of another, as the store knows it."""

    match_no: int
    match_id: str
    line: int
    log_id: str | None
    status: str
    players: list[int]


class SharedDeals(NamedTuple):
    """Two matches with deals in common."""

    relation: Relation
    """PART: `one` has all deals of `other` among its own, of the same players.

    OTHER_VIEW: the acts of all deals are the same, but not all cards are known. Else OVERLAP.
    """
    one: SharingMatch
    other: SharingMatch


def find_shared_deals(
    cursor: duckdb.DuckDBPyConnection, numbers: Sequence[int] | NDArray[np.int64]
) -> list[SharedDeals]:
    """Return pairs of matches with deals in common, of which one is among some numbers.

    Not those of which one is the beginning of the other: their first deals show that. With them are
    matches that are the same once the seats are numbered from another one.
    """
    added = {*np.asarray(numbers, np.int64).tolist()}
    shared, turned = _pairs_to_read(cursor, pa.table({"match_no": pa.array(sorted(added), pa.int64())}))
    pairs = {pair for pair in shared if not added.isdisjoint(pair)}
    return [one for one in _compare(cursor, pairs, turned) if one.relation is not Relation.OTHER_NAMES]


def proposed_matches(cursor: duckdb.DuckDBPyConnection) -> list[SharedDeals]:
    """Return pairs of stored matches with cards that may be one, unless they were answered to be two.

    They have deals in common, or the same play of players who are named otherwise.
    """
    every = cursor.execute("SELECT match_no FROM matches").to_arrow_table()
    shared, turned = _pairs_to_read(cursor, every, _OF_ANY)
    answered = different_matches(cursor)
    query = "SELECT match_id, match_no FROM matches WHERE list_contains(?::VARCHAR[], match_id)"
    ids = [one for pair in answered for one in pair if one is not None]
    numbers = dict(cursor.execute(query, [ids]).fetchall())
    two = {frozenset(numbers.get(one) for one in pair) for pair in answered}
    pairs = {*[pair for pair in sorted(shared | turned) if frozenset(pair) not in two][:MAX_PAIRS]}
    found = _compare(cursor, pairs - turned, pairs & turned)
    return [one for one in found if one.relation is not Relation.PART]  # PART: both on purpose


def may_be_one(cursor: duckdb.DuckDBPyConnection, match_no: int, other_no: int) -> bool:
    """Whether two matches with cards share deals, and are not one play of the same players."""
    pair = {(min(match_no, other_no), max(match_no, other_no))}
    shared, turned = _pairs_to_read(cursor, pa.table({"match_no": pa.array([match_no], pa.int64())}))
    return bool(_compare(cursor, shared & pair, turned & pair))


def _pairs_to_read(
    cursor: duckdb.DuckDBPyConnection, added: pa.Table, which: str = _OF_ADDED
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return pairs of matches that share a deal, and those whose seats may be numbered otherwise."""
    with with_tables(cursor, added=added):
        groups = [sorted(some) for (some,) in cursor.execute(_SHARED.format(which=which)).fetchall()]
        turned = {(min(pair), max(pair)) for pair in cursor.execute(_OTHER_SEATS).fetchall()}
    return {pair for some in groups for pair in combinations(some, 2)}, turned


def _compare(
    cursor: duckdb.DuckDBPyConnection, shared: Set[tuple[int, int]], turned: Set[tuple[int, int]]
) -> list[SharedDeals]:
    """Return what the matches of each pair are to each other; without those that are stored on purpose."""
    every = sorted({number for pair in shared | turned for number in pair})
    if not every:
        return []
    plays = {number: read_play(text) for number, text in raw_texts.read_texts(cursor, every)}
    logs = {row[0]: SharingMatch(*row) for row in cursor.execute(_LOGS, [every]).fetchall()}
    found = list[SharedDeals]()
    for first, second in sorted(shared | turned):
        one, other = plays[first], plays[second]
        if one is None or other is None or one.setup != other.setup:
            continue
        both, same = (logs[first], logs[second]), logs[first].players == logs[second].players
        if (first, second) in turned:
            if other.is_turned(one):
                found.append(SharedDeals(Relation.OVERLAP, *both))
        elif one.begins_with(other) or other.begins_with(one):
            if not same:
                found.append(SharedDeals(Relation.OTHER_NAMES, *both))
        elif same and other.has_part(one):
            found.append(SharedDeals(Relation.PART, *reversed(both)))
        elif same and one.has_part(other):
            found.append(SharedDeals(Relation.PART, *both))
        else:
            is_view = one.may_be_view_of(other)
            found.append(SharedDeals(Relation.OTHER_VIEW if is_view else Relation.OVERLAP, *both))
    return found


def wholes_of_parts(found: Sequence[SharedDeals]) -> dict[int, SharingMatch]:
    """Return the whole of each match that is a part of another; the whole is not a part itself."""
    pairs = [pair for pair in found if pair.relation is Relation.PART]
    parts = {pair.other.match_no: pair.one for pair in pairs}
    return parts | {pair.other.match_no: pair.one for pair in pairs if pair.one.match_no not in parts}


def join_parts(
    store: Store, numbers: Sequence[int] | NDArray[np.int64], keep_texts: bool = False
) -> list[SharedDeals]:
    """Remove matches that are parts of others, of which one is among some numbers; return all pairs.

    One that was stored before becomes an earlier version of the whole; so does, if `keep_texts`, one
    among the numbers. Call within `Store.transaction`.
    """
    found, added = find_shared_deals(store.connection, numbers), {*np.asarray(numbers, np.int64).tolist()}
    parts = wholes_of_parts(found)
    earlier = {number: whole.match_id for number, whole in parts.items() if keep_texts or number not in added}
    match_versions.replace_matches(store, earlier)
    if not_added := parts.keys() - earlier.keys():
        query = """UPDATE trash SET replaced_by = ?
            WHERE replaced_by = (SELECT match_id FROM matches WHERE match_no = ?)"""
        for number in not_added:  # versions of such a part are versions of the whole
            store.connection.execute(query, [parts[number].match_id, number])
        match_versions.remove_rows(store, sorted(not_added))
    return found


class RelatedByStart(NamedTuple):
    """Two stored matches of the same people with the same first deal: one begins with the other."""

    match_no: int
    match_id: str
    other_no: int
    other_id: str
    relation: Relation
    """SAME_MATCH, CONTINUED (the first goes on) or BEGINNING."""
    on_purpose: bool
    """Both are stored on purpose: one has another id than its play, or both came back together."""


def related_by_start(
    cursor: duckdb.DuckDBPyConnection, numbers: Sequence[int] | NDArray[np.int64]
) -> list[RelatedByStart]:
    """Return pairs of matches, of which the first is among some numbers, that begin with each other."""
    with with_tables(cursor, added=pa.table({"match_no": np.asarray(numbers, np.int64)})):
        pairs = cursor.execute(_SAME_START).fetchall()
    some = sorted({number for pair in pairs for number in (pair[0], pair[2])})
    plays = {number: read_play(text) for number, text in raw_texts.read_texts(cursor, some)}
    found = list[RelatedByStart]()
    for match_no, match_id, other_no, other_id, came_together in pairs:
        one, other = plays[match_no], plays[other_no]
        if one is None or other is None or (relation := relation_of_plays(one, other)) is None:
            continue
        on_purpose = (one.match_id(), other.match_id()) != (match_id, other_id)
        on_purpose |= came_together and one.players == other.players
        found.append(RelatedByStart(match_no, match_id, other_no, other_id, relation, on_purpose))
    return found


def join_returned(store: Store, numbers: Sequence[int] | NDArray[np.int64]) -> dict[int, str]:
    """Join matches from the trash, by number, to stored ones that are the same, or have more or less of it.

    A joined one becomes an earlier version. Two that were stored on purpose stay two.
    Returns those of the numbers that were joined, with the id of the match that each is a version of.
    Call within `Store.transaction`.
    """
    joined = dict[int, str]()
    for one in related_by_start(store.connection, numbers):
        if not joined.keys().isdisjoint({one.match_no, one.other_no}) or one.on_purpose:
            continue
        if one.relation is Relation.CONTINUED:
            joined[one.other_no] = one.match_id
        else:
            joined[one.match_no] = one.other_id
    match_versions.replace_matches(store, joined, keep_players=True)
    parts = wholes_of_parts(join_parts(store, [one for one in numbers if one not in joined], keep_texts=True))
    joined |= {number: whole.match_id for number, whole in parts.items()}
    return {number: joined[number] for number in np.asarray(numbers).tolist() if number in joined}
