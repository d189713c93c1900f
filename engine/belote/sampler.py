"""Plays out sampled deals of Belote."""

from typing import Any

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.belote import kernel
from engine.belote.actions import TAKE
from engine.belote.bots import CAREFUL, choose_act
from engine.belote.kernel import OVER, step, total
from engine.jit import compiled, is_compiled
from engine.matching import deal_at_random

COMPILED_FUNCTIONS = (
    *("kernel.trace", "kernel.legal", "kernel.probe", "kernel.replay_variants"),
    *("sampler.choose_any_act", "sampler.rollout_deals"),
)
"""The compiled functions of this game that sampling calls."""


def is_jit_cached() -> bool:
    """Return whether the compiled code that sampling needs is cached."""
    return is_compiled(deal_at_random, "matching.deal_at_random") and is_compiled(
        kernel.start, *COMPILED_FUNCTIONS
    )


def open_cards(state: np.void) -> int:
    """Return the mask of the card turned up, also once its declarer has it (BE-4)."""
    return 1 << int(state["retourne"]) if state["retourne"] >= 0 else 0


@compiled
def choose_any_act(state: Any, rules: Any, seat: int, rng: Any) -> int:
    """Return the careful bot's next act."""
    act: int = choose_act(state, rules, seat, CAREFUL, rng)
    return act


def choose_call(state: np.void, rules: np.void, rng: np.random.Generator) -> int | None:
    """Return the careful bot's bid, announcement or word, None before a card."""
    seat = int(state["turn"])
    act = int(choose_any_act(state, rules, seat, rng))
    return None if act < TAKE else seat << SEAT_SHIFT | act


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
                step(state, rules, turn << SEAT_SHIFT | choose_act(state, rules, turn, CAREFUL, rng))
            won[j, i] = 0.5 if state.winner < 0 else 1.0 if state.winner == side else 0.0
            margins[j, i] = total(state, side) - total(state, 1 - side)
