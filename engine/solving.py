"""What play was worth, exactly: the end of a deal, solved from where all is known.

A game's `solver` module reckons; what comes of it is the same in every game.
"""

import numpy as np
from numpy.typing import NDArray

from engine.replay import Replay
from engine.solved import Judged, Play, Solved, Unsolved


def solve(replay: Replay) -> Solved | Unsolved:
    """What each card of a deal's end was worth, or why that is not said.

    A card's loss is counted from the beginning of its player's turn, so announcements that were
    made badly or not at all with it are in it: losses add up to what best play would have changed.
    """
    game, rules = replay.game, replay.rules
    if game.solver is None:
        return Unsolved("game")
    if (refused := game.solver.refused(rules, replay.players)) is not None:
        return refused
    if replay.unread or type(replay) is not Replay:
        return Unsolved("partial")
    start = game.solver.begins(replay.states)
    if start is None:
        return Unsolved("never")
    if replay.stop is not None or np.any(replay.found[start:] & game.faults.errors):
        return Unsolved("irregular")
    judged = game.solver.judge(replay.states[start:], rules)
    if isinstance(judged, Unsolved):
        return judged
    return Solved(
        start,
        int(judged.margins[0]) - judged.made,
        tuple(_plays(replay, start, judged)),
        _turning(start, judged.winners),
    )


def _plays(replay: Replay, start: int, judged: Judged) -> list[Play]:
    """The cards laid from an action on, each with what its turn lost."""
    game = replay.game
    found, turn = [], start
    for at in range(start, len(replay) - 1):
        done = replay[at + 1].action
        assert done is not None
        kind = game.acts.kind_of_act(done.act)
        if kind == "play":
            side = done.seat % 2 if game.partners else done.seat
            before, after = judged.margins[turn - start], judged.margins[at + 1 - start]
            lost = int(before - after) * (1 - 2 * side)
            best = tuple(game.pack.members(int(judged.best[turn - start])))
            found.append(Play(at, done.seat, lost, best))
        if kind != "announce":
            turn = at + 1
    return found


def _turning(start: int, winners: NDArray[np.int64]) -> int | None:
    turned = np.flatnonzero(winners[1:] != winners[:-1])
    return start + int(turned[-1]) if len(turned) else None
