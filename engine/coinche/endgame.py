"""The end of a deal with all cards seen, solved: what each side still takes with best play.

Values are points of side 0 (seats 0 and 2) still to come minus those of side 1, with the 5 of the
last trick, and with what makes every trick count 250 or 500 (CO-10). What may be played, what it
beats and what it is worth is the kernel's.
"""

import numpy as np

from engine import bulk
from engine.coinche import kernel
from engine.coinche.actions import GENERALE_BID, MATCH_BID
from engine.coinche.kernel import (
    ALL,
    OVER,
    PLAIN_POINTS,
    RANK_OF,
    SUIT,
    SUIT_OF,
    TRICKS,
    TRUMP_POINTS,
    TRUMP_STRENGTH,
    TRUMPS_ABOVE,
    VALUE,
    answers,
    beats,
    playable,
    points,
    worth,
)
from engine.jit import compiled, inlined, recursive

FAR = np.int64(10_000)
"""Further than any margin."""
LAST = 5
"""Tricks that are solved."""
LAST_TRICK = np.int64(5)
EVERY = np.int64((1 << 36) - 1)
NOBODY = np.int64(-1)
ONE = np.int64(1)
BY_STRENGTH = np.argsort(TRUMP_STRENGTH)[::-1].copy()
"""The ranks of trumps, the strongest first."""
WORTHLESS = np.array(
    [
        sum(
            sum(1 << 9 * suit + rank for rank in range(9) if of[rank] == 0)
            for suit, of in enumerate(
                [TRUMP_POINTS if s == trump else PLAIN_POINTS for s in range(4)]
            )
        )
        for trump in range(4)
    ],
    np.int64,
)
"""By trump: the cards worth nothing, lowest of their suits."""

SIDE, BOTH, NONE_YET = np.int64(4), np.int64(6), np.int64(7)
"""Who took every trick so far: a seat alone, a side (4 or 5), neither, or there was none."""

ENTRIES = 1 << 14
KEY, BOUNDS = range(2)
VISITED, LIMIT, GIVEN_UP = range(3)


