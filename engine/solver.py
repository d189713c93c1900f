"""What play was worth, exactly: the end of a deal, solved from where all is known.

A game's `solver` module reckons; what comes of it is the same in every game. `values` has the same
numbers as `solve`, summed by seat, of a million deals: from one compiled call of a game's solver.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, action
from engine.games import Game
from engine.replay import Replay
from engine.solver_results import (
    GAME,
    PARTIAL,
    REASONS,
    Choice,
    Chosen,
    Judged,
    Play,
    Solved,
    Unsolved,
)

Ints = NDArray[np.int64]
NOWHERE = -1
"""No action."""


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
    if replay.stop is not None:
        return Unsolved("stopped", at=replay.stop.at)
    start = game.solver.begins(replay.states)
    if start is None:
        return Unsolved("never")
    if len(wrong := np.flatnonzero(replay.found[start:] & game.faults.errors)):
        return Unsolved("irregular", at=start + int(wrong[0]))
    judged = game.solver.judge(replay.states[start:], rules)
    if isinstance(judged, Unsolved):
        return judged
    plays, turn = list[Play](), start
    for at in range(start, len(replay) - 1):
        seat, act = action(replay.done[at])
        kind = game.acts.kind_of_act(act)
        if kind == "play":
            side = seat % 2 if game.partners else seat
            before, after = judged.margins[turn - start], judged.margins[at + 1 - start]
            best = tuple(game.pack.members(int(judged.best[turn - start])))
            plays.append(Play(at, seat, int(before - after) * (1 - 2 * side), best))
        if kind != "announce":
            turn = at + 1
    turned = np.flatnonzero(judged.winners[1:] != judged.winners[:-1])
    last = start + int(turned[-1]) if len(turned) else None
    return Solved(start, int(judged.margins[0]) - judged.made, judged.made, tuple(plays), last)


def chosen(replay: Replay, left: Sequence[int]) -> Chosen | Unsolved:
    """What was chosen before play, against what was left: a mask a seat (`Game.chosen`)."""
    game = replay.game
    if game.chosen is None:
        return Unsolved("game")
    if replay.unread or type(replay) is not Replay:
        return Unsolved("partial")
    if replay.stop is not None:
        return Unsolved("stopped", at=replay.stop.at)
    faults = np.bitwise_or.reduce(replay.found, initial=0)
    state, masks = replay.states[-1:], np.full((1, max(game.players)), -1)
    masks[0, : len(left)] = left
    if why := game.chosen.refused(state, np.array([faults]), np.array([False]), masks)[0]:
        wrong = np.flatnonzero(replay.found & game.faults.errors)
        return Unsolved(REASONS[why], at=int(wrong[0]) if len(wrong) else None)
    found = game.chosen.points(replay.states, replay.rules, replay.done)
    own, choices = game.chosen.cards(state)[0], list[Choice]()
    for seat, mask in enumerate(left):
        points = {card: int(one) for card, one in enumerate(found[seat]) if mask >> card & 1}
        most, mine = max(points.values()), int(own[seat])
        best = tuple(card for card, one in points.items() if one == most)
        choices.append(Choice(seat, mine, int(found[seat][mine]), most, best))
    return Chosen(tuple(choices))


def judged(replay: Replay) -> Judged | None:
    """The last state with best play from there on; None: it is not solved."""
    solver = replay.game.solver
    if solver is None or replay.unread or type(replay) is not Replay:
        return None
    if solver.refused(replay.rules, replay.players) or solver.begins(replay.states) is None:
        return None
    found = _judged(replay, replay.last.state)
    return None if isinstance(found, Unsolved) else found


def line(replay: Replay, at: int) -> tuple[int, Replay]:
    """Where the turn of an action begins, and the deal with best play of all from there on.

    Of cards that are as good the first of the pack is laid, and what counts is announced as soon as
    that loses nothing. ValueError: from there it is not solved.
    """
    kind, start = replay.game.acts.kind_of_act, at
    while (done := replay[start].action) is not None and kind(done.act) == "announce":
        start -= 1
    if judged(replay.otherwise(start, ())) is None:
        raise ValueError("not solved")
    state, codes = replay.states[start].copy(), list[int]()
    while (code := _best(replay, state)) is not None:
        replay.game.kernel.step(state, replay.rules, code)
        codes.append(code)
    return start, replay.otherwise(start, codes)


def _best(replay: Replay, state: np.void) -> int | None:
    """An action of best play for who has the turn; None: nothing more is played."""
    game, turn = replay.game, int(state["turn"])
    judged = _judged(replay, state)
    if isinstance(judged, Unsolved) or not judged.best[0]:
        return None
    codes = np.zeros(2048, np.uint16)
    count = game.kernel.legal(state, replay.rules, codes)
    cards = []
    for code in map(int, codes[:count]):
        seat, act = action(code)
        kind = game.acts.kind_of_act(act)
        if seat == turn and kind == "announce":
            after = state.copy()
            game.kernel.step(after, replay.rules, code)
            then = _judged(replay, after)
            counts = game.kernel.total(after, turn) > game.kernel.total(state, turn)
            if counts and isinstance(then, Judged) and then.margins[0] == judged.margins[0]:
                return code
        elif seat == turn and kind == "play" and judged.best[0] >> act & 1:
            cards.append(code)
    return cards[0]


def _judged(replay: Replay, state: np.void) -> Judged | Unsolved:
    assert replay.game.solver is not None
    return replay.game.solver.judge(np.array([state]), replay.rules)


# many deals at once


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
        return _chosen(game, reasons, left, players, told)
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
    game: Game, reasons: NDArray[np.uint8], left: Ints, players: Ints, told: tuple[Any, ...]
) -> Values:
    """What was chosen before play, as the one card laid: no action, and nothing but points lost."""
    chosen = game.chosen
    assert chosen is not None
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
    of_deals = reasons, nowhere, nobody, nobody, nobody, nowhere
    forced = counts & (free.sum(axis=2) == 1)
    cards, forced, costly = (one.astype(np.int64) for one in (counts, forced, lost > 0))
    return Values(*of_deals, cards, forced, lost, costly, np.full_like(lost, NOWHERE), lost)


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
    kinds = np.array([game.acts.kind_of_act(act) for act in range(ACT_MASK + 1)])
    lays, goes_on = kinds == "play", kinds == "announce"
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
    of_deals = reasons, start, made, margins[there] - made, won[there], turning
    each = np.ones(len(card)), choice & (choice - 1) == 0, lost, lost > 0
    cards, forced, points, lossy = map(of_seats, each)
    highest = dearest.reshape(n, seats), most.reshape(n, seats)
    return Values(*of_deals, cards, forced, points, lossy, *highest)
