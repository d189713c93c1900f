"""Merges, renames and splits players, with undo.

Only `aliases` decides whose seat it is: these changes give aliases to players, and all tables follow
(`aliases.move_aliases`), and matches that are one or two since (`merged_matches`). Ladders are rated
again by the caller.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from unicodedata import normalize

import duckdb

from ingest.i18n import N_
from ingest.store import aliases, merged_matches, pseudonyms
from ingest.store.factory import LockMode, Store, StoreError
from schemas.player_key import is_readable_name, player_key

UNREADABLE_NAME = N_("A player’s name needs visible characters, without control characters.")
LIKE_A_PSEUDONYM = N_("{name} reads as the pseudonym of a masked player. Give another name.")
SAT_TOGETHER = N_(
    "{names}: they sat in one match together, so they are two people, and nothing was merged. Matches: {n}"
)
NAME_TAKEN = N_("Another player has the same id and the name {name}.")
PLAYER_ACTIONS = ("player-merge", "player-rename", "player-split", "player-different")
"""Changes that can be undone here."""


_NEW_NAME = "new-name"
"""The kind of an alias that a rename made."""
_FORGET_NAME = """
DELETE FROM aliases WHERE alias_no = $1 AND alias_no NOT IN (
    SELECT alias_no FROM seats UNION ALL SELECT alias_no FROM player_changes WHERE alias_no IS NOT NULL
    UNION ALL SELECT name_alias_no FROM players WHERE name_alias_no IS NOT NULL
    UNION ALL SELECT unnest([alias_no, other_alias_no]) FROM different_players)
"""


class PlayerChange(NamedTuple):
    """A change of players that can be undone."""

    number: int
    at: datetime
    action: str
    players: list[int]
    names: list[str]
    """The players' names, in a merge those from before it; a masked one has the pseudonym."""


class SatTogether(StoreError):
    """Players who sat in one match are two people."""

    def __init__(self, names: Sequence[str], matches: int) -> None:
        super().__init__(SAT_TOGETHER, names=", ".join(names), n=matches)


class LaterChange(Exception):
    """A later change of the same players has to be undone first; the argument is its number."""


def merge_players(store: Store, player_no: int, others: Collection[int]) -> int:
    """Make several players one, who has the first one's id; return the change's number.

    SatTogether: two of them sat in one match. If one is masked, the person is.
    """
    every = [player_no, *others]
    pseudonyms.pseudonym_key(store)
    with store.transaction(lock_mode=LockMode.EXCLUSIVE):
        cursor = store.connection
        if together := matches_together(cursor, every):
            raise SatTogether(names_together(cursor, every), together)
        change = store.record_change("player-merge", len(every))
        make_one(store, change, player_no, others)
    return change


def make_one(store: Store, change: int, player_no: int, others: Collection[int]) -> None:
    """Make several players one, as a change that can be undone; call within `transaction`."""
    cursor = store.connection
    rows = _aliases_of(cursor, others)
    _remember(cursor, change, "alias", rows)
    _remember(cursor, change, "stay", _aliases_of(cursor, [player_no]))
    for other in others:
        if pseudonyms.is_masked(cursor, other):
            _remember(cursor, change, "mask", [(None, other)])
            if not pseudonyms.is_masked(cursor, player_no):
                _remember(cursor, change, "unmask", [(None, player_no)])
                pseudonyms.hide_name(store, player_no)
    _remember_names(cursor, change, [player_no, *others])
    aliases.move_aliases(cursor, {alias: player_no for alias, _ in rows})
    for table in ("players", "masked"):
        cursor.execute(f"DELETE FROM {table} WHERE player_no IN (SELECT unnest(?::INTEGER[]))", [[*others]])
    store.release_claims(player_numbers=[*others])
    _update_players(store, [player_no])
    merged_matches.join_matches_of(store, change, player_no, dict(rows))


