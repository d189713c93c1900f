"""Solves Chouine for two with a talon left and all cards known.

As in `endgame`, values are the points still to come for the seat to act minus those for the other.
A chouine that can be announced is worth more than all points. The rules must turn up a card and
allow announcements with any card.
"""

import numpy as np

from engine.chouine.actions import CHOUINE, QUARTERON, QUINTE
from engine.chouine.endgame import (
    INFINITE_MARGIN,
    NO_CARD,
    ONE,
    announcement_gain,
    best_kind_held,
    lowest_card,
    points_of_cards,
    search_cards,
    suits_to_announce,
    uncounted_suits,
    without_equivalents,
    write_gains,
)
from engine.chouine.kernel import (
    ALL_CARDS,
    BRISQUES,
    CARD_POINTS,
    COMBINATION_MASKS_2_PLAYERS,
    DER_POINTS,
    announcement_points,
    beats,
    seven_of_trump,
)
from engine.jit import compiled, inlined, recursive

CHOUINE_VALUE = np.int64(2000)
"""The value of winning by a chouine, more than all points."""
QUINTE_BIT = np.int64(16)
"""The bit of a quinte not counted yet, next to those of the four suits."""
TABLE_ENTRIES = 1 << 18
KEY, BOUNDS = range(2)
VISITED, LIMIT, LIMIT_REACHED, TRUMP, SEVEN, QUINTE_POINTS, TALON = range(7)
"""Indices in `deal`: the search's progress and limit, constants of the deal, the talon's cards."""
TURNED_UP = TALON + 21
"""Index of the card turned up, which is drawn last."""
IMPROVING_CARDS = np.array([0x08, 0x80, 0x40], np.int64)
"""The card that improves a mariage, a tierce, a quarteron to the next kind."""


@inlined
def chouine_suit_in(hand, open_):
    """Return the suit of a chouine that may be announced, -1 for none; a hand has one at most."""
    for suit in range(4):
        shape = COMBINATION_MASKS_2_PLAYERS[CHOUINE] << np.int64(8 * suit)
        if open_ >> suit & 1 and hand & shape == shape:
            return suit
    return -1


@inlined
def card_drawn_at(deal, place, kept):
    """Return the talon's card at `place`; the last is the 7 once exchanged (`kept` is 0)."""
    return deal[SEVEN] if place == 21 and not kept else deal[TALON + place]


@inlined
def talon_from(deal, place, kept):
    """Return the mask of the talon's cards from a place on."""
    found = np.int64(0)
    for i in range(place, 22):
        found |= ONE << card_drawn_at(deal, i, kept)
    return found


@inlined
def max_announcement_gain(cards, open_, trump, gains):
    """Return an upper bound of the points that announcements from `cards` can score."""
    if chouine_suit_in(cards, open_) >= 0:
        return CHOUINE_VALUE
    return announcement_gain(cards, suits_to_announce(cards, open_), trump, gains)


@inlined
def position_hash(me, other, mine, theirs, kept, place):
    """Return a 64-bit hash of a position at the start of a trick."""
    x = np.uint64(me | other << 32) * np.uint64(0x9E3779B97F4A7C15)
    x ^= np.uint64(mine | theirs << 5 | kept << 10 | place << 11) * np.uint64(0xC2B2AE3D27D4EB4F)
    x ^= x >> np.uint64(29)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(32)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(29)


@inlined
def first_card_to_try(cards, table, trump):
    """Return the card to try first: one that wins many points or gives away few."""
    best = NO_CARD
    liked = -INFINITE_MARGIN
    while cards:
        card = lowest_card(cards)
        cards &= cards - 1
        dear = 20 if card >> 3 == trump else 0
        if table < 0:
            liking = -8 * CARD_POINTS[card] - dear
        else:
            sum_ = 4 * (CARD_POINTS[table] + CARD_POINTS[card])
            liking = (sum_ - (card & 7) if beats(card, table, trump) else -sum_) - dear
        if liking > liked:
            liked = liking
            best = card
    return best


@inlined
def pack_bounds(low, high, card):
    """Pack bounds, and the card that gave them, into one number."""
    return np.uint64(low + 16384 | high + 16384 << 16 | card + 1 << 32)


