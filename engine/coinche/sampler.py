"""Plays out sampled deals of Coinche."""

from typing import Any

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.coinche import bots, kernel
from engine.coinche.bots import CAREFUL, choose_card
from engine.coinche.kernel import OVER, points, step
from engine.jit import compiled, is_compiled
from engine.matching import deal_at_random

COMPILED_FUNCTIONS = (
    *("kernel.trace", "kernel.legal", "kernel.probe", "kernel.replay_variants"),
    *("bots.choose_bid", "bots.choose_card", "sampler.rollout_deals"),
)
"""The compiled functions of this game that sampling calls."""


def is_jit_cached() -> bool:
    """Return whether the compiled code that sampling needs is cached."""
    return is_compiled(deal_at_random, "matching.deal_at_random") and is_compiled(
        kernel.start, *COMPILED_FUNCTIONS
    )


def open_cards(state: np.void) -> int:
    """Return 0: all cards not yet played are hidden."""
    return 0


def choose_call(state: np.void, rules: np.void, rng: np.random.Generator) -> int | None:
    """Return the careful bot's bid or pass during the auction, None after it."""
    if not state["bidding"]:
        return None
    seat = int(state["turn"])
    return seat << SEAT_SHIFT | int(bots.choose_bid(state, seat, bots.CAREFUL, rng))


def rollout(states: Any, rules: np.void, seat: int, codes: Any, rng: Any, won: Any, margins: Any) -> None:
    """Play each state to the end with the careful bot (`engine.games.Sampler.rollout`)."""
    room = np.zeros(1, kernel.State)
    rollout_deals(states, room, rules, seat, codes, rng, won, margins)


@compiled
def rollout_deals(
    states: Any, scratch: Any, rules: Any, seat: int, codes: Any, rng: Any, won: Any, margins: Any
) -> None:
    """Play each card in each state, then to the end: fill `won` and `margins[card, state]`."""
    side = seat & 1
    for i in range(len(states)):
        for j in range(len(codes)):
            scratch[0] = states[i]
            state = scratch[0]
            step(state, rules, codes[j])
            while state.over != OVER:
                turn = np.int64(state.turn)
                card = np.int64(choose_card(state, rules, turn, CAREFUL, rng))
                step(state, rules, turn << SEAT_SHIFT | card)
            won[j, i] = 0.5 if state.winner < 0 else 1.0 if state.winner == side else 0.0
            margins[j, i] = points(state, side) - points(state, 1 - side)
