"""Solves the closed phase of Chouine for two, where both hands are known.

Values are the points still to come for the seat to act minus those for the other: cards,
announcements and the dix de der. Legal cards, tricks and points come from the kernel.
"""

import numpy as np

from engine import bulk
from engine.chouine import kernel
from engine.chouine.actions import CHOUINE, MARIAGE, QUARTERON, QUINTE
from engine.chouine.bots import CAREFUL, MAX_ACTIONS, take_turn
from engine.chouine.kernel import (
    ALL_CARDS,
    CARD_POINTS,
    COMBINATION_MASKS_2_PLAYERS,
    DER_POINTS,
    OPEN,
    OVER,
    QUEENS,
    SUIT_MASK,
    announcement_points,
    beats,
    combinations_held,
    count_bits,
    higher_cards,
    holds_combination,
    is_talon_empty,
    playable,
    playable_from_hand,
    same_suit_combinations,
    step,
    total,
)
from engine.jit import compiled, inlined, recursive
from engine.solver_results import INSTANT_WIN, OPTION

INFINITE_MARGIN = np.int64(10_000)
"""Greater than any margin."""
NO_TRUMP = np.int64(-1)
NO_CARD = np.int64(-1)
NINES = np.int64(0x04040404)
EIGHTS = np.int64(0x02020202)
SEVENS = np.int64(0x01010101)
RANK_MASK = np.int64(0x01010101)
ONE = np.int64(1)

ANY_CARD, CARD_OF_ANNOUNCEMENT, MAKING_TRUMP = range(3)
"""Announcements depend on nothing, the card played (CH-16) or who makes trump (CH-28)."""


@inlined
def lowest_card(cards):
    """Return the lowest code in a mask."""
    return count_bits((cards & -cards) - 1)


@inlined
def highest_card(cards):
    """Return the highest code in a mask."""
    card = np.int64(31)
    while not cards >> card & 1:
        card -= 1
    return card


@inlined
def lowest_rank_card(cards):
    """Return a card of the lowest rank in a mask."""
    row = RANK_MASK
    while not cards & row:
        row = row << 1
    return lowest_card(cards & row)


@inlined
def without_equivalents(cards, others):
    """Remove each 7 and 8 that is equivalent to a higher card of the same hand.

    These cards are worth nothing, and no card of `others` ranks between them.
    """
    nines = cards & NINES
    eights = cards & EIGHTS
    sevens = cards & SEVENS
    through = nines >> 1 & ~others  # a 9 with no 8 of the others below it
    return cards & ~(eights & nines >> 1) & ~(sevens & (eights >> 1 | through >> 1))


@inlined
def master_cards(me, other, trump):
    """Return the mask of the cards that win the trick against every answer."""
    found = np.int64(0)
    for suit in range(4):
        of_suit = SUIT_MASK << np.int64(8 * suit)
        theirs = other & of_suit
        if theirs:
            found |= me & of_suit & higher_cards(highest_card(theirs))
        elif suit == trump or trump < 0 or not other & (SUIT_MASK << 8 * trump):
            found |= me & of_suit
    return found


@recursive("int64(int64, int64, int64, int64, int64, int64, int64, int64)")
def search_cards(me, other, table, candidates, trump, points_left, alpha, beta):
    """Return the value of cards and der with best play, exact within (alpha, beta), else a bound.

    `table` is the card to answer, -1 for none, `points_left` the points in both hands, `candidates`
    the cards to try in this position.
    """
    if me == 0:
        return np.int64(0)
    best = -INFINITE_MARGIN
    if table < 0:
        most = points_left + DER_POINTS
        if most <= alpha:
            return most
        if -most >= beta:
            return -most
        todo = without_equivalents(me & candidates, other)
        sure = master_cards(me, other, trump)
        trumps = SUIT_MASK << 8 * trump if trump >= 0 else np.int64(0)
        while todo:
            if todo & sure:
                pick = todo & sure & trumps
                card = highest_card(pick if pick else todo & sure)
            else:
                card = lowest_rank_card(todo)
            todo ^= ONE << card
            rest = points_left - CARD_POINTS[card]
            low = max(alpha, best)
            value = -search_cards(other, me ^ ONE << card, card, ALL_CARDS, trump, rest, -beta, -low)
            best = max(best, value)
            if best >= beta:
                return best
        return best
    legal = playable_from_hand(me, table >> 3, table, trump, 0)[0] & candidates
    todo = without_equivalents(legal, other | ONE << table)
    higher = todo & higher_cards(table) & (SUIT_MASK << (table & 24))
    if trump >= 0 and table >> 3 != trump:
        higher |= todo & (SUIT_MASK << 8 * trump)
    while todo:
        card = lowest_rank_card(todo & higher if todo & higher else todo)
        todo ^= ONE << card
        mine = me ^ ONE << card
        rest = points_left - CARD_POINTS[card]
        trick = CARD_POINTS[table] + CARD_POINTS[card] + (DER_POINTS if mine == 0 else 0)
        low = max(alpha, best)
        if beats(card, table, trump):
            value = trick + search_cards(
                mine, other, NO_CARD, ALL_CARDS, trump, rest, low - trick, beta - trick
            )
        else:
            value = -trick - search_cards(
                other, mine, NO_CARD, ALL_CARDS, trump, rest, -beta - trick, -low - trick
            )
        best = max(best, value)
        if best >= beta:
            return best
    return best


