"""Solves the last tricks of a Coinche deal with all cards known.

Values are the points still to come for side 0 (seats 0 and 2) minus those for side 1, including 5
for the last trick and the bonus that makes taking every trick count 250 or 500 (CO-10). Legal
cards, tricks and points come from the kernel.
"""

import numpy as np

from engine import bulk
from engine.coinche import kernel
from engine.coinche.actions import GENERALE_BID, MATCH_BID
from engine.coinche.kernel import (
    BID_POINTS,
    OVER,
    PLAIN_POINTS,
    RANK_OF,
    SUIT_MASK,
    SUIT_OF,
    TOTAL_POINTS,
    TRUMP_POINTS,
    TRUMP_STRENGTH,
    TRUMPS_ABOVE,
    playable,
    playable_from_hand,
)
from engine.jit import compiled, inlined
from engine.team_endgame import INFINITE_MARGIN, compile_endgame

LAST_TRICK_POINTS = np.int64(5)
ALL_CARDS = np.int64((1 << 36) - 1)
BY_STRENGTH = np.argsort(TRUMP_STRENGTH)[::-1].copy()
"""The ranks of trumps, strongest first."""
WORTHLESS = np.array(
    [
        sum(
            sum(1 << 9 * suit + rank for rank in range(9) if of[rank] == 0)
            for suit, of in enumerate([TRUMP_POINTS if s == trump else PLAIN_POINTS for s in range(4)])
        )
        for trump in range(4)
    ],
    np.int64,
)
"""By trump suit, the mask of the cards without points, which are the lowest of their suits."""

SUIT_SIZE = 9
SWEPT_BY_SIDE, SWEPT_BY_NONE, NO_TRICK_YET = np.int64(4), np.int64(6), np.int64(7)
"""Values of `swept` if no single seat took every trick: a side (4 or 5), neither, no trick yet."""


@inlined
def strain_of(state):
    """Return the trump suit."""
    return state.trump


@inlined
def option_bits(rules):
    """Return 0: no option changes which cards are legal."""
    return 0


@inlined
def legal_mask(hand, led, best, partner_holds, trump, options):
    """Return the mask of the cards that may be played to a trick."""
    return playable_from_hand(hand, led, best, trump)[0]


@inlined
def trumps_of(cards, trump):
    """Return the trumps among cards."""
    return cards & SUIT_MASK << 9 * trump


@inlined
def higher_cards(card, trump):
    """Return the mask of the cards of its suit that beat a card."""
    suit = SUIT_OF[card]
    rank = RANK_OF[card]
    if suit == trump:
        return TRUMPS_ABOVE[rank] << 9 * suit
    return (SUIT_MASK >> rank + 1 << rank + 1) << 9 * suit


@inlined
def sweeper_after(swept, trick_winner):
    """Return `swept` after another trick."""
    if swept == NO_TRICK_YET:
        return trick_winner
    if swept < SWEPT_BY_SIDE:
        if trick_winner == swept:
            return swept
        return SWEPT_BY_SIDE + (trick_winner & 1) if (trick_winner ^ swept) & 1 == 0 else SWEPT_BY_NONE
    return swept if swept - SWEPT_BY_SIDE == trick_winner & 1 else SWEPT_BY_NONE


@inlined
def sweep_bonus(swept):
    """Return the bonus for taking every trick: positive for side 0, negative for side 1."""
    if swept == SWEPT_BY_NONE:
        return np.int64(0)
    more = np.int64(500 - TOTAL_POINTS if swept < SWEPT_BY_SIDE else 250 - TOTAL_POINTS)
    return more if swept & 1 == 0 else -more


@inlined
def top_trump_points(ours, theirs):
    """Return the points of the top trumps one side holds, which no card of the other beats."""
    sum_ = np.int64(0)
    whose = 0
    for rank in BY_STRENGTH:
        if ours >> rank & 1:
            if whose == 2:
                break
            whose = 1
        elif theirs >> rank & 1:
            if whose == 1:
                break
            whose = 2
        else:
            continue
        sum_ += TRUMP_POINTS[rank] if whose == 1 else -TRUMP_POINTS[rank]
    return sum_


@inlined
def value_bounds(hands, most, swept, trump):
    """Return the lowest and highest value of a position before a trick, with `most` points left."""
    if swept == NO_TRICK_YET:
        return -INFINITE_MARGIN, INFINITE_MARGIN
    bonus = sweep_bonus(swept)
    sure = top_trump_points(
        (hands[0] | hands[2]) >> 9 * trump & SUIT_MASK, (hands[1] | hands[3]) >> 9 * trump & SUIT_MASK
    )
    return -most + min(bonus, 0) + 2 * max(sure, 0), most + max(bonus, 0) + 2 * min(sure, 0)


@inlined
def position_hash(hands, seat, swept):
    """Return a 64-bit hash of a position at the start of a trick."""
    x = np.uint64(hands[0]) * np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(32)
    x = (x ^ np.uint64(hands[1])) * np.uint64(0xC2B2AE3D27D4EB4F)
    x ^= x >> np.uint64(29)
    x = (x ^ np.uint64(hands[2])) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(32)
    x = (x ^ np.uint64(hands[3] | seat << 40 | swept << 44)) * np.uint64(0x9E3779B97F4A7C15)
    return x ^ x >> np.uint64(29)


@inlined
def sweeper_so_far(state):
    """Return `swept` for a state: the seat or side that took every trick so far."""
    if state.trick == 0:
        return NO_TRICK_YET
    for seat in range(4):
        if state.taken[seat] == state.trick:
            return np.int64(seat)
    for side in range(2):
        if state.taken[side] + state.taken[side + 2] == state.trick:
            return SWEPT_BY_SIDE + side
    return SWEPT_BY_NONE


@inlined
def refusal(state, rules):
    """Return 0: every deal is solved from its first solvable state on."""
    return 0


@compiled
def margin_needed(state):
    """Return the margin the bidding side needs to make the contract (CO-10, CO-11)."""
    value = np.int64(BID_POINTS[state.contract])
    if state.contract == GENERALE_BID and state.taken[state.declarer] < state.trick:
        return INFINITE_MARGIN
    return value if state.contract >= MATCH_BID else 2 * value - TOTAL_POINTS


@compiled
def best_play_winner(state, rules, margin):
    """Return the winner: with best play, the bidding side if it makes the contract."""
    if state.over == OVER:
        return np.int64(0) if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    declarer = 1 - 2 * (np.int64(state.declarer) & 1)
    return declarer if margin * declarer >= margin_needed(state) else -declarer


@inlined
def playable_cards(state, rules):
    """Return the mask of the cards the seat to act may play."""
    if state.over == OVER:
        return np.int64(0)
    return playable(state, rules, np.int64(state.turn))[0]


card_value = kernel.card_points
solvable_from, current_lead, solve_states = compile_endgame(vars(kernel) | globals())
best_play_winners, solve_deals = (
    bulk.compile_for_game(loop, vars(kernel) | globals())
    for loop in (bulk.best_play_winners, bulk.solve_deals)
)