def rename_player(store: Store, player_no: int, name: str) -> int:
    """Show a player under a name whatever later matches have; return the change's number.

    StoreError: the name is not readable, it reads as a pseudonym, or is another player's of that id.
    """
    if not is_readable_name(name := " ".join(name.split())):
        raise StoreError(UNREADABLE_NAME)
    if aliases.PSEUDONYM.fullmatch(name):
        raise StoreError(LIKE_A_PSEUDONYM, name=name)
    with store.transaction(lock_mode=LockMode.EXCLUSIVE):
        cursor = store.connection
        change = store.record_change("player-rename", 1)
        _remember_names(cursor, change, [player_no])
        player_id, _ = pseudonyms.true_name(store, player_no, cursor)
        query = """SELECT alias_no FROM aliases WHERE player_no = ? AND name = ?
                   ORDER BY player_id <> ?, alias_no LIMIT 1"""
        found = cursor.execute(query, [player_no, name, player_id]).fetchone()
        pair = "SELECT player_no FROM aliases WHERE player_id = ? AND name = ?"
        if found is None and cursor.execute(pair, [player_id, name]).fetchone() is not None:
            raise StoreError(NAME_TAKEN, name=name)
        if found is None:
            number = store.add_alias(player_no, aliases.Declared(player_id, name))
            _remember(cursor, change, _NEW_NAME, [(number, player_no)])
        else:
            number = found[0]
        cursor.execute("UPDATE players SET name_alias_no = ? WHERE player_no = ?", [number, player_no])
        _update_players(store, [player_no])
    return change


def split_player(store: Store, player_no: int, texts: Collection[str]) -> tuple[int, int] | None:
    """Make some ids or names of a player another player; return the change and the new number.

    None: the player has none of them, or no others.
    """
    keys = set(map(player_key, texts))
    with store.transaction(lock_mode=LockMode.EXCLUSIVE):
        cursor = store.connection
        known = [one for one in aliases.all_aliases(cursor) if one.player_no == player_no]
        chosen = [one for one in known if keys & {player_key(one.player_id), player_key(one.name)}]
        if not chosen or len(chosen) == len(known):
            return None
        change = store.record_change("player-split", 1)
        for one in known:
            _remember(cursor, change, "alias" if one in chosen else "stay", [(one.alias_no, player_no)])
        _remember_names(cursor, change, [player_no])
        new = store.split_aliases(chosen)
        _remember_names(cursor, change, [new])
        _update_players(store, [player_no, new])
        merged_matches.part_matches(store)
    return change, new


def undo_change(store: Store, change: int) -> list[int]:
    """Undo a change of players; return the numbers of the players it was about.

    KeyError: there is none to undo. LaterChange: another one comes first.
    """
    with store.transaction(lock_mode=LockMode.EXCLUSIVE):
        cursor = store.connection
        rows = cursor.execute(
            "SELECT kind, player_no, alias_no FROM player_changes WHERE change = ? ORDER BY ALL", [change]
        ).fetchall()
        if not rows:
            raise KeyError(change)
        later = cursor.execute(
            """SELECT max(o.change) FROM player_changes o JOIN player_changes t
               ON t.change = $1 AND o.change > $1
                   AND (o.player_no = t.player_no OR o.alias_no = t.alias_no)""",
            [change],
        ).fetchone()
        if later and later[0] is not None:
            raise LaterChange(later[0])
        known = {alias: player for kind, player, alias in rows if kind in ("alias", "stay")}
        now = {one.alias_no: one for one in aliases.all_aliases(cursor)}
        known = {alias: player for alias, player in known.items() if alias in now}
        changed = {now[alias].player_no for alias in known}
        own = [one for one in now.values() if one.player_no in changed]
        was = aliases.owners_before(own, known)
        touched = {*was.values(), *(now[alias].player_no for alias in was)}
        touched |= {player for kind, player, _ in rows if kind in ("name", "different")}
        if pair := [alias for kind, _, alias in rows if kind == "different"]:
            cursor.execute(
                "DELETE FROM different_players WHERE alias_no = ? AND other_alias_no = ?", sorted(pair)
            )
        stay_hidden = list[int]()  # a person masked since the change: none of its names shows again
        for player in dict.fromkeys(was.values()):
            first = next(now[alias] for alias in sorted(was) if was[alias] == player)
            if cursor.execute("SELECT 1 FROM players WHERE player_no = ?", [player]).fetchone() is None:
                store.insert_players([player], [aliases.Declared(first.player_id, first.name)])
                stay_hidden += [player] if pseudonyms.is_masked(cursor, first.player_no) else []
        aliases.move_aliases(cursor, was)
        alone = """player_no IN (SELECT unnest(?::INTEGER[]))
            AND player_no NOT IN (SELECT player_no FROM aliases)"""
        for table in ("players", "masked"):
            cursor.execute(f"DELETE FROM {table} WHERE {alone}", [[*touched]])
        for kind, player, alias in rows:
            if kind == "name":
                cursor.execute("UPDATE players SET name_alias_no = ? WHERE player_no = ?", [alias, player])
        _update_players(store, sorted(touched))
        for player in {*stay_hidden, *(player for kind, player, _ in rows if kind == "mask")}:
            pseudonyms.hide_name(store, player)
        for kind, player, _ in rows:
            if kind == "unmask":
                pseudonyms.show_name(store, player)
        cursor.execute("DELETE FROM player_changes WHERE change = ?", [change])
        for kind, _, alias in rows:
            if kind == _NEW_NAME:
                cursor.execute(_FORGET_NAME, [alias])
        number = store.record_change("player-undo", len(touched))
        merged_matches.part_matches(store)
        before = {alias: now[alias].player_no for alias in was}
        for player in sorted({player for alias, player in was.items() if player != before[alias]}):
            merged_matches.join_matches_of(store, number, player, before)
    return sorted(touched)


