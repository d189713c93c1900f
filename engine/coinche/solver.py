"""What of a deal of Coinche is solved: its last five tricks, as who sees all cards would play."""

import numpy as np
from numpy.typing import NDArray

from engine.coinche import kernel
from engine.coinche.acts import GENERALE_BID, MATCH_BID
from engine.compiled import is_compiled
from engine.solved import Judged, Unsolved

LAST = 5
"""Tricks that are solved."""
UNREACHED = 10_000
"""More points than there are."""


def ready() -> bool:
    """Whether it lies compiled, as far as its cache tells."""
    return is_compiled(kernel.start, "endgame.judge")


def refused(rules: np.void, players: int) -> Unsolved | None:
    """None: no option is in the way."""
    return None


def begins(states: NDArray[np.void]) -> int | None:
    """The first state of the last five tricks; None: the deal never got there."""
    found = np.flatnonzero(states["trick"] >= kernel.TRICKS - LAST)
    return int(found[0]) if len(found) else None


def judge(states: NDArray[np.void], rules: np.void) -> Judged | Unsolved:
    """Every state of the last five tricks, from the first on."""
    from engine.coinche import endgame  # compiled for who solves alone

    margins, best = np.zeros((2, len(states)), np.int64)
    endgame.judge(states, rules, margins, best)
    winners = [_winner(state, int(margin)) for state, margin in zip(states, margins, strict=True)]
    made = endgame.so_far(states[0])
    return Judged(int(made), margins, best, np.array(winners, np.int64))


def winner(state: np.void, rules: np.void, limit: int) -> int | None:
    """The bidders, where they make the contract in any state after the auction (CO-11).

    None: undecided after `limit` beginnings of tricks, or a générale, of which the bidder takes
    every trick: that is no question of points before somebody took one.
    """
    from engine.coinche import endgame

    if state["over"] == kernel.OVER:
        return _winner(state, 0)
    bidder = 1 - 2 * (int(state["bidder"]) & 1)
    if state["contract"] == GENERALE_BID and not state["trick"]:
        return None
    aim = _aim(state)
    found = endgame.reaches(state, aim if bidder > 0 else 1 - aim, limit)
    return None if found < 0 else 2 * int(found) - 1


def margin(state: np.void, rules: np.void, limit: int) -> int | None:
    """The same in card points, as they count at the end (CO-10)."""
    from engine.coinche import endgame

    value, given_up = endgame.to_the_end(state, limit)
    return None if given_up else int(value)


def _winner(state: np.void, margin: int) -> int:
    """Who wins with best play: the bidders, if their points make the contract."""
    if state["over"] == kernel.OVER:
        return 0 if state["winner"] < 0 else 1 - 2 * int(state["winner"])
    bidder = 1 - 2 * (int(state["bidder"]) & 1)
    return bidder if margin * bidder >= _aim(state) else -bidder


def _aim(state: np.void) -> int:
    """How many points more than the others the bidders need (CO-10, CO-11)."""
    value = int(kernel.VALUE[state["contract"]])
    if state["contract"] == GENERALE_BID and state["taken"][state["bidder"]] < state["trick"]:
        return UNREACHED
    return value if state["contract"] >= MATCH_BID else 2 * value - kernel.ALL
