"""Which ends a line of a Belote score sheet may describe.

Retourne enumerates how the tricks may have been shared, who had the belote and which announcements were
made, and the kernel computes the marks of each case (BE-14 to BE-21). Lines that fit none are rejected.
"""

from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.belote import kernel
from engine.belote.actions import (
    BID,
    CONTRE,
    PASS,
    RENONCE,
    SANS_ATOUT,
    SURCONTRE,
    TAKE,
    TOUT_ATOUT,
    bid_strain,
)
from engine.belote.tables import ANNOUNCED_POINTS, CARD_VALUES, SCALED
from engine.jit import compiled
from engine.score_sheet_line import (
    IMPOSSIBLE_END,
    IMPOSSIBLE_POINTS,
    PossibleEnds,
    ScoreLine,
    ScoreLineProblem,
    ends_with_winner,
    state_after_passes,
)

LEAST_WAITING = 41
"""Fewer points never wait: half of 162 and of belotes, without four belotes of the declarers (BE-20)."""
PACK_IN_ORDER = np.arange(32, dtype=np.uint8)
_SUMS = {sum(some) for some in product({0, *map(int, ANNOUNCED_POINTS)}, repeat=4)}
ANNOUNCED = np.array(
    [(0, 0), *((points, side) for points in sorted(_SUMS - {0}) for side in range(2))], np.int64
)
"""All sums that up to four announcements of a side can have, ascending, each with the side (BE-16)."""
NONE_ANNOUNCED = ANNOUNCED[:1]


def possible_ends(line: ScoreLine, players: int, rules: np.void) -> PossibleEnds:
    """Return the possible ends of a line; left open if it records neither contract nor points."""
    contract, (act, by) = line.details.get("contract"), line.end
    wrong = [] if contract is None else _contract_problems(rules, *contract)
    passes = 8 if rules["auction"] == kernel.BY_TAKING else 4
    passed = act == PASS and contract is None and by == _after_passes(line.dealer, rules, passes - 1)["turn"]
    if act not in (-1, RENONCE) and not passed:
        wrong.append(IMPOSSIBLE_END)
    if wrong:
        return PossibleEnds([], wrong)
    if passed:
        return _with_points([_after_passes(line.dealer, rules, passes)], line)
    if line.points is None and contract is None:
        return PossibleEnds([], [])
    if line.points is None and contract is not None:
        made = line.details.get("made")
        if made is None or rules["announcements"]:
            return _by_winner(line, contract, rules)
        return _by_made(line, contract, rules, made)
    assert line.points is not None
    if len(line.points) != 2 or min(line.points) < 0:
        return PossibleEnds([], [IMPOSSIBLE_POINTS])
    if contract is None and rules["announcements"]:
        return PossibleEnds([], [])  # almost any points can be made
    contracts = [contract] if contract is not None else _every_contract(rules.tobytes(), rules.dtype)
    recorded = line.details.get("litige", line.waiting)
    # a sheet may add what waited to the points without saying so, and the match may not know it
    carried = -1 if recorded is None and rules["litige"] == kernel.LITIGE_NEXT else int(recorded or 0)
    found = [_after_passes(line.dealer, rules, passes)] if contract is None and act < 0 else []
    room = np.zeros(1, kernel.State)[0]
    belotes, announced = line.details.get("belote"), _announced_by(rules)
    for bid, times in contracts:
        offender = by if act == RENONCE else -1
        if carried == 0 and line.points not in _every_marks(
            rules.tobytes(), rules.dtype, bid, times, belotes, offender
        ):
            continue
        ends = np.zeros(3 if carried >= 0 else 512, kernel.State)
        shares = _trick_shares(_values_of(rules, bid_strain(bid & ACT_MASK)))
        pairs = _belotes_of_sides(bid_strain(bid & ACT_MASK), belotes)
        found += list(
            ends[: _find(ends, room, rules, PACK_IN_ORDER, bid, times, shares, pairs, announced,
                         offender, *line.points, carried)]
        )  # fmt: skip
    for state in found:
        state["dealer"] = line.dealer
    return _with_points(found, line)


@lru_cache(maxsize=256)
def _every_marks(
    rules_bytes: bytes,
    dtype: np.dtype[np.void],
    bid: int,
    times: int,
    belotes: tuple[int, ...] | None,
    offender: int,
) -> frozenset[tuple[int, ...]]:
    """Return all marks that a contract can bring where no points wait: many lines ask for the same."""
    rules, strain = np.frombuffer(rules_bytes, dtype)[0], bid_strain(bid & ACT_MASK)
    shares, pairs = _trick_shares(_values_of(rules, strain)), _belotes_of_sides(strain, belotes)
    announced = _announced_by(rules)
    marks = np.zeros((len(shares) * len(pairs) * len(announced), 2), np.int64)
    room = np.zeros(1, kernel.State)[0]
    _fill_marks(marks, room, rules, PACK_IN_ORDER, bid, times, shares, pairs, announced, offender)
    return frozenset(map(tuple, np.unique(marks, axis=0).tolist()))