_CHANGES = f"""
WITH named AS (
    SELECT c.change, c.player_no, arg_max(
        CASE WHEN k.player_no IS NULL THEN {{'name': a.name, 'id': a.player_id}}
            ELSE {{'name': p.name, 'id': p.player_id}} END,
        (c.kind = 'name', a.name <> a.player_id, coalesce(seen, '-infinity'::TIMESTAMPTZ), a.alias_no)
    ) AS who
    FROM player_changes c JOIN aliases a USING (alias_no) JOIN players p ON p.player_no = a.player_no
        LEFT JOIN masked k ON k.player_no = a.player_no
        LEFT JOIN (
            SELECT alias_no, max({aliases.PLAYED_MOMENT}) AS seen
            FROM seats SEMI JOIN player_changes USING (alias_no) JOIN matches m USING (match_no) GROUP BY 1
        ) USING (alias_no)
    GROUP BY ALL
), merged AS (
    SELECT player_no, arg_max(who, change) AS who FROM named GROUP BY 1
), about AS (
    SELECT change, player_no, bool_or(kind = 'stay') AS stays FROM player_changes GROUP BY ALL
), shown AS (
    SELECT player_no, {{'name': name, 'id': player_id}} AS who FROM players
)
SELECT change, any_value(changed_at), any_value(l.action), list(player_no ORDER BY player_no),
    list(CASE WHEN l.action = 'player-merge' THEN coalesce(n.who, p.who) ELSE coalesce(p.who, n.who, g.who)
        END ORDER BY NOT stays, player_no)
FROM about JOIN change_log l USING (change) LEFT JOIN named n USING (change, player_no)
    LEFT JOIN merged g USING (player_no) LEFT JOIN shown p USING (player_no)
GROUP BY change ORDER BY change DESC
"""


def list_changes(cursor: duckdb.DuckDBPyConnection) -> list[PlayerChange]:
    """List the changes of players that can be undone, latest first."""
    return [
        PlayerChange(number, at, action, players, _labels(who))
        for number, at, action, players, who in cursor.execute(_CHANGES).fetchall()
    ]


def _labels(who: Sequence[dict[str, str] | None]) -> list[str]:
    """Return the names of players; those who share one with their ids."""
    read = [one for one in who if one is not None]  # in one coding, as people read them
    both = dict.fromkeys((normalize("NFC", one["name"]), normalize("NFC", one["id"])) for one in read)
    names = [name for name, _ in both]
    return [name if names.count(name) == 1 else f"{name} ({own})" for name, own in both]


