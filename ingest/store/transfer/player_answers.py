"""Copies answers about players and matches: names, merges, who are two people; with undo.

Players whom the target does not have are skipped, and so are answers about them.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import duckdb
import pyarrow as pa

from ingest.store import aliases, match_versions
from ingest.store import player_merges as changes
from ingest.store.aliases import Declared
from ingest.store.factory import Store
from ingest.store.likely_duplicate_matches import DIFFERENT, SAME, stored_now
from ingest.store.player_duplicates import two_people
from ingest.store.tombstones import purged_ids
from schemas.migrations import with_tables

_MOMENT = "c.changed_at, c.action"
_CHANGES = f"SELECT {_MOMENT}, p.* EXCLUDE (change) FROM player_changes p JOIN change_log c USING (change)"
_ANSWERS = f"SELECT {_MOMENT}, a.* EXCLUDE (change) FROM match_answers a JOIN change_log c USING (change)"
QUERIES = {
    "aliases": "SELECT alias_no, player_no, player_id, name FROM aliases ORDER BY 1",
    "names": "SELECT player_no, name_alias_no FROM players WHERE name_alias_no IS NOT NULL ORDER BY 1",
    "different": "FROM different_players ORDER BY ALL",
    "changes": f"{_CHANGES} ORDER BY change, p.kind, player_no, alias_no",
    "answers": f"{_ANSWERS} ORDER BY change",
}
"""The rows read from the source."""


def insert_answers(target: Store, theirs: Mapping[str, pa.Table]) -> int:
    """Insert what a target lacks of the results of QUERIES; return how many. Call within a transaction."""
    cursor, rows = target.connection, {name: _rows(table) for name, table in theirs.items()}
    ours, players = _numbers(target, rows["aliases"])
    count = 0
    for player, alias in rows["names"]:
        if player in players and alias in ours:
            change = "UPDATE players SET name_alias_no = ? WHERE player_no = ? AND name_alias_no IS NULL"
            mine = ours[alias], players[player]
            count += len(cursor.execute(f"{change} RETURNING 1", mine).fetchall())
    for pair in rows["different"]:
        if not {*pair} <= ours.keys():
            continue
        both = sorted(ours[alias] for alias in pair)
        if len(_players_of(cursor, both)) == 1:
            continue
        known = "SELECT 1 FROM different_players WHERE [alias_no, other_alias_no] IN ($1, list_reverse($1))"
        if cursor.execute(known, [both]).fetchone() is None:
            cursor.execute("INSERT INTO different_players VALUES (?, ?)", both)
            count += 1
    count += _insert_changes(target, rows["changes"], ours, players)
    count += _insert_match_answers(target, theirs["answers"])
    aliases.update_shown_names(cursor, sorted({*players.values()}))
    return count


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


def _numbers(
    target: Store, theirs: Sequence[tuple[int, int, str, str]]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the target's numbers of aliases and players, by theirs; add aliases of players it has."""
    known = {one.player_id for one in aliases.all_aliases(target.connection)}
    present = {player for _, player, player_id, _ in theirs if player_id in known}
    removed = {*purged_ids(target, [player_id for _, _, player_id, _ in theirs])} - known
    some = [row for row in theirs if row[1] in present and row[2] not in removed]
    declared = [Declared(player_id, name) for _, _, player_id, name in some]
    target.claim([], declared)
    seated = target.player_numbers(declared, owners=[player for _, player, *_ in some])
    target.flush_players()
    numbers = [alias for alias, *_ in some]
    players = dict[int, int]()
    for (_, player, *_), own in zip(some, seated.player_no.tolist(), strict=True):
        players.setdefault(player, own)
    return dict(zip(numbers, seated.alias_no.tolist(), strict=True)), players


def change_numbers(
    cursor: duckdb.DuckDBPyConnection, moments: Sequence[tuple[Any, str]]
) -> tuple[dict[tuple[Any, str], int], set[tuple[Any, str]]]:
    """Return a target's changes by moment and action, adding those it lacks, and which it lacked."""
    query = "SELECT changed_at, action, change FROM change_log ORDER BY change"
    known = {(at, action): change for at, action, change in cursor.execute(query).fetchall()}
    added = [one for one in dict.fromkeys(moments) if one not in known]
    last = max(known.values(), default=-1)
    for place, one in enumerate(added, 1):
        cursor.execute("INSERT INTO change_log VALUES (?, ?, ?)", [last + place, *one])
        known[one] = last + place
    return known, set(added)