@inlined
def best_kind_held(hand, suit):
    """Return the best kind of announcement of a suit in a hand, below a chouine; -1 for none."""
    cards = hand >> np.int64(8 * suit) & SUIT_MASK
    for kind in range(QUARTERON, MARIAGE - 1, -1):
        if cards & COMBINATION_MASKS_2_PLAYERS[kind] == COMBINATION_MASKS_2_PLAYERS[kind]:
            return kind
    return -1


@inlined
def suits_to_announce(hand, uncounted):
    """Return the bit set of the suits in which a hand can still make an announcement."""
    couples = hand & hand >> 1 & QUEENS
    found = np.int64(0)
    if couples:
        for suit in range(4):
            if uncounted >> suit & 1 and couples >> np.int64(8 * suit) & SUIT_MASK:
                found |= ONE << np.int64(suit)
    return found


@inlined
def announcement_gain(hand, suits, trump, gains):
    """Return the points of the best announcements of some suits together."""
    sum_ = np.int64(0)
    for suit in range(4):
        if suits >> suit & 1:
            sum_ += gains[1 if suit == trump else 0, best_kind_held(hand, suit)]
    return sum_


@inlined
def announcement_gain_with(hand, uncounted, card, trump, gains):
    """Return the points of the best announcement in a card's suit that includes it (CH-16)."""
    suit = card >> 3
    if uncounted >> suit & 1:
        kind = best_kind_held(hand, suit)
        if kind >= 0 and COMBINATION_MASKS_2_PLAYERS[kind] >> (card & 7) & 1:
            return gains[1 if suit == trump else 0, kind]
    return np.int64(0)


@recursive(
    "int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64[:, ::1])"
)
def search_announcements(
    me, other, table, candidates, trump, mine, theirs, mode, points_left, alpha, beta, gains
):
    """Return the value of `search_cards` plus announcements.

    `mine` and `theirs` are the suits each player has not counted yet; `gains[worth_double, kind]` are
    the points of announcements, in the last row of one that makes trump. Per suit only the best one
    held is tried, since no other may follow it (CH-20).
    """
    my_suits, their_suits = suits_to_announce(me, mine), suits_to_announce(other, theirs)
    if mode == ANY_CARD or not my_suits | their_suits or (mode == MAKING_TRUMP and trump >= 0):
        # hands only shrink: all possible announcements are best made now
        sure = announcement_gain(me, my_suits, trump, gains) - announcement_gain(
            other, their_suits, trump, gains
        )
        return sure + search_cards(
            me, other, table, candidates, trump, points_left, alpha - sure, beta - sure
        )
    best = -INFINITE_MARGIN
    if table < 0 and mode == MAKING_TRUMP:
        for suit in range(4):
            if my_suits >> suit & 1:
                made = gains[2, best_kind_held(me, suit)]
                made += announcement_gain(me, my_suits ^ ONE << np.int64(suit), NO_TRUMP, gains)
                made -= announcement_gain(other, their_suits, NO_TRUMP, gains)
                low = max(alpha, best)
                value = made + search_cards(
                    me, other, NO_CARD, candidates, np.int64(suit), points_left, low - made, beta - made
                )
                best = max(best, value)
                if best >= beta:
                    return best
    todo = me
    if table >= 0:
        todo = playable_from_hand(me, table >> 3, table, trump, 0)[0]
    todo &= candidates
    while todo:
        card = lowest_card(todo)
        todo ^= ONE << card
        hand = me ^ ONE << card
        rest = points_left - CARD_POINTS[card]
        suits = my_suits if mode == MAKING_TRUMP and table >= 0 else np.int64(0)
        while True:  # every set of announcements to make with this card
            gain = announcement_gain(me, suits, NO_TRUMP, gains)
            still = mine & ~suits
            if mode == CARD_OF_ANNOUNCEMENT:
                gain = announcement_gain_with(me, mine, card, trump, gains)
                if gain:
                    still = mine & ~(ONE << (card >> 3))
            low = max(alpha, best)
            if table < 0:
                value = gain - search_announcements(
                    other, hand, card, ALL_CARDS, trump, theirs, still, mode, rest,
                    gain - beta, gain - low, gains,
                )  # fmt: skip
            else:
                trick = CARD_POINTS[table] + CARD_POINTS[card] + (DER_POINTS if hand == 0 else 0)
                if beats(card, table, trump):
                    gain += trick
                    value = gain + search_announcements(
                        hand, other, NO_CARD, ALL_CARDS, trump, still, theirs, mode, rest,
                        low - gain, beta - gain, gains,
                    )  # fmt: skip
                else:
                    gain -= trick
                    value = gain - search_announcements(
                        other, hand, NO_CARD, ALL_CARDS, trump, theirs, still, mode, rest,
                        gain - beta, gain - low, gains,
                    )  # fmt: skip
            best = max(best, value)
            if best >= beta:
                return best
            if not suits:
                break
            suits = (suits - 1) & my_suits
    return best


