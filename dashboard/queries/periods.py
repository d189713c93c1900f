"""A player's figures by month or season, and whether they changed by more than chance.

Each figure is tested once, over all its periods: shares by Pearson's χ², means by analysis of variance.
Among many figures some differ by chance: false discoveries are held to one in twenty over all figures
(Benjamini and Hochberg, 1995).
"""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from dashboard.queries.peers import FIGURE_KEYS, monthly_counts, with_players_preset, with_values
from dashboard.queries.scope import Cursor, Scope

MAX_MONTHS = 24
"""Months of play up to which figures are shown by month; beyond, by season."""
FIRST_MONTH = 9
"""The month in which a club's season begins."""
MIN_EXPECTED = 5
"""A period with fewer expected successes or failures is not tested: χ² would not hold."""
MIN_MEASURED = 10
"""A period with fewer deals is not tested for a mean."""
ALARM = 0.05
"""The share of false discoveries among the changes of a page."""


def figures_by_period(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a row per figure and period: `value` of `n` deals, its interval, and the test.

    `by` is `month` or `season`, `period` its first day. `p` is the figure's p-value, `corrected` that
    of Benjamini and Hochberg, `changed` whether it is below ALARM; null where no two periods can be
    tested. Deals without a date are excluded.
    """
    scope = with_players_preset(cursor, scope, player_no)
    months = monthly_counts(cursor, scope, player_no)
    by = "month" if months["month"].n_unique() <= MAX_MONTHS else "season"
    counts = months.rename({"month": "period"}) if by == "month" else by_season(months)
    found = with_values(counts).with_columns(by=pl.lit(by))
    figures = [frame.select(FIGURE_KEYS).head(1) for frame in _each_figure(counts)]
    if not figures:
        empty = {"p": pl.Float64, "corrected": pl.Float64, "changed": pl.Boolean}
        return found.with_columns(pl.lit(None, kind).alias(name) for name, kind in empty.items())
    p = np.array([change_p_value(frame) for frame in _each_figure(counts)])
    corrected = corrected_p_values(p)
    tested = pl.concat(figures).with_columns(
        pl.Series("p", p).fill_nan(None), pl.Series("corrected", corrected).fill_nan(None)
    )
    tested = tested.with_columns(changed=pl.col("corrected") < ALARM)
    return found.join(tested, on=FIGURE_KEYS, how="left", nulls_equal=True, maintain_order="left")


def _each_figure(counts: pl.DataFrame) -> list[pl.DataFrame]:
    return counts.partition_by(FIGURE_KEYS, maintain_order=True)


def by_season(months: pl.DataFrame) -> pl.DataFrame:
    """Return counts by season, which begins in FIRST_MONTH."""
    month = pl.col("month")
    year = month.dt.year() - (month.dt.month() < FIRST_MONTH).cast(pl.Int32)
    seasons = months.with_columns(period=pl.date(year, FIRST_MONTH, 1))
    sums: list[Any] = [
        pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name)
        for name in ("k", "total", "squared")
    ]
    return seasons.group_by("period", *FIGURE_KEYS, maintain_order=True).agg(pl.col("n").sum(), *sums)


def change_p_value(counts: pl.DataFrame) -> float:
    """Return the p-value of equal figures in all periods; NaN if fewer than two can be tested."""
    n = counts["n"].cast(pl.Float64).to_numpy()
    if counts["k"].null_count() == 0:
        return _share_p_value(counts["k"].cast(pl.Float64).to_numpy(), n)
    return _mean_p_value(counts["total"].to_numpy(), counts["squared"].to_numpy(), n)


def _share_p_value(k: NDArray[np.float64], n: NDArray[np.float64]) -> float:
    """Return the p-value of Pearson's χ² for equal shares."""
    share = k.sum() / n.sum()
    tested = n * min(share, 1 - share) >= MIN_EXPECTED
    k, n = k[tested], n[tested]
    if len(n) < 2:
        return float("nan")
    share = k.sum() / n.sum()
    if not 0 < share < 1:
        return 1.0
    return float(stats.chi2.sf(((k - n * share) ** 2 / (n * share * (1 - share))).sum(), len(n) - 1))


def _mean_p_value(total: NDArray[np.float64], squared: NDArray[np.float64], n: NDArray[np.float64]) -> float:
    """Return the p-value of Fisher's F for equal means."""
    tested = n >= MIN_MEASURED
    total, squared, n = total[tested], squared[tested], n[tested]
    if len(n) < 2:
        return float("nan")
    within = (squared - total**2 / n).sum()
    between = (total**2 / n).sum() - total.sum() ** 2 / n.sum()
    if within <= 0:
        return 1.0 if between <= 0 else 0.0
    freedom, more = n.sum() - len(n), len(n) - 1
    return float(stats.f.sf(between / more / (within / freedom), more, freedom))


def corrected_p_values(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Benjamini and Hochberg's p-values; NaN stays, and is not counted."""
    known = np.flatnonzero(~np.isnan(p))
    found = np.full(len(p), np.nan)
    if len(known):
        found[known] = stats.false_discovery_control(p[known], method="bh")
    return found
