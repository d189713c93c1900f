"""Plays out sampled deals of Chouine."""

from typing import Any

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.chouine import bots, kernel
from engine.chouine.actions import ACCEPT, ANNOUNCE, AU_SEPT, FIRST_DRAW, SEPT, TRENTE
from engine.chouine.solver import SOLVER
from engine.jit import is_compiled
from engine.matching import deal_at_random

COMPILED_FUNCTIONS = (
    *("kernel.trace", "kernel.legal", "kernel.probe", "kernel.replay_variants"),
    *("bots.take_turn", "endgame.rollout"),
)
"""What drawing deals and playing them on calls, a function of this game each."""


def is_jit_cached() -> bool:
    """Whether it lies compiled, as far as its cache tells."""
    return is_compiled(deal_at_random, "matching.deal_at_random") and is_compiled(
        kernel.start, *COMPILED_FUNCTIONS
    )


def open_cards(state: np.void) -> int:
    """The card turned up, and the 7 that was exchanged for it (CH-4, CH-13)."""
    if state["retourne"] < 0:
        return 0
    found = 1 << int(state["retourne"])
    return found | 1 << 8 * int(state["trump"]) if state["sept"] >= 0 else found


def choose_call(state: np.void, rules: np.void, rng: np.random.Generator) -> int | None:
    """What is due, the 7 as soon as it may be exchanged, then whatever may be announced."""
    seat = int(state["turn"])
    if state["offender"] >= 0:
        return (1 - seat if state["offender"] == seat else seat) << SEAT_SHIFT | ACCEPT
    if state["to_draw"]:
        drawn = FIRST_DRAW + int(state["talon"][state["drawn"]])
        draws = [who << SEAT_SHIFT | drawn for who in range(state["players"])]
        return next(code for code in draws if not kernel.check(state, rules, np.int64(code)))
    acts = [SEPT, *range(ANNOUNCE + TRENTE, ANNOUNCE - 1, -1)]
    if not rules["au_sept"]:  # else it may be said at any time and means nothing
        acts.insert(1, AU_SEPT)
    codes = (seat << SEAT_SHIFT | act for act in acts)
    return next((code for code in codes if not kernel.check(state, rules, np.int64(code))), None)


def choose_turn(state: np.void, rules: np.void, rng: np.random.Generator) -> list[int]:
    """A turn of the careful."""
    codes = np.zeros(bots.MAX_ACTIONS, np.uint16)
    count = bots.take_turn(state.copy(), rules, bots.CAREFUL, rng, codes, 0)
    return codes[:count].tolist()


def rollout(
    states: Any, rules: np.void, seat: int, codes: Any, rng: Any, won: Any, margins: Any
) -> None:
    """By the careful, and from where all is known by best play, where that is solved."""
    from engine.chouine import endgame  # compiled for who samples or solves alone

    exact = SOLVER.refusal(rules, int(states[0]["players"])) is None
    room = np.zeros(1, kernel.State)
    endgame.rollout(states, room, rules, seat, codes, exact, rng, won, margins)
