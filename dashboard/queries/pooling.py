"""A player's place among peers (percentiles) and probable figure, from the figures of all.

A few deals show little about a player, but many players show how much players differ. Shares follow a
beta-binomial model and means a normal one (Gelman et al., *Bayesian Data Analysis*, chapter 5; Efron
and Morris, 1975). How much players differ is itself uncertain, above all in a small club: each result
is averaged over a grid of possible spreads, all equally likely before the figures are seen.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, logsumexp

Floats = NDArray[np.float64]
MAX_FITTED = 1000
"""Players that a model is fitted to, and a place counted among: more would not change either."""
MANY = 200
"""Beyond this many players fewer points of the grid and fewer sets of true figures show the same."""
DRAWS, DRAWS_OF_MANY = 2000, 100
"""Possible sets of true figures that a range is read from, and a place among MANY or more."""
_SPREADS, _CENTRES = 40, 21
"""Points of the grid: spreads, and centres of shares."""
_SPREADS_OF_MANY, _CENTRES_OF_MANY = 12, 9
"""The same for shares of MANY players: of the spreads, the likely ones only."""
_NEGLIGIBLE = 1e-4
"""The share of the whole weight below which a point of the grid is dropped."""


@dataclass(frozen=True)
class Range:
    """A 95% range, its ends included."""

    low: float
    high: float


class Pooled(ABC):
    """A model of one figure of many players, in the order in which they were given."""

    size: int
    _fitted: NDArray[np.intp]
    _weights: Floats

    @abstractmethod
    def estimates(self, players: Sequence[int] | None = None) -> Floats:
        """Return the probable figure of these players, of each by default."""

    @abstractmethod
    def _draw(
        self, players: NDArray[np.intp], points: NDArray[np.intp], random: np.random.Generator
    ) -> Floats:
        """Return possible true figures: a row for each point of the grid, a column for each player."""

    def _sample(self, players: NDArray[np.intp], sets: int = DRAWS) -> Floats:
        # a fixed seed: the same figures get the same answer each time
        random = np.random.default_rng(0)
        points = np.searchsorted(np.cumsum(self._weights)[:-1], (np.arange(sets) + 0.5) / sets)
        return self._draw(players, points, random)

    def range_of(self, player: int) -> Range:
        """Return the range of a player's true figure."""
        drawn = self._sample(np.array([player]))[:, 0]
        return Range(*map(float, np.quantile(drawn, (0.025, 0.975))))

    def place_of(self, player: int) -> Range:
        """Return the range of the share of the other fitted players whose true figure is lower."""
        others = self._fitted[self._fitted != player]
        sets = DRAWS if len(others) <= MANY else DRAWS_OF_MANY
        own = DRAWS // sets
        drawn = self._sample(np.concatenate([np.repeat(player, own), others]), sets)
        below = [np.count_nonzero(drawn[:, own:] < drawn[:, [one]], axis=1) for one in range(own)]
        ranks = np.bincount(np.concatenate(below), minlength=len(others) + 1) / DRAWS
        low, high = _likeliest_window(ranks)
        return Range(low / len(others), high / len(others))


class PooledShares(Pooled):
    """Beta-binomial model of `successes` of `n` by player, fitted to the players of some indices."""

    def __init__(self, successes: ArrayLike, n: ArrayLike, fitted: NDArray[np.intp] | None = None) -> None:
        self._k, self._n = np.asarray(successes, np.float64), np.asarray(n, np.float64)
        self.size = len(self._n)
        self._fitted = evenly_spaced(self.size) if fitted is None else fitted
        k, of = self._k[self._fitted], self._n[self._fitted]
        middle = (k.sum() + 0.5) / (of.sum() + 1)
        most = np.sqrt(middle * (1 - middle))
        observed = np.sqrt(np.average((k / of - middle) ** 2, weights=of))
        spread = _cell_centres(min(0.95 * most, 4 * observed + 2 * most / np.sqrt(of.sum())), _SPREADS)
        centres = _CENTRES
        if len(of) > MANY:
            spread, centres = _likely_spreads(k, of, middle, spread), _CENTRES_OF_MANY
        off = 4 * np.sqrt((observed**2 + most**2 / of.mean()) / len(of))
        centre = np.linspace(
            max(middle - off, middle / 20), min(middle + off, 1 - (1 - middle) / 20), centres
        )
        centre, spread = (one.ravel() for one in np.meshgrid(centre, spread))
        self._a, self._b = _beta_parameters(centre, spread)
        self._weights, chosen = _normalized(_beta_binomial_fit(k, of, self._a, self._b))
        self._a, self._b = self._a[chosen], self._b[chosen]

    def estimates(self, players: Sequence[int] | None = None) -> Floats:
        chosen = np.arange(self.size) if players is None else np.array(players, np.intp)
        k, n = self._k[chosen], self._n[chosen]
        found = np.zeros(len(n))
        for a, b, weight in zip(self._a, self._b, self._weights, strict=True):  # one matrix: gigabytes
            found += weight * (k + a) / (n + a + b)
        return found

    def _draw(
        self, players: NDArray[np.intp], points: NDArray[np.intp], random: np.random.Generator
    ) -> Floats:
        k, n = self._k[players], self._n[players]
        return random.beta(k + self._a[points, None], n - k + self._b[points, None])


