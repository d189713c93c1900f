"""Which ends a line of a Chouineurs score sheet may describe.

Retourne rejects only lines that no manche can have. The tricks are divided among the players; a bid
scores only by its player's tricks; players take no more reserve cards in all than there are, and each at
most one per trick; someone takes at least one, as no cards are left to turn after the last trick
(CR-1, CR-2, CR-5, CR-7).
"""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.chouineurs import kernel
from engine.chouineurs.actions import RESIGN
from engine.chouineurs.deck import BID_COUNT, MAX_TRICKS, NO_FACE, ROW_LENGTH
from engine.jit import compiled
from engine.score_sheet_line import (
    IMPOSSIBLE_END,
    IMPOSSIBLE_POINTS,
    PossibleEnds,
    ScoreLine,
    ScoreLineProblem,
    ends_with_winner,
)

EMPTY_ROW = np.full(ROW_LENGTH, NO_FACE, np.uint8)
RESERVE_PROBLEM = ScoreLineProblem("reserve-impossible", "/score_line/reserve")


class SeatOutcome(NamedTuple):
    """A possible result of one player in a manche."""

    tricks: int
    reserve_points: int
    """Number of reserve cards taken, a point each."""
    bid_points: int
    bid_met: bool


def _seat_outcomes(
    line: ScoreLine, blank: np.void, worth: NDArray[np.int64], done: int, resigned: int
) -> list[list[SeatOutcome]]:
    """Return each seat's outcomes that are consistent with the others, after `done` tricks.

    All lists are empty if there are none.
    """
    reserve, points, left = line.details.get("reserve"), line.points, int(blank["tricks"]) - done
    each = list[list[SeatOutcome]]()
    for seat in range(int(blank["players"])):
        bids = range(BID_COUNT) if line.details.get("bids") is None else (line.details["bids"][seat],)
        found = set()
        for tricks, bid in product(range(done + 1), bids):
            scored, made = (int(one) for one in worth[bid, tricks, tricks + left])
            if seat == resigned:
                scored, made = 0, 0
            for taken in range(done + 1):
                if (points is None or points[seat] == scored + taken) and (
                    reserve is None or reserve[seat] == taken
                ):
                    found.add(SeatOutcome(tricks, taken, scored, bool(made)))
        each.append(list(found))
    before, behind = [{(0, 0)}], [{(0, 0)}]
    for ways in each:
        before.append(_combined_sums(before[-1], ways))
    for ways in reversed(each):
        behind.insert(0, _combined_sums(behind[0], ways))
    most = int(blank["reserve"])
    least = 1 if most and resigned == kernel.NOBODY else 0
    return [
        [
            way
            for way in ways
            if any(  # all tricks are taken, and the reserve is large enough
                way.tricks + one[0] + other[0] == done
                and least <= way.reserve_points + one[1] + other[1] <= most
                for one, other in product(before[seat], behind[seat + 1])
            )
        ]
        for seat, ways in enumerate(each)
    ]


def _combined_sums(sums: set[tuple[int, int]], ways: list[SeatOutcome]) -> set[tuple[int, int]]:
    return {(tricks + way.tricks, taken + way.reserve_points) for tricks, taken in sums for way in ways}


def possible_ends(line: ScoreLine, players: int, rules: np.void) -> PossibleEnds:
    """Return the one end of a line with points, as a score sheet counts it; otherwise none."""
    blank = np.zeros(1, kernel.State)[0]
    kernel.start(blank, rules, players, line.dealer, EMPTY_ROW, 0)
    worth = np.zeros((BID_COUNT, MAX_TRICKS + 1, MAX_TRICKS + 1, 2), np.int64)
    _fill_bid_points(blank.copy(), rules, worth)
    end = line.details.get("end")
    if end is not None and end & ACT_MASK != RESIGN:
        return PossibleEnds([], [IMPOSSIBLE_END])
    resigned = kernel.NOBODY if end is None else end >> SEAT_SHIFT
    tricks = int(blank["tricks"])
    counts = (tricks,) if end is None else range(tricks + 1)

    def possible(line: ScoreLine) -> list[list[SeatOutcome]]:
        found: list[list[SeatOutcome]] = [[] for _ in range(players)]
        for done in counts:
            each = _seat_outcomes(line, blank, worth, done, resigned)
            found = [[*old, *new] for old, new in zip(found, each, strict=True)]
        return found

    reserve = line.details.get("reserve")
    if reserve is not None:
        without = line._replace(points=None)
        if len(reserve) != players or not all(possible(without)):
            return PossibleEnds([], [RESERVE_PROBLEM])
    if line.points is None:
        return PossibleEnds([], [])
    found = possible(line) if len(line.points) == players else []
    if not found or not all(found):
        return PossibleEnds([], [IMPOSSIBLE_POINTS])
    state = blank.copy()
    for seat, ways in enumerate(found):
        way = min(ways)  # any outcome serves; `made`, which spends a bid, needs all
        state["bid"][seat] = line.details["bids"][seat] if line.details.get("bids") else kernel.NOBODY
        state["made"][seat] = all(one.bid_met for one in ways) and bool(line.details.get("bids"))
        state["taken"][seat], state["scored"][seat] = way.reserve_points, way.bid_points
    state["outcome"] = kernel.PLAYED_OUT if end is None else kernel.RESIGNED
    state["over"], state["winner"] = kernel.OVER, kernel.leading_seat(state, resigned)
    return ends_with_winner(line.winner, [state])


@compiled
def _fill_bid_points(state: Any, rules: Any, found: NDArray[np.int64]) -> None:
    """Set `found[bid, least, most]` to a bid's points in that range of tricks, and if it is met."""
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
