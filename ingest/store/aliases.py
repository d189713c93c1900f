"""Which player each id and name of a log belongs to.

A log declares players by id and name. Each such pair is an alias, and each alias is one player's.
A new pair belongs to the player with the same id, else with an id that reads alike (`player_key`),
unless both ids sit in one match: those are two players, even if they were merged before.
"""

import hashlib
import hmac
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.migrations import number, with_tables
from schemas.player_key import player_key, search_key

PSEUDONYM_DIGITS = 10
"""Hexadecimal digits, enough that two players of a store hardly ever share a pseudonym."""
PSEUDONYM = re.compile(rf"Joueur [0-9a-f]{{{PSEUDONYM_DIGITS}}}", re.IGNORECASE)
PLAYED_TABLES = ("seats", "deal_seats", "announcements", "match_seats", "match_kinds")
"""Tables whose `player_no` follows from the alias of a seat."""


class Declared(NamedTuple):
    """A player as a log declares one."""

    id: str
    name: str
    is_exact: bool = False
    """Another id of the same match reads alike, so the exact id decides."""

    @property
    def claim_key(self) -> str:
        """The text by which writers that do not see each other know the player."""
        return f"={self.id}" if self.is_exact else player_key(self.id)


class SeatNumbers(NamedTuple):
    """Numbers of players and aliases, seat by seat."""

    player_no: NDArray[np.int64]
    alias_no: NDArray[np.int64]

    def take(self, places: NDArray[Any]) -> "SeatNumbers":
        """Return the numbers at some places."""
        return SeatNumbers(self.player_no[places], self.alias_no[places])


class Tables(NamedTuple):
    """The players and the seats of each table."""

    table: NDArray[np.int64]
    place: NDArray[np.int64]
    """The id and name of each player there, in a list of declared players."""


def declared_players(ids: list[str], names: list[str], seats: NDArray[np.int64]) -> list[Declared]:
    """Return the players at successive tables of `seats` seats each."""
    known = {one: Declared(*one) for one in {*zip(ids, names, strict=True)}}  # the same players meet often
    every = [known[one] for one in zip(ids, names, strict=True)]
    distinct = set(ids)
    if len(set(map(player_key, distinct))) == len(distinct):
        return every
    first = 0
    for count in seats.tolist():
        here = range(first, first + count)
        keys = [player_key(ids[place]) for place in here]
        for place, key in zip(here, keys, strict=True):
            if keys.count(key) > 1:
                every[place] = every[place]._replace(is_exact=True)
        first += count
    return every


class Alias(NamedTuple):
    """A row of `aliases`."""

    alias_no: int
    player_no: int
    player_id: str
    name: str
    key: str


UNKNOWN_ALIAS = Alias(-1, -1, "", "", "")


class AliasIndex:
    """The aliases of a store, or those of some keys, in order."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, keys: Iterable[str] | None = None) -> None:
        query = "SELECT alias_no, player_no, player_id, name, key FROM aliases"
        some = [] if keys is None else [[*keys]]
        if keys is not None:
            query += " WHERE key IN (SELECT unnest(?::VARCHAR[]))"
        self._fill(map(Alias._make, cursor.execute(f"{query} ORDER BY alias_no", some).fetchall()))

    @classmethod
    def of(cls, known: Iterable[Alias]) -> Self:
        """Return the index of some aliases."""
        index = cls.__new__(cls)
        index._fill(known)
        return index

    def _fill(self, known: Iterable[Alias]) -> None:
        self._by_pair = dict[tuple[str, str], Alias]()
        self._by_id = dict[str, list[Alias]]()
        self._by_key = dict[str, list[Alias]]()
        for one in known:
            self.add(one)

    def add(self, alias: Alias) -> None:
        self._by_pair.setdefault((alias.player_id, alias.name), alias)
        self._by_id.setdefault(alias.player_id, []).append(alias)
        self._by_key.setdefault(alias.key, []).append(alias)

    def alias(self, one: Declared) -> Alias | None:
        """Return the alias with exactly this id and name."""
        return self._by_pair.get((one.id, one.name))

    def player(self, one: Declared) -> int | None:
        """Return whose a new alias is: of the player with this id, else of one with its key."""
        found = self._by_id.get(one.id) or ([] if one.is_exact else self._by_key.get(player_key(one.id)))
        return found[0].player_no if found else None

    def players(self, declared: Iterable[Declared]) -> list[int | None]:
        """Return whose each id and name is; None: no player has it yet."""
        known = ((one, self.alias(one)) for one in declared)
        return [self.player(one) if alias is None else alias.player_no for one, alias in known]

    def aliases_to_part(self, one: Declared) -> list[Alias]:
        """Return the aliases of an id that shares its player with another id of its match."""
        if not one.is_exact or not (own := self._by_id.get(one.id)):
            return []
        shared = [other for other in self._by_key[own[0].key] if other.player_no == own[0].player_no]
        return [] if shared[0].player_id == one.id else [o for o in own if o.player_no == own[0].player_no]

    def seat_numbers(self, declared: Sequence[Declared], tables: Tables | None = None) -> SeatNumbers:
        """Return the numbers of players and aliases; -1: unknown. `tables` do not matter here."""
        found = [self._by_pair.get((one.id, one.name), UNKNOWN_ALIAS) for one in declared]
        return SeatNumbers(
            np.array([one.player_no for one in found], np.int64),
            np.array([one.alias_no for one in found], np.int64),
        )


class NewRows(NamedTuple):
    """Rows a store writes for players that are new to it."""

    players: list[Declared]
    """Those who are new: their numbers are to be given."""
    moved: list[list[Alias]]
    """Aliases that become players of their own, after those of `players`."""
    aliases: list[tuple[Declared, int]]
    """New aliases, with the player's number; below 0, a place in `players`: -1 is the first."""


