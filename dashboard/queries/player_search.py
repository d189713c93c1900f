"""Finds players by name or id."""

import polars as pl

from dashboard.queries.scope import Cursor
from engine.games import game
from ingest.redact.anonymize_log import MaskedPlayer
from ingest.store.raw_texts import masked_players as in_store
from schemas.player_key import fold_sql, search_key

MAX_OFFERED = 500
"""Players a list offers; typing a name or id finds the others."""

_LABEL = """CASE WHEN name IN (SELECT name FROM players GROUP BY 1 HAVING count(*) > 1)
            THEN name || ' (' || player_id || ')' ELSE name END"""
"""SQL for the name of a row of `players`, with the id if others share the name."""
COUNT_ONCE = "count(*) FILTER (match_no NOT IN (SELECT match_no FROM sheet_with_log))"
"""SQL for how many matches: a sheet whose log is stored too is the same match."""


def seated_query(of: str) -> str:
    """Return SQL of `seated`: the players of a table's matches (`of`), `names` in seat order.

    `ids` are linkable ids, null for a masked player; `seats` are player numbers, `score` each
    player's in the match, `manches_won` the manches won, null if the game has none.
    """
    return f"""seated AS (
            SELECT s.match_no, list(p.name ORDER BY s.seat) AS names,
                list(CASE WHEN k.player_no IS NULL THEN p.player_id END ORDER BY s.seat) AS ids,
                list(s.player_no ORDER BY s.seat) AS seats, list(s.score ORDER BY s.seat) AS score,
                list(s.manches ORDER BY s.seat) AS manches_won
            FROM seats s JOIN players p USING (player_no) LEFT JOIN masked k USING (player_no)
            WHERE s.match_no IN (SELECT match_no FROM {of}) GROUP BY s.match_no
        )"""


def frequent_players(cursor: Cursor, limit: int = MAX_OFFERED) -> pl.DataFrame:
    """Return the most frequent players: `player_no` and a unique `label`."""
    query = f"""
        WITH often AS (
            SELECT player_no FROM seats GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ?
        )
        SELECT player_no, {_LABEL} AS label
        FROM players SEMI JOIN often USING (player_no) ORDER BY {fold_sql("name")}, 1
    """
    return cursor.execute(query, [limit]).pl()


def all_players(cursor: Cursor, limit: int = 25, offset: int = 0) -> pl.DataFrame:
    """Return all seated players, most matches first: `player_no`, `name`, `matches`, `last`."""
    query = f"""
        SELECT p.player_no, p.name, {COUNT_ONCE} AS matches, max(m.played_on) AS last
        FROM seats s JOIN players p USING (player_no) JOIN matches m USING (match_no)
        GROUP BY p.player_no, p.name
        ORDER BY matches DESC, {fold_sql("p.name")}, p.player_no LIMIT ? OFFSET ?
    """
    return cursor.execute(query, [limit, offset]).pl()


def search_players(cursor: Cursor, words: str, limit: int = 10) -> pl.DataFrame:
    """Find players whose name contains the words: exact names first, then by matches played.

    `player_no`, `player_id`, `name`, `matches`, `last`.
    """
    query = f"""
        WITH found AS (
            SELECT player_no, bool_or($words IN (search_name, search_id)) AS exact,
                bool_or(starts_with(search_name, $words)) AS starts
            FROM player_names
            WHERE $words <> '' AND (search_id = $words OR contains(search_name, $words))
            GROUP BY player_no
        )
        SELECT player_no, p.player_id, p.name, {COUNT_ONCE} AS matches, max(m.played_on) AS last
        FROM found f JOIN players p USING (player_no)
            JOIN seats s USING (player_no) JOIN matches m USING (match_no)
        GROUP BY player_no, p.player_id, p.name, exact, starts
        ORDER BY exact DESC, starts DESC, matches DESC, {fold_sql("p.name")}, player_no LIMIT $limit
    """
    return cursor.execute(query, {"words": search_key(words), "limit": limit}).pl()


def player_summary(cursor: Cursor, player_no: int) -> pl.DataFrame:
    """Return a player's `names`, the shown one first, and for each game its `matches`, `first` and `last`."""
    query = f"""
        SELECT m.game, {COUNT_ONCE} AS matches, min(m.played_on) AS first, max(m.played_on) AS last, (
                SELECT list_distinct(list(name)) FROM player_names WHERE player_no = $1
            ) AS names
        FROM seats s JOIN matches m USING (match_no) WHERE s.player_no = $1
        GROUP BY m.game ORDER BY matches DESC, m.game
    """
    return cursor.execute(query, [player_no]).pl()


def player_tables(cursor: Cursor, *numbers: int) -> pl.DataFrame:
    """Count some players' `matches` by `player_no`, `game` and table size, most first."""
    query = f"""
        SELECT s.player_no, m.game, m.player_count, {COUNT_ONCE} AS matches
        FROM seats s JOIN matches m USING (match_no)
        WHERE s.player_no IN (SELECT unnest(?::INTEGER[])) AND m.game IS NOT NULL
        GROUP BY ALL ORDER BY matches DESC, m.game, m.player_count
    """
    return cursor.execute(query, [list(numbers)]).pl()