def _announced_by(rules: np.void) -> NDArray[np.int64]:
    return ANNOUNCED if rules["announcements"] else NONE_ANNOUNCED


def _with_points(states: list[np.void], line: ScoreLine) -> PossibleEnds:
    """Return the states a line's points leave, those without points that waited first, and its winner."""
    if line.points is not None:
        passed = [state for state in states if state["outcome"] == kernel.PASSED]
        states = [state for state in states if state["outcome"] != kernel.PASSED]
        states += passed if not any(line.points) else []
        exact = [state for state in states if tuple(state["marks"].tolist()) == line.points]
        states = exact or states
        if not states:
            return PossibleEnds([], [IMPOSSIBLE_POINTS])
    return ends_with_winner(line.winner, states)


def _by_winner(line: ScoreLine, contract: tuple[int, int], rules: np.void) -> PossibleEnds:
    """Return one end a winner: the points of the deal are not known."""
    states = []
    outcomes = [(kernel.PLAYED_OUT, 1), (kernel.PLAYED_OUT, 0)]
    if rules["litige"] == kernel.LITIGE_NEXT:
        outcomes.append((kernel.LITIGE, -1))
    for outcome, made in outcomes:
        state = np.zeros(1, kernel.State)[0]
        _begin(state, rules, PACK_IN_ORDER, *contract)
        state["dealer"], state["made"] = line.dealer, made
        kernel.end_deal(state, outcome)
        states.append(state)
    found = ends_with_winner(line.winner, states)
    return found._replace(has_points=False)