def new_rows(index: AliasIndex, declared: Sequence[Declared], owners: Sequence[int] | None = None) -> NewRows:
    """Return what is new among some players; `owners`: whose each is, which decides first."""
    rows, parted = NewRows([], [], []), set[str]()
    for one in dict.fromkeys(declared):
        if one.id not in parted and (shared := index.aliases_to_part(one)):
            parted.add(one.id)
            rows.moved.append(shared)
    whose = dict(zip(declared, owners, strict=True)) if owners is not None else {}
    player_of_owner = dict[int, int]()
    for one in whose:
        if alias := index.alias(one):
            player_of_owner.setdefault(whose[one], alias.player_no)
    place_of, added = dict[str, int](), set[tuple[str, str]]()
    for one in sorted(dict.fromkeys(declared), key=lambda one: not one.is_exact):
        if index.alias(one) is not None or one[:2] in added:
            continue
        player = player_of_owner.get(whose[one]) if whose else None
        if player is None:
            own, key = f"={one.id}", player_key(one.id)
            player = index.player(one)
            if player is None:
                player = place_of.get(own, None if one.is_exact else place_of.get(key))
            taken = player is not None and player in player_of_owner.values()
            if player is None or taken:
                rows.players.append(one._replace(is_exact=one.is_exact or taken))
                player = -len(rows.players)
                place_of.setdefault(own, player)
                place_of.setdefault(key, player)
        if whose:
            player_of_owner[whose[one]] = player
        added.add((one.id, one.name))
        rows.aliases.append((one, player))
    return rows


def two_of_one_player(
    declared: Sequence[Declared], player_no: NDArray[np.int64], tables: Tables
) -> tuple[Declared, Declared] | None:
    """Return two ids of one player that sit at one table, if any."""
    ids = {*zip(player_no.tolist(), (one.id for one in declared), strict=True)}
    if len(ids) == len({player for player, _ in ids}):
        return None
    order = np.lexsort((tables.place, player_no[tables.place], tables.table))
    table, place = tables.table[order], tables.place[order]
    same = (table[1:] == table[:-1]) & (player_no[place][1:] == player_no[place][:-1])
    pairs = ((declared[place[at]], declared[place[at + 1]]) for at in np.flatnonzero(same).tolist())
    return next(((one, other) for one, other in pairs if one.id != other.id), None)


def alias_table(rows: Iterable[tuple[int, int, str, str]]) -> pa.Table:
    """Return rows of `aliases` of (alias_no, player_no, id, name)."""
    numbers, players, ids, names = map(list, zip(*rows, strict=True))
    return pa.table(
        {
            "alias_no": pa.array(numbers, pa.int32()),
            "player_no": pa.array(players, pa.int32()),
            "player_id": ids,
            "name": names,
            "key": [*map(player_key, ids)],
            "search_id": [*map(search_key, ids)],
            "search_name": [*map(search_key, names)],
        }
    )


