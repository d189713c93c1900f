"""Gives the names of sheets and notes the ids under which the store has those players.

A log's own id never changes: two people may have one name. A sheet has no ids, and the importer makes
one from the name. So the name decides, if exactly one player of the store has it, compared as ids are
(`player_key`), and no player has the id made from it. Names that are only near are proposed
(`player_duplicates`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import duckdb

from ingest.i18n import N_
from schemas.player_key import player_id_of, player_key, search_key

Log = dict[str, Any]


FOUND_BY_NAME = N_("Players here already, found by their name: {names}")


def use_known_ids(cursor: duckdb.DuckDBPyConnection, logs: Sequence[Log]) -> dict[str, str]:
    """Write the ids that the store has for names into imported logs; return them by name."""
    return write_ids(logs, ids_of_names(cursor, names_without_id(logs)))


def names_without_id(logs: Iterable[Log]) -> set[str]:
    """Return the names in logs from which the importer made an id."""
    return {name for log in logs for one in log["players"] if (name := _name(one))}


def write_ids(logs: Iterable[Log], known: Mapping[str, str]) -> dict[str, str]:
    """Write known ids, by the key of a name, into imported logs; return those written by name."""
    used = dict[str, str]()
    for log in logs:
        ids = [known.get(player_key(_name(one) or ""), one["id"]) for one in log["players"]]
        if len(set(map(player_key, ids))) < len(ids):
            continue  # two at this table would be one player
        for one, own in zip(log["players"], ids, strict=True):
            if own != one["id"]:
                used[one["name"]] = one["id"] = own
    return used


def _name(player: dict[str, str]) -> str | None:
    """Return a player's name if the id is made from it."""
    name = player.get("name")
    return name if name and player["id"] == player_id_of(name) else None


def found_names(used: Mapping[str, str]) -> str:
    """Return names and the ids found for them as people read them."""
    names = sorted(used, key=search_key)
    return ", ".join(f"{name} ({used[name]})" for name in names)


def ids_of_names(cursor: duckdb.DuckDBPyConnection, names: Collection[str]) -> dict[str, str]:
    """Return the id of the only player of each name, by key, where no player has the id made from it.

    Masked players are not found, so that their names stay hidden.
    """
    found = defaultdict[str, set[str]](set)
    query = """SELECT n.name, p.player_id FROM player_names n JOIN players p USING (player_no)
        WHERE n.search_name IN (SELECT unnest(?::VARCHAR[]))"""
    for name, player_id in cursor.execute(query, [sorted({search_key(one) for one in names})]).fetchall():
        found[player_key(name)].add(player_id)
    query = "SELECT key FROM aliases WHERE key IN (SELECT unnest(?::VARCHAR[]))"
    made = {player_key(player_id_of(one)): player_key(one) for one in names}
    for (key,) in cursor.execute(query, [sorted(made)]).fetchall():
        found.pop(made[key], None)
    return {name: min(ids) for name, ids in found.items() if len(ids) == 1}