def _by_made(line: ScoreLine, contract: tuple[int, int], rules: np.void, made: int) -> PossibleEnds:
    """Return the ends with these card points of the declarer's side, which may have been rounded to ten."""
    (bid, times), found = contract, []
    strain, room = bid_strain(bid & ACT_MASK), np.zeros(1, kernel.State)[0]
    shares = _trick_shares(_values_of(rules, strain))
    for share, pair in product(shares, _belotes_of_sides(strain, line.details.get("belote"))):
        _play_out(room, rules, PACK_IN_ORDER, bid, times, share, shares[-2, 0], pair, 0, 0, -1)
        own = int(kernel.points(room, int(room["declarer"]) & 1))
        if own == made or (made % 10 == 0 and (own + 5) // 10 * 10 == made):
            room["dealer"] = line.dealer
            found.append(room.copy())
    return ends_with_winner(line.winner, found)


def _after_passes(dealer: int, rules: np.void, passes: int) -> np.void:
    return state_after_passes(kernel, dealer, rules, PACK_IN_ORDER, PASS, passes)


def _contract_problems(rules: np.void, bid: int, times: int) -> list[ScoreLineProblem]:
    """Return the problems of a contract: no bid, or a contre the kernel rejects (BE-5 to BE-7)."""
    seat, act = bid >> SEAT_SHIFT, bid & ACT_MASK
    wrong = [ScoreLineProblem("no-such-contract", "/score_line/contract/bid")]
    if not TAKE <= act < PASS or (act < BID) != (rules["auction"] == kernel.BY_TAKING):
        return wrong
    state = np.zeros(1, kernel.State)[0]
    kernel.start(state, rules, 4, 0, PACK_IN_ORDER, 0)
    state["turn"] = seat
    if act < BID:
        strains = bid_strain(act) < SANS_ATOUT or rules["sans_tout"]
        return ([] if strains else wrong) if times == 0 else _CONTRE_IMPOSSIBLE
    if kernel.step(state, rules, bid):
        return wrong
    doubled = (seat + 1) % 4 << SEAT_SHIFT | CONTRE, (seat + 2) % 4 << SEAT_SHIFT | SURCONTRE
    good = times in range(3) and not any(kernel.step(state, rules, one) for one in doubled[:times])
    return [] if good else _CONTRE_IMPOSSIBLE


_CONTRE_IMPOSSIBLE = [ScoreLineProblem("no-such-contract", "/score_line/contract/coinche")]


@lru_cache(maxsize=64)
def _every_contract(rules_bytes: bytes, dtype: np.dtype[np.void]) -> list[tuple[int, int]]:
    """List (bid, times) of one declarer a side, each level, each doubling; of the suits only one."""
    rules = np.frombuffer(rules_bytes, dtype)[0]
    strains = (0, SANS_ATOUT, TOUT_ATOUT) if rules["sans_tout"] else (0,)
    first, last = (TAKE, BID) if rules["auction"] == kernel.BY_TAKING else (BID, PASS)
    bids = (
        (seat << SEAT_SHIFT | act, times)
        for seat, act, times in product(range(2), range(first, last), range(3))
        if bid_strain(act) in strains
    )
    return [(bid, times) for bid, times in bids if not _contract_problems(rules, bid, times)]


def _values_of(rules: np.void, strain: int) -> int:
    return SCALED if strain == TOUT_ATOUT and rules["auction"] == kernel.BY_TAKING else strain


@cache
def _trick_shares(values: int) -> NDArray[np.int64]:
    """Return rows of (card points of side 0, side of the last trick, side with every trick or -1)."""
    sums = {0}
    for value in CARD_VALUES[values].tolist():
        sums |= {one + value for one in sums}
    every = max(sums)
    rows = [(cards, side, -1) for cards in sorted(sums) for side in range(2)]
    return np.array([*rows, (every, 0, 0), (0, 1, 1)], np.int64)


def _belotes_of_sides(strain: int, belotes: tuple[int, ...] | None) -> NDArray[np.int64]:
    """Return how many belotes each side may have: none in sans atout, up to four in tout atout (BE-15)."""
    if belotes is not None:
        return np.array([belotes], np.int64)
    most = 0 if strain == SANS_ATOUT else 4 if strain == TOUT_ATOUT else 1
    pairs = [pair for pair in product(range(most + 1), repeat=2) if sum(pair) <= most]
    return np.array(pairs, np.int64)


@compiled
def _begin(state: Any, rules: Any, pack: NDArray[np.uint8], bid: int, times: int) -> None:
    """Set a state to the end of the auction of a contract, no hand with a card left."""
    kernel.start(state, rules, 4, 0, pack, 0)
    seat, act = bid >> SEAT_SHIFT, bid & ACT_MASK
    level, strain = 0, act - TAKE
    if act >= BID:
        level, strain = (act - BID) // 6 + 1, (act - BID) % 6
    kernel.set_contract(state, rules, seat, level, strain)
    state.coinched = times
    if times:
        state.coincher = seat + 1 & 3
    if times == 2:
        state.surcoincher = seat
    kernel.close_auction(state, rules)
    for one in range(4):
        state.hand[one] = 0
        state.pairs_held[one] = 0


@compiled
def _play_out(
    state: Any, rules: Any, pack: Any, bid: int, times: int, share: Any, every: int, pair: Any,
    announced: int, side: int, offender: int,
) -> None:  # fmt: skip
    """Set a state to the end of a deal: a row of `_trick_shares`, belotes, the announced points of a side."""
    _begin(state, rules, pack, bid, times)
    state.cards[0] = share[0]
    state.cards[1] = every - share[0]
    state.der = share[1]
    state.sweeper = share[2]
    for one in range(2):
        state.belotes[one] = (1 << pair[one]) - 1
        state.taken[one] = 0 if share[2] == 1 - one else 8 if share[2] == one else 4
    if announced:
        state.announced[side] = announced
        state.best_side = side
    if offender >= 0:
        kernel.apply_renonce(state, rules, offender)
    else:
        state.trick = kernel.TRICKS
        kernel.score_deal(state, rules)


@compiled
def _play_case(
    state: Any, rules: Any, pack: Any, bid: int, times: int, shares: Any, pairs: Any, announced: Any,
    offender: int, case: int,
) -> None:  # fmt: skip
    """Set a state to one of all ends of a contract: `case` counts announcements, then pairs, then shares."""
    rest, points = divmod(case, len(announced))
    share, pair = divmod(rest, len(pairs))
    _play_out(
        state, rules, pack, bid, times, shares[share], shares[-2, 0], pairs[pair],
        announced[points, 0], announced[points, 1], offender,
    )  # fmt: skip


@compiled
def _fill_marks(
    marks: Any, state: Any, rules: Any, pack: Any, bid: int, times: int, shares: Any, pairs: Any,
    announced: Any, offender: int,
) -> None:  # fmt: skip
    """Fill `marks` with those of every end of a contract."""
    for case in range(len(marks)):
        _play_case(state, rules, pack, bid, times, shares, pairs, announced, offender, case)
        marks[case, 0] = state.marks[0]
        marks[case, 1] = state.marks[1]


@compiled
def _find(
    ends: Any, state: Any, rules: Any, pack: Any, bid: int, times: int, shares: Any, pairs: Any,
    announced: Any, offender: int, first: int, second: int, carried: int,
) -> int:  # fmt: skip
    """Fill `ends` with those of a contract that bring these points, one a winner; return how many."""
    count = 0
    for case in range(len(shares) * len(pairs) * len(announced)):
        if count == len(ends):
            break
        _play_case(state, rules, pack, bid, times, shares, pairs, announced, offender, case)
        more_one, more_other = first - state.marks[0], second - state.marks[1]
        more = more_one if state.winner == 0 else more_other if state.winner == 1 else 0
        rest = more_one + more_other - more
        known = 0 < more < LEAST_WAITING or more < 0
        known |= carried >= 0 and more != carried and state.winner >= 0
        if state.winner < 0:
            known |= more_one != 0
            rest = more_other
        for i in range(count):
            known |= (
                ends[i].winner == state.winner
                and ends[i].waiting == state.waiting
                and ends[i].marks[0] == state.marks[0]
                and ends[i].marks[1] == state.marks[1]
            )
        if rest == 0 and not known:
            ends[count] = state
            count += 1
    return count
