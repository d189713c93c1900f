"""Solves the last tricks of a Belote deal with all cards known.

Values are the card points still to come for side 0 (seats 0 and 2) minus those for side 1,
including 10 for the last trick and the bonus that makes taking every trick count 252 (BE-14). Legal
cards, tricks and points come from the kernel. Belotes and announcements count for the contract alone.
"""

import numpy as np

from engine import bulk
from engine.belote import kernel
from engine.belote.actions import SANS_ATOUT
from engine.belote.kernel import (
    BELOTE_POINTS,
    OVER,
    TOTAL_POINTS,
    TRICKS,
    announcement_points,
    beats,
    contract_result,
    is_trump,
    pairs_in,
    playable,
    playable_from_hand,
    points,
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
from engine.endgame_masks import lowest_card, without_equivalents
from engine.jit import compiled, inlined, recursive
from engine.solver_results import OPTION

INFINITE_MARGIN = np.int64(10_000)
"""Greater than any margin."""
SOLVED_TRICKS = 5
"""Number of tricks at the end of a deal that are solved."""
LAST_TRICK_POINTS = np.int64(10)
SWEEP_BONUS = np.int64(252 - TOTAL_POINTS)
ALL_CARDS = np.int64((1 << 32) - 1)
ABSENT = np.int64(-1)
"""No card, suit or side; numba would give a plain -1 a type of its own."""
ONE = np.int64(1)
WORTHLESS = np.array(
    [sum(1 << card for card in range(32) if not values[card]) for values in CARD_VALUES], np.int64
)
"""By strain, the mask of the cards without points, which are the lowest of their suits."""
SWEPT_BY_NONE = np.int64(2)
"""Value of `swept` if both sides have a trick, else it is the side that took them all."""

TABLE_ENTRIES = 1 << 14
KEY, BOUNDS = range(2)


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
def position_hash(hands, seat, swept):
    """Return a 64-bit hash of a position at the start of a trick."""
    x = np.uint64(hands[0] | hands[1] << 32) * np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(32)
    x = (x ^ np.uint64(hands[2] | hands[3] << 32)) * np.uint64(0xC2B2AE3D27D4EB4F)
    x ^= x >> np.uint64(29)
    x = (x ^ np.uint64(1 | seat << 1 | swept << 3)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(29)


@inlined
def move_order_score(hands, seat, played, best, taker, gain, strain, card):
    """Return the priority of a card: cards that win or save many points shorten the search."""
    own = CARD_VALUES[strain, card]
    ruffs = SUIT_OF[card] == strain
    rivals = hands[(seat + 1) & 3] | hands[(seat + 3) & 3]
    if played == 0:
        trumps_out = trumps_of(rivals, strain)
        if rivals & higher_cards(card, strain) == 0:
            if ruffs:
                return 60 + own if trumps_out else own - 10
            if not trumps_out:
                return 40 + own
            return 20 + own - (15 if rivals >> 8 * SUIT_OF[card] & SUIT_MASK == 0 else 0)
        return -2 * own - (10 if ruffs else 0)
    ours = (taker ^ seat) & 1 == 0
    dear = 30 if ruffs else 0
    if beats(card, best, strain):
        if played == 3:
            return 4 * own - dear if ours else 4 * (gain + own) - dear
        after = hands[(seat + 1) & 3] | (hands[(seat + 3) & 3] if played == 1 else 0)
        safe = after & higher_cards(card, strain) == 0 and (ruffs or not trumps_of(after, strain))
        if ours:
            return (20 + own if safe else -20 - own) - dear
        return (60 + gain + own if safe else 5 - own) - dear
    if ours:
        return (4 * own if played == 3 else own - 10) - dear
    return -2 * own - dear


@recursive(
    "int64(int64[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64, int64,"
    " int64, int64, int64, uint64[:, ::1])"
)
def search(
    hands,
    seat,
    played,
    led,
    best,
    taker,
    gain,
    points_left,
    swept,
    strain,
    undertrumps,
    candidates,
    alpha,
    beta,
    transposition_table,
):
    """Return the value with best play, including the trick on the table.

    The table has `played` cards worth `gain`, suit `led`, and `best` played by `taker`;
    `points_left` are the points of all hands and the table, `undertrumps` the two options of BE-12
    and BE-13 as bits. Exact within (alpha, beta), else a bound.
    """
    place = np.int64(0)
    key = np.uint64(0)
    low, high, first = -INFINITE_MARGIN, INFINITE_MARGIN, ABSENT
    whole = candidates == ALL_CARDS
    if played == 0:
        if hands[seat] == 0:
            return sweep_bonus(swept)
        bonus = sweep_bonus(swept)
        low = -points_left - LAST_TRICK_POINTS + min(bonus, 0)
        high = points_left + LAST_TRICK_POINTS + max(bonus, 0)
        if high <= alpha:
            return high
        if low >= beta:
            return low
        if whole:
            key = position_hash(hands, seat, swept)
            place = np.int64(key & np.uint64(len(transposition_table) - 1))
            if transposition_table[place, KEY] == key:
                recorded = np.int64(transposition_table[place, BOUNDS])
                low = max(low, (recorded & 0xFFF) - 2048)
                high = min(high, (recorded >> 12 & 0xFFF) - 2048)
                first = (recorded >> 24) - 1
                if low >= beta or low == high:
                    return low
                if high <= alpha:
                    return high
    hand = hands[seat]
    todo = hand & candidates
    others = hands[(seat + 1) & 3] | hands[(seat + 2) & 3] | hands[(seat + 3) & 3]
    if played:
        todo &= playable_from_hand(
            undertrumps & 1, undertrumps & 2, hand, led, best, strain, taker == seat ^ 2
        )[0]
        others |= ONE << best
    if todo & todo - 1:
        todo = without_equivalents(todo, others, WORTHLESS[strain])
    ours = seat & 1 == 0
    found = -INFINITE_MARGIN if ours else INFINITE_MARGIN
    by = ABSENT
    floor, ceiling = alpha, beta
    while todo:
        card = first
        if first < 0 or not todo >> first & 1:
            card = lowest_card(todo)
            rest = todo & todo - 1
            if rest:
                liked = move_order_score(hands, seat, played, best, taker, gain, strain, card)
                while rest:
                    other = lowest_card(rest)
                    rest &= rest - 1
                    liking = move_order_score(hands, seat, played, best, taker, gain, strain, other)
                    if liking > liked:
                        liked = liking
                        card = other
        first = ABSENT
        todo ^= ONE << card
        hands[seat] = hand ^ ONE << card
        holds = played == 0 or beats(card, best, strain)
        now, holder = (card, seat) if holds else (best, taker)
        sum_ = gain + CARD_VALUES[strain, card]
        if played < 3:
            suit = SUIT_OF[card] if played == 0 else led
            value = search(
                hands, (seat + 1) & 3, played + 1, suit, now, holder, sum_, points_left, swept, strain,
                undertrumps, ALL_CARDS, floor, ceiling, transposition_table,
            )  # fmt: skip
        else:
            rest = points_left - sum_
            if hands[0] | hands[1] | hands[2] | hands[3] == 0:
                sum_ += LAST_TRICK_POINTS
            sum_ = sum_ if holder & 1 == 0 else -sum_
            value = sum_ + search(
                hands, holder, np.int64(0), ABSENT, ABSENT, ABSENT, np.int64(0), rest,
                swept if swept == holder & 1 else SWEPT_BY_NONE, strain, undertrumps, ALL_CARDS,
                floor - sum_, ceiling - sum_, transposition_table,
            )  # fmt: skip
        hands[seat] = hand
        if ours and value > found:
            found, by = value, card
            floor = max(floor, value)
        elif not ours and value < found:
            found, by = value, card
            ceiling = min(ceiling, value)
        if floor >= ceiling:
            break
    if played == 0 and whole:
        if found < beta:
            high = min(high, found)
        if found > alpha:
            low = max(low, found)
        transposition_table[place, KEY] = key
        transposition_table[place, BOUNDS] = np.uint64(low + 2048 | high + 2048 << 12 | by + 1 << 24)
    return found


@inlined
def search_state(state, rules, candidates, alpha, beta, hands, transposition_table):
    """Return `search` for a state in which the seat to act must play one of `candidates`."""
    strain = np.int64(state.strain)
    gain = np.int64(0)
    for i in range(4):
        hands[i] = state.hand[i]
        if state.table[i] >= 0:
            gain += CARD_VALUES[strain, state.table[i]]
    left = gain
    cards = hands[0] | hands[1] | hands[2] | hands[3]
    while cards:
        left += CARD_VALUES[strain, lowest_card(cards)]
        cards &= cards - 1
    led = ABSENT
    if state.on_table:
        led = np.int64(SUIT_OF[state.table[state.leader]])
    undertrumps = (ONE if rules.undertrump else 0) | (2 * ONE if rules.undertrump_partner else 0)
    return search(
        hands,
        np.int64(state.turn),
        np.int64(state.on_table),
        led,
        np.int64(state.best),
        np.int64(state.taker),
        gain,
        left,
        sweeper_so_far(state),
        strain,
        np.int64(undertrumps),
        np.int64(candidates),
        np.int64(alpha),
        np.int64(beta),
        transposition_table,
    )


@inlined
def sweeper_so_far(state):
    """Return `swept` for a state after its first trick."""
    for side in range(2):
        if state.taken[side] + state.taken[side + 2] == state.trick:
            return np.int64(side)
    return SWEPT_BY_NONE


@inlined
def current_lead(state):
    """Return the points of side 0 minus those of side 1; final ones once the deal is over."""
    if state.over == OVER:
        return points(state, 0) - points(state, 1)
    return np.int64(state.cards[0] - state.cards[1])


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
def solve_states(states, rules, margins, best):
    """Solve successive states of a deal, each with best play of all four from there on.

    `margins` gets the final points of side 0 minus those of side 1, `best` the mask of the cards
    with which the seat to act reaches that margin; 0 once the deal is over.
    """
    known = np.zeros((TABLE_ENTRIES, 2), np.uint64)
    hands = np.zeros(4, np.int64)
    for i in range(len(states) - 1, -1, -1):
        state = states[i]
        scored = current_lead(state)
        margins[i] = scored
        best[i] = 0
        if state.over == OVER:
            continue
        seat = np.int64(state.turn)
        cards = playable_cards(state, rules)
        ours = seat & 1 == 0
        played = np.int64(0)
        if i + 1 < len(states):
            played = state.hand[seat] & ~states[i + 1].hand[seat]
        if played & cards == 0:
            value = search_state(state, rules, cards, -INFINITE_MARGIN, INFINITE_MARGIN, hands, known)
        else:
            value = margins[i + 1] - scored  # of the card played: next, is another one better?
            others = cards ^ played
            if others and ours:
                value = max(value, search_state(state, rules, others, value, INFINITE_MARGIN, hands, known))
            elif others:
                value = min(value, search_state(state, rules, others, -INFINITE_MARGIN, value, hands, known))
        margins[i] = scored + value
        while cards:
            card = cards & -cards
            cards ^= card
            if card == played:
                if margins[i + 1] == margins[i]:
                    best[i] |= card
            elif ours:
                if search_state(state, rules, card, value - 1, value, hands, known) >= value:
                    best[i] |= card
            elif search_state(state, rules, card, value, value + 1, hands, known) <= value:
                best[i] |= card


# many deals in one call


@compiled
def solvable_from(states):
    """Return the index of the first state of the last five tricks, -1 for none."""
    for i in range(len(states)):
        if states[i].trick >= TRICKS - SOLVED_TRICKS:
            return i
    return -1


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
    side = np.int64(state.bidder) & 1
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


best_play_winners, solve_deals = (
    bulk.compile_for_game(loop, vars(kernel) | globals())
    for loop in (bulk.best_play_winners, bulk.solve_deals)
)
