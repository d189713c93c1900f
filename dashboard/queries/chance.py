"""What was seen beside what simulated deals of the same rules give (`ingest.store.baseline`)."""

from dataclasses import replace
from typing import Any

import duckdb
import polars as pl

from dashboard.queries import announcements
from dashboard.queries.intervals import newcombe
from dashboard.queries.scope import Scope
from engine import RULES_VERSION
from engine.options import default_preset
from ingest.store.baseline import SCHEMA, by_chance, event

KEYS = ("kind", "trump")


def under(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> Scope:
    """The scope by one preset: its own, or the one most of its deals were played by."""
    if scope.preset is not None:
        return scope
    counted, values = scope.counted("NOT d.void")
    where, more = scope.where()
    row = cursor.execute(
        f"""
        SELECT m.preset FROM match_deals d JOIN matches m USING (match_no)
        WHERE {counted} AND {where} AND m.preset IS NOT NULL
        GROUP BY m.preset ORDER BY sum(d.deals) DESC, m.preset LIMIT 1
        """,
        [*values, *more],
    ).fetchone()
    return replace(scope, preset=row[0] if row else default_preset(scope.game))


def run(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, habit: str | None
) -> dict[str, Any] | None:
    """The run kept last of the scope's game, preset and table by today's rules, None if none is.

    `event` as `against` takes it, `seed`, and how many `deals`; `habit` None: drawn by lot.
    """
    row = cursor.execute(
        f"""
        SELECT run, seed, deals FROM {SCHEMA}.runs
        WHERE game = ? AND preset = ? AND players = ? AND habit IS NOT DISTINCT FROM ?
            AND rules_version = ?
        ORDER BY run DESC LIMIT 1
        """,
        [scope.game, scope.preset, scope.players, habit, RULES_VERSION],
    ).fetchone()
    return None if row is None else {"event": event(row[0]), "seed": row[1], "deals": row[2]}


def against(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, run: str, key: str | None = None
) -> pl.DataFrame:
    """Every fact of `queries.announcements` beside a run of `ingest.store.baseline`, by its event.

    `beside` for each `fact`, in a column of that name; told apart by `key`, one of MOMENTS.
    """
    by_lot = by_chance(cursor)
    other = Scope(scope.game, scope.players, event=run)
    if key is None:
        seen = announcements.frequencies(cursor, scope)
        simulated = announcements.frequencies(by_lot, other)
    else:
        seen = announcements.by(cursor, scope, key)
        simulated = announcements.by(by_lot, other, key)
    return pl.concat(
        [
            beside(seen, simulated, fact, key).insert_column(2, pl.lit(fact).alias("fact"))
            for fact in announcements.FACTS
        ]
    )


def beside(
    observed: pl.DataFrame, simulated: pl.DataFrame, fact: str, key: str | None = None
) -> pl.DataFrame:
    """Two answers of `queries.announcements`, by the same key or by none, held against each other.

    `fact` is `held`, `announced`, `shown` or `counted`. One row per kind, trump or plain: `k` of
    `n` hands seen, `chance_k` of `chance_n` simulated, both shares, and their `difference` with
    the interval `low` to `high`. What came in neither has no row.
    """
    keys = [*KEYS, *([key] if key else ())]
    columns = [*keys, fact, "n"]
    both = (
        observed.select(columns)
        .rename({fact: "k"})
        .join(
            simulated.select(columns).rename({fact: "chance_k", "n": "chance_n"}),
            on=keys,
            how="full",
            maintain_order="left_right",
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
