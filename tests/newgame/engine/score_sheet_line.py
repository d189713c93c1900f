"""Brelin on a score sheet: the points that tricks, pairs and a bid can make (BR-4, BR-5)."""

from itertools import product

import numpy as np

from engine.score_sheet_line import (
    IMPOSSIBLE_END,
    IMPOSSIBLE_POINTS,
    PossibleEnds,
    ScoreLine,
    ends_with_winner,
)
from tests.newgame.engine.actions import LEVELS
from tests.newgame.engine.kernel import NULL, OVER, PLAYED_OUT, TRICKS, State, start

PACK_IN_ORDER = np.arange(12, dtype=np.uint8)
PAIRS = 4


def possible_ends(line: ScoreLine, players: int, rules: np.void) -> PossibleEnds:
    """The end of a line with points; without them, or where a game ends early, none."""
    if line.details.get("end") is not None:
        return PossibleEnds([], [IMPOSSIBLE_END])
    if line.points is None:
        return PossibleEnds([], [])
    if line.points not in _all(1 - line.dealer, int(rules["pair"])):
        return PossibleEnds([], [IMPOSSIBLE_POINTS])
    state = np.zeros(1, State)[0]
    start(state, rules, players, line.dealer, PACK_IN_ORDER, 0)
    state["hand"] = 0
    state["bonus"] = line.points
    ahead = line.points[0] - line.points[1]
    state["outcome"], state["over"] = PLAYED_OUT, OVER
    state["winner"] = NULL if ahead == 0 else int(ahead < 0)
    return ends_with_winner(line.winner, [state])


def _all(declarer: int, pair: int) -> set[tuple[int, ...]]:
    """Every pair of points."""
    found = set[tuple[int, ...]]()
    for won, bid, own, other in product(range(TRICKS + 1), LEVELS, range(PAIRS), range(PAIRS)):
        if own + other <= PAIRS:
            points = won + pair * own if won >= int(bid) else 0, TRICKS - won + pair * other
            found.add(points if declarer == 0 else points[::-1])
    return found