class PooledMeans(Pooled):
    """Normal model of `means` of `n` values by player, as PooledShares; `deviation` is of a single value."""

    def __init__(
        self, means: ArrayLike, n: ArrayLike, deviation: float, fitted: NDArray[np.intp] | None = None
    ) -> None:
        self._means = np.asarray(means, np.float64)
        # a figure that never varied is known exactly
        self._error = max(deviation, 1e-9) ** 2 / np.asarray(n, np.float64)
        self.size = len(self._means)
        self._fitted = evenly_spaced(self.size) if fitted is None else fitted
        y, error = self._means[self._fitted, None], self._error[self._fitted, None]
        self._spread = _cell_centres(max(4 * float(y.std()), float(np.sqrt(error.min()))), _SPREADS)
        whole = error + self._spread**2
        self._centre_error = 1 / (1 / whole).sum(axis=0)
        self._centre = (y / whole).sum(axis=0) * self._centre_error
        fit = -0.5 * (np.log(whole) + (y - self._centre) ** 2 / whole).sum(axis=0)
        self._weights, chosen = _normalized(fit + 0.5 * np.log(self._centre_error))
        self._spread = self._spread[chosen]
        self._centre, self._centre_error = self._centre[chosen], self._centre_error[chosen]

    def estimates(self, players: Sequence[int] | None = None) -> Floats:
        chosen = np.arange(self.size) if players is None else np.array(players, np.intp)
        means, error = self._means[chosen], self._error[chosen]
        found = np.zeros(len(chosen))
        for spread, centre, weight in zip(self._spread, self._centre, self._weights, strict=True):
            own = spread**2 / (spread**2 + error)
            found += weight * (own * means + (1 - own) * centre)
        return found

    def _draw(
        self, players: NDArray[np.intp], points: NDArray[np.intp], random: np.random.Generator
    ) -> Floats:
        centre = random.normal(self._centre[points], np.sqrt(self._centre_error[points]))[:, None]
        variance, error = self._spread[points, None] ** 2, self._error[players]
        own = variance / (variance + error)
        drawn: Floats = random.normal(own * self._means[players] + (1 - own) * centre, np.sqrt(own * error))
        return drawn


def _beta_parameters(centre: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return both parameters of the beta distributions that exist, by mean and standard deviation."""
    strength = centre * (1 - centre) / spread**2 - 1
    possible = strength > 0
    centre, strength = centre[possible], strength[possible]
    return centre * strength, (1 - centre) * strength


def _beta_binomial_fit(k: Floats, n: Floats, a: Floats, b: Floats) -> Floats:
    """Return the log-likelihood, less a constant, of `k` of `n` at each pair of beta parameters."""

    def rises(counts: Floats, start: Floats) -> Floats:
        # players share many counts: each distinct one is computed once
        distinct, players = np.unique(counts, return_counts=True)
        found: Floats = players @ (gammaln(distinct[:, None] + start) - gammaln(start))
        return found

    return rises(k, a) + rises(n - k, b) - rises(n, a + b)


def _likely_spreads(k: Floats, n: Floats, centre: float, spread: Floats) -> Floats:
    """Return _SPREADS_OF_MANY spreads over those of `spread` that are likely at this centre."""
    fit = _beta_binomial_fit(k, n, *_beta_parameters(np.full_like(spread, centre), spread))
    likely = np.flatnonzero(fit > fit.max() - 15)
    step = spread[1] - spread[0]
    start, end = max(0.0, spread[likely[0]] - 1.5 * step), spread[likely[-1]] + 1.5 * step
    found: Floats = start + _cell_centres(end - start, _SPREADS_OF_MANY)
    return found


def _likeliest_window(probability: Floats) -> tuple[int, int]:
    """Return the first and last of the fewest neighbouring ranks with a probability near 95%.

    The window of each length with the highest probability is looked at, and the one nearest to 95%
    taken: ranks are whole, and always taking more than 95% would make ranges of small clubs too wide.
    """
    sums = np.concatenate([[0.0], np.cumsum(probability)])

    def likeliest(length: int) -> tuple[float, int]:
        windows = sums[length:] - sums[: len(sums) - length]
        first = int(windows.argmax())
        return float(windows[first]), first

    def shortest(wanted: float) -> int:
        return 1 + bisect_left(range(1, len(probability)), wanted, key=lambda length: likeliest(length)[0])

    # a longer window is never less likely: the nearest are the first above 95% and the last below
    above = shortest(0.95)
    lengths = {above, shortest(likeliest(max(1, above - 1))[0])}
    length = min(sorted(lengths), key=lambda length: abs(likeliest(length)[0] - 0.95))
    first = likeliest(length)[1]
    return first, first + length - 1


def evenly_spaced(size: int) -> NDArray[np.intp]:
    """Return the indices of at most MAX_FITTED players, spread over all."""
    return np.unique(np.linspace(0, size - 1, min(size, MAX_FITTED)).astype(np.intp))


def _cell_centres(end: float, cells: int) -> Floats:
    """Return the centres of equal cells between 0 and `end`."""
    found: Floats = np.arange(0.5, cells) * (end / cells)
    return found


def _normalized(fit: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the weights of the grid's points from log-likelihoods, and which points have any."""
    weights = np.exp(fit - logsumexp(fit))
    chosen = weights > _NEGLIGIBLE / len(weights)
    found: Floats = weights[chosen] / weights[chosen].sum()
    return found, chosen
