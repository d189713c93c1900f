"""Masks players: a pseudonym replaces the name everywhere; looks players up by id or name.

A player has the same pseudonym everywhere; only the store can map it back.
"""

import secrets
from typing import NamedTuple

import duckdb

from ingest.store import sheet_mappings
from ingest.store.aliases import pseudonym_of
from ingest.store.factory import Store
from schemas.player_key import fold_sql, search_key


def pseudonym(store: Store, player_id: str) -> str:
    """Return a player's pseudonym: `Joueur 1a2b3c4d5e`, in any language.

    Makes the store's key if it has none. StoreError: the store cannot be written.
    """
    return pseudonym_of(pseudonym_key(store), player_id)


def pseudonyms(store: Store) -> dict[int, str]:
    """Return the pseudonym of every player by number, masked or not."""
    key = pseudonym_key(store)
    return {number: pseudonym_of(key, player) for number, (player, _) in known_names(store).items()}


def known_names(store: Store) -> dict[int, tuple[str, str]]:
    """Return the true id and name of every player by number."""
    rows = store.cursor().execute(f"{PLAYERS} ORDER BY p.player_no").fetchall()
    return {number: (player, name) for number, player, name in rows}


def player_behind(store: Store, pseudonym: str) -> str | None:
    """Return the id of the player with this pseudonym."""
    result, key = pseudonym.strip(), pseudonym_key(store)
    every = (player for player, _ in known_names(store).values())
    return next((player for player in every if pseudonym_of(key, player) == result), None)


def mask_player(store: Store, player_no: int) -> str:
    """Show a player's pseudonym instead of names and ids everywhere; return the pseudonym.

    Does nothing if the player is masked already. KeyError: the store has no such player.
    """
    result = pseudonym(store, true_name(store, player_no)[0])
    with store.transaction():
        if not is_masked(store.connection, player_no):
            hide_name(store, player_no)
            store.record_change("mask", 1)
    return result


def unmask_player(store: Store, player_no: int) -> str:
    """Unmask a player; return the name. KeyError: the store has no such player."""
    _, name = true_name(store, player_no)
    if is_masked(store.cursor(), player_no):
        with store.transaction():
            show_name(store, player_no)
            store.record_change("unmask", 1)
    return name


def hide_name(store: Store, player_no: int) -> None:
    """Replace a player's name by the pseudonym; call within `transaction`."""
    cursor = store.connection
    if not is_masked(cursor, player_no):
        player_id, name = true_name(store, player_no, cursor)
        result = pseudonym(store, player_id)
        declares = declared(cursor, player_no)
        cursor.execute("INSERT INTO masked VALUES (?, ?, ?)", [player_no, player_id, name])
        sheet_mappings.delete_with_names(cursor, {player_id, name, *declares})
        cursor.execute(_RENAME_PLAYER, [result, result, player_no])


def show_name(store: Store, player_no: int) -> None:
    """Replace a player's pseudonym by the name; call within `transaction`."""
    cursor = store.connection
    cursor.execute(_RENAME_PLAYER, [*true_name(store, player_no, cursor), player_no])
    cursor.execute("DELETE FROM masked WHERE player_no = ?", [player_no])


def set_id(store: Store, player_no: int, player_id: str) -> None:
    """Change the id a player is shown by, and of a masked one the pseudonym."""
    cursor = store.connection
    if is_masked(cursor, player_no):
        cursor.execute("UPDATE masked SET player_id = ? WHERE player_no = ?", [player_id, player_no])
        cursor.execute(_RENAME_PLAYER, [*[pseudonym(store, player_id)] * 2, player_no])
    else:
        cursor.execute("UPDATE players SET player_id = ? WHERE player_no = ?", [player_id, player_no])


def is_masked(cursor: duckdb.DuckDBPyConnection, player_no: int) -> bool:
    """Return whether a player is masked."""
    return cursor.execute("SELECT 1 FROM masked WHERE player_no = ?", [player_no]).fetchone() is not None


