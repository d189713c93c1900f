"""Joins matches that a merge of players shows to be one, and parts them when the merge is undone.

The undo of a split is such a merge.

They have the same cards and acts, and by now the same players in their seats. As for an upload, the
match that came first stays, or the one that has more of its deals. The other becomes an earlier
version, in the trash under the number of the merge.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import duckdb
import numpy as np
import orjson

from ingest.store import match_versions, raw_texts, trash
from ingest.store.aliases import AliasIndex, Declared, declared_players
from ingest.store.factory import Store
from ingest.store.likely_duplicate_matches import likely_matches
from ingest.store.match_parts import find_shared_deals, wholes_of_parts
from ingest.store.stored_texts import check_stored
from ingest.validate.slow_path import read_play
from schemas.match_hash import PlayedMatch
from schemas.models import Player


class JoinedMatch(NamedTuple):
    """A match that a merge of players joined to another."""

    match_id: str
    """The match it is a version of now."""
    joined_id: str


class _Logged(NamedTuple):
    match_no: int
    match_id: str
    players_before: tuple[int, ...]
    play: PlayedMatch


_OF_PLAYER = """
WITH own AS (
    SELECT match_no, list(player_no ORDER BY seat) AS seated, list(alias_no ORDER BY seat) AS aliases
    FROM seats WHERE match_no IN (SELECT match_no FROM seats WHERE player_no = ?) GROUP BY match_no
)
SELECT (game, start_id, seated), match_no, match_id, seated, aliases
FROM matches JOIN own USING (match_no) WHERE start_id IS NOT NULL
QUALIFY count(*) OVER (PARTITION BY game, start_id, seated) > 1 ORDER BY match_no
"""
_JOINED = """
SELECT t.change, t.match_no, m.match_no, coalesce(t.bytes, encode(t.text))
FROM trash t JOIN change_log c USING (change) JOIN match_versions v USING (change, match_no)
    JOIN matches m ON m.match_id = v.match_id
WHERE c.action IN ('player-merge', 'player-undo') ORDER BY 1, 2
"""


def players_of_log(text: bytes) -> list[Declared]:
    """Return the players of a log, in seat order; none if they cannot be read."""
    try:
        found = [Player.model_validate(one) for one in orjson.loads(text)["players"]]
    except (ValueError, TypeError, KeyError):
        return []
    seats = np.array([len(found)])
    return declared_players([one.id for one in found], [one.display_name for one in found], seats)


def join_matches_of(store: Store, change: int, player_no: int, was: Mapping[int, int]) -> None:
    """Join matches of a player that are one since a merge; call within `Store.transaction`.

    `was`: alias → whose it was before the merge. Matches that had the same players then were stored
    side by side on purpose, and stay two.
    """
    cursor, groups = store.connection, defaultdict[str, list[tuple[Any, ...]]](list)
    for key, *row in cursor.execute(_OF_PLAYER, [player_no]).fetchall():
        groups[repr(key)].append(tuple(row))
    texts = dict(raw_texts.read_texts(cursor, [row[0] for some in groups.values() for row in some]))
    replaced = dict[int, str]()
    for some in groups.values():
        present = list[_Logged]()
        for match_no, match_id, players, aliases in some:
            play = read_play(texts[match_no])
            if play is None or play.match_id() != match_id:  # a second log, stored on purpose
                continue
            before = tuple(was.get(alias, now) for alias, now in zip(aliases, players, strict=True))
            _add(present, _Logged(match_no, match_id, before, play), replaced)
    if replaced:
        match_versions.move_to_trash(store, [*replaced], change, replaced)
    _join_parts_of(store, change, player_no, was)


def _join_parts_of(store: Store, change: int, player_no: int, was: Mapping[int, int]) -> None:
    """Join the matches of a player that are parts of others since a merge, as `join_matches_of`."""
    cursor = store.connection
    query = """SELECT match_no, list(player_no ORDER BY seat), list(alias_no ORDER BY seat)
        FROM seats WHERE match_no IN (SELECT match_no FROM seats WHERE player_no = ?) GROUP BY match_no"""
    before = {
        number: [was.get(alias, now) for alias, now in zip(aliases, players, strict=True)]
        for number, players, aliases in cursor.execute(query, [player_no]).fetchall()
    }
    pairs = [
        pair
        for pair in find_shared_deals(cursor, [*before])
        if before.get(pair.one.match_no) != before.get(pair.other.match_no)
    ]
    if parts := {number: whole.match_id for number, whole in wholes_of_parts(pairs).items()}:
        match_versions.move_to_trash(store, [*parts], change, parts)


def _add(present: list[_Logged], mine: _Logged, replaced: dict[int, str]) -> None:
    """Add a match to those present, or note in `replaced` which takes whose place."""
    for other in [*present]:
        if other.players_before == mine.players_before or other.play.setup != mine.play.setup:
            continue
        if other.play.begins_with(mine.play):
            replaced[mine.match_no] = other.match_id
            return
        if mine.play.begins_with(other.play):
            replaced[other.match_no] = mine.match_id
            present.remove(other)
    present.append(mine)


def part_matches(store: Store) -> int:
    """Store matches again that merges joined and that have other players now; return how many.

    Call within `Store.transaction`.
    """
    cursor, parted = store.connection, list[tuple[int, int]]()
    joined = cursor.execute(_JOINED).fetchall()
    index = AliasIndex(cursor, None if joined else ())
    for change, number, stays, text in joined:
        query = "SELECT list(player_no ORDER BY seat) FROM seats WHERE match_no = ?"
        if (index.players(players_of_log(bytes(text))),) != cursor.execute(query, [stays]).fetchone():
            parted.append((change, number))
    for one in parted:
        trash.restore_texts(store, map(check_stored, trash.read_deletion(store, *one)))
        cursor.execute("DELETE FROM trash WHERE (change, match_no) = (?, ?)", one)
    return len(parted)


def list_joined(cursor: duckdb.DuckDBPyConnection, change: int) -> list[JoinedMatch]:
    """List the matches that a merge of players joined."""
    query = """SELECT v.match_id, t.match_id FROM trash t JOIN match_versions v USING (change, match_no)
        WHERE change = ? ORDER BY match_no"""
    return [JoinedMatch(*row) for row in cursor.execute(query, [change]).fetchall()]


def count_proposed(cursor: duckdb.DuckDBPyConnection, player_no: int) -> int:
    """Count the pairs of matches of a player that may be one, since neither has cards."""
    query = "SELECT match_no FROM seats WHERE player_no = ?"
    own = {number for (number,) in cursor.execute(query, [player_no]).fetchall()}
    return sum(one.match_no in own for one in likely_matches(cursor))
