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
    TRICKS,
    TRUMP_POINTS,
    TRUMP_STRENGTH,
    TRUMPS_ABOVE,
    beats,
    card_points,
    playable,
    playable_from_hand,
    points,
)
from engine.endgame_masks import lowest_card, without_equivalents
from engine.jit import compiled, inlined, recursive

INFINITE_MARGIN = np.int64(10_000)
"""Greater than any margin."""
SOLVED_TRICKS = 5
"""Number of tricks at the end of a deal that are solved."""
LAST_TRICK_POINTS = np.int64(5)
ALL_CARDS = np.int64((1 << 36) - 1)
NOBODY = np.int64(-1)
ONE = np.int64(1)
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

SWEPT_BY_SIDE, SWEPT_BY_NONE, NO_TRICK_YET = np.int64(4), np.int64(6), np.int64(7)
"""Values of `swept` if no single seat took every trick: a side (4 or 5), neither, no trick yet."""

TABLE_ENTRIES = 1 << 14
KEY, BOUNDS = range(2)


@inlined
def higher_cards(card, trump):
    """Return the mask of the cards of its suit that beat a card."""
    suit = SUIT_OF[card]
    rank = RANK_OF[card]
    if suit == trump:
        return TRUMPS_ABOVE[rank] << 9 * suit
    return (SUIT_MASK >> rank + 1 << rank + 1) << 9 * suit


@inlined
def sweeper_after(swept, taker):
    """Return `swept` after another trick."""
    if swept == NO_TRICK_YET:
        return taker
    if swept < SWEPT_BY_SIDE:
        if taker == swept:
            return swept
        return SWEPT_BY_SIDE + (taker & 1) if (taker ^ swept) & 1 == 0 else SWEPT_BY_NONE
    return swept if swept - SWEPT_BY_SIDE == taker & 1 else SWEPT_BY_NONE


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
def move_order_score(hands, seat, played, best, taker, gain, trump, card):
    """Return the priority of a card: cards that win or save many points shorten the search."""
    own = card_points(card, trump)
    is_trump = SUIT_OF[card] == trump
    rivals = hands[(seat + 1) & 3] | hands[(seat + 3) & 3]
    if played == 0:
        trumps_out = rivals >> 9 * trump & SUIT_MASK
        if rivals & higher_cards(card, trump) == 0:
            if is_trump:
                return 60 + own if trumps_out else own - 10
            if not trumps_out:
                return 40 + own
            return 20 + own - (15 if rivals >> 9 * SUIT_OF[card] & SUIT_MASK == 0 else 0)
        return -2 * own - (10 if is_trump else 0)
    ours = (taker ^ seat) & 1 == 0
    dear = 30 if is_trump else 0
    if beats(card, best, trump):
        if played == 3:
            return 4 * own - dear if ours else 4 * (gain + own) - dear
        after = hands[(seat + 1) & 3] | (hands[(seat + 3) & 3] if played == 1 else 0)
        safe = after & higher_cards(card, trump) == 0 and (is_trump or not after >> 9 * trump & SUIT_MASK)
        if ours:
            return (20 + own if safe else -20 - own) - dear
        return (60 + gain + own if safe else 5 - own) - dear
    if ours:
        return (4 * own if played == 3 else own - 10) - dear
    return -2 * own - dear


