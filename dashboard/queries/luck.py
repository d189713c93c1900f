"""The cards a player was given, against what a fair deal gives on average."""

import math

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games import of
from dashboard.queries.played import mine
from dashboard.queries.scope import Scope


def worth(name: str) -> NDArray[np.int64]:
    """The points of each card of a game's pack while nothing is trump; empty: cards have none."""
    return np.array(of(name).STATISTICS.worth, np.int64)


def luck(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int, z: float = 1.96
) -> pl.DataFrame:
    """One row: card points `received` in `n` deals, `expected` of so many cards, and how sure.

    Of N cards with the mean μ and the variance σ², n cards drawn without putting back have nμ
    points on average with the variance nσ²(N - n)/(N - 1); deals are independent. `difference` in
    all, with `low` to `high`, `per_deal` and `sigmas`; `unknown` deals have cards nobody wrote
    down. No row: a game whose cards have no points, or no deal.
    """
    pack = worth(scope.game)
    if not len(pack):
        return pl.DataFrame()
    size, mean, variance = len(pack), float(pack.mean()), float(pack.var())
    chosen, values = mine(scope, player_no, decided=False)
    row = cursor.execute(
        f"""
        SELECT count(received), count(*) - count(received), sum(received_cards)::BIGINT,
            sum(received)::BIGINT, sum(received_cards::BIGINT * ({size} - received_cards))::BIGINT
        FROM {chosen}
        """,
        values,
    ).fetchone()
    if row is None or not row[0]:
        return pl.DataFrame()
    n, unknown, cards, received, spread = row
    expected, deviation = cards * mean, math.sqrt(variance * spread / (size - 1))
    difference = received - expected
    return pl.DataFrame(
        {
            "n": n,
            "cards": cards,
            "received": received,
            "expected": expected,
            "difference": difference,
            "low": difference - z * deviation,
            "high": difference + z * deviation,
            "per_deal": difference / n,
            "per_deal_low": (difference - z * deviation) / n,
            "per_deal_high": (difference + z * deviation) / n,
            "deviation": deviation,
            "sigmas": difference / deviation if deviation else None,
            "unknown": unknown,
        }
    )