def recent_results(cursor: Cursor, player_no: int, limit: int = 10) -> list[bool | None]:
    """Return whether a player won each match, the last played first; None for a draw."""
    query = """
        SELECT m.game, m.player_count, m.winning_side, s.seat FROM seats s JOIN matches m USING (match_no)
        WHERE s.player_no = ? AND m.winning_side IS NOT NULL AND m.status = 'legal'
        ORDER BY m.played_at DESC NULLS LAST, m.match_no DESC LIMIT ?
    """
    rows = cursor.execute(query, [player_no, limit]).fetchall()
    return [
        (seat - winner) % game(name).side_count(players) == 0 if winner else None
        for name, players, winner, seat in rows
    ]


def find_player(cursor: Cursor, words: str) -> int | None:
    """Return the player with this id, label or name, else the first whose name contains it."""
    query = """
        SELECT player_no FROM player_names
        WHERE search_id = $words OR contains(search_name, $words)
            OR search_name || ' (' || search_id || ')' = $words
        ORDER BY player_id = $exact DESC, search_id = $words DESC, search_name = $words DESC, player_no
        LIMIT 1
    """
    if not words.strip():
        return None
    row = cursor.execute(query, {"words": search_key(words), "exact": words.strip()}).fetchone()
    return None if row is None else int(row[0])


def find_exact(cursor: Cursor, words: str, number: int | None = None) -> list[tuple[int, str]]:
    """Return (number, name with id) of the players with exactly this id or name.

    `number` restricts the result to that player, even if others share the name.
    """
    query = """
        SELECT p.player_no, p.player_id, p.name, bool_or(n.player_id = $words) AS by_id
        FROM player_names n JOIN players p USING (player_no)
        WHERE CASE WHEN $number IS NULL THEN $words IN (n.player_id, n.name)
            ELSE player_no = $number END
        GROUP BY p.player_no, p.player_id, p.name
        ORDER BY by_id DESC, p.player_id <> $words, p.player_no
    """
    rows = cursor.execute(query, {"words": words.strip(), "number": number}).fetchall()
    by_id = rows[:1] if rows and rows[0][3] else rows
    return [(int(no), name if name == id else f"{name} ({id})") for no, id, name, _ in by_id]


def player_by_id(cursor: Cursor, player_id: str) -> tuple[int, str] | None:
    """Return (number, name) of the player with exactly this id, now or formerly."""
    query = """
        SELECT p.player_no, p.name FROM player_names n JOIN players p USING (player_no)
        WHERE n.player_id = $id ORDER BY p.player_id <> $id, p.player_no LIMIT 1
    """
    row = cursor.execute(query, {"id": player_id}).fetchone()
    return None if row is None else (int(row[0]), str(row[1]))


def with_usual_companion(cursor: Cursor, player_no: int, game: str, players: int) -> list[str]:
    """Return the label of a player, and of the most frequent other player at a table of a game.

    A masked one is not proposed.
    """
    query = f"""
        WITH companion AS (
            SELECT o.player_no FROM seats s JOIN matches m USING (match_no) JOIN seats o USING (match_no)
            WHERE s.player_no = $player AND o.player_no <> $player AND m.game = $game
                AND m.player_count = $players AND o.player_no NOT IN (SELECT player_no FROM masked)
            GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1
        )
        SELECT {_LABEL} FROM players
        WHERE player_no = $player OR player_no IN (FROM companion) ORDER BY player_no <> $player
    """
    found = cursor.execute(query, {"player": player_no, "game": game, "players": players}).fetchall()
    return [label for (label,) in found]


def ids_and_names(cursor: Cursor, *numbers: int) -> list[tuple[str, str]]:
    """Return (id, name) of each of these players, in their order."""
    rows = cursor.execute(
        "SELECT player_no, player_id, name FROM players WHERE player_no IN (SELECT unnest(?::INTEGER[]))",
        [list(numbers)],
    ).fetchall()
    found = {number: (player_id, name) for number, player_id, name in rows}
    return [found[number] for number in numbers if number in found]


def linkable_ids(cursor: Cursor, *numbers: int) -> dict[int, str]:
    """Return number → id of those of these players that pages link to: none is masked."""
    rows = cursor.execute(
        "SELECT player_no, player_id FROM players ANTI JOIN masked USING (player_no)"
        " WHERE player_no IN (SELECT unnest(?::INTEGER[]))",
        [list(numbers)],
    ).fetchall()
    return dict(rows)


def masked_player_names(cursor: Cursor) -> list[MaskedPlayer]:
    """Return the masked players, with every name that logs have for them."""
    return list(in_store(cursor).values())


def masked_players(cursor: Cursor) -> pl.DataFrame:
    """Return masked players: the `pseudonym`, and the real `name` and `player_id`."""
    query = f"""
        SELECT p.name AS pseudonym, k.name, k.player_id
        FROM masked k JOIN players p USING (player_no) ORDER BY {fold_sql("k.name")}, k.player_no
    """
    return cursor.execute(query).pl()
