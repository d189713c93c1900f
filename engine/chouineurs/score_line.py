"""Chouineurs told by a score sheet: bids met or missed, and points of the reserve.

What is refused here no manche has: its tricks are shared among the players, each bid counts by the
tricks of its player alone, and of the reserve no more is taken than there is, by nobody more often
than there were tricks, and by somebody at the end, when nothing is left to turn (CR-1, CR-2, CR-5,
CR-7).
"""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.chouineurs import kernel
from engine.chouineurs.actions import RESIGN
from engine.chouineurs.deck import BIDS, MOST_TRICKS, NONE, ROW
from engine.jit import compiled
from engine.score_line import END, POINTS, Ends, Line, Wrong, beside

BLANK = np.full(ROW, NONE, np.uint8)
RESERVE = Wrong("reserve-impossible", "/told/reserve")


class Seat(NamedTuple):
    """What one player may have made of a manche."""

    tricks: int
    taken: int
    """Reserve cards."""
    scored: int
    made: bool


def _possible(
    line: Line, blank: np.void, worth: NDArray[np.int64], done: int, resigned: int
) -> list[list[Seat]]:
    """Of each seat, what goes with something of every other, in a manche of `done` tricks.

    Empty lists where nothing does.
    """
    reserve, points, left = line.said.get("reserve"), line.points, int(blank["tricks"]) - done
    each = list[list[Seat]]()
    for seat in range(int(blank["players"])):
        bids = range(BIDS) if line.said.get("bids") is None else (line.said["bids"][seat],)
        found = set()
        for tricks, bid in product(range(done + 1), bids):
            scored, made = (int(one) for one in worth[bid, tricks, tricks + left])
            if seat == resigned:
                scored, made = 0, 0
            for taken in range(done + 1):
                if (points is None or points[seat] == scored + taken) and (
                    reserve is None or reserve[seat] == taken
                ):
                    found.add(Seat(tricks, taken, scored, bool(made)))
        each.append(list(found))
    before, behind = [{(0, 0)}], [{(0, 0)}]
    for ways in each:
        before.append(_added(before[-1], ways))
    for ways in reversed(each):
        behind.insert(0, _added(behind[0], ways))
    most = int(blank["reserve"])
    least = 1 if most and resigned == kernel.NOBODY else 0
    return [
        [
            way
            for way in ways
            if any(  # all tricks are somebody's, and the reserve has what was taken
                way.tricks + one[0] + other[0] == done
                and least <= way.taken + one[1] + other[1] <= most
                for one, other in product(before[seat], behind[seat + 1])
            )
        ]
        for seat, ways in enumerate(each)
    ]


def _added(sums: set[tuple[int, int]], ways: list[Seat]) -> set[tuple[int, int]]:
    return {(tricks + way.tricks, taken + way.taken) for tricks, taken in sums for way in ways}


def ends(line: Line, players: int, rules: np.void) -> Ends:
    """The one end a line with points stands for, as the sheet counts it; else it is left open."""
    blank = np.zeros(1, kernel.State)[0]
    kernel.start(blank, rules, players, line.dealer, BLANK, 0)
    worth = np.zeros((BIDS, MOST_TRICKS + 1, MOST_TRICKS + 1, 2), np.int64)
    _worth(blank.copy(), rules, worth)
    end = line.said.get("end")
    if end is not None and end & ACT_MASK != RESIGN:
        return Ends([], [END])
    resigned = kernel.NOBODY if end is None else end >> SEAT_SHIFT
    tricks = int(blank["tricks"])
    counts = (tricks,) if end is None else range(tricks + 1)

    def possible(said: Line) -> list[list[Seat]]:
        found: list[list[Seat]] = [[] for _ in range(players)]
        for done in counts:
            each = _possible(said, blank, worth, done, resigned)
            found = [[*old, *new] for old, new in zip(found, each, strict=True)]
        return found

    reserve = line.said.get("reserve")
    if reserve is not None:
        without = line._replace(points=None)
        if len(reserve) != players or not all(possible(without)):
            return Ends([], [RESERVE])
    if line.points is None:
        return Ends([], [])
    found = possible(line) if len(line.points) == players else []
    if not found or not all(found):
        return Ends([], [POINTS])
    state = blank.copy()
    for seat, ways in enumerate(found):
        way = min(ways)  # a bid is only spent where that is certain
        state["bid"][seat] = line.said["bids"][seat] if line.said.get("bids") else kernel.NOBODY
        state["made"][seat] = all(one.made for one in ways) and bool(line.said.get("bids"))
        state["taken"][seat], state["scored"][seat] = way.taken, way.scored
    state["outcome"] = kernel.PLAYED_OUT if end is None else kernel.RESIGNED
    state["over"], state["winner"] = kernel.OVER, kernel.highest(state, resigned)
    return beside(line.winner, [state])


@compiled
def _worth(state: Any, rules: Any, found: NDArray[np.int64]) -> None:
    """Fill `found[bid, least, most]`: the points of a bid with so many tricks, and whether met."""
    state.bid[0] = 0
    for bid in range(found.shape[0]):
        state.bid[0] = bid
        for least in range(found.shape[1]):
            for most in range(least, found.shape[2]):
                state.won[0] = least
                state.made[0] = 0
                state.scored[0] = 0
                kernel.score_bid(state, rules, 0, most)
                found[bid, least, most, 0] = state.scored[0]
                found[bid, least, most, 1] = state.made[0]
