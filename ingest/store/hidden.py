"""Whose names a reader of the store may not read, and texts without them."""

from collections.abc import Collection, Mapping

import duckdb

from ingest.text.names import Renames, renamed, unnamed

Everybody = Mapping[int, Renames]
"""Number of each player hidden → what is read for each of the player's names."""

_ALSO = """
WITH said AS (
    SELECT k.player_no, k.player_id, unnest(json_extract(r.text, '$.players[*]')) AS told
    FROM masked k JOIN seats s USING (player_no) JOIN raw r USING (match_no)
    WHERE json_valid(r.text)
), named AS (
    SELECT player_no, player_id, json_extract_string(told, '$.id') AS id,
           json_extract_string(told, '$.name') AS name
    FROM said
)
SELECT DISTINCT player_no, name FROM named WHERE id = player_id AND name IS NOT NULL
"""


def masked(ask: duckdb.DuckDBPyConnection, logs: bool = True) -> dict[int, dict[str, str]]:
    """The masked players; `logs`: with every name a log has for them, which reads all of theirs."""
    rows = ask.execute(
        "SELECT player_no, k.player_id, k.name, p.name"
        " FROM masked k JOIN players p USING (player_no)"
    ).fetchall()
    if not rows:
        return {}
    found = {number: dict.fromkeys((player, name), told) for number, player, name, told in rows}
    for number, name in ask.execute(_ALSO).fetchall() if logs else ():
        found[number].setdefault(name, next(iter(found[number].values())))
    return found


def every_name(everybody: Everybody) -> dict[str, str]:
    """All of them at once."""
    return {name: told for names in everybody.values() for name, told in names.items()}


def readable(text: bytes, everybody: Everybody, seated: Collection[int]) -> bytes:
    """A log under the names that may be read; `seated` are its players, of whom some are hidden."""
    if not everybody:
        return text
    here = every_name({one: everybody[one] for one in seated if one in everybody})
    others = every_name({one: names for one, names in everybody.items() if one not in seated})
    return unnamed(renamed(text, here), others)
