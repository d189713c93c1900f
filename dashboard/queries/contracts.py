"""How often all players bid, double and make each contract."""

import polars as pl

from dashboard.queries.intervals import with_share_interval
from dashboard.queries.scope import Condition, Cursor, Scope


def contracts(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """Count per contract (`level`, an index of the game's HEIGHTS) how often it was bid and made.

    `decided` counts those made or failed; `taken_share` is the share of the `n` deals.
    """
    where, values = scope.conditions()
    query = f"""
        WITH chosen AS (
            SELECT d.* FROM deals d JOIN matches m USING (match_no) WHERE {where}
        )
        SELECT c.contract AS level, count(*) AS taken, (SELECT count(*) FROM chosen) AS n,
            count(*) FILTER (c.coinched > 0) AS contracts_coinched, count(c.contract_made) AS decided,
            count(*) FILTER (c.contract_made) AS made
        FROM chosen c WHERE c.contract IS NOT NULL
        GROUP BY c.contract ORDER BY c.contract
    """
    frame = cursor.execute(query, values).pl()
    return with_share_interval(with_share_interval(frame, "made", "decided"), "taken", "n", "taken_")


def hands_at_level(scope: Scope, level: int) -> Condition:
    """Return SQL for the declarers' hands at one level, for `player_deals.list_hands`."""
    where, values = scope.conditions()
    query = f"""SELECT match_no, d.deal_index, d.declarer AS seat
        FROM deals d JOIN matches m USING (match_no) WHERE {where} AND d.contract = ?"""
    return query, [*values, level]
