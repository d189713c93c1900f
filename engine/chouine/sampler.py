"""Plays out sampled deals of Chouine."""

from typing import Any

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.chouine import kernel
from engine.chouine.actions import ACCEPT, ANNOUNCE, AU_SEPT, FIRST_DRAW, SEPT, TRENTE
from engine.chouine.solver import SOLVER
from engine.jit import is_compiled
from engine.matching import deal_at_random

COMPILED_FUNCTIONS = (
    *("kernel.trace", "kernel.legal", "kernel.probe", "kernel.replay_variants"),
    *("bots.take_turn", "endgame.rollout"),
)
"""The compiled functions of this game that sampling calls."""


def is_jit_cached() -> bool:
    """Return whether the compiled code that sampling needs is cached."""
    return is_compiled(deal_at_random, "matching.deal_at_random") and is_compiled(
        kernel.start, *COMPILED_FUNCTIONS
    )


def open_cards(state: np.void) -> int:
    """Return the mask of the card turned up and, once exchanged, the 7 of trump (CH-4, CH-13)."""
    if state["retourne"] < 0:
        return 0
    found = 1 << int(state["retourne"])
    return found | 1 << 8 * int(state["trump"]) if state["sept"] >= 0 else found


def choose_call(state: np.void, rules: np.void, rng: np.random.Generator) -> int | None:
    """Return an act that is due, else an exchange of the 7, else a legal announcement."""
    seat = int(state["turn"])
    if state["offender"] >= 0:
        return (1 - seat if state["offender"] == seat else seat) << SEAT_SHIFT | ACCEPT
    if state["to_draw"]:
        drawn = FIRST_DRAW + int(state["talon"][state["drawn"]])
        draws = [who << SEAT_SHIFT | drawn for who in range(state["players"])]
        return next(code for code in draws if not kernel.check(state, rules, np.int64(code)))
    acts = [SEPT, *range(ANNOUNCE + TRENTE, ANNOUNCE - 1, -1)]
    if not rules["au_sept"]:  # otherwise it is always legal and has no meaning
        acts.insert(1, AU_SEPT)
    codes = (seat << SEAT_SHIFT | act for act in acts)
    return next((code for code in codes if not kernel.check(state, rules, np.int64(code))), None)


def rollout(states: Any, rules: np.void, seat: int, codes: Any, rng: Any, won: Any, margins: Any) -> None:
    """Play each state to the end: the careful bot, then best play where the end is solved."""
    from engine.chouine import endgame  # only sampling and solving need this compiled module

    exact = SOLVER.refusal(rules, int(states[0]["players"])) is None
    room = np.zeros(1, kernel.State)
    endgame.rollout(states, room, rules, seat, codes, exact, rng, won, margins)