@inlined
def write_gains(rules, gains):
    """Fill `gains` of `search_announcements`."""
    for kind in range(MARIAGE, QUARTERON + 1):
        gains[0, kind] = announcement_points(rules, np.int64(4 * kind), False)
        gains[1, kind] = announcement_points(rules, np.int64(4 * kind), True)
        gains[2, kind] = announcement_points(rules, np.int64(4 * kind), rules.trump_maker == 0)


@inlined
def uncounted_suits(state, seat):
    """Return the bit set of the suits in which no announcement of a seat has counted (CH-20)."""
    found = np.int64(0)
    for suit in range(4):
        if not state.counted[seat] & same_suit_combinations(suit):
            found |= ONE << np.int64(suit)
    return found


@inlined
def quinte_gain(state, rules, seat):
    """Return the points of a quinte still to be announced; it is announced with any of its five cards."""
    if state.counted[seat] >> QUINTE & 1 or not holds_combination(state, seat, QUINTE):
        return np.int64(0)
    return np.int64(announcement_points(rules, QUINTE, False))


@inlined
def unlimited_gain(state, rules, seat):
    """Return the points of a seat's announcements to come if a suit may have several (CH-20)."""
    sum_ = np.int64(0)
    if not rules.one_per_suit:
        for combination in range(4 * CHOUINE):
            if not state.counted[seat] >> combination & 1 and holds_combination(state, seat, combination):
                sum_ += announcement_points(rules, np.int64(combination), combination & 3 == state.trump)
    return sum_


@inlined
def points_of_cards(cards):
    """Return the points of the cards in a mask."""
    left = np.int64(0)
    while cards:
        left += CARD_POINTS[lowest_card(cards)]
        cards &= cards - 1
    return left


@inlined
def search_state(state, rules, candidates, alpha, beta, gains):
    """Return `search_announcements` for the seat to act, which must play one of `candidates`."""
    seat = np.int64(state.turn)
    other = 1 - seat
    table = np.int64(state.best) if state.on_table else NO_CARD
    sure = quinte_gain(state, rules, seat) - quinte_gain(state, rules, other)
    sure += unlimited_gain(state, rules, seat) - unlimited_gain(state, rules, other)
    every = np.int64(15 if rules.one_per_suit else 0)
    left = points_of_cards(state.hand[0] | state.hand[1])
    mode = np.int64(ANY_CARD if rules.turn_up else MAKING_TRUMP)
    if rules.announce_with:
        mode = np.int64(CARD_OF_ANNOUNCEMENT)
    return sure + search_announcements(
        np.int64(state.hand[seat]),
        np.int64(state.hand[other]),
        table,
        np.int64(candidates),
        np.int64(state.trump),
        uncounted_suits(state, seat) & every,
        uncounted_suits(state, other) & every,
        mode,
        left,
        np.int64(alpha - sure),
        np.int64(beta - sure),
        gains,
    )


@compiled
def has_winning_chouine(state, rules):
    """Return whether a seat holds a chouine it may announce, which wins without points (CH-22)."""
    for seat in range(2):
        for suit in range(4):
            combination = 4 * CHOUINE + suit
            if holds_combination(state, seat, combination):
                if not rules.one_per_suit or uncounted_suits(state, seat) >> suit & 1:
                    return True
    return False


