"""One player's records, each with the deal or the match it was set in."""

import duckdb
import polars as pl

from dashboard.queries.people import seated
from dashboard.queries.played import ORDER, mine
from dashboard.queries.scope import Scope
from engine.games import game


def records(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """`points` and `margin` of one deal, `deals` and `matches` won in a row; the first so high.

    `value`, when (`played_at`, and `until` where a series ended), the `match_id` and `number` of
    the deal (from 1) it was set or began in, and `names` and `ids` at that table. A margin is over
    the best of the other sides.
    """
    chosen, values = mine(scope, player_no)
    where, more = scope.where("s.seat")
    status, some = scope.finished()
    sides = game(scope.game).sides(scope.players)
    return cursor.execute(
        f"""
        WITH played AS MATERIALIZED (
            SELECT match_no, ds.deal, ds.seat, ds.points, ds.won, m.played_at FROM {chosen}
        ), best AS (
            SELECT 1 AS place, 'points' AS record, points::BIGINT AS value, played_at,
                NULL::TIMESTAMPTZ AS until, match_no, deal
            FROM played ORDER BY points DESC, {ORDER} LIMIT 1
        ), beaten AS (
            SELECT match_no, p.deal, any_value(p.played_at) AS played_at,
                any_value(p.points) - max(o.points) AS margin
            FROM played p JOIN deal_seats o USING (match_no, deal)
            WHERE p.won AND (o.seat::INTEGER - p.seat) % {sides} <> 0 GROUP BY match_no, p.deal
        ), widest AS (
            SELECT 2, 'margin', margin, played_at, NULL, match_no, deal
            FROM beaten ORDER BY margin DESC, {ORDER} LIMIT 1
        ), finished AS (
            SELECT match_no, 0 AS deal, m.played_at,
                m.winner > 0 AND (s.seat::INTEGER - m.winner) % {sides} = 0 AS won
            FROM seats s JOIN matches m USING (match_no)
            WHERE {where} AND {status} AND s.player_no = ? AND m.winner IS NOT NULL
        ), deal_runs AS ({_runs("played")}), match_runs AS ({_runs("finished")}),
        every AS (
            FROM best UNION ALL FROM widest
            UNION ALL SELECT 3, 'deals', * FROM deal_runs
            UNION ALL SELECT 4, 'matches', * FROM match_runs
        ), {seated("every")}
        SELECT record, value, e.played_at, until, m.match_id, deal::INTEGER + 1 AS number, names,
            ids
        FROM every e JOIN matches m USING (match_no) JOIN seated USING (match_no)
        ORDER BY e.place
        """,
        [*values, *more, *some, player_no],
    ).pl()


def _runs(table: str) -> str:
    """The longest series of rows won: its length, first and last day, where it began."""
    return f"""
        SELECT count(*) AS value, arg_min(played_at, place) AS played_at,
            arg_max(played_at, place) AS until, arg_min(match_no, place) AS match_no,
            arg_min(deal, place) AS deal
        FROM (
            SELECT *, place - row_number() OVER (PARTITION BY won ORDER BY place) AS run
            FROM (SELECT *, row_number() OVER (ORDER BY {ORDER}) AS place FROM {table})
        ) WHERE won GROUP BY run ORDER BY value DESC, min(place) LIMIT 1
    """