def move_aliases(cursor: duckdb.DuckDBPyConnection, player_of: Mapping[int, int]) -> list[int]:
    """Give aliases (by number) to players; return the numbers of the matches changed.

    All tables follow. Call within a transaction that changes rows.
    """
    moves = pa.table(
        {"alias_no": pa.array(player_of, pa.int32()), "now": pa.array(player_of.values(), pa.int32())}
    )
    with with_tables(cursor, moves=moves):
        moved = cursor.execute(
            """SELECT match_no, player_no AS was, now FROM seats JOIN moves USING (alias_no)
               WHERE player_no <> now ORDER BY match_no"""
        ).to_arrow_table()
        cursor.execute(
            "UPDATE aliases SET player_no = moves.now FROM moves WHERE aliases.alias_no = moves.alias_no"
        )
    if not moved.num_rows:
        return []
    numbers = moved["match_no"].to_numpy()
    for table in PLAYED_TABLES:
        with with_tables(cursor, moved=moved):
            cursor.execute(
                f"""UPDATE {table} SET player_no = moved.now FROM moved
                    WHERE {table}.match_no BETWEEN ? AND ?
                        AND {table}.match_no = moved.match_no AND {table}.player_no = moved.was""",
                [int(numbers[0]), int(numbers[-1])],
            )
    return np.unique(numbers).tolist()


# the name shown

PLAYED_MOMENT = "coalesce(m.played_at, m.played_on::TIMESTAMPTZ, '-infinity'::TIMESTAMPTZ)"
"""SQL for when a match `m` was played."""
NEWEST_NAME = f"arg_max(a.name, (a.name <> a.player_id, {PLAYED_MOMENT}, m.match_no))"
"""SQL for the last name of aliases `a` that sat in matches `m`; an alias without a name comes last."""
_NEWEST_NAMES = f"""
WITH chosen AS (
    SELECT player_no FROM aliases GROUP BY 1
    HAVING CASE WHEN $players IS NULL THEN count(*) > 1 ELSE list_contains($players, player_no) END
), newest AS (
    SELECT player_no, {NEWEST_NAME} AS name
    FROM aliases a SEMI JOIN chosen USING (player_no)
        JOIN seats s USING (alias_no) JOIN matches m USING (match_no) GROUP BY 1
)
SELECT p.player_no, coalesce(g.name, n.name) AS name
FROM (FROM players SEMI JOIN chosen USING (player_no)) p LEFT JOIN newest n USING (player_no)
    LEFT JOIN aliases g ON g.alias_no = p.name_alias_no LEFT JOIN masked k USING (player_no)
WHERE coalesce(g.name, n.name) <> coalesce(k.name, p.name) ORDER BY 1
"""


def update_shown_names(cursor: duckdb.DuckDBPyConnection, players: Sequence[int] | None = None) -> int:
    """Show players (by number; None: all) under their last names; return how many changed.

    Names the admin gave stay. Call within a transaction that changes rows.
    """
    several = "SELECT 1 FROM aliases GROUP BY player_no HAVING count(*) > 1 LIMIT 1"
    if players is None and cursor.execute(several).fetchone() is None:
        return 0
    changed = cursor.execute(_NEWEST_NAMES, {"players": players}).fetchall()
    for player_no, name in changed:
        set_shown_name(cursor, player_no, name)
    return len(changed)


def has_open_names(cursor: duckdb.DuckDBPyConnection) -> bool:
    """Return whether a name shown is outdated, or two writers of a lake have made one alias each."""
    outdated = cursor.execute(_NEWEST_NAMES, {"players": None}).fetchone() is not None
    return outdated or bool(duplicate_aliases(cursor))


def join_duplicate_aliases(cursor: duckdb.DuckDBPyConnection) -> None:
    """Give one number to aliases that several writers of a lake have made at once.

    Call within a transaction that shuts out all others.
    """
    for first, others in duplicate_aliases(cursor):
        cursor.execute(
            "UPDATE seats SET alias_no = ? WHERE alias_no IN (SELECT unnest(?::INTEGER[]))", [first, others]
        )
        cursor.execute("DELETE FROM aliases WHERE alias_no IN (SELECT unnest(?::INTEGER[]))", [others])


