"""The endgame search of games for two teams of two with a contract: Coinche, Belote.

A game compiles these functions with its own cards, values and rules as globals, as it does the loops of
`engine.bulk`. Values are the points still to come for side 0 (seats 0 and 2) minus those for side 1.
"""

from typing import Any

import numpy as np

from engine import bulk
from engine.endgame_masks import lowest_card, without_equivalents
from engine.jit import compiled, inlined, recursive

INFINITE_MARGIN = np.int64(10_000)
"""Greater than any margin."""
SOLVED_TRICKS = 5
"""Number of tricks at the end of a deal that are solved."""
ABSENT = np.int64(-1)
"""No card, suit, side or seat; numba would give a plain -1 a type of its own."""
ONE = np.int64(1)
TABLE_ENTRIES = 1 << 14
KEY, BOUNDS = range(2)

# placeholders for the functions and constants of the game's module
_set_by_game: Any = None
ALL_CARDS = SUIT_OF = SUIT_MASK = SUIT_SIZE = WORTHLESS = LAST_TRICK_POINTS = TRICKS = OVER = _set_by_game
beats = card_value = higher_cards = trumps_of = playable = playable_cards = points = _set_by_game
legal_mask = _set_by_game
"""(hand, suit led, best card, whether the partner holds the trick, strain, options) → legal cards."""
option_bits = strain_of = sweep_bonus = sweeper_after = sweeper_so_far = position_hash = _set_by_game
value_bounds = _set_by_game
"""(hands, points left, swept, strain) → lowest and highest value of a position before a trick."""


def compile_endgame(game_globals: dict[str, Any]) -> tuple[Any, ...]:
    """Return a game's `solvable_from`, `current_lead`, `solve_states`."""
    known = dict(game_globals)
    for function, compiler in (
        (move_order_score, inlined),
        (search, recursive(f"int64(int64[::1], {'int64, ' * 13}uint64[:, ::1])")),
        (search_state, inlined),
        (current_lead, inlined),
        (solvable_from, compiled),
        (solve_states, compiled),
    ):
        known[function.__name__] = bulk.compile_for_game(function, known, compiler)
    return known["solvable_from"], known["current_lead"], known["solve_states"]


def move_order_score(hands, seat, played, best, trick_winner, gain, strain, card):
    """Return the priority of a card: cards that win or save many points shorten the search."""
    own = card_value(card, strain)
    ruffs = SUIT_OF[card] == strain
    rivals = hands[(seat + 1) & 3] | hands[(seat + 3) & 3]
    if played == 0:
        trumps_out = trumps_of(rivals, strain)
        if rivals & higher_cards(card, strain) == 0:
            if ruffs:
                return 60 + own if trumps_out else own - 10
            if not trumps_out:
                return 40 + own
            return 20 + own - (15 if rivals >> SUIT_SIZE * SUIT_OF[card] & SUIT_MASK == 0 else 0)
        return -2 * own - (10 if ruffs else 0)
    ours = (trick_winner ^ seat) & 1 == 0
    trump_cost = 30 if ruffs else 0
    if beats(card, best, strain):
        if played == 3:
            return 4 * own - trump_cost if ours else 4 * (gain + own) - trump_cost
        after = hands[(seat + 1) & 3] | (hands[(seat + 3) & 3] if played == 1 else 0)
        safe = after & higher_cards(card, strain) == 0 and (ruffs or not trumps_of(after, strain))
        if ours:
            return (20 + own if safe else -20 - own) - trump_cost
        return (60 + gain + own if safe else 5 - own) - trump_cost
    if ours:
        return (4 * own if played == 3 else own - 10) - trump_cost
    return -2 * own - trump_cost


