"""Pooled estimates and places: what the models promise, in clubs whose players' true figures are known."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from dashboard.queries import pooling
from dashboard.queries.peers import MIN_PEERS, PEER_DEALS
from dashboard.queries.pooling import Pooled, PooledMeans, PooledShares

Floats = NDArray[np.float64]


class Club(NamedTuple):
    """Players whose true figures are known, and what was counted of them."""

    true: Floats
    raw: Floats
    n: NDArray[np.int64]
    model: Pooled


def share_club(random: np.random.Generator, size: int, centre: float, spread: float) -> Club:
    strength = centre * (1 - centre) / spread**2 - 1
    true = random.beta(centre * strength, (1 - centre) * strength, size)
    n = deals(random, size)
    k = random.binomial(n, true)
    return Club(true, k / n, n, PooledShares(k, n, peers_of(n)))


def mean_club(random: np.random.Generator, size: int, deviation: float, spread: float) -> Club:
    true, n = random.normal(80, spread, size), deals(random, size)
    raw = random.normal(true, deviation / np.sqrt(n))
    return Club(true, raw, n, PooledMeans(raw, n, deviation, peers_of(n)))


def deals(random: np.random.Generator, size: int) -> NDArray[np.int64]:
    """How many deals each player has: some a handful, few very many."""
    return np.maximum(1, random.lognormal(4, 1.2, size)).astype(np.int64)


def peers_of(n: NDArray[np.int64]) -> NDArray[np.intp]:
    """Those with enough deals for the model to be fitted to them, as of a store."""
    enough = np.flatnonzero(n >= PEER_DEALS)
    return enough if len(enough) else np.arange(len(n))


FIGURES: dict[str, Callable[[np.random.Generator, int], Club]] = {
    "share of deals won": lambda random, size: share_club(random, size, 0.5, 0.06),
    "share of contracts made": lambda random, size: share_club(random, size, 0.65, 0.08),
    "rare announcement": lambda random, size: share_club(random, size, 0.03, 0.012),
    "points a deal": lambda random, size: mean_club(random, size, 60, 8),
    "announcements a deal": lambda random, size: mean_club(random, size, 0.7, 0.15),
}
every_figure = pytest.mark.parametrize("figure", list(FIGURES.values()), ids=list(FIGURES))


def clubs(figure: Callable[[np.random.Generator, int], Club], size: int, n: int) -> Iterator[Club]:
    random = np.random.default_rng(size)
    for _ in range(n):
        yield figure(random, size)


def test_three_deals_won_of_three_do_not_lead() -> None:
    estimates = PooledShares([3, 70, 55, 48, 40], [3, 100, 100, 100, 100]).estimates()
    assert estimates.argmax() == 1
    assert 0.5 < estimates[0] < estimates[1] < 0.7


def test_equal_players_get_the_estimate_of_all_deals() -> None:
    estimates = PooledShares([50] * 20, [100] * 20).estimates()
    assert estimates == pytest.approx([0.5] * 20)


def test_very_many_deals_leave_a_share_as_it_is() -> None:
    estimates = PooledShares([40, 60, 700_000], [100, 100, 1_000_000]).estimates()
    assert estimates[2] == pytest.approx(0.7, abs=1e-3)


def test_a_mean_of_few_deals_moves_to_the_others() -> None:
    model = PooledMeans([90.0, 70.0, 80.0, 120.0], [400, 400, 400, 1], 40.0)
    assert 80 < model.estimates()[3] < 100
    assert model.estimates()[0] == pytest.approx(90, abs=1)


def test_a_figure_that_never_varied_is_the_figure_itself() -> None:
    model = PooledMeans([5.0, 5.0, 5.0], [10, 20, 30], 0.0)
    assert model.estimates() == pytest.approx([5, 5, 5])
    assert model.range_of(0).low == pytest.approx(5)


def test_players_who_never_won_get_a_range_that_begins_at_nothing() -> None:
    model = PooledShares([0] * 30, [50] * 30)
    assert 0 <= model.range_of(0).low < model.range_of(0).high < 0.05


def test_the_same_figures_get_the_same_answer() -> None:
    one, other = (PooledShares([5, 9, 14], [20, 20, 20]) for _ in range(2))
    assert (one.range_of(1), one.place_of(1)) == (other.range_of(1), other.place_of(1))


def test_the_best_of_many_deals_is_above_nearly_all() -> None:
    random = np.random.default_rng(0)
    k = [*random.binomial(10_000, np.linspace(0.3, 0.6, 40)), 7_000]
    place = PooledShares(k, [10_000] * 41).place_of(40)
    assert (place.low, place.high) == (1.0, 1.0)


def test_one_deal_gives_no_place() -> None:
    random = np.random.default_rng(0)
    k = [*random.binomial(100, 0.5, 40), 1]
    place = PooledShares(k, [*[100] * 40, 1]).place_of(40)
    assert place.low < 0.1
    assert place.high > 0.9


@every_figure
def test_many_players_get_the_answer_of_the_whole_grid_and_of_full_sets(
    figure: Callable[[np.random.Generator, int], Club], monkeypatch: pytest.MonkeyPatch
) -> None:
    few, answers = pooling.MANY, []
    for many in (few, 1000):
        monkeypatch.setattr(pooling, "MANY", many)
        [club] = clubs(figure, 400, 1)
        place = club.model.place_of(7)
        answers.append([*club.model.estimates() / club.true.mean(), place.low, place.high])
    assert answers[0] == pytest.approx(answers[1], abs=0.06)
    assert answers[0][:400] == pytest.approx(answers[1][:400], abs=0.005)


def covered(figure: Callable[[np.random.Generator, int], Club], size: int, n: int) -> list[float]:
    """The shares of ranges and, if there are peers enough, of places that hold the truth.

    Of each club four players are looked at.
    """
    ranges, places = list[bool](), list[bool]()
    for club in clubs(figure, size, n):
        for player in range(4):
            found, true = club.model.range_of(player), club.true[player]
            ranges.append(found.low <= true <= found.high)
            if size > MIN_PEERS:
                others = np.setdiff1d(peers_of(club.n), [player])
                place, rank = club.model.place_of(player), (club.true[others] < true).mean()
                places.append(place.low <= rank <= place.high)
    return [float(np.mean(found)) for found in (ranges, places) if found]


@every_figure
def test_ranges_and_places_hold_the_truth(figure: Callable[[np.random.Generator, int], Club]) -> None:
    # 400 of each: a true 95% comes out between 91.5% and 98%
    for found in covered(figure, 40, 100):
        assert 0.915 <= found <= 0.985


@pytest.mark.soak
@pytest.mark.parametrize(("size", "n"), [(8, 1000), (40, 1000), (400, 500)])
@every_figure
def test_95_of_100_ranges_and_places_hold_the_truth(
    figure: Callable[[np.random.Generator, int], Club], size: int, n: int
) -> None:
    for found in covered(figure, size, n):
        assert 0.93 <= found <= 0.97


@every_figure
@pytest.mark.parametrize("size", [8, 40, 400])
def test_below_fifty_deals_the_pooled_estimate_is_nearer(
    figure: Callable[[np.random.Generator, int], Club], size: int
) -> None:
    pooled = raw = 0.0
    for club in clubs(figure, size, 2000 // size):
        few = club.n < 50
        pooled += ((club.model.estimates() - club.true)[few] ** 2).sum()
        raw += ((club.raw - club.true)[few] ** 2).sum()
    assert pooled < 0.5 * raw
