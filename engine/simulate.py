"""Legal matches by players of different habits, from a seed; the kernels choose what is legal."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.chouineurs.deal import ROW
from engine.games import game

MOST_DEALS = 400
"""A match of more deals than this is cut off unfinished; nothing near it was ever seen."""


class SimulatedDeal(NamedTuple):
    """A deal as numbers: `deck` in the order dealt, `codes` one per action."""

    dealer: int
    deck: NDArray[np.uint8]
    codes: NDArray[np.uint16]


class SimulatedMatch(NamedTuple):
    """A match as numbers: `cuts` are attempts of one card per seat, seats count from 0."""

    habits: tuple[str, ...]
    cuts: list[list[list[int]]]
    deals: list[SimulatedDeal]
    won: tuple[int, ...]  # as the game's `match.score` counts
    winner: int


def chouine(
    rules: np.void, players: int, matches: int, seed: int, habits: Sequence[str] | None = None
) -> Iterator[SimulatedMatch]:
    """Simulated matches of Chouine; the same arguments always give the same matches.

    `habits`: one of `random`, `greedy`, `careful` per seat; drawn for each match if absent.
    """
    return _play("chouine", rules, players, matches, seed, habits)


def coinche(
    rules: np.void, players: int, matches: int, seed: int, habits: Sequence[str] | None = None
) -> Iterator[SimulatedMatch]:
    """Simulated games of Coinche at four, told as `chouine` tells its matches, without cuts."""
    return _play("coinche", rules, players, matches, seed, habits)


def chouineurs(
    rules: np.void, players: int, matches: int, seed: int, habits: Sequence[str] | None = None
) -> Iterator[SimulatedMatch]:
    """Simulated matches of Chouineurs: `dealer` leads first, `deck` is the row of hands and bids.

    `rules` holds the deck and the bid cards too (`engine.chouineurs.deal.equip`).
    """
    return _play("chouineurs", rules, players, matches, seed, habits, ROW)


def _play(
    name: str,
    rules: np.void,
    players: int,
    matches: int,
    seed: int,
    habits: Sequence[str] | None,
    width: int | None = None,
) -> Iterator[SimulatedMatch]:
    """Matches by the habits of a game's `bots`; `width` of a deal's row if not the whole pack."""
    this = game(name)
    bots = import_module(f"engine.{name}.bots")
    rng = np.random.default_rng(seed)
    state = np.zeros(1, this.kernel.State)[0]
    match = np.zeros(1, this.match.Match)[0]
    cuts = np.zeros((2, 64, players), np.int64)
    dealers = np.zeros(MOST_DEALS, np.int64)
    decks = np.zeros((MOST_DEALS, width or len(this.pack)), np.uint8)
    codes = np.zeros((MOST_DEALS, bots.LONGEST), np.uint16)
    lengths = np.zeros(MOST_DEALS, np.int64)
    names = bots.HABITS
    for _ in range(matches):
        if habits is None:
            chosen = rng.integers(0, len(names), players)
        else:
            chosen = np.array([names.index(habit) for habit in habits])
        deals, first, belle = bots.play_match(
            rules, players, chosen, rng, state, match, cuts, dealers, decks, codes, lengths
        )
        yield SimulatedMatch(
            tuple(names[habit] for habit in chosen),
            [cuts[i, :n].tolist() for i, n in enumerate((first, belle)) if n],
            [
                SimulatedDeal(int(dealers[d]), decks[d].copy(), codes[d, : lengths[d]].copy())
                for d in range(deals)
            ],
            tuple(this.match.score(match)),
            int(match["winner"]),
        )
