"""What of a deal of Chouine is solved: the closed phase at two, under what every preset sets."""

import numpy as np
from numpy.typing import NDArray

from engine.chouine import kernel
from engine.compiled import is_compiled
from engine.solved import Judged, Unsolved

PLAYERS = 2


def ready() -> bool:
    """Whether it lies compiled, as far as its cache tells."""
    return is_compiled(kernel.start, "endgame.judge")


def refused(rules: np.void, players: int) -> Unsolved | None:
    """Three and four do not share what there is; some options hang announcements on each other."""
    if players != PLAYERS:
        return Unsolved("players", str(players))
    if not rules["one_per_suit"]:
        return Unsolved("option", "one_per_suit=false")
    if rules["one_per_play"]:
        return Unsolved("option", "one_per_play=true")
    if rules["announce_with"] and not rules["turn_up"]:
        return Unsolved("option", "announce_with=combination, turn_up=false")
    return None


def begins(states: NDArray[np.void]) -> int | None:
    """The first state in which nothing is left to draw (CH-8); None: the deal never got there."""
    closed = (states["drawn"] >= states["drawable"]) & (states["to_draw"] == 0)
    found = np.flatnonzero(closed & (states["on_table"] == 0))
    return int(found[0]) if len(found) else None


def judge(states: NDArray[np.void], rules: np.void) -> Judged | Unsolved:
    """Every state of a closed phase, from its first on."""
    from engine.chouine import endgame  # compiled for who solves alone

    if endgame.wins_at_once(states[0]):
        return Unsolved("at-once")
    margins, best = np.zeros((2, len(states)), np.int64)
    endgame.judge(states, rules, margins, best)
    return Judged(margins, best, _winners(states, margins))


def _winners(states: NDArray[np.void], margins: NDArray[np.int64]) -> NDArray[np.int64]:
    """Who wins with best play, nobody when both make as much (CH-24); or who won, once it is."""
    winners = np.sign(margins)
    over = states["over"] == kernel.OVER
    told = np.where(states["winner"] < 0, 0, 1 - 2 * states["winner"].astype(np.int64))
    winners[over] = told[over]
    return winners
