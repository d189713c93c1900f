"""What the ends of many deals were worth: `engine.solving` for a million of them.

The same numbers as `solve` has, summed by seat, from one compiled call of a game's solver.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.acts import ACT_MASK, SEAT_SHIFT
from engine.games import Chosen, Game
from engine.solved import GAME, PARTIAL, REASONS

Ints = NDArray[np.int64]
NOWHERE = -1
"""No action."""


@dataclass(slots=True, frozen=True)
class Values:
    """n deals with s seats each: a row a deal of the first five, a row a deal and seat of others.

    Without meaning where a deal is not solved. Actions and seats count from 0.
    """

    unsolved: NDArray[np.uint8]
    """Places in `REASONS`; 0: it is solved."""
    start: Ints
    """Or NOWHERE, where all there is was chosen before play; the next three say nothing then."""
    made: Ints
    """What side 1 had made more than side 2 at the start."""
    margin: Ints
    """What side 1 still makes there minus what side 2 does, both playing their best."""
    winner: Ints
    """With best play from the start on: 1 or -1 for side 1 or 2, 0 for nobody."""
    turning: Ints
    """The last action before which another would have won than after it; or NOWHERE."""
    cards: Ints
    """How many were laid."""
    forced: Ints
    """Of them, those that were the only one to lay."""
    lost: Ints
    """Points, all cards together."""
    costly: Ints
    """Cards that lost something."""
    dearest: Ints
    """The first action that lost the most; or NOWHERE."""
    dearest_lost: Ints
    """What it lost."""


def kinds(game: Game) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """By act: whether it lays a card, and whether the turn goes on after it."""
    every = [game.acts.kind_of_act(act) for act in range(ACT_MASK + 1)]
    return np.array([kind == "play" for kind in every]), np.array(
        [kind == "announce" for kind in every]
    )


def turns(going_on: NDArray[np.bool_], first: Ints) -> Ints:
    """The first action of the turn of each action; `first` is that of its deal.

    A turn ends with whatever is no announcement.
    """
    place = np.arange(len(going_on))
    ended = np.maximum.accumulate(np.where(going_on, 0, place + 1))
    return np.maximum(np.concatenate([place[:1], ended[:-1]]), first)


def values(
    game: Game,
    rules: NDArray[np.void],
    rule_of: Ints,
    players: Ints,
    dealers: Ints,
    decks: NDArray[np.uint8],
    explicit: Ints,
    codes: NDArray[np.uint16],
    offsets: Ints,
    unsolved: NDArray[np.uint8] | None = None,
    left: Ints | None = None,
) -> Values:
    """What deals came to, told as `Kernel.run` takes them.

    `unsolved`: why some of them are not even looked at; what no reason of ours is stays. `left`:
    what there was to choose from before play, a row a deal, as `Game.chosen` has it.
    """
    n = len(dealers)
    reasons = np.zeros(n, np.uint8) if unsolved is None else unsolved.copy()
    if game.chosen is not None and left is not None:
        told = rules, rule_of, players, dealers, decks, explicit, codes, offsets
        return _chosen(game.chosen, reasons, left, players, told)
    # of tables whose deals are not solved it is said why, as `solve` does before it looks at them
    dealt = (reasons == 0) | (reasons == PARTIAL)
    if game.solver is None:
        reasons[dealt] = GAME
    else:
        tables = rule_of * (max(game.players) + 1) + players
        for table in np.unique(tables).tolist():
            rule, seats = divmod(table, max(game.players) + 1)
            if (refused := game.solver.refused(rules[rule], seats)) is not None:
                reasons[(tables == table) & dealt] = REASONS.index(refused.reason)
    lengths = np.diff(offsets)
    longest = int(lengths.max(initial=0))
    states = np.zeros(longest + 1, game.kernel.State)
    start, made = np.zeros((2, n), np.int64)
    margins, best, free, won = np.zeros((4, len(codes) + n), np.int64)
    if game.solver is not None and n:
        game.solver.endgame.judge_all(
            *(states, np.zeros(longest, np.int64), rules, rule_of, players, dealers, decks),
            *(explicit, codes, offsets, reasons, start, made, margins, best, free, won),
        )
    return _summed(game, reasons, start, made, codes, offsets, (margins, free, won))


def _chosen(
    chosen: Chosen, reasons: NDArray[np.uint8], left: Ints, players: Ints, told: tuple[Any, ...]
) -> Values:
    """What was chosen before play, as the one card laid: no action, and nothing but points lost."""
    states, faults, stops, points = chosen.points_of(*told)
    own = chosen.cards(states).astype(np.int64)
    _, seats, cards = points.shape
    mine = np.take_along_axis(points, np.maximum(own, 0)[:, :, None], 2)[:, :, 0]
    found = chosen.refused(states, faults, stops < np.diff(told[-1]), left)
    reasons = np.where(reasons == 0, found, reasons)
    counts = (reasons == 0)[:, None] & (np.arange(seats) < players[:, None])
    free = left[:, :, None] >> np.arange(cards) & 1
    lost = np.where(counts, np.where(free, points, 0).max(axis=2) - mine, 0)
    nowhere, nobody = np.full(len(reasons), NOWHERE), np.zeros(len(reasons), np.int64)
    return Values(
        unsolved=reasons,
        start=nowhere,
        made=nobody,
        margin=nobody,
        winner=nobody,
        turning=nowhere,
        cards=counts.astype(np.int64),
        forced=(counts & (free.sum(axis=2) == 1)).astype(np.int64),
        lost=lost,
        costly=(lost > 0).astype(np.int64),
        dearest=np.full_like(lost, NOWHERE),
        dearest_lost=lost,
    )


def _summed(
    game: Game,
    reasons: NDArray[np.uint8],
    start: Ints,
    made: Ints,
    codes: NDArray[np.uint16],
    offsets: Ints,
    judged: tuple[Ints, Ints, Ints],
) -> Values:
    """The cards of each deal, by seat."""
    margins, free, won = judged
    n, seats = len(reasons), max(game.players)
    solved = np.flatnonzero(reasons == 0)
    first = offsets[solved] + start[solved]
    counts = offsets[solved + 1] - first
    # one row for each action from a deal's first on
    deal = np.repeat(solved, counts)
    begin = np.repeat(np.cumsum(counts) - counts, counts)
    row = np.arange(len(deal))
    action = row - begin + start[deal]
    before = offsets[deal] + deal + action
    told = codes[offsets[deal] + action].astype(np.int64)
    lays, goes_on = kinds(game)
    turn = before - row + turns(goes_on[told & ACT_MASK], begin)
    seat = told >> SEAT_SHIFT
    side = seat % 2 if game.partners else seat
    lost = (margins[turn] - margins[before + 1]) * (1 - 2 * side)
    card = np.flatnonzero(lays[told & ACT_MASK])
    place = (deal * seats + seat)[card]
    lost, choice = lost[card], free[before[card]]

    def of_seats(weights: NDArray[np.generic]) -> Ints:
        found = np.bincount(place, weights, n * seats).astype(np.int64)  # exact below 2⁵³
        return found.reshape(n, seats)

    costly = np.flatnonzero(lost > 0)
    dearest, most = np.full(n * seats, NOWHERE, np.int64), np.zeros(n * seats, np.int64)
    rising = costly[np.lexsort((-action[card[costly]], lost[costly]))]  # the last one stays
    dearest[place[rising]], most[place[rising]] = action[card[rising]], lost[rising]
    turning = np.full(n, NOWHERE, np.int64)
    turned = np.flatnonzero(won[before] != won[before + 1])
    turning[deal[turned]] = action[turned]
    there = offsets[:-1] + np.arange(n) + start
    return Values(
        unsolved=reasons,
        start=start,
        made=made,
        margin=margins[there] - made,
        winner=won[there],
        turning=turning,
        cards=of_seats(np.ones(len(card))),
        forced=of_seats(choice & (choice - 1) == 0),
        lost=of_seats(lost),
        costly=of_seats(lost > 0),
        dearest=dearest.reshape(n, seats),
        dearest_lost=most.reshape(n, seats),
    )