def search(
    hands,
    seat,
    played,
    led,
    best,
    trick_winner,
    gain,
    points_left,
    swept,
    strain,
    options,
    candidates,
    alpha,
    beta,
    transposition_table,
):
    """Return the value with best play, including the trick on the table.

    The table has `played` cards worth `gain`, suit `led`, and `best` played by `trick_winner`;
    `points_left` are the points of all hands and the table, `swept` names who took all tricks so
    far, `options` those that `legal_mask` needs. Exact within (alpha, beta), else a bound.
    """
    place = np.int64(0)
    key = np.uint64(0)
    low, high, first = -INFINITE_MARGIN, INFINITE_MARGIN, ABSENT
    whole = candidates == ALL_CARDS
    if played == 0:
        if hands[seat] == 0:
            return sweep_bonus(swept)
        low, high = value_bounds(hands, points_left + LAST_TRICK_POINTS, swept, strain)
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
        todo &= legal_mask(hand, led, best, trick_winner == seat ^ 2, strain, options)
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
                liked = move_order_score(hands, seat, played, best, trick_winner, gain, strain, card)
                while rest:
                    other = lowest_card(rest)
                    rest &= rest - 1
                    liking = move_order_score(hands, seat, played, best, trick_winner, gain, strain, other)
                    if liking > liked:
                        liked = liking
                        card = other
        first = ABSENT
        todo ^= ONE << card
        hands[seat] = hand ^ ONE << card
        holds = played == 0 or beats(card, best, strain)
        now, holder = (card, seat) if holds else (best, trick_winner)
        sum_ = gain + card_value(card, strain)
        if played < 3:
            suit = SUIT_OF[card] if played == 0 else led
            value = search(
                hands, (seat + 1) & 3, played + 1, suit, now, holder, sum_, points_left, swept, strain,
                options, ALL_CARDS, floor, ceiling, transposition_table,
            )  # fmt: skip
        else:
            rest = points_left - sum_
            if hands[0] | hands[1] | hands[2] | hands[3] == 0:
                sum_ += LAST_TRICK_POINTS
            sum_ = sum_ if holder & 1 == 0 else -sum_
            value = sum_ + search(
                hands, holder, np.int64(0), ABSENT, ABSENT, ABSENT, np.int64(0), rest,
                sweeper_after(swept, holder), strain, options, ALL_CARDS, floor - sum_, ceiling - sum_,
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


def search_state(state, rules, candidates, alpha, beta, hands, transposition_table):
    """Return `search` for a state in which the seat to act must play one of `candidates`."""
    strain = np.int64(strain_of(state))
    gain = np.int64(0)
    for i in range(4):
        hands[i] = state.hand[i]
        if state.table[i] >= 0:
            gain += card_value(state.table[i], strain)
    left = gain
    cards = hands[0] | hands[1] | hands[2] | hands[3]
    while cards:
        left += card_value(lowest_card(cards), strain)
        cards &= cards - 1
    led = ABSENT
    if state.on_table:
        led = np.int64(SUIT_OF[state.table[state.leader]])
    return search(
        hands,
        np.int64(state.turn),
        np.int64(state.on_table),
        led,
        np.int64(state.best),
        np.int64(state.trick_winner),
        gain,
        left,
        sweeper_so_far(state),
        strain,
        np.int64(option_bits(rules)),
        np.int64(candidates),
        np.int64(alpha),
        np.int64(beta),
        transposition_table,
    )


def current_lead(state):
    """Return the points of side 0 minus those of side 1; final ones once the deal is over."""
    if state.over == OVER:
        return points(state, 0) - points(state, 1)
    return np.int64(state.cards[0] - state.cards[1])


def solvable_from(states):
    """Return the index of the first state of the last five tricks, -1 for none."""
    for i in range(len(states)):
        if states[i].trick >= TRICKS - SOLVED_TRICKS:
            return i
    return -1


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
            # positions of a search with every card are recorded for those of earlier states
            every = ALL_CARDS if cards == playable(state, rules, seat)[0] else cards
            value = search_state(state, rules, every, -INFINITE_MARGIN, INFINITE_MARGIN, hands, known)
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
