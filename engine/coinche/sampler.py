"""How deals of Coinche that fit what a player saw are played on."""

import numpy as np
from numpy.typing import NDArray

from engine.acts import SEAT_SHIFT
from engine.coinche import bots, kernel
from engine.compiled import is_compiled
from engine.spread import spread

CALLED = (
    *("kernel.trace", "kernel.legal", "kernel.probe", "kernel.attempts"),
    *("bots.choose_bid", "bots.choose_card", "playing_on.play_on"),
)
"""What drawing deals and playing them on calls, a function of this game each."""


def ready() -> bool:
    """Whether it lies compiled, as far as its cache tells."""
    return is_compiled(spread, "spread.spread") and is_compiled(kernel.start, *CALLED)


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
    states: NDArray[np.void],
    rules: np.void,
    seat: int,
    codes: NDArray[np.int64],
    rng: np.random.Generator,
    won: NDArray[np.float64],
    margins: NDArray[np.float64],
) -> None:
    """By the careful, to the end."""
    from engine.coinche import playing_on  # compiled for who samples alone

    room = np.zeros(1, kernel.State)
    playing_on.play_on(states, room, rules, seat, codes, rng, won, margins)