_SECRET_KEY = "SELECT key FROM secret"
_RENAME_PLAYER = "UPDATE players SET player_id = ?, name = ? WHERE player_no = ?"
PLAYERS = """
SELECT p.player_no, coalesce(k.player_id, p.player_id) AS player, coalesce(k.name, p.name) AS name
FROM players p LEFT JOIN masked k USING (player_no)
"""
"""SQL for every player with true id and name."""


def true_name(
    store: Store, player_no: int, cursor: duckdb.DuckDBPyConnection | None = None
) -> tuple[str, str]:
    """Return the true id and name of a player. KeyError: no such player."""
    row = (cursor or store.cursor()).execute(f"{PLAYERS} WHERE p.player_no = ?", [player_no]).fetchone()
    if row is None:
        raise KeyError(player_no)
    return str(row[1]), str(row[2])


def pseudonym_key(store: Store) -> bytes:
    """Return the store's secret key, made on first use."""
    if (known := store.cursor().execute(_SECRET_KEY).fetchone()) is not None:
        return bytes(known[0])
    with store.transaction():
        if (known := store.connection.execute(_SECRET_KEY).fetchone()) is not None:
            return bytes(known[0])  # another process has made one meanwhile
        key = secrets.token_bytes(32)
        store.connection.execute("INSERT INTO secret VALUES (?)", [key])
    return key


# finding players by words


class Player(NamedTuple):
    """A player as the store shows them: a masked one has the pseudonym for name and id."""

    number: int
    id: str
    name: str


_LABEL = "search_name || ' (' || search_id || ')'"
_SHOWN = "p.player_no, p.player_id, p.name"

EXACT_MATCH = f"""
SELECT {_SHOWN} FROM (
    SELECT DISTINCT player_no FROM player_names
    WHERE $words <> '' AND $words IN (search_id, search_name, {_LABEL})
    QUALIFY rank() OVER (ORDER BY player_id = $exact DESC, search_id = $words DESC) = 1
) JOIN players p USING (player_no) ORDER BY player_no
"""
NAME_MATCH = f"""
SELECT {_SHOWN} FROM players p SEMI JOIN (
    SELECT player_no FROM player_names WHERE $words <> '' AND $words IN (search_name, {_LABEL})
) USING (player_no) ORDER BY player_id
"""
MIN_SIMILARITY = 0.8
"""Minimum Jaro–Winkler similarity of names, up to 1."""
FUZZY_MATCH = f"""
SELECT {_SHOWN} FROM (
    SELECT player_no, min(least(levenshtein(search_name, $words), levenshtein(search_id, $words))) AS far
    FROM player_names WHERE $words <> '' AND (
        contains(search_name, $words) OR contains(search_id, $words) OR greatest(
            jaro_winkler_similarity(search_name, $words), jaro_winkler_similarity(search_id, $words)
        ) >= {MIN_SIMILARITY}) GROUP BY player_no
) JOIN players p USING (player_no) ORDER BY far, {fold_sql("p.name")}, player_no LIMIT $most
"""


def find_exact(cursor: duckdb.DuckDBPyConnection, words: str) -> list[Player]:
    """Return the players with this id, else this name, ignoring case, accents and extra spaces."""
    return [
        Player(*row)
        for row in cursor.execute(EXACT_MATCH, {"words": search_key(words), "exact": words}).fetchall()
    ]


def find_by_name(cursor: duckdb.DuckDBPyConnection, words: str) -> list[Player]:
    """Return all players with this name, ignoring case, accents and extra spaces."""
    return [Player(*row) for row in cursor.execute(NAME_MATCH, {"words": search_key(words)}).fetchall()]


def find_similar(cursor: duckdb.DuckDBPyConnection, words: str, limit: int = 2) -> list[Player]:
    """Return players whose name or id contains or resembles the words, closest first."""
    found = cursor.execute(FUZZY_MATCH, {"words": search_key(words), "most": limit})
    return [Player(*row) for row in found.fetchall()]


def declared(cursor: duckdb.DuckDBPyConnection, player_no: int) -> list[str]:
    """Return the ids and names that find a player, of a masked one the pseudonym."""
    query = "SELECT player_id, name FROM player_names WHERE player_no = ? ORDER BY ALL"
    rows = cursor.execute(query, [player_no]).fetchall()
    return [*dict.fromkeys(text for row in rows for text in row)]
