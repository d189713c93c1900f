"""Two players against each other: their matches, and who won them."""

import duckdb

from dashboard.queries.matches import Filter
from engine.games import NAMES, game

_SIDES = " ".join(
    f"WHEN '{name}' THEN {game(name).sides(4)}" for name in NAMES if game(name).partners
)
SIDES = f"CASE m.game {_SIDES} ELSE m.players END"
"""How many sides a match `m` has: seats apart by a multiple of it are partners."""


def series(
    cursor: duckdb.DuckDBPyConnection, one: int, other: int, which: Filter
) -> dict[str, int]:
    """Matches with the two on different sides: `one`, `other`, `third`, `none`, `partners`.

    How many each won, a third player, nobody or nobody yet; and how many they played together.
    """
    chosen, values = which.chosen()
    row = cursor.execute(
        f"""
        WITH pair AS (
            SELECT {SIDES} AS sides, a.seat::INTEGER AS a, b.seat::INTEGER AS b,
                m.winner::INTEGER AS winner
            FROM (SELECT m.* FROM {chosen}) m
            JOIN seats a ON a.match_no = m.match_no AND a.player_no = ?
            JOIN seats b ON b.match_no = m.match_no AND b.player_no = ?
        ), apart AS (
            SELECT (a - 1) % sides = winner - 1 AS first, (b - 1) % sides = winner - 1 AS second,
                coalesce(winner, 0) = 0 AS nobody
            FROM pair WHERE (a - b) % sides <> 0
        )
        SELECT count(*) FILTER (first AND NOT nobody), count(*) FILTER (second AND NOT nobody),
            count(*) FILTER (NOT nobody AND NOT first AND NOT second), count(*) FILTER (nobody),
            (SELECT count(*) FROM pair WHERE (a - b) % sides = 0)
        FROM apart
        """,
        [*values, one, other],
    ).fetchone()
    return dict(zip(("one", "other", "third", "none", "partners"), row or (0,) * 5, strict=True))
