"""What was seen beside what chance gives, and beside what players of several habits come to.

Of the hands as they are dealt chance is exact (`queries.dealt`). What is held later, announced,
shown and counted depends on how one plays, and no simulated player (`ingest.store.baseline`) plays
by chance: there the least and the most that any of their habits comes to is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.queries import announcements
from dashboard.queries.dealt import dealt
from dashboard.queries.intervals import with_interval
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
    cursor: duckdb.DuckDBPyConnection, scope: Scope, runs: Mapping[str, str], key: str | None = None
) -> pl.DataFrame:
    """Every fact of `queries.announcements` beside what simulated players come to by their habits.

    `runs`: habit → the event of its run of `ingest.store.baseline`. One row per kind, trump or
    plain, and `fact`, told apart by `key`, one of MOMENTS: `k` of `n` hands, their `share` with
    `low` to `high`, and the `least` and `most` any habit has, with `least_habit` and `most_habit`.
    """
    by_lot = by_chance(cursor)
    seen = _facts(cursor, scope, key)
    habits = {
        habit: _facts(by_lot, Scope(scope.game, scope.players, event=run), key)
        for habit, run in runs.items()
    }
    return pl.concat([_spread(seen, habits, fact, key) for fact in announcements.FACTS])


def whole(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, runs: Mapping[str, str], key: str | None = None
) -> pl.DataFrame:
    """`queries.dealt` as a fact of that name, where nothing is told apart, then `against`."""
    scope = under(cursor, scope)
    later = against(cursor, scope, runs, key)
    if key is not None:
        return later
    hands = dealt(cursor, scope).with_columns(pl.lit("dealt").alias("fact"))
    both = pl.concat([hands, later], how="diagonal")
    first = ("kind", "trump", "fact")
    return both.select(*first, pl.exclude(*first))


def _facts(cursor: duckdb.DuckDBPyConnection, scope: Scope, key: str | None) -> pl.DataFrame:
    if key is None:
        return announcements.frequencies(cursor, scope)
    return announcements.by(cursor, scope, key)


def _spread(
    seen: pl.DataFrame, habits: Mapping[str, pl.DataFrame], fact: str, key: str | None
) -> pl.DataFrame:
    """The rows of one fact: every kind that came in any of all these deals."""
    keys = [*KEYS, *([key] if key else ())]
    every = pl.concat([frame.select(keys) for frame in (seen, *habits.values())])
    every = every.unique(maintain_order=True)
    k, n = _counts(every, seen, keys, fact)
    frame = every.with_columns(pl.lit(fact).alias("fact"), pl.Series("k", k), pl.Series("n", n))
    frame = with_interval(frame.select(*KEYS, "fact", *keys[2:], "k", "n"), "k", "n")
    simulated = [_counts(every, one, keys, fact) for one in habits.values()]
    shares = np.array([some / np.maximum(of, 1) for some, of in simulated])
    rows, names = np.arange(every.height), np.array(list(habits), np.object_)
    for name, ends in (("least", shares.argmin(axis=0)), ("most", shares.argmax(axis=0))):
        frame = frame.with_columns(
            pl.Series(name, shares[ends, rows]),
            pl.Series(f"{name}_habit", names[ends], pl.String),
        )
    return frame.filter(pl.col("n") > 0)


def _counts(
    every: pl.DataFrame, frame: pl.DataFrame, keys: Sequence[str], fact: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hands of a fact, and of all, row by row of `every`; none where nothing came."""
    found = every.join(frame, on=keys, how="left", nulls_equal=True, maintain_order="left")
    n = frame["n"].max() if frame.height else 0
    counts = found.select(pl.col(fact).fill_null(0), pl.col("n").fill_null(n or 0)).cast(pl.Int64)
    return counts[fact].to_numpy(), counts["n"].to_numpy()
