"""Intervals against published tables."""

import statistics

import polars as pl
import pytest

from dashboard.queries.intervals import (
    newcombe_interval,
    wilson_interval,
    with_mean_interval,
    with_share_interval,
)

Z = statistics.NormalDist().inv_cdf(0.975)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_is_that_of_newcombe_s_table(k: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(k, n, Z) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_difference_of_shares_is_that_of_newcombe_s_table(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    assert newcombe_interval(*one, *other, Z) == pytest.approx((low, high), abs=5e-5)


def test_difference_turned_round_is_the_interval_turned_round() -> None:
    low, high = newcombe_interval(12, 40, 30, 90)
    assert newcombe_interval(30, 90, 12, 40) == pytest.approx((-high, -low))


def test_nothing_seen_says_nothing() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert newcombe_interval(0, 0, 3, 9) == (-1.0, 1.0)


def test_mean_of_a_sample_has_the_normal_interval() -> None:
    # 25 values of deviation 10 around 50: 50 ± 1.96 · 10 / 5
    frame = pl.DataFrame({"of": [50.0, 5.0, 3.0], "deviation": [10.0, None, 10.0], "n": [25, 1, 25]})
    found = with_mean_interval(frame, "of", "deviation", "n").select("of_low", "of_high").rows()
    assert found == [pytest.approx((46.08, 53.92)), (None, None), pytest.approx((0, 6.92))]
    signed = with_mean_interval(frame, "of", "deviation", "n", least=None)
    assert signed["of_low"].to_list() == [pytest.approx(46.08), None, pytest.approx(-0.92)]


def test_each_row_of_a_frame_has_its_own_interval() -> None:
    frame = with_share_interval(pl.DataFrame({"k": [8, 0], "n": [10, 0]}), "k", "n")
    assert frame["share"].to_list() == [0.8, None]
    assert (frame["low"][0], frame["high"][0]) == wilson_interval(8, 10)
