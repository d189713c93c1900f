"""Confidence intervals: Wilson for shares, Newcombe for their differences, normal for means."""

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MIN_SAMPLE = 20
"""Below this many a figure is greyed: its interval is too wide to be useful."""


def wilson_interval(successes: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share, 95% by default; (0, 1) if n is 0."""
    low, high = _wilson_arrays(np.array([successes], np.float64), np.array([n], np.float64), z)
    return float(low[0]), float(high[0])


def _wilson_arrays(successes: Floats, n: Floats, z: float = 1.96) -> tuple[Floats, Floats]:
    """Return the bounds of `wilson_interval` for many shares at once."""
    some = np.maximum(n, 1)
    share = successes / some
    spread = z * np.sqrt(share * (1 - share) / some + z * z / (4 * some * some))
    middle, scale = share + z * z / (2 * some), 1 + z * z / some
    # exact at 0 and 1, where the formula rounds
    low = np.where(successes > 0, (middle - spread) / scale, 0.0)
    return low, np.where(successes < n, (middle + spread) / scale, 1.0)


def newcombe_interval(k: int, n: int, other_k: int, other_n: int, z: float = 1.96) -> tuple[float, float]:
    """Return Newcombe's interval of a difference of shares; (-1, 1) if either n is 0."""
    if n == 0 or other_n == 0:
        return -1.0, 1.0
    share, other = k / n, other_k / other_n
    (low, high), (other_low, other_high) = (wilson_interval(k, n, z), wilson_interval(other_k, other_n, z))
    below = math.hypot(share - low, other_high - other)
    above = math.hypot(high - share, other - other_low)
    return share - other - below, share - other + above


def with_share_interval(frame: pl.DataFrame, successes: str, n: str, of: str = "") -> pl.DataFrame:
    """Add `share`, `low` and `high`, fractions of 1; `share` is null if n is 0.

    `of` is a prefix of these names if a frame has several: `met_share`.
    """
    some, every = (frame[name].cast(pl.Float64).to_numpy() for name in (successes, n))
    low, high = _wilson_arrays(some, every)
    return frame.with_columns(
        pl.when(pl.col(n) > 0).then(pl.col(successes) / pl.col(n)).alias(f"{of}share"),
        pl.Series(f"{of}low", low),
        pl.Series(f"{of}high", high),
    )


def with_mean_interval(
    frame: pl.DataFrame, average: str, deviation: str, n: str, least: int | None = 0
) -> pl.DataFrame:
    """Add a mean's normal interval, cut at `least`, as `<average>_low` and `_high`, null if n is below 2."""
    spread, some = 1.96 * pl.col(deviation) / pl.col(n).sqrt(), pl.when(pl.col(n) > 1)
    return frame.with_columns(
        some.then((pl.col(average) - spread).clip(least)).alias(f"{average}_low"),
        some.then(pl.col(average) + spread).alias(f"{average}_high"),
    )


def with_difference_interval(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Add `low` and `high` of a difference; `columns` are the arguments of `newcombe_interval`."""
    rows = zip(*map(frame.get_column, columns), strict=True)
    bounds = np.array([newcombe_interval(*row) for row in rows], np.float64).reshape(-1, 2)
    return frame.with_columns(low=pl.Series(bounds[:, 0]), high=pl.Series(bounds[:, 1]))