def duplicate_aliases(cursor: duckdb.DuckDBPyConnection) -> list[tuple[int, list[int]]]:
    """Return the aliases of one id and name that several writers made at once: the first, and the others."""
    query = """SELECT list(alias_no ORDER BY alias_no) AS numbers FROM aliases
               GROUP BY player_id, name HAVING count(*) > 1"""
    return [(first, others) for ((first, *others),) in cursor.execute(query).fetchall()]


def names_of_pairs(cursor: duckdb.DuckDBPyConnection, pairs: Iterable[tuple[int, int]]) -> list[list[str]]:
    """Return the shown names of the players of pairs of aliases (by number)."""
    query = """SELECT p.name FROM aliases JOIN players p USING (player_no)
        WHERE list_contains(?::INTEGER[], alias_no) ORDER BY alias_no"""
    return [[name for (name,) in cursor.execute(query, [[*pair]]).fetchall()] for pair in pairs]


def set_shown_name(cursor: duckdb.DuckDBPyConnection, player_no: int, name: str) -> None:
    """Change the name a player is shown by, of a masked one the name behind the pseudonym."""
    hidden = cursor.execute("SELECT 1 FROM masked WHERE player_no = ?", [player_no]).fetchone()
    table = "players" if hidden is None else "masked"
    cursor.execute(f"UPDATE {table} SET name = $1 WHERE player_no = $2", [name, player_no])


def all_aliases(cursor: duckdb.DuckDBPyConnection) -> list[Alias]:
    """Return every alias, in order."""
    query = "SELECT alias_no, player_no, player_id, name, key FROM aliases ORDER BY alias_no"
    return [Alias._make(row) for row in cursor.execute(query).fetchall()]


def declared_by_player(cursor: duckdb.DuckDBPyConnection) -> dict[int, set[tuple[str, str]]]:
    """Return the true ids and names of every player, by number."""
    found = dict[int, set[tuple[str, str]]]()
    for player_no, *pair in cursor.execute("SELECT player_no, player_id, name FROM aliases").fetchall():
        found.setdefault(player_no, set()).add((pair[0], pair[1]))
    return found


def _player_table(numbers: Sequence[int], declared: Sequence[Declared]) -> pa.Table:
    return pa.table(
        {
            "player_no": pa.array(numbers, pa.int32()),
            "player_id": pa.array([one.id for one in declared], pa.string()),
            "name": pa.array([one.name for one in declared], pa.string()),
        }
    )


