"""How often each contract is bid, doubled and made."""

import polars as pl

from dashboard.queries.intervals import with_share_interval
from dashboard.queries.scope import Condition, Cursor, Scope


def contracts(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """One row per height (`level`, a place in the game's HEIGHTS): how often bid, doubled and made.

    `decided` are those made or failed; `taken_share` is of the `n` deals.
    """
    where, values = scope.conditions()
    query = f"""
        WITH chosen AS (
            SELECT d.* FROM deals d JOIN matches m USING (match_no) WHERE {where}
        )
        SELECT c.contract AS level, count(*) AS taken, (SELECT count(*) FROM chosen) AS n,
            count(*) FILTER (c.coinched > 0) AS coinched, count(c.made) AS decided,
            count(*) FILTER (c.made) AS made
        FROM chosen c WHERE c.contract IS NOT NULL
        GROUP BY c.contract ORDER BY c.contract
    """
    frame = cursor.execute(query, values).pl()
    return with_share_interval(
        with_share_interval(frame, "made", "decided"), "taken", "n", "taken_"
    )


def hands_at_level(scope: Scope, level: int) -> Condition:
    """The bidders' hands of one height, as `played.listed` takes them: as many as were `taken`."""
    where, values = scope.conditions()
    query = f"""SELECT match_no, d.deal, d.bidder AS seat
        FROM deals d JOIN matches m USING (match_no) WHERE {where} AND d.contract = ?"""
    return query, [*values, level]