@compiled
def solve_states(states, rules, margins, best):
    """Solve states of one deal's closed phase, each with best play from there on.

    `margins` gets the final points of seat 1 minus those of seat 2, `best` the mask of the cards
    with which the seat to act reaches that margin; 0 once the deal is over.
    """
    gains = np.zeros((3, QUARTERON + 1), np.int64)
    write_gains(rules, gains)
    for i in range(len(states)):
        state = states[i]
        margins[i] = total(state, 0) - total(state, 1)
        best[i] = 0
        if state.over == OVER:
            continue
        seat = np.int64(state.turn)
        cards = playable(state, rules, seat)[0] & state.allowed
        most = search_state(state, rules, cards, -INFINITE_MARGIN, INFINITE_MARGIN, gains)
        margins[i] += most if seat == 0 else -most
        todo = cards
        while todo:
            card = todo & -todo
            todo ^= card
            if cards == card or search_state(state, rules, card, most - 1, most, gains) >= most:
                best[i] |= card


# many deals in one call


@compiled
def solvable_from(states):
    """Return the index of the first state with nothing left to draw (CH-8), -1 for none."""
    for i in range(len(states)):
        state = states[i]
        if state.on_table == 0 and state.to_draw == 0 and state.drawn >= state.drawable:
            return i
    return -1


@compiled
def refusal(state, rules):
    """Return why a deal is not solved from a state, as an index into `REASONS`; 0: it is."""
    if has_winning_chouine(state, rules):
        return INSTANT_WIN
    if not rules.one_per_suit and state.trump < 0:
        # the search does not try which of a suit's several announcements makes trump
        for seat in range(2):
            if combinations_held(state, seat):
                return OPTION
    return 0


@compiled
def current_lead(state):
    """Return the points of side 1 minus those of side 2."""
    return np.int64(total(state, 0)) - np.int64(total(state, 1))


@inlined
def best_play_winner(state, rules, margin):
    """Return the winner, with best play if the deal is not over; 0 for a draw (CH-24)."""
    if state.over == OVER:
        return 0 if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    return np.int64(margin > 0) - np.int64(margin < 0)


@inlined
def playable_cards(state, rules):
    """Return the mask of the cards the seat to act may play."""
    if state.over == OVER:
        return np.int64(0)
    return playable(state, rules, np.int64(state.turn))[0] & state.allowed & ALL_CARDS


best_play_winners, solve_deals = (
    bulk.compile_for_game(loop, vars(kernel) | globals())
    for loop in (bulk.best_play_winners, bulk.solve_deals)
)


# sampled deals, played to the end


@inlined
def is_solvable(state, rules):
    """Return whether the rest of a deal can be solved, if the solver accepts its rules."""
    if state.over != OPEN or state.chouine >= 0 or not is_talon_empty(state):
        return False
    if not rules.one_per_suit and state.trump < 0:
        return False
    return not has_winning_chouine(state, rules)


@compiled
def rollout(states, scratch, rules, seat, codes, solve_exactly, rng, won, margins):
    """Play each card in each state, then to the end: fill `won` and `margins[card, state]`.

    The careful bot plays for all seats; the closed phase has best play where it can be solved. A
    margin is the seat's points minus those of the best other seat.
    """
    gains = np.zeros((3, 3), np.int64)
    write_gains(rules, gains)
    acts = np.zeros(MAX_ACTIONS, np.uint16)
    for i in range(len(states)):
        for j in range(len(codes)):
            scratch[0] = states[i]
            state = scratch[0]
            step(state, rules, codes[j])
            while state.over != OVER and not (solve_exactly and is_solvable(state, rules)):
                take_turn(state, rules, CAREFUL, rng, acts, 0)
            most = -INFINITE_MARGIN
            for other in range(state.players):
                if other != seat:
                    most = max(most, np.int64(total(state, other)))
            margin = np.int64(total(state, seat)) - most
            if state.over == OVER:
                share = 1.0 / state.players
                if state.winner >= 0:
                    share = 1.0 if state.winner == seat else 0.0
            else:
                turn = np.int64(state.turn)
                cards = playable(state, rules, turn)[0] & state.allowed
                more = search_state(state, rules, cards, -INFINITE_MARGIN, INFINITE_MARGIN, gains)
                margin += more if turn == seat else -more
                share = 0.5 if margin == 0 else 1.0 if margin > 0 else 0.0
            won[j, i] = share
            margins[j, i] = margin