class PlayerNumbering:
    """How a store numbers players and aliases; every store is one."""

    connection: duckdb.DuckDBPyConnection
    _aliases: AliasIndex | None
    _next_player_no: int | None = None
    _next_alias_no: int | None = None
    parted_players: list[tuple[int, int]]
    """Aliases whose merge the running transaction undid, since both sit at one table."""
    flush_pending: Callable[[], None] = staticmethod(lambda: None)
    """Inserts rows that earlier batches of a file left in memory."""
    append_pending: Callable[[str, pa.Table], None] | None = None
    """Keeps rows in memory with those of a file's batches; None: no file is being stored."""

    def insert_rows(self, table: str, rows: pa.Table) -> None:
        """Append rows, matched by column name; call within `transaction`."""
        raise NotImplementedError

    def player_numbers(
        self, declared: Sequence[Declared], tables: Tables | None = None, owners: Sequence[int] | None = None
    ) -> SeatNumbers:
        """Return the numbers of players and aliases; new ones are added.

        `tables`: those who sit at one are made two players. `owners`: whose each is in the store they
        are copied from, which decides for new ones.
        """
        index = self._alias_index(declared)
        new = new_rows(index, declared, owners)
        if new.aliases or new.moved:
            index = self._add_aliases(index, new)
        seated = index.seat_numbers(declared)
        while tables is not None and (pair := two_of_one_player(declared, seated.player_no, tables)):
            self._part_players(*pair)
            seated = self._alias_index(declared).seat_numbers(declared)
        return seated

    def seated_player_numbers(self, declared: Sequence[Declared], tables: Tables) -> SeatNumbers:
        """Return the numbers of those who sit at `tables`; the others are -1.

        The others become no players, but players who are there already get their ids and names too.
        """
        sitting, place = np.unique(tables.place, return_inverse=True)
        seated = self.player_numbers([declared[at] for at in sitting], Tables(tables.table, place))
        index, others = self._alias_index(declared), np.setdiff1d(np.arange(len(declared)), sitting)
        spelled = [declared[at] for at in others]
        self.player_numbers(
            [one for one in spelled if index.player(one) is not None and not index.aliases_to_part(one)]
        )
        found = SeatNumbers(*(np.full(len(declared), -1, np.int64) for _ in SeatNumbers._fields))
        for every, some in zip(found, seated, strict=True):
            every[sitting] = some
        return found

    def _part_players(self, one: Declared, other: Declared) -> None:
        """Make two ids of one player two players: undo the last merge that made them one."""
        self.flush_pending()
        self.flush_players()
        cursor, self._aliases = self.connection, None
        found = AliasIndex(cursor, {player_key(one.id), player_key(other.id)})
        first, second = found.alias(one), found.alias(other)
        assert first is not None
        assert second is not None
        player_no = first.player_no
        own = [alias for alias in all_aliases(cursor) if alias.player_no == player_no]
        parts, names = _parts_before_merge(cursor, own, first, second)
        if not parts:  # no merge made them one
            query = """SELECT coalesce(k.player_id, p.player_id)
                FROM players p LEFT JOIN masked k USING (player_no) WHERE p.player_no = ?"""
            is_first = cursor.execute(query, [player_no]).fetchone() == (first.player_id,)
            new = second if is_first else first
            alike = first.key != second.key
            parts = {
                self.next_player_number(): [
                    alias
                    for alias in own
                    if alias.player_id == new.player_id or (alike and alias.key == new.key)
                ]
            }
        for number_of_part, some in parts.items():
            self.split_aliases(some, number_of_part)
            was_named = [names.get(number_of_part), number_of_part]
            cursor.execute("UPDATE players SET name_alias_no = ? WHERE player_no = ?", was_named)
        update_shown_names(cursor, [player_no, *parts])
        self.record_change("player-part", 1 + len(parts), same_numbers=True)
        self.parted_players.append((first.alias_no, second.alias_no))

    def _alias_index(self, declared: Sequence[Declared]) -> AliasIndex:
        """Return the aliases known, at least those that `declared` may belong to."""
        if self._aliases is None:
            self._aliases = AliasIndex(self.connection)
        return self._aliases

    def _add_aliases(self, index: AliasIndex, new: NewRows) -> AliasIndex:
        """Insert new players and aliases, and give ids that one match has side by side their players."""
        numbers = self._new_player_numbers(new.players)
        rows = list[tuple[int, int, str, str]]()
        for alias_no, (one, player) in zip(
            self._new_alias_numbers(len(new.aliases)), new.aliases, strict=True
        ):
            own = player if player >= 0 else numbers[-1 - player]
            rows.append((alias_no, own, one.id, one.name))
            index.add(Alias(alias_no, own, one.id, one.name, player_key(one.id)))
        if rows:
            (self.append_pending or self.insert_rows)("aliases", alias_table(rows))
        if new.moved:
            self.flush_pending()
            for some in new.moved:
                self.split_aliases(some)
            self._aliases = None
            return self._alias_index([])
        return index

    def split_aliases(self, moved: Sequence[Alias], player_no: int | None = None) -> int:
        """Make some aliases of a player another, masked if that one is; return the number."""
        cursor, numbers = self.connection, [one.alias_no for one in moved]
        player_no = self.next_player_number() if player_no is None else player_no
        shown = Declared(moved[0].player_id, moved[0].name)
        if cursor.execute("SELECT 1 FROM masked WHERE player_no = ?", [moved[0].player_no]).fetchone():
            cursor.execute("INSERT INTO masked VALUES (?, ?, ?)", [player_no, *shown[:2]])
            [(key,)] = cursor.execute("SELECT key FROM secret").fetchall()
            hidden = pseudonym_of(bytes(key), shown.id)
            shown = Declared(hidden, hidden)
        self.insert_players([player_no], [shown])
        move_aliases(cursor, dict.fromkeys(numbers, player_no))
        cursor.execute(
            "UPDATE players SET name_alias_no = NULL WHERE player_no = ? AND list_contains(?, name_alias_no)",
            [moved[0].player_no, numbers],
        )
        return player_no

    def add_alias(self, player_no: int, one: Declared) -> int:
        """Add an alias of a player; return its number. Call within `transaction`."""
        [alias_no] = self._new_alias_numbers(1)
        self.insert_rows("aliases", alias_table([(alias_no, player_no, one.id, one.name)]))
        self._aliases = None
        return alias_no

    def record_change(
        self, action: str, affected_count: int | None = None, same_numbers: bool = False
    ) -> int:
        """Record a change other than an upload."""
        raise NotImplementedError

    def next_player_number(self) -> int:
        """Return a number that no player has or may get back by an undo."""
        if self._next_player_no is None:
            both = "SELECT player_no FROM players UNION ALL SELECT player_no FROM player_changes"
            self._next_player_no = number(self.connection, f"SELECT max(player_no) + 1 FROM ({both})")
        self._next_player_no += 1
        return self._next_player_no - 1

    def _new_player_numbers(self, declared: Sequence[Declared]) -> list[int]:
        """Insert players; return their numbers."""
        found = [self.next_player_number() for _ in declared]
        if found:
            (self.append_pending or self.insert_rows)("players", _player_table(found, declared))
        return found

    def insert_players(self, numbers: Sequence[int], declared: Sequence[Declared]) -> None:
        """Insert players under numbers; call within `transaction`."""
        self.insert_rows("players", _player_table(numbers, declared))

    def _new_alias_numbers(self, count: int) -> Sequence[int]:
        if self._next_alias_no is None:
            self._next_alias_no = number(self.connection, "SELECT max(alias_no) + 1 FROM aliases")
        self._next_alias_no += count
        return range(self._next_alias_no - count, self._next_alias_no)

    def flush_players(self) -> None:
        """Insert pending rows of new players now, so that the transaction can change them."""

    def update_shown_names(self) -> None:
        """Show players under the names of their last matches; call within `transaction`.

        A lake does so later (`ratings.refresh_ratings`): here others may be adding rows.
        """
        update_shown_names(self.connection)


