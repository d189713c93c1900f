"""What one player bid: contracts by height and suit, bid cards, points of the reserve."""

import duckdb
import polars as pl

from dashboard.queries.intervals import with_interval, with_mean
from dashboard.queries.played import mine
from dashboard.queries.scope import Scope


def contracts(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """Contracts the player bid: `taken` in `n` deals, `coinched`, `made`, `failed`, `decided`.

    A row for all (`by` all), each height, each suit, each height in each suit (`both`), coinched
    or not. `level` is a place in the game's HEIGHTS, `suit` 0 to 3. `share` of made ones among
    those decided, `taken_share` of contracts among all deals, each with its interval.
    """
    chosen, values = mine(scope, player_no, decided=False)
    frame = cursor.execute(
        f"""
        WITH played AS (
            SELECT d.contract AS level, d.trump AS suit, d.coinched > 0 AS coinched, d.made,
                d.bidder = ds.seat AND d.contract IS NOT NULL AS mine, match_no
            FROM {chosen}
        )
        SELECT CASE grouping(level) * 4 + grouping(suit) * 2 + grouping(coinched)
                WHEN 7 THEN 'all' WHEN 3 THEN 'height' WHEN 5 THEN 'suit' WHEN 1 THEN 'both'
                ELSE 'coinched' END AS "by",
            level, suit, CASE WHEN grouping(coinched) = 0 THEN coinched END AS doubled,
            count(*) AS taken, (SELECT count(*) FROM played) AS n,
            count(*) FILTER (coinched) AS coinched, count(*) FILTER (made) AS made,
            count(*) FILTER (NOT made) AS failed, count(made) AS decided
        FROM played WHERE mine
        GROUP BY GROUPING SETS ((), (level), (suit), (level, suit), (coinched))
        HAVING taken > 0
        ORDER BY CASE "by" WHEN 'all' THEN 0 WHEN 'height' THEN 1 WHEN 'suit' THEN 2
            WHEN 'coinched' THEN 3 ELSE 4 END, level, suit, doubled
        """,
        values,
    ).pl()
    return with_interval(with_interval(frame, "made", "decided"), "taken", "n", "taken_")


def bid_cards(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """Each bid card (`bid`, its place among the five) chosen in `n` manches, `met` in some.

    `points` is the mean of those manches with its interval; so is `reserve`, what chouiner
    brought.
    """
    chosen, values = mine(scope, player_no, decided=False)
    frame = cursor.execute(
        f"""
        SELECT ds.bid, count(*) AS n, count(*) FILTER (ds.met) AS met, avg(ds.points) AS points,
            stddev_samp(ds.points) AS deviation, avg(ds.bonus) AS reserve,
            stddev_samp(ds.bonus) AS spread
        FROM {chosen} AND ds.bid IS NOT NULL GROUP BY ds.bid ORDER BY ds.bid
        """,
        values,
    ).pl()
    frame = with_mean(with_interval(frame, "met", "n"), "points", "deviation", "n")
    return with_mean(frame, "reserve", "spread", "n").drop("spread")


def reserve(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """One row: `reserve` points from chouiner of all `points` in `n` manches, and their share.

    `low` and `high` are the normal interval of that ratio of two sums, null below two manches.
    """
    chosen, values = mine(scope, player_no, decided=False)
    frame = cursor.execute(
        f"""
        SELECT count(*) AS n, sum(ds.bonus)::BIGINT AS reserve, sum(ds.points)::BIGINT AS points,
            avg(ds.bonus) AS mean, stddev_samp(ds.bonus) AS deviation,
            var_samp(ds.bonus) AS own, var_samp(ds.points) AS whole,
            covar_samp(ds.bonus, ds.points) AS both
        FROM {chosen} HAVING n > 0
        """,
        values,
    ).pl()
    frame = with_mean(frame, "mean", "deviation", "n")
    share = pl.when(pl.col("points") > 0).then(pl.col("reserve") / pl.col("points"))
    frame = frame.with_columns(share.alias("share"))
    left = pl.col("own") - 2 * share * pl.col("both") + share**2 * pl.col("whole")
    off = 1.96 * (left.clip(0) * pl.col("n")).sqrt() / pl.col("points")
    return frame.with_columns(low=share - off, high=share + off).drop("own", "whole", "both")
