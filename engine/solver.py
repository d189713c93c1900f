"""Exact values and best lines of endgames (double dummy), of one deal or of millions.

A game's `endgame` module computes the values and its `solver` module decides which part of a deal it can
solve; this module turns them into reports, the same for every game. `solve_deal` reports on one deal;
`solve_deals` sums the same numbers by seat, for millions of deals in one compiled call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, decode_action
from engine.games import Game
from engine.replay import Replay
from engine.solver_results import (
    GAME,
    HIDDEN_CARDS,
    REASONS,
    BidChoice,
    BidRegretReport,
    EndgameReport,
    EndgameValues,
    NotSolved,
    PlayedCard,
)

IntArray = NDArray[np.int64]
NO_ACTION = -1
"""No action, where actions are counted from 0."""


def solve_deal(replay: Replay) -> EndgameReport | NotSolved:
    """Return the cost of each card of a deal's end, or why it is not solved.

    A card's loss is measured from the start of its player's turn, so it includes wrong or missing
    announcements. The losses add up to the change that best play would have made.
    """
    game, rules = replay.game, replay.rules
    if game.solver is None:
        return NotSolved("game")
    if (refused := game.solver.refusal(rules, replay.players)) is not None:
        return refused
    if replay.is_too_ambiguous or type(replay) is not Replay:
        return NotSolved("partial")
    if replay.stop is not None:
        return NotSolved("stopped", action_index=replay.stop.action_index)
    start = game.solver.solvable_from(replay.states)
    if start is None:
        return NotSolved("never")
    if len(wrong := np.flatnonzero(replay.fault_bits[start:] & game.faults.errors)):
        return NotSolved("irregular", action_index=start + int(wrong[0]))
    values = game.solver.solve_states(replay.states[start:], rules)
    if isinstance(values, NotSolved):
        return values
    plays, turn = list[PlayedCard](), start
    for at in range(start, len(replay) - 1):
        seat, act = decode_action(replay.applied_codes[at])
        kind = game.acts.kind_of_act(act)
        if kind == "play":
            side = seat % 2 if game.partners else seat
            before, after = values.final_margins[turn - start], values.final_margins[at + 1 - start]
            best = tuple(game.pack.codes_in(int(values.best_cards[turn - start])))
            plays.append(PlayedCard(at, seat, int(before - after) * (1 - 2 * side), best))
        if kind != "announce":
            turn = at + 1
    turned = np.flatnonzero(values.winners[1:] != values.winners[:-1])
    last = start + int(turned[-1]) if len(turned) else None
    return EndgameReport(start, int(values.final_margins[0]) - values.lead, values.lead, tuple(plays), last)


def bid_regret_report(replay: Replay, remaining_bids: Sequence[int]) -> BidRegretReport | NotSolved:
    """Compare the bids made with the remaining ones, one mask per seat (`Game.bid_regret`)."""
    game = replay.game
    if game.bid_regret is None:
        return NotSolved("game")
    if replay.is_too_ambiguous or type(replay) is not Replay:
        return NotSolved("partial")
    if replay.stop is not None:
        return NotSolved("stopped", action_index=replay.stop.action_index)
    faults = np.bitwise_or.reduce(replay.fault_bits, initial=0)
    state, masks = replay.states[-1:], np.full((1, max(game.players)), -1)
    masks[0, : len(remaining_bids)] = remaining_bids
    if why := game.bid_regret.refusals(state, np.array([faults]), np.array([False]), masks)[0]:
        wrong = np.flatnonzero(replay.fault_bits & game.faults.errors)
        return NotSolved(REASONS[why], action_index=int(wrong[0]) if len(wrong) else None)
    found = game.bid_regret.points_by_bid(replay.states, replay.rules, replay.applied_codes)
    own, choices = game.bid_regret.bids_made(state)[0], list[BidChoice]()
    for seat, mask in enumerate(remaining_bids):
        points = {card: int(one) for card, one in enumerate(found[seat]) if mask >> card & 1}
        most, mine = max(points.values()), int(own[seat])
        best = tuple(card for card, one in points.items() if one == most)
        choices.append(BidChoice(seat, mine, int(found[seat][mine]), most, best))
    return BidRegretReport(tuple(choices))


def solve_final_state(replay: Replay) -> EndgameValues | None:
    """Solve the last state with best play from there on; None: it is not solved."""
    solver = replay.game.solver
    if solver is None or replay.is_too_ambiguous or type(replay) is not Replay:
        return None
    if solver.refusal(replay.rules, replay.players) or solver.solvable_from(replay.states) is None:
        return None
    found = _solve_state(replay, replay.last.state)
    return None if isinstance(found, NotSolved) else found


def best_line(replay: Replay, action_index: int) -> tuple[int, Replay]:
    """Return where the turn of an action begins, and the deal with best play from there on.

    The first in the pack of equally good cards is played; announcements that score are made as soon
    as they lose nothing. ValueError: the deal is not solved from there.
    """
    kind, start = replay.game.acts.kind_of_act, action_index
    while (done := replay[start].action) is not None and kind(done.act) == "announce":
        start -= 1
    if solve_final_state(replay.branch(start, ())) is None:
        raise ValueError("not solved")
    state, codes = replay.states[start].copy(), list[int]()
    while (code := _best_action(replay, state)) is not None:
        replay.game.kernel.step(state, replay.rules, code)
        codes.append(code)
    return start, replay.branch(start, codes)


def _best_action(replay: Replay, state: np.void) -> int | None:
    """Return an action of best play for the seat to act; None: the deal is over."""
    game, turn = replay.game, int(state["turn"])
    assert game.solver is not None
    values = _solve_state(replay, state)
    if isinstance(values, NotSolved) or not values.best_cards[0]:
        return None
    codes = np.zeros(2048, np.uint16)
    count = game.kernel.legal(state, replay.rules, codes)
    cards = []
    for code in map(int, codes[:count]):
        seat, act = decode_action(code)
        kind = game.acts.kind_of_act(act)
        if seat == turn and kind == "announce":
            after = state.copy()
            game.kernel.step(after, replay.rules, code)
            then = _solve_state(replay, after)
            scores = game.kernel.total(after, turn) > game.kernel.total(state, turn)
            if (
                (scores or act in game.solver.free_announcements)
                and isinstance(then, EndgameValues)
                and then.final_margins[0] == values.final_margins[0]
            ):
                return code
        elif seat == turn and kind == "play" and values.best_cards[0] >> act & 1:
            cards.append(code)
    return cards[0]


def _solve_state(replay: Replay, state: np.void) -> EndgameValues | NotSolved:
    assert replay.game.solver is not None
    return replay.game.solver.solve_states(np.array([state]), replay.rules)


# many deals at once


@dataclass(slots=True, frozen=True)
class EndgameArrays:
    """Solved ends of n deals with s seats: arrays up to `turning_action` (n), others (n, s).

    Entries of deals that are not solved have no meaning. Actions and seats count from 0.
    """

    not_solved: NDArray[np.uint8]
    """Indices into `REASONS`; 0: the deal is solved."""
    first_action: IntArray
    """First solved action, or NO_ACTION if only bids are compared (then ignore the next three)."""
    points_lead: IntArray
    """Points of side 1 minus those of side 2 at the start."""
    margin: IntArray
    """Points side 1 still makes from the start minus those of side 2, with best play by both."""
    winner: IntArray
    """With best play from the start: 1 or -1 for side 1 or 2, 0 for none."""
    turning_action: IntArray
    """The last action that changed the winner under best play, or NO_ACTION."""
    cards_played: IntArray
    """Number of cards played."""
    forced_cards: IntArray
    """Number of cards played without an alternative."""
    points_lost: IntArray
    """Points lost by all cards together."""
    costly_cards: IntArray
    """Number of cards that lost points."""
    worst_action: IntArray
    """The first action that lost the most, or NO_ACTION."""
    worst_loss: IntArray
    """Points lost by `worst_action`."""


def turn_starts(continues_turn: NDArray[np.bool_], first: IntArray) -> IntArray:
    """Return the first action of each action's turn; `first` is the first of its deal.

    Every action that does not continue the turn, unlike an announcement, ends it.
    """
    place = np.arange(len(continues_turn))
    ended = np.maximum.accumulate(np.where(continues_turn, 0, place + 1))
    return np.maximum(np.concatenate([place[:1], ended[:-1]]), first)


def solve_deals(
    game: Game,
    rules: NDArray[np.void],
    rule_of: IntArray,
    players: IntArray,
    dealers: IntArray,
    decks: NDArray[np.uint8],
    explicit: IntArray,
    codes: NDArray[np.uint16],
    offsets: IntArray,
    not_solved: NDArray[np.uint8] | None = None,
    remaining_bids: IntArray | None = None,
) -> EndgameArrays:
    """Solve the ends of many deals; the arguments up to `offsets` are as for `bulk.replay_deals`.

    `not_solved`: reasons not to solve some of the deals, which the result repeats.
    `remaining_bids`: the masks of bid cards available before play, a row per deal, as in
    `Game.bid_regret`.
    """
    n = len(dealers)
    reasons = np.zeros(n, np.uint8) if not_solved is None else not_solved.copy()
    if game.bid_regret is not None and remaining_bids is not None:
        recorded = rules, rule_of, players, dealers, decks, explicit, codes, offsets
        return _bid_regret_arrays(game, reasons, remaining_bids, players, recorded)
    # like `solve_deal`, a table the solver refuses takes precedence over hidden cards
    dealt = (reasons == 0) | (reasons == HIDDEN_CARDS)
    if game.solver is None:
        reasons[dealt] = GAME
    else:
        tables = rule_of * (max(game.players) + 1) + players
        for table in np.unique(tables).tolist():
            rule, seats = divmod(table, max(game.players) + 1)
            if (refused := game.solver.refusal(rules[rule], seats)) is not None:
                reasons[(tables == table) & dealt] = REASONS.index(refused.reason)
    lengths = np.diff(offsets)
    longest = int(lengths.max(initial=0))
    states = np.zeros(longest + 1, game.kernel.State)
    start, made = np.zeros((2, n), np.int64)
    margins, best, free, won = np.zeros((4, len(codes) + n), np.int64)
    if game.solver is not None and n:
        game.solver.endgame.solve_deals(
            *(states, np.zeros(longest, np.int64), rules, rule_of, players, dealers, decks),
            *(explicit, codes, offsets, reasons, start, made, margins, best, free, won),
        )
    return _sum_by_seat(game, reasons, start, made, codes, offsets, (margins, free, won))


def _bid_regret_arrays(
    game: Game, reasons: NDArray[np.uint8], left: IntArray, players: IntArray, arrays: tuple[Any, ...]
) -> EndgameArrays:
    """Report each bid as if it were the only card played, without an action."""
    chosen = game.bid_regret
    assert chosen is not None
    states, faults, stops, points = chosen.points_by_bid_of_deals(*arrays)
    own = chosen.bids_made(states).astype(np.int64)
    _, seats, cards = points.shape
    mine = np.take_along_axis(points, np.maximum(own, 0)[:, :, None], 2)[:, :, 0]
    found = chosen.refusals(states, faults, stops < np.diff(arrays[-1]), left)
    reasons = np.where(reasons == 0, found, reasons)
    counts = (reasons == 0)[:, None] & (np.arange(seats) < players[:, None])
    free = left[:, :, None] >> np.arange(cards) & 1
    lost = np.where(counts, np.where(free, points, 0).max(axis=2) - mine, 0)
    nowhere, zeros = np.full(len(reasons), NO_ACTION), np.zeros(len(reasons), np.int64)
    of_deals = reasons, nowhere, zeros, zeros, zeros, nowhere
    forced = counts & (free.sum(axis=2) == 1)
    cards, forced, costly = (one.astype(np.int64) for one in (counts, forced, lost > 0))
    return EndgameArrays(*of_deals, cards, forced, lost, costly, np.full_like(lost, NO_ACTION), lost)


def _sum_by_seat(
    game: Game,
    reasons: NDArray[np.uint8],
    start: IntArray,
    made: IntArray,
    codes: NDArray[np.uint16],
    offsets: IntArray,
    values: tuple[IntArray, IntArray, IntArray],
) -> EndgameArrays:
    """Sum the values of each deal's cards by seat."""
    margins, free, won = values
    n, seats = len(reasons), max(game.players)
    solved = np.flatnonzero(reasons == 0)
    first = offsets[solved] + start[solved]
    counts = offsets[solved + 1] - first
    # one row per action, from the first solved one of each deal
    deal = np.repeat(solved, counts)
    begin = np.repeat(np.cumsum(counts) - counts, counts)
    row = np.arange(len(deal))
    action = row - begin + start[deal]
    before = offsets[deal] + deal + action
    recorded = codes[offsets[deal] + action].astype(np.int64)
    kinds = np.array([game.acts.kind_of_act(act) for act in range(ACT_MASK + 1)])
    plays, goes_on = kinds == "play", kinds == "announce"
    turn = before - row + turn_starts(goes_on[recorded & ACT_MASK], begin)
    seat = recorded >> SEAT_SHIFT
    side = seat % 2 if game.partners else seat
    lost = (margins[turn] - margins[before + 1]) * (1 - 2 * side)
    card = np.flatnonzero(plays[recorded & ACT_MASK])
    place = (deal * seats + seat)[card]
    lost, choice = lost[card], free[before[card]]

    def of_seats(weights: NDArray[np.generic]) -> IntArray:
        found = np.bincount(place, weights, n * seats).astype(np.int64)  # exact below 2⁵³
        return found.reshape(n, seats)

    costly = np.flatnonzero(lost > 0)
    worst, most = np.full(n * seats, NO_ACTION, np.int64), np.zeros(n * seats, np.int64)
    rising = costly[np.lexsort((-action[card[costly]], lost[costly]))]  # the last write wins
    worst[place[rising]], most[place[rising]] = action[card[rising]], lost[rising]
    turning = np.full(n, NO_ACTION, np.int64)
    turned = np.flatnonzero(won[before] != won[before + 1])
    turning[deal[turned]] = action[turned]
    there = offsets[:-1] + np.arange(n) + start
    of_deals = reasons, start, made, margins[there] - made, won[there], turning
    each = np.ones(len(card)), choice & (choice - 1) == 0, lost, lost > 0
    cards, forced, points, lossy = map(of_seats, each)
    highest = worst.reshape(n, seats), most.reshape(n, seats)
    return EndgameArrays(*of_deals, cards, forced, points, lossy, *highest)
