"""What was seen beside what simulated deals of the same rules give (`ingest.baseline`)."""

import polars as pl

from dashboard.queries.intervals import newcombe

KEYS = ("kind", "trump")


def beside(observed: pl.DataFrame, simulated: pl.DataFrame, fact: str) -> pl.DataFrame:
    """Two answers of `queries.announcements.frequencies`, held against each other.

    `fact` is `held`, `announced`, `shown` or `counted`. One row per kind, trump or plain: `k` of
    `n` hands seen, `chance_k` of `chance_n` simulated, both shares, and their `difference` with
    the interval `low` to `high`. What came in neither has no row.
    """
    columns = [*KEYS, fact, "n"]
    both = (
        observed.select(columns)
        .rename({fact: "k"})
        .join(
            simulated.select(columns).rename({fact: "chance_k", "n": "chance_n"}),
            on=list(KEYS),
            how="full",
            coalesce=True,
        )
    )
    n = observed["n"].max() if observed.height else 0
    chance_n = simulated["n"].max() if simulated.height else 0
    both = both.with_columns(
        pl.col("k", "chance_k").fill_null(0),
        pl.col("n").fill_null(n),
        pl.col("chance_n").fill_null(chance_n),
    ).filter((pl.col("n") > 0) & (pl.col("chance_n") > 0))
    bounds = [newcombe(*row) for row in both.select("k", "n", "chance_k", "chance_n").iter_rows()]
    return both.with_columns(
        (pl.col("k") / pl.col("n")).alias("share"),
        (pl.col("chance_k") / pl.col("chance_n")).alias("chance"),
        pl.Series("low", [low for low, _ in bounds], dtype=pl.Float64),
        pl.Series("high", [high for _, high in bounds], dtype=pl.Float64),
    ).with_columns((pl.col("share") - pl.col("chance")).alias("difference"))
