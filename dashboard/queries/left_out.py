"""Deals that figures leave out, each with the first reason that applies."""

from dataclasses import replace

import duckdb
import polars as pl

from dashboard.queries.played import bare
from dashboard.queries.scope import Condition, Scope


def reasons(
    cursor: duckdb.DuckDBPyConnection,
    scope: Scope,
    player_no: int | None = None,
    decided: bool = False,
) -> pl.DataFrame:
    """How many `deals` are left out by each `reason`, most first; of a player's with `player_no`.

    `undated` where days are asked for, `void`, or a verdict; `decided`, where a figure asks who
    won: `null` of a deal nobody did, `unknown` where the log does not tell.
    """
    left, values = _left(scope, player_no, decided)
    return cursor.execute(
        f"SELECT reason, count(*) AS deals FROM ({left}) GROUP BY 1 ORDER BY deals DESC, reason",
        values,
    ).pl()


def deals(
    cursor: duckdb.DuckDBPyConnection,
    scope: Scope,
    player_no: int | None = None,
    decided: bool = False,
    limit: int = 25,
    offset: int = 0,
) -> pl.DataFrame:
    """The deals that `reasons` counts, as `played.bare`, each with its `reason`."""
    return bare(cursor, _left(scope, player_no, decided), limit, offset)


def _left(scope: Scope, player_no: int | None, decided: bool) -> Condition:
    """Rows of `match_no`, `deal` and `reason`."""
    counted, some = scope.counted()
    of_any_day = replace(scope, since=None, until=None)
    where, more = of_any_day.where(None if player_no is None else "s.seat")
    within, days = scope.days()
    dated = "m.played_at IS NOT NULL" if days else "true"
    won = "AND coalesce(d.winner, 0) > 0" if decided else ""
    seated = "" if player_no is None else "JOIN seats s USING (match_no)"
    whose = "" if player_no is None else "AND s.player_no = ?"
    return (
        f"""
        SELECT match_no, d.deal, CASE WHEN NOT ({dated}) THEN 'undated'
            WHEN d.void IS NOT NULL THEN 'void'
            WHEN d.told AND d.match_no IN (SELECT match_no FROM doubled) THEN 'doubled'
            WHEN NOT ({counted}) THEN IF(d.told AND d.status = 'unproven', 'sheet',
                d.status::VARCHAR)
            WHEN d.winner = 0 THEN 'null' ELSE 'unknown' END AS reason
        FROM deals d JOIN matches m USING (match_no) {seated}
        WHERE {where} AND coalesce({within}, true) {whose} AND NOT ({dated} AND {counted} {won})
        """,
        [*some, *more, *days, *([] if player_no is None else [player_no]), *some],
    )
