"""How deals of Coinche that fit what a player saw are played on."""

from typing import Any

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.coinche import bots, kernel
from engine.coinche.bots import CAREFUL, choose_card
from engine.coinche.kernel import OVER, points, step
from engine.jit import compiled, is_compiled
from engine.matching import spread

CALLED = (
    *("kernel.trace", "kernel.legal", "kernel.probe", "kernel.attempts"),
    *("bots.choose_bid", "bots.choose_card", "sampler.play_each"),
)
"""What drawing deals and playing them on calls, a function of this game each."""


def ready() -> bool:
    """Whether it lies compiled, as far as its cache tells."""
    return is_compiled(spread, "matching.spread") and is_compiled(kernel.start, *CALLED)


def lies_open(state: np.void) -> int:
    """No card does that is not laid."""
    return 0


def says(state: np.void, rules: np.void, rng: np.random.Generator) -> int | None:
    """What the careful bid."""
    if not state["bidding"]:
        return None
    seat = int(state["turn"])
    return seat << SEAT_SHIFT | int(bots.choose_bid(state, seat, bots.CAREFUL, rng))


def simple(state: np.void, rules: np.void, rng: np.random.Generator) -> list[int]:
    """A bid or a card of the careful."""
    bid = says(state, rules, rng)
    if bid is not None:
        return [bid]
    seat = int(state["turn"])
    return [seat << SEAT_SHIFT | int(bots.choose_card(state, rules, seat, bots.CAREFUL, rng))]


def play_on(
    states: Any, rules: np.void, seat: int, codes: Any, rng: Any, won: Any, margins: Any
) -> None:
    """By the careful, to the end."""
    room = np.zeros(1, kernel.State)
    play_each(states, room, rules, seat, codes, rng, won, margins)


@compiled
def play_each(
    states: Any, room: Any, rules: Any, seat: int, codes: Any, rng: Any, won: Any, margins: Any
) -> None:
    """Lay each card in each state, and play on: `won[card, state]`, `margins[card, state]`."""
    side = seat & 1
    for i in range(len(states)):
        for j in range(len(codes)):
            room[0] = states[i]
            state = room[0]
            step(state, rules, codes[j])
            while state.over != OVER:
                turn = np.int64(state.turn)
                card = np.int64(choose_card(state, rules, turn, CAREFUL, rng))
                step(state, rules, turn << SEAT_SHIFT | card)
            won[j, i] = 0.5 if state.winner < 0 else 1.0 if state.winner == side else 0.0
            margins[j, i] = points(state, side) - points(state, 1 - side)