@inlined
def lowest(cards):
    """The lowest code in a mask."""
    x = np.uint64((cards & -cards) - 1)
    x = x - (x >> np.uint64(1) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + (x >> np.uint64(2) & np.uint64(0x3333333333333333))
    x = x + (x >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(x * np.uint64(0x0101010101010101) >> np.uint64(56))


@inlined
def different(cards, others, worthless):
    """Without each worthless card that does what a higher one of the same hand does."""
    kept = cards
    todo = cards & worthless
    while todo:
        card = todo & -todo
        todo ^= card
        higher = card << 1
        while higher & worthless and not (cards | others) & higher:
            higher <<= 1
        if higher & worthless & cards:
            kept ^= card
    return kept


@inlined
def above(card, trump):
    """The mask of the cards of its suit that beat a card."""
    suit = SUIT_OF[card]
    rank = RANK_OF[card]
    if suit == trump:
        return TRUMPS_ABOVE[rank] << 9 * suit
    return (SUIT >> rank + 1 << rank + 1) << 9 * suit


@inlined
def swept_by(swept, taker):
    """Who took every trick, once another one is taken."""
    if swept == NONE_YET:
        return taker
    if swept < SIDE:
        if taker == swept:
            return swept
        return SIDE + (taker & 1) if (taker ^ swept) & 1 == 0 else BOTH
    return swept if swept - SIDE == taker & 1 else BOTH


@inlined
def extra(swept):
    """What every trick counts beyond the points in it: for side 0, less than nothing for side 1."""
    if swept == BOTH:
        return np.int64(0)
    more = np.int64(500 - ALL if swept < SIDE else 250 - ALL)
    return more if swept & 1 == 0 else -more


@inlined
def sure_trumps(ours, theirs):
    """The points of the highest trumps, those of one side: no card of the other's beats them."""
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
def stirred(hands, seat, swept):
    """64 bits of a position at the beginning of a trick."""
    x = np.uint64(hands[0]) * np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(32)
    x = (x ^ np.uint64(hands[1])) * np.uint64(0xC2B2AE3D27D4EB4F)
    x ^= x >> np.uint64(29)
    x = (x ^ np.uint64(hands[2])) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(32)
    x = (x ^ np.uint64(hands[3] | seat << 40 | swept << 44)) * np.uint64(0x9E3779B97F4A7C15)
    return x ^ x >> np.uint64(29)


@inlined
def attraction(hands, seat, laid, best, taker, gain, trump, card):
    """How soon a card is tried: what cuts the search short is what wins much or saves much."""
    own = worth(card, trump)
    is_trump = SUIT_OF[card] == trump
    rivals = hands[(seat + 1) & 3] | hands[(seat + 3) & 3]
    if laid == 0:
        trumps_out = rivals >> 9 * trump & SUIT
        if rivals & above(card, trump) == 0:
            if is_trump:
                return 60 + own if trumps_out else own - 10
            if not trumps_out:
                return 40 + own
            return 20 + own - (15 if rivals >> 9 * SUIT_OF[card] & SUIT == 0 else 0)
        return -2 * own - (10 if is_trump else 0)
    ours = (taker ^ seat) & 1 == 0
    dear = 30 if is_trump else 0
    if beats(card, best, trump):
        if laid == 3:
            return 4 * own - dear if ours else 4 * (gain + own) - dear
        after = hands[(seat + 1) & 3] | (hands[(seat + 3) & 3] if laid == 1 else 0)
        safe = after & above(card, trump) == 0 and (is_trump or not after >> 9 * trump & SUIT)
        if ours:
            return (20 + own if safe else -20 - own) - dear
        return (60 + gain + own if safe else 5 - own) - dear
    if ours:
        return (4 * own if laid == 3 else own - 10) - dear
    return -2 * own - dear


@recursive(
    "int64(int64[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64, int64,"
    " int64, int64, uint64[:, ::1], int64[::1])"
)
def to_come(
    hands, seat, laid, led, best, taker, gain, left, swept, trump, among, alpha, beta, known, counts
):
    """What is to come with best play, the trick on the table included.

    `laid` cards lie there, a suit `led`, `best` held by `taker`, worth `gain`; `left` is the worth
    of all hands and the table. Right within (alpha, beta), else a bound; without meaning once
    more than `counts[LIMIT]` beginnings of tricks were visited.
    """
    place = np.int64(0)
    key = np.uint64(0)
    low, high, first = -FAR, FAR, NOBODY
    whole = among == EVERY
    if laid == 0:
        if hands[seat] == 0:
            return extra(swept)
        counts[VISITED] += 1
        if counts[VISITED] > counts[LIMIT]:
            counts[GIVEN_UP] = 1
            return alpha
        most = left + LAST_TRICK
        more = extra(swept)
        sure = sure_trumps(
            (hands[0] | hands[2]) >> 9 * trump & SUIT, (hands[1] | hands[3]) >> 9 * trump & SUIT
        )
        if swept == NONE_YET:
            low, high = -FAR, FAR
        else:
            low = -most + min(more, 0) + 2 * max(sure, 0)
            high = most + max(more, 0) + 2 * min(sure, 0)
        if high <= alpha:
            return high
        if low >= beta:
            return low
        if whole:
            key = stirred(hands, seat, swept)
            place = np.int64(key & np.uint64(len(known) - 1))
            if known[place, KEY] == key:
                told = np.int64(known[place, BOUNDS])
                low = max(low, (told & 0xFFF) - 2048)
                high = min(high, (told >> 12 & 0xFFF) - 2048)
                first = (told >> 24) - 1
                if low >= beta or low == high:
                    return low
                if high <= alpha:
                    return high
    hand = hands[seat]
    todo = hand & among
    others = hands[(seat + 1) & 3] | hands[(seat + 2) & 3] | hands[(seat + 3) & 3]
    if laid:
        todo = answers(hand, led, best, trump)[0] & among
        others |= ONE << best
    if todo & todo - 1:
        todo = different(todo, others, WORTHLESS[trump])
    ours = seat & 1 == 0
    found = -FAR if ours else FAR
    by = NOBODY
    floor, ceiling = alpha, beta
    while todo:
        card = first
        if first < 0 or not todo >> first & 1:
            card = lowest(todo)
            rest = todo & todo - 1
            if rest:
                liked = attraction(hands, seat, laid, best, taker, gain, trump, card)
                while rest:
                    other = lowest(rest)
                    rest &= rest - 1
                    liking = attraction(hands, seat, laid, best, taker, gain, trump, other)
                    if liking > liked:
                        liked = liking
                        card = other
        first = NOBODY
        todo ^= ONE << card
        hands[seat] = hand ^ ONE << card
        holds = laid == 0 or beats(card, best, trump)
        now, holder = (card, seat) if holds else (best, taker)
        sum_ = gain + worth(card, trump)
        if laid < 3:
            suit = SUIT_OF[card] if laid == 0 else led
            value = to_come(
                hands, (seat + 1) & 3, laid + 1, suit, now, holder, sum_, left, swept, trump,
                EVERY, floor, ceiling, known, counts,
            )  # fmt: skip
        else:
            rest = left - sum_
            if hands[0] | hands[1] | hands[2] | hands[3] == 0:
                sum_ += LAST_TRICK
            sum_ = sum_ if holder & 1 == 0 else -sum_
            value = sum_ + to_come(
                hands, holder, np.int64(0), NOBODY, NOBODY, NOBODY, np.int64(0), rest,
                swept_by(swept, holder), trump, EVERY, floor - sum_, ceiling - sum_, known, counts,
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
    if laid == 0 and whole and not counts[GIVEN_UP]:
        if found < beta:
            high = min(high, found)
        if found > alpha:
            low = max(low, found)
        known[place, KEY] = key
        known[place, BOUNDS] = np.uint64(low + 2048 | high + 2048 << 12 | by + 1 << 24)
    return found


@inlined
def seek(state, among, alpha, beta, hands, known, counts):
    """`to_come` in a state, of which who has the turn lays one of some cards."""
    seat = np.int64(state.turn)
    trump = np.int64(state.trump)
    left = np.int64(0)
    for i in range(4):
        hands[i] = state.hand[i]
    cards = hands[0] | hands[1] | hands[2] | hands[3]
    gain = np.int64(0)
    for i in range(4):
        if state.table[i] >= 0:
            gain += worth(state.table[i], trump)
    while cards:
        left += worth(lowest(cards), trump)
        cards &= cards - 1
    led = NOBODY
    if state.on_table:
        led = np.int64(SUIT_OF[state.table[state.leader]])
    return to_come(
        hands,
        seat,
        np.int64(state.on_table),
        led,
        np.int64(state.best),
        np.int64(state.taker),
        gain,
        left + gain,
        all_tricks(state),
        trump,
        np.int64(among),
        np.int64(alpha),
        np.int64(beta),
        known,
        counts,
    )


@inlined
def all_tricks(state):
    """Who took every trick so far."""
    if state.trick == 0:
        return NONE_YET
    for seat in range(4):
        if state.taken[seat] == state.trick:
            return np.int64(seat)
    for side in range(2):
        if state.taken[side] + state.taken[side + 2] == state.trick:
            return SIDE + side
    return BOTH


@inlined
def so_far(state):
    """The points of side 0 minus those of side 1; as they count once the deal is over."""
    if state.over == OVER:
        return points(state, 0) - points(state, 1)
    return np.int64(state.cards[0] - state.cards[1])


@compiled
def judge(states, rules, margins, best):
    """Solve states that follow one another, each with best play of all four from there on.

    `margins` are the points of side 0 minus those of side 1 when the deal is at its end, `best` the
    cards by which who has the turn gets there, as masks: 0 where nothing more is played.
    """
    known = np.zeros((ENTRIES, 2), np.uint64)
    hands = np.zeros(4, np.int64)
    counts = np.zeros(3, np.int64)
    counts[LIMIT] = 1 << 62
    for i in range(len(states) - 1, -1, -1):
        state = states[i]
        made = so_far(state)
        margins[i] = made
        best[i] = 0
        if state.over == OVER:
            continue
        seat = np.int64(state.turn)
        cards = playable(state, rules, seat)[0]
        ours = seat & 1 == 0
        laid = np.int64(0)
        if i + 1 < len(states):
            laid = state.hand[seat] & ~states[i + 1].hand[seat]
        if laid & laid - 1 or not laid:
            value = seek(state, EVERY, -FAR, FAR, hands, known, counts)
        else:
            value = margins[i + 1] - made  # of the card that was laid: is another one better?
            others = cards ^ laid
            if others and ours:
                value = max(value, seek(state, others, value, FAR, hands, known, counts))
            elif others:
                value = min(value, seek(state, others, -FAR, value, hands, known, counts))
        margins[i] = made + value
        while cards:
            card = cards & -cards
            cards ^= card
            if card == laid:
                if margins[i + 1] == margins[i]:
                    best[i] |= card
            elif ours:
                if seek(state, card, value - 1, value, hands, known, counts) >= value:
                    best[i] |= card
            elif seek(state, card, value, value + 1, hands, known, counts) <= value:
                best[i] |= card


@compiled
def to_the_end(state, alpha, beta, limit):
    """(side 0's points minus side 1's at the end, 1 if it was given up), within (alpha, beta)."""
    known = np.zeros((ENTRIES << 4, 2), np.uint64)
    hands = np.zeros(4, np.int64)
    counts = np.zeros(3, np.int64)
    counts[LIMIT] = limit
    made = so_far(state)
    if state.over != OVER:
        made += seek(state, EVERY, alpha - made, beta - made, hands, known, counts)
    return made, counts[GIVEN_UP]


# many deals in one call, as they are told


@compiled
def begins(states):
    """The first state of the last five tricks, -1 for none."""
    for i in range(len(states)):
        if states[i].trick >= TRICKS - LAST:
            return i
    return -1


@inlined
def refuses(state, rules):
    """0: from a first state on everything is reckoned."""
    return 0


@compiled
def aim(state):
    """How many points more than the others the bidders need (CO-10, CO-11)."""
    value = np.int64(VALUE[state.contract])
    if state.contract == GENERALE_BID and state.taken[state.bidder] < state.trick:
        return FAR
    return value if state.contract >= MATCH_BID else 2 * value - ALL


@compiled
def winner(state, margin):
    """Who wins with best play: the bidders, if their points make the contract; or who won."""
    if state.over == OVER:
        return np.int64(0) if state.winner < 0 else 1 - 2 * np.int64(state.winner)
    bidder = 1 - 2 * (np.int64(state.bidder) & 1)
    return bidder if margin * bidder >= aim(state) else -bidder


@inlined
def choices(state, rules):
    """The cards of which who has the turn lays one."""
    if state.over == OVER:
        return np.int64(0)
    return playable(state, rules, np.int64(state.turn))[0]


winners, judge_all = (
    bulk.of_game(loop, vars(kernel) | globals()) for loop in (bulk.winners, bulk.judge_all)
)
