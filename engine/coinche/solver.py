"""What of a deal of Coinche is solved: its last five tricks, as who sees all cards would play."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.coinche import kernel
from engine.coinche.acts import GENERALE_BID
from engine.compiled import is_compiled
from engine.solved import Judged, Unsolved


def ready() -> bool:
    """Whether it lies compiled, as far as its cache tells."""
    return is_compiled(kernel.start, "ends.begins", "endgame.judge", "ends.winners")


def refused(rules: np.void, players: int) -> Unsolved | None:
    """None: no option is in the way."""
    return None


def begins(states: NDArray[np.void]) -> int | None:
    """The first state of the last five tricks; None: the deal never got there."""
    from engine.coinche import ends

    first = ends.begins(states)
    return None if first < 0 else int(first)


def judge(states: NDArray[np.void], rules: np.void) -> Judged | Unsolved:
    """Every state of the last five tricks, from the first on."""
    from engine.coinche import endgame, ends  # compiled for who solves alone

    margins, best, won = np.zeros((3, len(states)), np.int64)
    endgame.judge(states, rules, margins, best)
    ends.winners(states, margins, won)
    return Judged(int(endgame.so_far(states[0])), margins, best, won)


def judge_all(*deals: Any) -> None:
    """The ends of many deals (`engine.values`)."""
    from engine.coinche import ends

    ends.judge_all(*deals)


def winner(state: np.void, rules: np.void, limit: int) -> int | None:
    """The bidders, where they make the contract in any state after the auction (CO-11).

    None: undecided after `limit` beginnings of tricks, or a générale, of which the bidder takes
    every trick: that is no question of points before somebody took one.
    """
    from engine.coinche import endgame, ends

    if state["over"] == kernel.OVER:
        return int(ends.winner(state, 0))
    bidder = 1 - 2 * (int(state["bidder"]) & 1)
    if state["contract"] == GENERALE_BID and not state["trick"]:
        return None
    aim = int(ends.aim(state))
    found = endgame.reaches(state, aim if bidder > 0 else 1 - aim, limit)
    return None if found < 0 else 2 * int(found) - 1


def margin(state: np.void, rules: np.void, limit: int) -> int | None:
    """The same in card points, as they count at the end (CO-10)."""
    from engine.coinche import endgame

    value, given_up = endgame.to_the_end(state, limit)
    return None if given_up else int(value)
