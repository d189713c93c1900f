"""Players of a store: by what one calls them, and under pseudonyms.

The same player has the same pseudonym everywhere, and only the store tells whose it is.
"""

import hashlib
import hmac
import secrets
from typing import NamedTuple

import duckdb

from ingest.store.factory import Store

DIGITS = 10
"""Hexadecimal; a store that masks a name twice over is told apart when it happens."""


def pseudonym(store: Store, player_id: str) -> str:
    """What stands for a player: `Joueur 1a2b3c4d5e`, in any language.

    A store that has no key yet is given one. StoreError: it cannot be written.
    """
    return _of(key_of(store), player_id)


def pseudonyms(store: Store) -> dict[int, str]:
    """The pseudonym of every player of a store, by number, masked or not."""
    key = key_of(store)
    return {number: _of(key, player) for number, (player, _) in known_names(store).items()}


def known_names(store: Store) -> dict[int, tuple[str, str]]:
    """The true id and name of every player, by number."""
    rows = store.cursor().execute(f"{PLAYERS} ORDER BY p.player_no").fetchall()
    return {number: (player, name) for number, player, name in rows}


def owner(store: Store, pseudonym: str) -> str | None:
    """The id of the player behind a pseudonym of this store."""
    told, key = pseudonym.strip(), key_of(store)
    every = (player for player, _ in known_names(store).values())
    return next((player for player in every if _of(key, player) == told), None)


def mask(store: Store, player_no: int) -> str:
    """Show a player under the pseudonym wherever the name or the id would stand; the pseudonym.

    Masking a masked player changes nothing. KeyError: the store has no such player.
    """
    player_id, name = _known(store, player_no)
    told = pseudonym(store, player_id)
    with store.adding():
        ask = store.connection
        if not is_masked(ask, player_no):
            ask.execute("INSERT INTO masked VALUES (?, ?, ?)", [player_no, player_id, name])
            ask.execute(_RENAME, [told, told, player_no])
            store.change("mask", 1)
    return told


def unmask(store: Store, player_no: int) -> str:
    """Show a player by name again; the name. KeyError: the store has no such player."""
    player_id, name = _known(store, player_no)
    if is_masked(store.cursor(), player_no):
        with store.adding():
            ask = store.connection
            ask.execute(_RENAME, [player_id, name, player_no])
            ask.execute("DELETE FROM masked WHERE player_no = ?", [player_no])
            store.change("unmask", 1)
    return name


def is_masked(ask: duckdb.DuckDBPyConnection, player_no: int) -> bool:
    """Whether a player is shown by a pseudonym."""
    found = ask.execute("SELECT 1 FROM masked WHERE player_no = ?", [player_no])
    return found.fetchone() is not None


_KEY = "SELECT key FROM secret"
_RENAME = "UPDATE players SET player_id = ?, name = ? WHERE player_no = ?"
PLAYERS = """
SELECT p.player_no, coalesce(k.player_id, p.player_id) AS player, coalesce(k.name, p.name) AS name
FROM players p LEFT JOIN masked k USING (player_no)
"""
"""Every player, by their true id and name."""


def _known(store: Store, player_no: int) -> tuple[str, str]:
    """The true id and name of a player."""
    row = store.cursor().execute(f"{PLAYERS} WHERE p.player_no = ?", [player_no]).fetchone()
    if row is None:
        raise KeyError(player_no)
    return str(row[1]), str(row[2])


def _of(key: bytes, player_id: str) -> str:
    return f"Joueur {hmac.new(key, player_id.encode(), hashlib.sha256).hexdigest()[:DIGITS]}"


def key_of(store: Store) -> bytes:
    """What only this store knows, made the first time it is asked for."""
    if (known := store.cursor().execute(_KEY).fetchone()) is not None:
        return bytes(known[0])
    with store.adding():
        if (known := store.connection.execute(_KEY).fetchone()) is not None:
            return bytes(known[0])  # another has made one meanwhile
        key = secrets.token_bytes(32)
        store.connection.execute("INSERT INTO secret VALUES (?)", [key])
    return key


# who is meant by some words


class Player(NamedTuple):
    """A player as the store shows them: a masked one has the pseudonym for name and id."""

    number: int
    id: str
    name: str


_FOLD = r"lower(strip_accents(trim(regexp_replace({}, '[\s\pZ]+', ' ', 'g'))))"
_ID, _NAME, _ASKED = (_FOLD.format(one) for one in ("player_id", "name", "$words"))
_LABEL = _FOLD.format("name || ' (' || player_id || ')'")

EXACT = f"""
SELECT player_no, player_id, name FROM players, (SELECT {_ASKED} AS words)
WHERE words <> '' AND words IN ({_ID}, {_NAME}, {_LABEL})
QUALIFY rank() OVER (ORDER BY player_id = $words DESC, {_ID} = words DESC) = 1
ORDER BY player_no
"""
NAMED = f"""
SELECT player_no, player_id, name FROM players, (SELECT {_ASKED} AS words)
WHERE words <> '' AND words IN ({_NAME}, {_LABEL}) ORDER BY player_id
"""
ALIKE = 0.8
"""How much a name must look like another one, of 1, by Jaro and Winkler's measure."""
NEAR = f"""
SELECT player_no, player_id, name
FROM (SELECT *, {_ID} AS id, {_NAME} AS plain, {_ASKED} AS words FROM players)
WHERE words <> '' AND (contains(plain, words) OR contains(id, words) OR greatest(
    jaro_winkler_similarity(plain, words), jaro_winkler_similarity(id, words)) >= {ALIKE})
ORDER BY least(levenshtein(plain, words), levenshtein(id, words)), plain, player_no LIMIT $most
"""


def exactly(ask: duckdb.DuckDBPyConnection, words: str) -> list[Player]:
    """Those of this id, else of this name, whatever its case, accents and spaces."""
    return [Player(*row) for row in ask.execute(EXACT, {"words": words}).fetchall()]


def named(ask: duckdb.DuckDBPyConnection, words: str) -> list[Player]:
    """All of this name, whatever its case, accents and spaces."""
    return [Player(*row) for row in ask.execute(NAMED, {"words": words}).fetchall()]


def near(ask: duckdb.DuckDBPyConnection, words: str, most: int = 2) -> list[Player]:
    """Those whose name or id has these words within or looks like them, the nearest first."""
    return [Player(*row) for row in ask.execute(NEAR, {"words": words, "most": most}).fetchall()]
