"""Whose names a reader of the store may not read."""

import duckdb

from ingest.text.names import Person

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


def masked(ask: duckdb.DuckDBPyConnection, logs: bool = True) -> dict[int, Person]:
    """The masked players by number; `logs`: with every name a log has for them, all of which it
    reads.
    """
    rows = ask.execute(
        "SELECT player_no, k.player_id, k.name, p.name"
        " FROM masked k JOIN players p USING (player_no)"
    ).fetchall()
    names = {number: {player, name} for number, player, name, _ in rows}
    for number, name in ask.execute(_ALSO).fetchall() if rows and logs else ():
        names[number].add(name)
    return {number: Person(id, told, frozenset(names[number])) for number, id, _, told in rows}
