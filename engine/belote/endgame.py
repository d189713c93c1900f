"""Solves the last tricks of a Belote deal with all cards known.

Values are the card points still to come for side 0 (seats 0 and 2) minus those for side 1,
including 10 for the last trick and the bonus that makes taking every trick count 252 (BE-14). Legal
cards, tricks and points come from the kernel. Belotes and announcements count only towards the contract.
"""

import numpy as np

from engine import bulk
from engine.belote import kernel
from engine.belote.actions import SANS_ATOUT
from engine.belote.kernel import (
    BELOTE_POINTS,
    OVER,
    TOTAL_POINTS,
    announcement_points,
    contract_result,
    is_trump,
    pairs_in,
    playable,
    playable_from_hand,
    word_fits,
)
from engine.belote.tables import (
    CARD_VALUES,
    KING_AND_QUEEN,
    RANK_OF,
    SCALED,
    SUIT_MASK,
    SUIT_OF,
    TRUMPS_ABOVE,
)
from engine.jit import compiled, inlined
from engine.solver_results import OPTION
from engine.team_endgame import ABSENT, ONE, compile_endgame

LAST_TRICK_POINTS = np.int64(10)
SWEEP_BONUS = np.int64(252 - TOTAL_POINTS)
ALL_CARDS = np.int64((1 << 32) - 1)
WORTHLESS = np.array(
    [sum(1 << card for card in range(32) if not values[card]) for values in CARD_VALUES], np.int64
)
"""By strain, the mask of the cards without points, which are the lowest of their suits."""
SWEPT_BY_NONE = np.int64(2)
"""Value of `swept` if both sides have a trick, else it is the side that took them all."""
SUIT_SIZE = 8


@inlined
def strain_of(state):
    """Return the trump suit or other strain of the contract."""
    return state.strain


@inlined
def option_bits(rules):
    """Return the two options of BE-12 and BE-13 as bits."""
    return (ONE if rules.undertrump else 0) | (2 * ONE if rules.undertrump_partner else 0)


@inlined
def legal_mask(hand, led, best, partner_holds, strain, options):
    """Return the mask of the cards that may be played to a trick."""
    return playable_from_hand(options & 1, options & 2, hand, led, best, strain, partner_holds)[0]


@inlined
def card_value(card, strain):
    """Return the points of a card."""
    return CARD_VALUES[strain, card]


@inlined
def higher_cards(card, strain):
    """Return the mask of the cards of its suit that beat a card."""
    suit = SUIT_OF[card]
    rank = RANK_OF[card]
    if is_trump(suit, strain):
        return TRUMPS_ABOVE[rank] << 8 * suit
    return (SUIT_MASK >> rank + 1 << rank + 1) << 8 * suit


@inlined
def trumps_of(cards, strain):
    """Return the cards that can ruff: none in sans atout and tout atout (BE-23)."""
    if strain >= SANS_ATOUT:
        return np.int64(0)
    return cards & SUIT_MASK << 8 * strain


@inlined
def sweep_bonus(swept):
    """Return the bonus for taking every trick: positive for side 0, negative for side 1."""
    if swept == SWEPT_BY_NONE:
        return np.int64(0)
    return SWEEP_BONUS if swept == 0 else -SWEEP_BONUS


@inlined
def sweeper_after(swept, trick_winner):
    """Return `swept` after another trick."""
    return swept if swept == trick_winner & 1 else SWEPT_BY_NONE


@inlined
def value_bounds(hands, most, swept, strain):
    """Return the lowest and highest value of a position before a trick, with `most` points left."""
    bonus = sweep_bonus(swept)
    return -most + min(bonus, 0), most + max(bonus, 0)


@inlined
def position_hash(hands, seat, swept):
    """Return a 64-bit hash of a position at the start of a trick."""
    x = np.uint64(hands[0] | hands[1] << 32) * np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(32)
    x = (x ^ np.uint64(hands[2] | hands[3] << 32)) * np.uint64(0xC2B2AE3D27D4EB4F)
    x ^= x >> np.uint64(29)
    x = (x ^ np.uint64(1 | seat << 1 | swept << 3)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(29)


@inlined
def sweeper_so_far(state):
    """Return `swept` for a state after its first trick."""
    for side in range(2):
        if state.taken[side] + state.taken[side + 2] == state.trick:
            return np.int64(side)
    return SWEPT_BY_NONE


@inlined
def playable_cards(state, rules):
    """Return the mask of the cards the seat to act may play, with the word it announced (BE-15)."""
    if state.over == OVER:
        return np.int64(0)
    seat = np.int64(state.turn)
    cards = playable(state, rules, seat)[0]
    if state.word:
        for card in range(32):
            if not word_fits(state, seat, card):
                cards &= ~(ONE << np.int64(card))
    return cards


@compiled
def refusal(state, rules):
    """Return OPTION if points are scaled and rounded (BE-23), else 0: the deal is solved."""
    return OPTION if state.values == SCALED else 0


@inlined
def belotes_due(state, side):
    """Return the points of a side's belotes, those still to be announced among them (BE-15)."""
    found = np.int64(0)
    for seat in range(side, 4, 2):
        hand = state.hand[seat]
        suits = np.int64(state.belotes[seat]) | pairs_in(state, hand)
        for suit in range(4):
            if hand >> 8 * suit & KING_AND_QUEEN:
                suits |= np.int64(state.pairs_begun[seat]) & ONE << suit
        while suits:
            found += BELOTE_POINTS
            suits &= suits - 1
    return found


@compiled
def best_play_winner(state, rules, margin):
    """Return the winner of the contract with best play, 0 for a litige (BE-17 to BE-20)."""
    if state.over == OVER:
        return np.int64(0) if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    side = np.int64(state.declarer) & 1
    ahead = margin if side == 0 else -margin
    swept = ABSENT
    if ahead > TOTAL_POINTS:
        swept = side
    elif ahead < -TOTAL_POINTS:
        swept = 1 - side
    total = np.int64(TOTAL_POINTS if swept < 0 else TOTAL_POINTS + SWEEP_BONUS)
    announced, theirs = announcement_points(state, side), announcement_points(state, 1 - side)
    if swept == side:
        announced += theirs
        theirs = np.int64(0)
    own = (total + ahead) // 2 + belotes_due(state, side) + announced
    other = (total - ahead) // 2 + belotes_due(state, 1 - side) + theirs
    result = contract_result(state, rules, own, other, swept)
    if result < 0:
        return np.int64(0)
    return 1 - 2 * (side if result else 1 - side)


solvable_from, current_lead, solve_states = compile_endgame(vars(kernel) | globals())
best_play_winners, solve_deals = (
    bulk.compile_for_game(loop, vars(kernel) | globals())
    for loop in (bulk.best_play_winners, bulk.solve_deals)
)