NumberPlayers = Callable[[Sequence[Declared], Tables], SeatNumbers]
"""Returns the numbers of players as logs declare them, and as they sit together."""


def _parts_before_merge(
    cursor: duckdb.DuckDBPyConnection, own: Sequence[Alias], one: Alias, other: Alias
) -> tuple[dict[int, list[Alias]], dict[int, int | None]]:
    """Return which aliases of a player the last merge of two of them brought, by their former player.

    Also returned: by which alias the admin had named each of those. That merge can be undone no more,
    and later changes know nothing of these aliases.
    """
    query = """SELECT change, p.kind, player_no, alias_no FROM player_changes p
        JOIN change_log c USING (change) WHERE c.action = 'player-merge' AND alias_no IS NOT NULL
            AND p.kind IN ('alias', 'stay') ORDER BY change DESC"""
    merges = defaultdict[int, dict[int, int]](dict)
    for change, kind, player, alias_no in cursor.execute(query).fetchall():
        merges[change][alias_no] = player if kind == "alias" else own[0].player_no
    for change, was in merges.items():
        before = owners_before(own, was)
        if before.get(one.alias_no) == before.get(other.alias_no):
            continue
        parts = defaultdict[int, list[Alias]](list)
        for alias in own:
            if (player := before.get(alias.alias_no, alias.player_no)) != alias.player_no:
                parts[player].append(alias)
        moved = [alias.alias_no for some in parts.values() for alias in some]
        query = "SELECT player_no, alias_no FROM player_changes WHERE change = ? AND kind = 'name'"
        names = dict[int, int | None](cursor.execute(query, [change]).fetchall())
        cursor.execute(
            """DELETE FROM player_changes
               WHERE change = $1 OR (change > $1 AND list_contains($2::INTEGER[], alias_no))""",
            [change, moved],
        )
        return parts, names
    return {}, {}


def owners_before(own: Sequence[Alias], was: Mapping[int, int]) -> dict[int, int]:
    """Return whose some aliases were before a change, by number; `was`: those that it knew of.

    Each of those that came since gets the player of the first alias of its id, else of one that reads alike.
    """
    index, result = AliasIndex.of(()), dict[int, int]()
    for alias in sorted(own, key=lambda alias: (alias.alias_no not in was, alias.alias_no)):
        player = was.get(alias.alias_no, index.player(Declared(alias.player_id, alias.name)))
        if player is not None:
            result[alias.alias_no] = player
            index.add(alias._replace(player_no=player))
    return result


def pseudonym_of(key: bytes, player_id: str) -> str:
    """Return the pseudonym of a player's id under a store's key."""
    return f"Joueur {hmac.new(key, player_id.encode(), hashlib.sha256).hexdigest()[:PSEUDONYM_DIGITS]}"