def name_after_merge(cursor: duckdb.DuckDBPyConnection, player_no: int, other: int) -> str | None:
    """Return the name two players would have as one; None: one is masked, so the person would be."""
    query = f"""
        SELECT coalesce(
            (SELECT a.name FROM players p JOIN aliases a ON alias_no = name_alias_no WHERE p.player_no = $1),
            (SELECT {aliases.NEWEST_NAME} FROM aliases a JOIN seats s USING (alias_no)
                JOIN matches m USING (match_no) WHERE a.player_no IN ($1, $2)),
            (SELECT name FROM players WHERE player_no = $1)
        ) WHERE NOT EXISTS (FROM masked WHERE player_no IN ($1, $2))
    """
    row = cursor.execute(query, [player_no, other]).fetchone()
    return None if row is None else str(row[0])


def declare_different(store: Store, player_no: int, other: int) -> int:
    """Remember that two players are two people; return the change's number."""
    with store.transaction():
        cursor = store.connection
        change = store.record_change("player-different", 2)
        found = cursor.execute(
            """SELECT min(alias_no), player_no FROM aliases WHERE player_no IN (?, ?)
               GROUP BY player_no ORDER BY 1""",
            [player_no, other],
        ).fetchall()
        _remember(cursor, change, "different", found)
        cursor.execute("INSERT INTO different_players VALUES (?, ?)", [alias for alias, _ in found])
    return change


def matches_together(cursor: duckdb.DuckDBPyConnection, players: Collection[int]) -> int:
    """Count the matches in which two of some players sat."""
    query = """SELECT count(*) FROM (SELECT match_no FROM seats
        WHERE player_no IN (SELECT unnest(?::INTEGER[])) GROUP BY match_no HAVING count(*) > 1)"""
    row = cursor.execute(query, [[*players]]).fetchone()
    return int(row[0]) if row else 0


def names_together(cursor: duckdb.DuckDBPyConnection, players: Collection[int]) -> list[str]:
    """Return the names of those of some players who sat in one match; those who share one with their ids."""
    query = """WITH seated AS (
            SELECT unnest(list(player_no)) AS player_no FROM seats
            WHERE player_no IN (SELECT unnest(?::INTEGER[])) GROUP BY match_no HAVING count(*) > 1
        ) SELECT name, player_id FROM players SEMI JOIN seated USING (player_no) ORDER BY player_no"""
    found = cursor.execute(query, [[*players]]).fetchall()
    return _labels([{"name": name, "id": player_id} for name, player_id in found])


def _aliases_of(cursor: duckdb.DuckDBPyConnection, players: Collection[int]) -> list[tuple[int, int]]:
    query = (
        "SELECT alias_no, player_no FROM aliases WHERE player_no IN (SELECT unnest(?::INTEGER[])) ORDER BY 1"
    )
    return cursor.execute(query, [[*players]]).fetchall()


def _remember(
    cursor: duckdb.DuckDBPyConnection, change: int, kind: str, rows: Sequence[tuple[int | None, int]]
) -> None:
    """Keep (alias, player) as they are for an undo."""
    for alias, player in rows:
        cursor.execute("INSERT INTO player_changes VALUES (?, ?, ?, ?)", [change, kind, player, alias])


def _remember_names(cursor: duckdb.DuckDBPyConnection, change: int, players: Collection[int]) -> None:
    query = "SELECT name_alias_no, player_no FROM players WHERE player_no IN (SELECT unnest(?::INTEGER[]))"
    _remember(cursor, change, "name", cursor.execute(query, [[*players]]).fetchall())


def _update_players(store: Store, numbers: Sequence[int]) -> None:
    """Give players whose aliases changed an id of their own and their last name."""
    cursor = store.connection
    for player_no in numbers:
        own = [one for one in aliases.all_aliases(cursor) if one.player_no == player_no]
        if own and pseudonyms.true_name(store, player_no, cursor)[0] not in {one.player_id for one in own}:
            pseudonyms.set_id(store, player_no, own[0].player_id)
    aliases.update_shown_names(cursor, numbers)
