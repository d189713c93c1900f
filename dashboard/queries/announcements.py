"""Announcements: how often each comes, per hand played (one player in one deal).

Only the deals of a scope; a null partie was played, so its hands count.
"""

import duckdb
import polars as pl

from dashboard.queries.intervals import with_interval
from dashboard.queries.scope import Scope


def frequencies(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int | None = None
) -> pl.DataFrame:
    """One row per kind, trump or plain: hands `held`, `announced`, `shown`, `counted` in, of `n`
    hands in `deals` deals.

    `share`, `low`, `high` are those of `counted`; `points` is the mean when it counts.
    """
    where, values = scope.chosen()
    frame = cursor.execute(
        f"""
        WITH chosen AS (
            SELECT d.match_no, d.deal FROM deals d JOIN matches m USING (match_no)
            WHERE {where}
        ), hands AS (
            SELECT count(*) AS n, count(DISTINCT (match_no, deal)) AS deals
            FROM deal_seats SEMI JOIN chosen USING (match_no, deal)
            WHERE ?::INTEGER IS NULL OR player_no = ?
        ), one AS (
            SELECT a.kind, a.trump, a.match_no, a.deal, a.seat, bool_or(a.held) AS held,
                bool_or(a.announced) AS announced, bool_or(a.shown) AS shown,
                bool_or(a.counted) AS counted,
                sum(a.points) FILTER (a.counted) AS points
            FROM announcements a SEMI JOIN chosen USING (match_no, deal)
            WHERE ?::INTEGER IS NULL OR a.player_no = ?
            GROUP BY ALL
        )
        SELECT kind::VARCHAR AS kind, trump, count(*) FILTER (held) AS held,
            count(*) FILTER (announced) AS announced, count(*) FILTER (shown) AS shown,
            count(*) FILTER (counted) AS counted, avg(points) AS points, any_value(n) AS n,
            any_value(deals) AS deals
        FROM one, hands GROUP BY one.kind, one.trump ORDER BY one.kind, one.trump
        """,
        [*values, *[player_no] * 4],
    ).pl()
    return with_interval(frame, "counted", "n")