@inlined
def search_closed_phase(me, other, mine, theirs, trump, left, alpha, beta, gains, quinte):
    """Return the value at the start of the closed phase, where all combinations are announced."""
    if chouine_suit_in(other, theirs) >= 0:
        return -CHOUINE_VALUE
    sure = announcement_gain(me, suits_to_announce(me, mine), trump, gains)
    sure -= announcement_gain(other, suits_to_announce(other, theirs), trump, gains)
    if mine & QUINTE_BIT and not me & ~BRISQUES:
        sure += quinte
    if theirs & QUINTE_BIT and not other & ~BRISQUES:
        sure -= quinte
    return sure + search_cards(me, other, NO_CARD, ALL_CARDS, trump, left, alpha - sure, beta - sure)


@recursive(
    "int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64[:, ::1],"
    " uint64[:, ::1], int64[::1])"
)
def search_open_phase(
    me, other, table, mine, theirs, kept, place, left, alpha, beta, gains, transposition_table, deal
):
    """Return the value with best play, exact within (alpha, beta), else a bound.

    `mine` and `theirs` are the suits not counted yet, and `QUINTE_BIT`; `kept`: the card turned up
    may still be exchanged; `place` is that of the talon's next card, `left` the points of all cards
    still to be won except `table`.
    """
    trump = deal[TRUMP]
    exchange = ONE << deal[SEVEN]
    turned = ONE << deal[TURNED_UP]
    suit = chouine_suit_in(me, mine)
    low, high, first = -INFINITE_MARGIN, INFINITE_MARGIN, NO_CARD
    key, at = np.uint64(0), np.int64(0)
    if table < 0:
        if suit >= 0:
            # a chouine of trump, also after an exchange of the 7, beats a plain one (CH-22)
            answer = other
            if place < 22 and kept and other & exchange:
                answer = other ^ exchange | turned
            beaten = chouine_suit_in(other, theirs) == trump or chouine_suit_in(answer, theirs) == trump
            return CHOUINE_VALUE if suit == trump or not beaten else -CHOUINE_VALUE
        deal[VISITED] += 1
        if deal[VISITED] > deal[LIMIT]:
            deal[LIMIT_REACHED] = 1
            return alpha
        key = position_hash(me, other, mine, theirs, kept, place)
        at = np.int64(key & np.uint64(len(transposition_table) - 1))
        if transposition_table[at, KEY] == key:
            recorded = np.int64(transposition_table[at, BOUNDS])
            low = (recorded & 0xFFFF) - 16384
            high = (recorded >> 16 & 0xFFFF) - 16384
            first = (recorded >> 32) - 1
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
        if place == 22:
            value = search_closed_phase(
                me, other, mine, theirs, trump, left, alpha, beta, gains, deal[QUINTE_POINTS]
            )
            transposition_table[at, KEY] = key
            transposition_table[at, BOUNDS] = pack_bounds(
                max(low, value) if value > alpha else low, min(high, value) if value < beta else high, NO_CARD
            )
            return value
        rest = talon_from(deal, place, kept)
        most = left + DER_POINTS + max_announcement_gain(me | rest, mine, trump, gains)
        if mine & QUINTE_BIT:
            most += deal[QUINTE_POINTS]
        if most <= alpha:
            return most
        most = left + DER_POINTS + max_announcement_gain(other | rest, theirs, trump, gains)
        if theirs & QUINTE_BIT:
            most += deal[QUINTE_POINTS]
        if -most >= beta:
            return -most
    elif suit >= 0:
        return CHOUINE_VALUE
    best, by = -INFINITE_MARGIN, NO_CARD
    floor = alpha
    can = kept and me & exchange
    for exchanging in range(1 if can else 0, -1, -1):
        hand, still = me, kept
        if exchanging:
            hand, still = me ^ exchange | turned, np.int64(0)
            suit = chouine_suit_in(hand, mine)
            if suit >= 0:
                beaten = table < 0 and suit != trump and chouine_suit_in(other, theirs) == trump
                best = max(best, -CHOUINE_VALUE if beaten else CHOUINE_VALUE)
                if best >= beta:
                    break
                continue
        rest = talon_from(deal, place, still)
        sure, waiting, open_ = np.int64(0), np.int64(0), mine
        if mine & QUINTE_BIT and not hand & ~BRISQUES:
            sure += deal[QUINTE_POINTS]
            open_ &= ~QUINTE_BIT
        held = suits_to_announce(hand, mine)
        for one in range(4):
            if held >> one & 1:
                kind = best_kind_held(hand, one)
                if rest & IMPROVING_CARDS[kind] << np.int64(8 * one):
                    waiting |= ONE << np.int64(one)
                else:  # it cannot improve any more
                    sure += gains[1 if one == trump else 0, kind]
                    open_ &= ~(ONE << np.int64(one))
        others = other | rest
        if table >= 0:
            others |= ONE << table
        cards = without_equivalents(hand, others)
        if can and not exchanging:
            cards |= exchange
        made = waiting
        while True:  # every set of announcements that could still improve
            gain = sure + announcement_gain(hand, made, trump, gains)
            after = open_ & ~made
            todo = cards
            while todo:
                card = first
                if first < 0 or not todo >> first & 1:
                    card = first_card_to_try(todo, table, trump)
                first = NO_CARD
                todo ^= ONE << card
                now = hand ^ ONE << card
                if table < 0:
                    value = gain - search_open_phase(
                        other, now, card, theirs, after, still, place, left - CARD_POINTS[card],
                        gain - beta, gain - floor, gains,
                            transposition_table, deal,
                    )  # fmt: skip
                else:
                    trick = CARD_POINTS[table] + CARD_POINTS[card]
                    ahead = ONE << card_drawn_at(deal, place, still)
                    behind = ONE << card_drawn_at(deal, place + 1, still)
                    if beats(card, table, trump):
                        value = gain + trick
                        value += search_open_phase(
                            now | ahead, other | behind, NO_CARD, after, theirs, still, place + 2,
                            left - CARD_POINTS[card], floor - value, beta - value, gains,
                            transposition_table, deal,
                        )  # fmt: skip
                    else:
                        value = gain - trick
                        value -= search_open_phase(
                            other | ahead, now | behind, NO_CARD, theirs, after, still, place + 2,
                            left - CARD_POINTS[card], value - beta, value - floor, gains,
                            transposition_table, deal,
                        )  # fmt: skip
                if value > best:
                    best, by = value, card
                    floor = max(floor, value)
                if best >= beta:
                    break
            if best >= beta or not made:
                break
            made = (made - 1) & waiting
        if best >= beta:
            break
    if table < 0 and not deal[LIMIT_REACHED]:
        if best < beta:
            high = min(high, best)
        if best > alpha:
            low = max(low, best)
        transposition_table[at, KEY] = key
        transposition_table[at, BOUNDS] = pack_bounds(low, high, by)
    return best


