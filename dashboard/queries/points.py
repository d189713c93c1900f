"""One player's points and tricks: averages, how they spread, the last trick, the 7, the trend."""

import duckdb
import polars as pl

from dashboard.games import of
from dashboard.queries.intervals import with_interval, with_mean
from dashboard.queries.played import ORDER, mine
from dashboard.queries.scope import Scope

QUARTERS = ("quarter", "median", "three_quarters")
ROLLED = 50
"""Deals a point of the trend rests on."""


def averages(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """A row per `measure`: the `mean` of `n` deals with its interval, and how the deals spread.

    `quarter`, `median` and `three_quarters` are values seen: as many deals lie below as said.
    """
    chosen, values = mine(scope, player_no)
    measures = of(scope.game).STATISTICS.averages
    frame = cursor.execute(
        f"""
        WITH played AS (SELECT {", ".join(f"ds.{one}" for one in measures)} FROM {chosen}),
        told AS (UNPIVOT (
            SELECT {", ".join(f"{one}::INTEGER AS {one}" for one in measures)} FROM played
        ) ON {", ".join(measures)} INTO NAME measure VALUE value)
        SELECT measure, count(*) AS n, avg(value) AS mean, stddev_samp(value) AS deviation,
            min(value) AS least, quantile_disc(value, [0.25, 0.5, 0.75]) AS quarters,
            max(value) AS most
        FROM told GROUP BY measure
        """,
        values,
    ).pl()
    order = pl.DataFrame({"measure": measures})
    frame = order.join(frame, on="measure", maintain_order="left")
    spread = [pl.col("quarters").list.get(i).alias(name) for i, name in enumerate(QUARTERS)]
    return with_mean(frame.with_columns(spread).drop("quarters"), "mean", "deviation", "n")


def distribution(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """How many deals (`n`, of them `wins`) ended with points from `least` to `most`."""
    chosen, values = mine(scope, player_no)
    width = of(scope.game).STATISTICS.width
    frame = cursor.execute(
        f"""
        SELECT ds.points // {width} * {width} AS least, least + {width - 1} AS most, count(*) AS n,
            count(*) FILTER (ds.won) AS wins
        FROM {chosen} GROUP BY least ORDER BY least
        """,
        values,
    ).pl()
    return with_interval(frame, "wins", "n")


def events(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """`k` of `n` deals: `der`, the last trick taken; `exchanged`, the 7, where a game has that.

    And how many of the exchanges came by the end of each trick: `sept`, with the `trick`.
    """
    chosen, values = mine(scope, player_no)
    row, *tricks = cursor.execute(
        f"""
        SELECT CASE WHEN grouping(ds.sept) = 0 THEN ds.sept END AS trick, count(*),
            count(*) FILTER (ds.der), count(ds.sept)
        FROM {chosen} GROUP BY GROUPING SETS ((), (ds.sept))
        ORDER BY grouping(ds.sept) DESC, trick
        """,
        values,
    ).fetchall()
    _, n, der, exchanged = row
    rows: list[tuple[str, int | None, int, int]] = [("der", None, der, n)]
    if of(scope.game).STATISTICS.exchange:
        rows.append(("exchanged", None, exchanged, n))
        so_far = 0
        for trick, _, _, some in tricks:
            if trick is not None:
                so_far += some
                rows.append(("sept", trick, so_far, exchanged))
    columns = {"what": pl.String, "trick": pl.Int64, "k": pl.Int64, "n": pl.Int64}
    frame = pl.DataFrame(rows, columns, orient="row").filter(pl.col("n") > 0)
    return with_interval(frame, "k", "n")


def trend(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int, rolled: int = ROLLED
) -> pl.DataFrame:
    """After each day of play the last `rolled` deals (`n`): `wins` with interval, mean `points`.

    Deals without a date are not in it.
    """
    chosen, values = mine(scope, player_no)
    frame = cursor.execute(
        f"""
        WITH played AS (
            SELECT m.played_at, match_no, ds.deal, ds.won, ds.points FROM {chosen}
            AND m.played_at IS NOT NULL
        ), rolled AS (
            SELECT played_at::DATE AS day, row_number() OVER (ORDER BY {ORDER}) AS place,
                count(*) OVER w AS n, count(*) FILTER (won) OVER w AS wins,
                avg(points) OVER w AS points, stddev_samp(points) OVER w AS deviation
            FROM played
            WINDOW w AS (ORDER BY {ORDER} ROWS BETWEEN {rolled - 1:d} PRECEDING AND CURRENT ROW)
        )
        SELECT day, max(place) AS played, arg_max(n, place) AS n, arg_max(wins, place) AS wins,
            arg_max(points, place) AS points, arg_max(deviation, place) AS deviation
        FROM rolled GROUP BY day ORDER BY day
        """,
        values,
    ).pl()
    return with_mean(with_interval(frame, "wins", "n"), "points", "deviation", "n")
