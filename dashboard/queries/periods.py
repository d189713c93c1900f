"""A player's figures by month or season, and whether they changed by more than chance.

Each figure is tested once, over all its periods. The deals of a match share opponents and cards, so
matches are the units: the variance of a period is estimated from its matches (Rao and Scott, 1992, for
shares; Liang and Zeger, 1986, and Bell and McCaffrey, 2002, for shares and means).
Among many figures some differ by chance: false discoveries are held to one in twenty over all figures
(Benjamini and Hochberg, 1995).
"""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from dashboard.queries.peers import FIGURE_KEYS, counts_by_match, with_players_preset, with_values
from dashboard.queries.scope import Cursor, Scope

MAX_MONTHS = 24
"""Months of play up to which figures are shown by month; beyond, by season."""
FIRST_MONTH = 9
"""The month in which a club's season begins."""
SEASON = pl.date(
    pl.col("month").dt.year() - (pl.col("month").dt.month() < FIRST_MONTH).cast(pl.Int32), FIRST_MONTH, 1
)
"""The first day of the season of a `month`."""
MIN_EXPECTED = 5
"""A period with fewer expected successes or failures is not tested."""
MIN_MEASURED = 10
"""A period with fewer deals is not tested for a mean."""
MIN_MATCHES = 3
"""A period with fewer matches is not tested: they would not show how much matches vary."""
ALARM = 0.05
"""The share of false discoveries among the changes of a page."""


def figures_by_period(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a row per figure and period: `value` of `n` deals, its interval, and the test.

    `by` is `month` or `season`, `period` its first day. `p` is the figure's p-value, `corrected` that
    of Benjamini and Hochberg, `changed` whether it is below ALARM; null where no two periods can be
    tested. Deals without a date are excluded.
    """
    scope = with_players_preset(cursor, scope, player_no)
    matches = counts_by_match(cursor, scope, player_no)
    by = "month" if matches["month"].n_unique() <= MAX_MONTHS else "season"
    matches = matches.with_columns(period=pl.col("month") if by == "month" else SEASON)
    found = with_values(summed_by_period(matches)).with_columns(by=pl.lit(by))
    figures = matches.partition_by(FIGURE_KEYS, maintain_order=True)
    if not figures:
        empty = {"p": pl.Float64, "corrected": pl.Float64, "changed": pl.Boolean}
        return found.with_columns(pl.lit(None, kind).alias(name) for name, kind in empty.items())
    p = np.array([change_p_value(frame) for frame in figures])
    corrected = corrected_p_values(p)
    tested = pl.concat([frame.select(FIGURE_KEYS).head(1) for frame in figures]).with_columns(
        pl.Series("p", p).fill_nan(None), pl.Series("corrected", corrected).fill_nan(None)
    )
    tested = tested.with_columns(changed=pl.col("corrected") < ALARM)
    return found.join(tested, on=FIGURE_KEYS, how="left", nulls_equal=True, maintain_order="left")


def summed_by_period(matches: pl.DataFrame) -> pl.DataFrame:
    """Return the counts of each figure and `period`, in order of periods."""
    sums: list[Any] = [
        pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name)
        for name in ("k", "total", "squared")
    ]
    groups = matches.group_by(*FIGURE_KEYS, "period", maintain_order=True)
    counts = groups.agg(pl.col("n").sum(), *sums).with_row_index("at")
    return counts.sort(pl.col("at").min().over(FIGURE_KEYS), "period").drop("at")


def change_p_value(matches: pl.DataFrame) -> float:
    """Return the p-value of a figure that is equal in all periods; NaN if fewer than two can be tested.

    `matches` has a row per match, with its `period`.
    """
    n = matches["n"].cast(pl.Float64).to_numpy()
    is_share = matches["k"].null_count() == 0
    total = matches["k" if is_share else "total"].cast(pl.Float64).to_numpy()
    _, at = np.unique(matches["period"].to_numpy(), return_inverse=True)
    size, whole = np.bincount(at, n), total.sum() / n.sum()
    enough = size * min(whole, 1 - whole) >= MIN_EXPECTED if is_share else size >= MIN_MEASURED
    tested = (enough & (np.bincount(at) >= MIN_MATCHES))[at]
    _, at = np.unique(at[tested], return_inverse=True)
    return _clustered_p_value(at, total[tested], n[tested])


def _clustered_p_value(at: NDArray[np.intp], total: NDArray[np.float64], n: NDArray[np.float64]) -> float:
    """Return the p-value of equal figures `total / n` in the periods `at` of matches.

    The variance of a deal is estimated from matches, each against its own period, as if it were the
    same in all periods; the degrees of freedom count matches of unequal length as fewer.
    """
    size, sums = np.bincount(at, n), np.bincount(at, total)
    more = len(size) - 1
    if more < 1:
        return float("nan")
    value, weight = sums / size, n / size[at]
    between = (size * (value - total.sum() / n.sum()) ** 2).sum() / more
    within = ((total - n * value[at]) ** 2 / (1 - weight)).sum() / n.sum()
    if within <= 0:
        return 1.0 if between <= 0 else 0.0
    freedom = (1 / np.bincount(at, weight**2) - 1).sum()
    return float(stats.f.sf(between / within, more, freedom))


def corrected_p_values(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Benjamini and Hochberg's p-values; NaN stays, and is not counted."""
    known = np.flatnonzero(~np.isnan(p))
    found = np.full(len(p), np.nan)
    if len(known):
        found[known] = stats.false_discovery_control(p[known], method="bh")
    return found