def _insert_changes(
    target: Store, rows: Sequence[tuple[Any, ...]], ours: Mapping[int, int], players: dict[int, int]
) -> int:
    """Insert records that undo changes, if all their aliases are here and the change is not."""
    by_change = dict[tuple[Any, str], list[tuple[Any, ...]]]()
    for at, action, *row in rows:
        by_change.setdefault((at, action), []).append(tuple(row))
    whole = {
        moment: some
        for moment, some in by_change.items()
        if all(ours.keys() >= {alias} - {None} for _, _, alias in some)
    }
    cursor = target.connection
    query = "SELECT changed_at, action FROM change_log"
    lacking = {*whole} - {*cursor.execute(query).fetchall()}
    count = 0
    for moment in sorted(lacking):
        merged = moment[1] == "player-merge" and [ours[alias] for *_, alias in whole[moment] if alias in ours]
        found = _players_of(cursor, merged or [])
        if len(found) > 1 and two_people(cursor, [*combinations(found, 2)]):
            continue  # they sat at one table here, or were declared two people
        count += 1
        numbers, _ = change_numbers(cursor, [moment])
        if len(found) > 1:
            changes.make_one(target, numbers[moment], found[0], found[1:])
            continue
        for kind, player, alias in whole[moment]:
            if player not in players:  # merged into another since: an undo makes this player again
                players[player] = target.next_player_number()
            target.connection.execute(
                "INSERT INTO player_changes VALUES (?, ?, ?, ?)",
                [numbers[moment], kind, players[player], None if alias is None else ours[alias]],
            )
    return count


def _players_of(cursor: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> list[int]:
    """Return the players of aliases (by number), in order."""
    query = "SELECT DISTINCT player_no FROM aliases WHERE list_contains(?::INTEGER[], alias_no) ORDER BY 1"
    return [player for (player,) in cursor.execute(query, [[*numbers]]).fetchall()]


def _insert_match_answers(target: Store, theirs: pa.Table) -> int:
    """Insert answers about matches that the target has, or had; join those it has that are one."""
    cursor = target.connection
    here = "(SELECT match_id FROM matches UNION ALL SELECT match_id FROM trash)"
    with with_tables(cursor, theirs=theirs):
        rows = cursor.execute(
            f"""SELECT changed_at, action, answer, match_id, other_id
                FROM theirs ANTI JOIN match_answers USING (answer, match_id, other_id)
                WHERE match_id IN {here} AND other_id IN {here}
                    AND list_sort([match_id, other_id]) NOT IN (
                        SELECT list_sort([match_id, other_id]) FROM match_answers
                        WHERE answer <> theirs.answer) ORDER BY changed_at"""
        ).fetchall()
    numbers, _ = change_numbers(cursor, [(at, action) for at, action, *_ in rows])
    for at, action, answer, match_id, other_id in rows:
        number = numbers[at, action]
        cursor.execute("INSERT INTO match_answers VALUES (?, ?, ?, ?)", [number, answer, match_id, other_id])
        query = "SELECT match_no FROM matches WHERE match_id = ?"
        live = cursor.execute(query, [other_id]).fetchone()
        if answer == SAME and live is not None and stored_now(cursor, [match_id]):
            match_versions.move_to_trash(target, [live[0]], number, {live[0]: match_id})
    return len(rows)


_COMPARED = {
    "players": """SELECT a.player_id, [a.player_id] FROM aliases a JOIN players p USING (player_no)
        WHERE p.name_alias_no IS NOT NULL""",
    "different_players": """SELECT list_sort([a.player_id, b.player_id]), [a.player_id, b.player_id]
        FROM different_players d JOIN aliases a USING (alias_no)
            JOIN aliases b ON b.alias_no = d.other_alias_no""",
    "player_changes": """SELECT [epoch_us(changed_at)::VARCHAR, c.action], list(player_id)
        FROM player_changes JOIN change_log c USING (change) LEFT JOIN aliases USING (alias_no) GROUP BY 1""",
    "match_answers": "SELECT [answer, match_id, other_id], [match_id, other_id] FROM match_answers",
}
"""Table → query for its answers, and the ids of players or matches they are about."""


def missing_answers(source: duckdb.DuckDBPyConnection, target: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Count the answers that a target lacks, by table, of those about players and matches that it has."""
    query = (
        "SELECT player_id FROM aliases UNION SELECT match_id FROM matches UNION SELECT match_id FROM trash"
    )

    def is_refused(key: Sequence[Any], about: Sequence[str]) -> bool:
        """Whether the target has answered otherwise, or its matches show otherwise."""
        if table == "match_answers":
            other = DIFFERENT if key[0] == SAME else SAME
            query = """SELECT 1 FROM match_answers
                WHERE answer = ? AND list_sort([match_id, other_id]) = list_sort(?::VARCHAR[])"""
            return target.execute(query, [other, about]).fetchone() is not None
        query = "SELECT count(DISTINCT player_no) FROM aliases WHERE list_contains(?::VARCHAR[], player_id)"
        [(count,)] = target.execute(query, [[*filter(None, about)]]).fetchall()
        is_merge = table == "player_changes" and key[1] == "player-merge"
        return bool(count > 1 if is_merge else table == "different_players" and count == 1)

    known, result = {one for (one,) in target.execute(query).fetchall()}, dict[str, int]()
    for table, query in _COMPARED.items():
        here = {repr(key) for key, _ in target.execute(query).fetchall()}
        theirs = {
            repr(key)
            for key, about in source.execute(query).fetchall()
            if known.issuperset(one for one in about if one is not None) and not is_refused(key, about)
        }
        result[table] = len(theirs - here)
    return result
