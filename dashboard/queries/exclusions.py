"""Deals that statistics exclude, each with its first reason."""

from dataclasses import replace

import polars as pl

from dashboard.queries.player_deals import list_plain_deals
from dashboard.queries.scope import Condition, Cursor, Scope


def exclusion_counts(
    cursor: Cursor, scope: Scope, player_no: int | None = None, decided: bool = False
) -> pl.DataFrame:
    """Count the `excluded_deals` by `reason`, most first; `player_no` restricts to one player.

    Reasons: `undated` if the scope has dates, `void`, or a verdict. With `decided`, for figures
    of winning, also `null` for a drawn deal and `unknown` if the log records no winner.
    """
    every, values = _rows_with_reason(scope, player_no)
    undecided = """
        UNION ALL SELECT 'null', sum(drawn)::BIGINT FROM every WHERE reason IS NULL
        HAVING sum(drawn) > 0
        UNION ALL SELECT 'unknown', sum(deals - decided - drawn)::BIGINT FROM every
        WHERE reason IS NULL HAVING sum(deals - decided - drawn) > 0"""
    query = f"""
        WITH every AS ({every})
        SELECT reason, sum(deals)::BIGINT AS deals FROM every WHERE reason IS NOT NULL GROUP BY 1
        {undecided if decided else ""}
        ORDER BY deals DESC, reason
    """
    return cursor.execute(query, values).pl()


def excluded_deals(
    cursor: Cursor,
    scope: Scope,
    player_no: int | None = None,
    decided: bool = False,
    limit: int = 25,
    offset: int = 0,
) -> pl.DataFrame:
    """Return the deals that `exclusion_counts` counts, each with its `reason`."""
    every, values = _rows_with_reason(scope, player_no)
    counted, some = scope.deal_condition()
    dated = "m.played_on IS NOT NULL" if scope.date_condition()[1] else "true"
    won = "AND coalesce(d.winning_side, 0) > 0" if decided else ""
    # the last deals lie in at most as many matches
    left = f"""
        WITH near AS MATERIALIZED (
            SELECT DISTINCT match_no, played_at FROM ({every})
            WHERE reason IS NOT NULL OR ({decided} AND decided < deals)
            ORDER BY played_at DESC NULLS LAST, match_no DESC LIMIT ?
        )
        SELECT match_no, d.deal_index, CASE {_reason_case(scope, counted, "d.void IS NOT NULL")}
            WHEN d.winning_side = 0 THEN 'null' ELSE 'unknown' END AS reason
        FROM deals d JOIN matches m USING (match_no) SEMI JOIN near USING (match_no)
        WHERE NOT ({dated} AND {counted} {won})"""
    return list_plain_deals(cursor, (left, [*values, limit + offset, *some, *some]), limit, offset)


def _rows_with_reason(scope: Scope, player_no: int | None) -> Condition:
    """Return SQL for rows of `match_deals` with their `reason`, NULL for those that count."""
    counted, some = scope.deal_condition("NOT d.void")
    of_any_day = replace(scope, since=None, until=None)
    where, more = of_any_day.match_condition(None if player_no is None else "s.seat")
    within, days = scope.date_condition()
    seated = "" if player_no is None else "JOIN seats s USING (match_no)"
    whose = "" if player_no is None else "AND s.player_no = ?"
    query = f"""
        SELECT match_no, m.played_at, d.deals, d.decided, d.drawn,
            CASE {_reason_case(scope, counted, "d.void")} END AS reason
        FROM match_deals d JOIN matches m USING (match_no) {seated}
        WHERE {where} AND coalesce({within}, true) {whose}"""
    return query, [*some, *more, *days, *([] if player_no is None else [player_no])]


def _reason_case(scope: Scope, counted: str, void: str) -> str:
    """Return the branches of an SQL CASE: why `d` is excluded from `m`."""
    dated = "m.played_on IS NOT NULL" if scope.date_condition()[1] else "true"
    return f"""WHEN NOT ({dated}) THEN 'undated' WHEN {void} THEN 'void'
            WHEN d.is_score_line AND d.match_no IN (SELECT match_no FROM sheet_with_log) THEN 'sheet_with_log'
            WHEN NOT ({counted}) THEN IF(d.is_score_line AND d.status = 'unverified', 'sheet',
                d.status::VARCHAR)"""


def undecided_deals(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count the player's deals that figures of winning exclude, as `exclusion_counts`."""
    return exclusion_counts(cursor, scope, player_no, decided=True)