@inlined
def announceable_by(state, seat):
    """Return the bit set of the suits a seat has not counted, with `QUINTE_BIT`."""
    return uncounted_suits(state, seat) | (np.int64(0) if state.counted[seat] >> QUINTE & 1 else QUINTE_BIT)


@compiled
def solve_double_dummy(state, rules, alpha, beta, limit):
    """Return (value for the seat to act, exact within (alpha, beta); 1 if past `limit`)."""
    gains = np.zeros((3, QUARTERON + 1), np.int64)
    write_gains(rules, gains)
    known = np.zeros((TABLE_ENTRIES, 2), np.uint64)
    deal = np.zeros(TALON + 22, np.int64)
    deal[LIMIT] = limit
    deal[TRUMP] = state.trump
    deal[SEVEN] = seven_of_trump(state)
    deal[QUINTE_POINTS] = announcement_points(rules, np.int64(QUINTE), False)
    left = np.int64(0)
    for i in range(22):
        deal[TALON + i] = state.talon[i]
        if i >= state.drawn:
            left += CARD_POINTS[state.talon[i]]
    left += points_of_cards(state.hand[0] | state.hand[1])
    seat = np.int64(state.turn)
    other = 1 - seat
    remaining = np.int64(1 if state.sept < 0 and state.retourne & 7 else 0)
    table = np.int64(state.best) if state.on_table else NO_CARD
    value = search_open_phase(
        np.int64(state.hand[seat]),
        np.int64(state.hand[other]),
        table,
        announceable_by(state, seat),
        announceable_by(state, other),
        remaining,
        np.int64(state.drawn),
        left,
        np.int64(alpha),
        np.int64(beta),
        gains,
        known,
        deal,
    )
    return value, deal[LIMIT_REACHED]
