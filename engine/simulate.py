"""Simulates legal matches from a seed; how the players choose, their habits, is in each game's `bots.py`."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games import Game

MAX_DEALS = 400
"""A match is cut off unfinished after this many deals; no real one comes near."""


class SimulatedDeal(NamedTuple):
    """A deal as numbers: `deck` is a row for `Kernel.start`, `codes` has one per action."""

    dealer: int
    deck: NDArray[np.uint8]
    codes: NDArray[np.uint16]


class SimulatedMatch(NamedTuple):
    """A match as numbers: `cuts` are attempts of one card per seat, seats count from 0."""

    habits: tuple[str, ...]
    cuts: list[list[list[int]]]
    deals: list[SimulatedDeal]
    won: tuple[int, ...]  # the game's `match.score`
    winner: int


def simulate_matches(
    game: Game, rules: np.void, players: int, count: int, seed: int, habits: Sequence[str] | None = None
) -> Iterator[SimulatedMatch]:
    """Yield simulated matches; the same arguments always give the same ones.

    `rules` is the kernel's rules record, including equipment. `habits`: one of the game's
    `bots.HABITS` per seat; by default drawn for each match.
    """
    rng = np.random.default_rng(seed)
    state = np.zeros(1, game.kernel.State)[0]
    match = np.zeros(1, game.match.Match)[0]
    cuts = np.zeros((2, 64, players), np.int64)
    dealers = np.zeros(MAX_DEALS, np.int64)
    decks = np.zeros((MAX_DEALS, len(game.example_deck)), np.uint8)
    codes = np.zeros((MAX_DEALS, game.bots.MAX_ACTIONS), np.uint16)
    lengths = np.zeros(MAX_DEALS, np.int64)
    names = game.bots.HABITS
    for _ in range(count):
        if habits is None:
            chosen = rng.integers(0, len(names), players)
        else:
            chosen = np.array([names.index(habit) for habit in habits])
        deals, first, belle = game.bots.play_match(
            rules, players, chosen, rng, state, match, cuts, dealers, decks, codes, lengths
        )
        yield SimulatedMatch(
            tuple(names[habit] for habit in chosen),
            [cuts[i, :n].tolist() for i, n in enumerate((first, belle)) if n],
            [
                SimulatedDeal(int(dealers[d]), decks[d].copy(), codes[d, : lengths[d]].copy())
                for d in range(deals)
            ],
            tuple(game.match.score(match)),
            int(match["winner"]),
        )