@recursive(
    "int64(int64[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64, int64,"
    " int64, int64, uint64[:, ::1])"
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
    trump,
    candidates,
    alpha,
    beta,
    transposition_table,
):
    """Return the value with best play, including the trick on the table.

    The table has `laid` cards worth `gain`, suit `led`, and `best` played by `taker`; `points_left`
    are the points of all hands and the table. Exact within (alpha, beta), else a bound.
    """
    place = np.int64(0)
    key = np.uint64(0)
    low, high, first = -INFINITE_MARGIN, INFINITE_MARGIN, NOBODY
    whole = candidates == ALL_CARDS
    if played == 0:
        if hands[seat] == 0:
            return sweep_bonus(swept)
        most = points_left + LAST_TRICK_POINTS
        more = sweep_bonus(swept)
        sure = top_trump_points(
            (hands[0] | hands[2]) >> 9 * trump & SUIT_MASK, (hands[1] | hands[3]) >> 9 * trump & SUIT_MASK
        )
        if swept == NO_TRICK_YET:
            low, high = -INFINITE_MARGIN, INFINITE_MARGIN
        else:
            low = -most + min(more, 0) + 2 * max(sure, 0)
            high = most + max(more, 0) + 2 * min(sure, 0)
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
        todo = playable_from_hand(hand, led, best, trump)[0] & candidates
        others |= ONE << best
    if todo & todo - 1:
        todo = without_equivalents(todo, others, WORTHLESS[trump])
    ours = seat & 1 == 0
    found = -INFINITE_MARGIN if ours else INFINITE_MARGIN
    by = NOBODY
    floor, ceiling = alpha, beta
    while todo:
        card = first
        if first < 0 or not todo >> first & 1:
            card = lowest_card(todo)
            rest = todo & todo - 1
            if rest:
                liked = move_order_score(hands, seat, played, best, taker, gain, trump, card)
                while rest:
                    other = lowest_card(rest)
                    rest &= rest - 1
                    liking = move_order_score(hands, seat, played, best, taker, gain, trump, other)
                    if liking > liked:
                        liked = liking
                        card = other
        first = NOBODY
        todo ^= ONE << card
        hands[seat] = hand ^ ONE << card
        holds = played == 0 or beats(card, best, trump)
        now, holder = (card, seat) if holds else (best, taker)
        sum_ = gain + card_points(card, trump)
        if played < 3:
            suit = SUIT_OF[card] if played == 0 else led
            value = search(
                hands, (seat + 1) & 3, played + 1, suit, now, holder, sum_, points_left, swept, trump,
                ALL_CARDS, floor, ceiling, transposition_table,
            )  # fmt: skip
        else:
            rest = points_left - sum_
            if hands[0] | hands[1] | hands[2] | hands[3] == 0:
                sum_ += LAST_TRICK_POINTS
            sum_ = sum_ if holder & 1 == 0 else -sum_
            value = sum_ + search(
                hands, holder, np.int64(0), NOBODY, NOBODY, NOBODY, np.int64(0), rest,
                sweeper_after(swept, holder), trump, ALL_CARDS, floor - sum_, ceiling - sum_,
                transposition_table,
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
def search_state(state, candidates, alpha, beta, hands, transposition_table):
    """Return `search` for a state in which the seat to act must play one of `candidates`."""
    seat = np.int64(state.turn)
    trump = np.int64(state.trump)
    left = np.int64(0)
    for i in range(4):
        hands[i] = state.hand[i]
    cards = hands[0] | hands[1] | hands[2] | hands[3]
    gain = np.int64(0)
    for i in range(4):
        if state.table[i] >= 0:
            gain += card_points(state.table[i], trump)
    while cards:
        left += card_points(lowest_card(cards), trump)
        cards &= cards - 1
    led = NOBODY
    if state.on_table:
        led = np.int64(SUIT_OF[state.table[state.leader]])
    return search(
        hands,
        seat,
        np.int64(state.on_table),
        led,
        np.int64(state.best),
        np.int64(state.taker),
        gain,
        left + gain,
        sweeper_so_far(state),
        trump,
        np.int64(candidates),
        np.int64(alpha),
        np.int64(beta),
        transposition_table,
    )


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
def current_lead(state):
    """Return the points of side 0 minus those of side 1; final ones once the deal is over."""
    if state.over == OVER:
        return points(state, 0) - points(state, 1)
    return np.int64(state.cards[0] - state.cards[1])


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
        made = current_lead(state)
        margins[i] = made
        best[i] = 0
        if state.over == OVER:
            continue
        seat = np.int64(state.turn)
        cards = playable(state, rules, seat)[0]
        ours = seat & 1 == 0
        played = np.int64(0)
        if i + 1 < len(states):
            played = state.hand[seat] & ~states[i + 1].hand[seat]
        if played & played - 1 or not played:
            value = search_state(state, ALL_CARDS, -INFINITE_MARGIN, INFINITE_MARGIN, hands, known)
        else:
            value = margins[i + 1] - made  # of the card played: next, is another one better?
            others = cards ^ played
            if others and ours:
                value = max(value, search_state(state, others, value, INFINITE_MARGIN, hands, known))
            elif others:
                value = min(value, search_state(state, others, -INFINITE_MARGIN, value, hands, known))
        margins[i] = made + value
        while cards:
            card = cards & -cards
            cards ^= card
            if card == played:
                if margins[i + 1] == margins[i]:
                    best[i] |= card
            elif ours:
                if search_state(state, card, value - 1, value, hands, known) >= value:
                    best[i] |= card
            elif search_state(state, card, value, value + 1, hands, known) <= value:
                best[i] |= card


# many deals in one call


@compiled
def solvable_from(states):
    """Return the index of the first state of the last five tricks, -1 for none."""
    for i in range(len(states)):
        if states[i].trick >= TRICKS - SOLVED_TRICKS:
            return i
    return -1


@inlined
def refusal(state, rules):
    """Return 0: every deal is solved from its first solvable state on."""
    return 0


@compiled
def margin_needed(state):
    """Return the margin the bidding side needs to make the contract (CO-10, CO-11)."""
    value = np.int64(BID_POINTS[state.contract])
    if state.contract == GENERALE_BID and state.taken[state.bidder] < state.trick:
        return INFINITE_MARGIN
    return value if state.contract >= MATCH_BID else 2 * value - TOTAL_POINTS


@compiled
def best_play_winner(state, rules, margin):
    """Return the winner: with best play, the bidding side if it makes the contract."""
    if state.over == OVER:
        return np.int64(0) if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    bidder = 1 - 2 * (np.int64(state.bidder) & 1)
    return bidder if margin * bidder >= margin_needed(state) else -bidder


@inlined
def playable_cards(state, rules):
    """Return the mask of the cards the seat to act may play."""
    if state.over == OVER:
        return np.int64(0)
    return playable(state, rules, np.int64(state.turn))[0]


best_play_winners, solve_deals = (
    bulk.compile_for_game(loop, vars(kernel) | globals())
    for loop in (bulk.best_play_winners, bulk.solve_deals)
)
