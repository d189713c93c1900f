"""The rules of play of Chouine (CH-1 to CH-26): turns, trump, legal cards, bonus points.

`start` deals, `check` returns the faults of an action, `step` checks and applies it,
`playable` and `legal` return what may be done. The same compiled functions check logs in
bulk, replay one deal, simulate and explain. Hands are bit masks, faults are bit sets.
"""

import numpy as np

from engine import bulk
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.chouine.actions import (
    ACCEPT,
    ACT_COUNT,
    ANNOUNCE,
    AU_SEPT,
    CHOUINE,
    COMBINATION_COUNT,
    FAULT,
    FIRST_DRAW,
    MARIAGE,
    QUINTE,
    REPLAY,
    RESIGN,
    SEPT,
    SUIT_COMBINATIONS,
    TRENTE,
    UNSHOWN,
)
from engine.chouine.faults import DEAL_FAULTS
from engine.jit import compiled, inlined
from engine.match import NOBODY as NOBODY
from engine.states import clear
from engine.trick import end_trick, next_seat, set_trick_winner

NULL = -2
"""`winner` of a null partie (CH-24)."""

RUNNING, PLAYED_OUT, BY_CHOUINE, RESIGNED, PENALTY, REPLAYED = range(6)
"""`outcome`: how a deal ended."""

OPEN, LAST_CARD, OVER = range(3)
"""`over`: play goes on; only the card announced with a chouine is missing; nothing may follow."""

State = np.dtype(
    [
        ("hand", np.int64, (4,)),
        ("pile", np.int64, (4,)),
        ("allowed", np.int64),  # cards this turn's announcements allow (CH-16)
        ("held", np.int32, (4,)),  # combinations held at some time, a bit set; the next four alike
        ("announced", np.int32, (4,)),
        ("shown", np.int32, (4,)),
        ("counted", np.int32, (4,)),
        ("worth_double", np.int32, (4,)),
        ("cards", np.int32, (4,)),  # points
        ("bonus", np.int32, (4,)),
        ("talon", np.int8, (23,)),
        ("table", np.int8, (4,)),  # cards by seat, -1 for none
        ("last", np.int8, (4,)),  # the last complete trick, likewise
        ("trick_winners", np.int8, (16,)),
        ("leads", np.int8, (16,)),  # the seat that led each trick
        ("when", np.int8, (4, 18)),  # the trick of each announcement, from 0; -1 for none
        ("irregularities", np.int8, (4,)),
        ("players", np.int8),
        ("dealer", np.int8),
        ("talon_size", np.int8),
        ("drawable", np.int8),  # number of talon cards that will be drawn (CH-7)
        ("tricks", np.int8),  # in the whole deal: 16, 10 or 8
        ("drawn", np.int8),
        ("to_draw", np.int8),  # bit set of the seats still to draw after this trick
        ("explicit", np.int8),  # the log records the draws
        ("retourne", np.int8),  # the card turned up in the deal, -1 for none
        ("trump", np.int8),  # suit, -1 for none
        ("first_lead", np.int8),  # the deal's first card, -1 before it
        ("leader", np.int8),
        ("turn", np.int8),
        ("on_table", np.int8),
        ("best", np.int8),  # the card that wins the trick so far
        ("trick_winner", np.int8),  # and its seat
        ("trick", np.int8),  # complete tricks
        ("announcements", np.int8),  # counted since the last card was played (CH-21)
        ("sept", np.int8),  # the seat that exchanged the 7
        ("sept_trick", np.int8),
        ("sept_settled", np.int8),
        ("offender", np.int8),  # the seat whose irregularity awaits a decision
        ("chouine", np.int8),  # the seat that wins by chouine unless answered (CH-22)
        ("over", np.int8),
        ("outcome", np.int8),
        ("winner", np.int8),
        ("der", np.int8),
    ],
    align=True,
)

CARD_POINTS = np.array([0, 0, 0, 2, 3, 4, 10, 11] * 4, np.int32)
COMBINATION_POINTS = np.array([20, 30, 40, 0], np.int32)
TRENTE_POINTS = 30
DER_POINTS = 10
COMBINATION_MASKS_2_PLAYERS = np.array([0x30, 0x38, 0xB8, 0xF8], np.int64)  # K Q, K Q J, A K Q J, A T K Q J
COMBINATION_MASKS_3_4_PLAYERS = np.array([0x30, 0, 0, 0x38], np.int64)  # K Q, K Q J
BRISQUES = np.int64(0xC0C0C0C0)
SUIT_MASK = np.int64(0xFF)
ALL_CARDS = np.int64(0xFFFFFFFF)
QUEENS = np.int64(0x10101010)

(
    AFTER_END,
    WRONG_TURN,
    CARD_NOT_HELD,
    UNKNOWN_ACTION,
    NO_SUCH_SEAT,
    MUST_FOLLOW,
    MUST_BEAT,
    MUST_RUFF,
    MUST_OVERRUFF,
    SEPT_NOT_HELD,
    SEPT_AGAIN,
    SEPT_LATE,
    SEPT_IS_RETOURNE,
    SEPT_NO_RETOURNE,
    SEPT_TURN,
    AU_SEPT_MISSING,
    AU_SEPT_MISPLACED,
    ANNOUNCE_TURN,
    ANNOUNCE_NOT_HELD,
    ANNOUNCE_CARD,
    ANNOUNCE_KIND,
    ANNOUNCE_KIND_3_4,
    ANNOUNCE_AGAIN,
    ANNOUNCE_ONE_PER_PLAY,
    DRAW_CARD,
    DRAW_TURN,
    DRAW_MISSING,
    DRAW_UNEXPECTED,
    IRREGULARITY_MISPLACED,
    DECISION_MISSING,
    DECISION_MISPLACED,
) = (fault.bit for fault in DEAL_FAULTS.rows)
IMPOSSIBLE = DEAL_FAULTS.impossible
ERRORS = DEAL_FAULTS.errors


@inlined
def hand_size(players):
    """Return how many cards each player holds while the talon lasts (CH-3)."""
    return 5 if players == 2 else 3


@inlined
def receiver(rules, players, dealer, place):
    """Return the seat that is dealt the card at `place`; cards are dealt one at a time (CH-3)."""
    return (dealer + 1 + place) % players


@inlined
def talon_place(rules, size, turn):
    """Return the place of the card of draw `turn` in the `size` cards left (CH-3, CH-4).

    The first of them is the card turned up, which is drawn last.
    """
    if not rules.turn_up:
        return turn
    return turn + 1 if turn + 1 < size else 0


@compiled
def start(state, rules, players, dealer, deck, explicit):
    """Deal `deck` (32 card codes in the order dealt) from seat `dealer` (CH-3, CH-4, CH-28).

    `explicit`: the log records the draws, so `step` takes them as actions; otherwise it draws.
    """
    clear(state, players, dealer, (dealer + 1) % players)
    size = hand_size(players)
    dealt = size * players
    for seat in range(4):
        state.held[seat] = 0
        state.announced[seat] = 0
        state.shown[seat] = 0
        state.counted[seat] = 0
        state.worth_double[seat] = 0
        state.cards[seat] = 0
        state.bonus[seat] = 0
        state.irregularities[seat] = 0
        for combination in range(COMBINATION_COUNT):
            state.when[seat, combination] = -1
    for i in range(dealt):
        seat = receiver(rules, players, dealer, i)
        state.hand[seat] |= np.int64(1) << np.int64(deck[i])
    talon = 32 - dealt
    if rules.turn_up:
        state.retourne = deck[dealt]
        state.trump = deck[dealt] >> 3
    else:
        state.retourne = -1
        state.trump = -1
    for i in range(talon):
        state.talon[i] = deck[dealt + talon_place(rules, talon, i)]
    for i in range(talon, 23):
        state.talon[i] = -1
    state.allowed = ALL_CARDS
    state.talon_size = talon
    state.drawable = talon - talon % players
    state.tricks = talon // players + size
    state.drawn = 0
    state.to_draw = 0
    state.explicit = explicit
    state.first_lead = -1
    state.announcements = 0
    state.sept = NOBODY
    state.sept_trick = -1
    state.sept_settled = 0
    state.offender = NOBODY
    state.chouine = NOBODY
    state.der = NOBODY


@inlined
def is_talon_empty(state):
    """Return whether nothing is left to draw (CH-6, CH-8)."""
    return state.drawn >= state.drawable


@inlined
def is_talon_empty_after(state, trick):
    """Return whether nothing is left to draw after `trick` complete tricks (CH-6, CH-8)."""
    return trick * state.players >= state.drawable


@inlined
def higher_cards(card):
    """Return the mask of the cards with a higher code."""
    return ALL_CARDS & ~((np.int64(2) << np.int64(card)) - 1)


@inlined
def beats(card, best, trump):
    """Return whether `card` beats `best`, the card that wins so far (CH-1, CH-12)."""
    if card >> 3 == best >> 3:
        return card > best
    return card >> 3 == trump


@inlined
def playable_from_hand(hand, led, best, trump, overruff):
    """Return `playable` for a hand when nothing is left to draw, with suit `led` and `best`."""
    follow = hand & (SUIT_MASK << (8 * led))
    if follow:
        if led == trump:
            higher = follow & higher_cards(best)
            if higher:
                return higher, np.int64(MUST_BEAT)
        return follow, np.int64(MUST_FOLLOW)
    if trump >= 0:
        ruffs = hand & (SUIT_MASK << (8 * trump))
        if ruffs:
            if overruff and np.int64(best) >> 3 == trump:
                higher = ruffs & higher_cards(best)
                if higher:
                    return higher, np.int64(MUST_OVERRUFF)
            return ruffs, np.int64(MUST_RUFF)
    return hand, np.int64(0)


@inlined
def playable(state, rules, seat):
    """Return (mask of the cards a seat may play, fault of playing any other): CH-6 to CH-11.

    Ignores announcements and whose turn it is.
    """
    hand = state.hand[seat]
    if state.on_table == 0 or state.drawn < state.drawable:
        return hand, np.int64(0)
    led = np.int64(state.table[state.leader]) >> 3
    return playable_from_hand(hand, led, state.best, np.int64(state.trump), rules.overruff)


@inlined
def combination_cards(state, seat, combination):
    """Return the mask of a combination's cards; 0 if it does not exist with so many players."""
    if combination == QUINTE:
        return BRISQUES if state.players == 2 else np.int64(0)
    if combination == TRENTE:
        return BRISQUES if state.players > 2 else np.int64(0)
    kind = combination >> 2
    shape = COMBINATION_MASKS_2_PLAYERS[kind] if state.players == 2 else COMBINATION_MASKS_3_4_PLAYERS[kind]
    return shape << np.int64(8 * (combination & 3))


@inlined
def count_bits(mask):
    """Return the number of cards in a mask of 32 bits."""
    mask = mask - (mask >> 1 & 0x55555555)
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333)
    return ((mask + (mask >> 4) & 0x0F0F0F0F) * 0x01010101 >> 24) & 0xFF


@inlined
def holds_combination(state, seat, combination):
    """Return whether a seat holds an existing combination now (CH-15, CH-18, CH-19)."""
    cards = combination_cards(state, seat, combination)
    if combination >= QUINTE:
        return count_bits(state.hand[seat] & cards) >= hand_size(state.players)
    return cards != 0 and state.hand[seat] & cards == cards


@inlined
def combinations_held(state, seat):
    """Return the bit set of the combinations in a seat's hand."""
    hand = state.hand[seat]
    found = 0
    couples = hand & (hand >> 1) & QUEENS
    if couples:
        for suit in range(4):
            if couples >> (8 * suit) & SUIT_MASK:
                for kind in range(4):
                    if holds_combination(state, seat, 4 * kind + suit):
                        found |= 1 << (4 * kind + suit)
    if hand & ~BRISQUES == 0 and count_bits(hand) >= hand_size(state.players):
        found |= 1 << (QUINTE if state.players == 2 else TRENTE)
    return found


@inlined
def same_suit_combinations(combination):
    """Return the bit set of the combinations of its suit; of a quinte or trente, itself (CH-20)."""
    return SUIT_COMBINATIONS << (combination & 3) if combination < QUINTE else 1 << combination


@inlined
def announcement_points(rules, combination, worth_double):
    """Return the points of an announcement, which trump doubles (CH-18, CH-19)."""
    if combination == QUINTE:
        return rules.quinte
    if combination == TRENTE:
        return TRENTE_POINTS
    return COMBINATION_POINTS[combination >> 2] * (2 if worth_double else 1)


@inlined
def check_announcement(state, rules, seat, combination):
    """Return the faults of an announcement; a faulty one scores nothing (CH-15 to CH-21)."""
    if seat != state.turn or state.to_draw or state.offender >= 0:
        return np.int64(ANNOUNCE_TURN)
    suited = combination < QUINTE
    kind = combination >> 2
    if state.players == 2:
        if combination == TRENTE:
            return np.int64(ANNOUNCE_KIND)
    elif combination == QUINTE or (suited and kind != MARIAGE and kind != CHOUINE):
        return np.int64(ANNOUNCE_KIND_3_4)
    if not holds_combination(state, seat, combination):
        return np.int64(ANNOUNCE_NOT_HELD)
    faults = np.int64(0)
    before = state.counted[seat]
    if suited and rules.one_per_suit:
        before &= same_suit_combinations(combination)
    else:
        before &= 1 << combination
    if before:
        faults |= ANNOUNCE_AGAIN
    if rules.one_per_play and state.announcements > 0:
        faults |= ANNOUNCE_ONE_PER_PLAY
    if rules.announce_with:
        cards = playable(state, rules, seat)[0] & state.allowed
        if cards & combination_cards(state, seat, combination) == 0:
            faults |= ANNOUNCE_CARD
    return faults


@inlined
def is_au_sept_due(state):
    """Return whether the leader should announce *au sept* now (CH-14)."""
    return (
        state.retourne >= 0
        and state.sept < 0
        and state.on_table == 0
        and state.talon_size - state.drawn == 2
        and not state.sept_settled
    )


@inlined
def check_play(state, rules, seat, card):
    bit = np.int64(1) << np.int64(card)
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    if state.hand[seat] & bit == 0:
        return np.int64(CARD_NOT_HELD)
    faults = np.int64(0)
    cards, fault = playable(state, rules, seat)
    if cards & bit == 0:
        faults |= fault
    if state.allowed & bit == 0:
        faults |= ANNOUNCE_CARD
    # no exchange is possible when the 7 itself is turned up, so no reminder is due
    if not rules.au_sept and is_au_sept_due(state) and state.retourne & 7:
        faults |= AU_SEPT_MISSING
    return faults


@inlined
def seven_of_trump(state):
    """Return the 7 of trump, the only card that can be exchanged for the retourne (CH-13)."""
    return np.int64(state.trump) << 3


@inlined
def check_sept(state, seat):
    if state.retourne < 0:
        return np.int64(SEPT_NO_RETOURNE)
    if state.retourne & 7 == 0:
        return np.int64(SEPT_IS_RETOURNE)
    if state.sept >= 0:
        return np.int64(SEPT_AGAIN)
    if state.drawn >= state.talon_size:
        return np.int64(SEPT_LATE)
    if state.hand[seat] >> seven_of_trump(state) & 1 == 0:
        return np.int64(SEPT_NOT_HELD)
    return np.int64(0 if seat == state.turn else SEPT_TURN)


@inlined
def check_draw(state, seat, card):
    if not state.to_draw >> seat & 1:
        return np.int64(DRAW_UNEXPECTED)
    faults = np.int64(0)
    due = state.leader  # the winner of the trick, then in seat order (CH-7)
    while not state.to_draw >> due & 1:
        due = next_seat(state, due)
    if seat != due:
        faults |= DRAW_TURN
    if card != state.talon[state.drawn]:
        faults |= DRAW_CARD
    return faults


@inlined
def pending_faults(state, act):
    """Return the faults of acting while a draw or a decision is missing (CH-7, CH-27)."""
    faults = np.int64(0)
    if act <= AU_SEPT:
        if state.to_draw:
            faults |= DRAW_MISSING
        if state.offender >= 0:
            faults |= DECISION_MISSING
    return faults


@inlined
def check_settled(state, rules, seat, act):
    """Return the faults of an action, disregarding missing draws and decisions."""
    if act < ANNOUNCE:
        return check_play(state, rules, seat, act)
    if act < SEPT:
        return check_announcement(state, rules, seat, (act - ANNOUNCE) % COMBINATION_COUNT)
    if act == SEPT:
        return check_sept(state, seat)
    if act == AU_SEPT:
        due = seat == state.turn and is_au_sept_due(state)
        return np.int64(0 if due or rules.au_sept else AU_SEPT_MISPLACED)
    if act == RESIGN:
        return np.int64(0)
    if act >= FIRST_DRAW:
        return check_draw(state, seat, act - FIRST_DRAW)
    if act >= ACCEPT:
        decides = state.offender >= 0 and state.offender != seat
        return np.int64(0 if decides else DECISION_MISPLACED)
    drew = 0 < state.trick * state.players <= state.drawable
    if not drew or state.on_table or state.offender >= 0:
        return np.int64(IRREGULARITY_MISPLACED)
    return np.int64(0)


@compiled
def claim_holds(state, seat):
    """Return False: Chouine has no claims."""
    return False


@inlined
def check_bounds(state, seat, act):
    """Return the faults of an action that is impossible now, whatever the hands."""
    if act >= ACT_COUNT:
        return np.int64(UNKNOWN_ACTION)
    if seat >= state.players:
        return np.int64(NO_SUCH_SEAT)
    over = state.over == OVER
    if state.over == LAST_CARD:
        over = act >= ANNOUNCE or seat != state.turn
    elif state.chouine >= 0:
        over = over or act >= FAULT
    return np.int64(AFTER_END if over else 0)


@compiled
def check(state, rules, code):
    """Return the faults of an action in this state as a bit set, 0 if it is legal."""
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    faults = check_bounds(state, seat, act)
    if not faults:
        faults = pending_faults(state, act)
    return faults if faults else check_settled(state, rules, seat, act)


@inlined
def draw(state, seat):
    state.hand[seat] |= np.int64(1) << np.int64(state.talon[state.drawn])
    state.drawn += 1
    state.to_draw &= ~(1 << seat)


@inlined
def undo_draws(state, drawn, to_draw):
    """Put drawn cards back on the talon, restoring earlier values of `drawn` and `to_draw`."""
    seat = state.leader
    for place in range(drawn, state.drawn):
        while not to_draw >> seat & 1:
            seat = next_seat(state, seat)
        state.hand[seat] ^= np.int64(1) << np.int64(state.talon[place])
        seat = next_seat(state, seat)
    state.drawn = drawn
    state.to_draw = to_draw


@inlined
def total(state, seat):
    """Return a seat's points: cards won, announcements and the dix de der (CH-23)."""
    return state.cards[seat] + state.bonus[seat] + (DER_POINTS if state.der == seat else 0)


# CH-24
leading_seat = bulk.compile_for_game(bulk.leading_seat, globals())


@inlined
def end_deal(state, outcome, winner):
    state.outcome = outcome
    state.winner = winner
    state.over = OVER


@inlined
def take_trick(state):
    """Give the trick to its winner, who draws first and leads next (CH-5, CH-7, CH-12, CH-23)."""
    trick_winner = np.int64(state.trick_winner)
    for seat in range(state.players):
        card = state.table[seat]
        state.pile[trick_winner] |= np.int64(1) << np.int64(card)
        state.cards[trick_winner] += CARD_POINTS[card]
        state.last[seat] = card
        state.table[seat] = -1
    end_trick(state, trick_winner)
    if state.chouine >= 0:
        state.over = OVER
    elif state.drawn < state.drawable:
        if state.explicit:
            state.to_draw = (1 << state.players) - 1
        else:
            drawer = trick_winner
            for _ in range(state.players):
                draw(state, drawer)
                drawer = next_seat(state, drawer)
    elif state.trick == state.tricks:
        state.der = trick_winner
        end_deal(state, PLAYED_OUT, leading_seat(state, NOBODY))


@inlined
def apply_play(state, seat, card):
    state.held[seat] |= combinations_held(state, seat)
    state.hand[seat] ^= np.int64(1) << np.int64(card)
    state.allowed = ALL_CARDS
    state.announcements = 0
    state.table[seat] = card
    if state.on_table == 0:
        state.leads[state.trick] = seat
        if state.trick == 0:
            state.first_lead = card
    if state.over == LAST_CARD:
        state.over = OVER
        return
    if state.on_table == 0:
        if state.talon_size - state.drawn == 2:
            state.sept_settled = 1  # announced or missed, it is due only once
        better = True
    else:
        better = beats(card, state.best, state.trump)
    if better:
        set_trick_winner(state, seat, card)
    state.on_table += 1
    if state.on_table == state.players:
        take_trick(state)
    else:
        state.turn = next_seat(state, seat)


@inlined
def apply_chouine(state, seat, suit):
    """Win the deal at once, unless a chouine of trump may still answer the leader's (CH-22)."""
    trump = suit == state.trump
    if state.chouine >= 0 and not trump:
        return  # of two plain chouines the first wins
    state.outcome = BY_CHOUINE
    state.winner = seat
    if trump or state.trump < 0 or state.on_table > 0:
        state.over = LAST_CARD
    else:
        state.chouine = seat


@inlined
def apply_announcement(state, rules, seat, combination, shown, counts):
    bit = 1 << combination
    state.announced[seat] |= bit
    state.held[seat] |= combinations_held(state, seat)
    if state.on_table == 0:
        state.leads[state.trick] = seat  # after a chouine the log may omit the card
    if state.when[seat, combination] < 0:
        state.when[seat, combination] = state.trick
    if not shown:
        return
    state.shown[seat] |= bit
    if not counts:
        return
    state.counted[seat] |= bit
    state.when[seat, combination] = state.trick
    state.announcements += 1
    if rules.announce_with:
        state.allowed &= combination_cards(state, seat, combination)
    if combination >= QUINTE:
        state.bonus[seat] += announcement_points(rules, combination, False)
        return
    kind = combination >> 2
    suit = combination & 3
    worth_double = suit == state.trump
    if kind != CHOUINE and state.trump < 0 and state.on_table == 0:
        state.trump = suit  # CH-28
        worth_double = rules.trump_maker == 0
    if worth_double:
        state.worth_double[seat] |= bit
    state.bonus[seat] += announcement_points(rules, combination, worth_double)
    if kind == CHOUINE:
        apply_chouine(state, seat, suit)


@inlined
def skip_due_actions(state, act):
    """Draw for all who must and drop a pending decision before an act; return the faults."""
    faults = pending_faults(state, act)
    if faults:
        seat = state.leader
        while state.to_draw:
            if state.to_draw >> seat & 1:
                draw(state, seat)
            seat = next_seat(state, seat)
        state.offender = NOBODY
    return faults


@compiled
def step(state, rules, code):
    """Apply an action and return its faults; an impossible one leaves the state unchanged."""
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    faults = check_bounds(state, seat, act)
    if faults:
        return faults
    drawn, to_draw, offender = state.drawn, state.to_draw, state.offender
    faults = skip_due_actions(state, act)
    found = check_settled(state, rules, seat, act)
    faults |= found
    if found & IMPOSSIBLE:
        undo_draws(state, drawn, to_draw)
        state.offender = offender
        return faults
    if act < ANNOUNCE:
        apply_play(state, seat, act)
    elif act < SEPT:
        shown = act < UNSHOWN
        combination = (act - ANNOUNCE) % COMBINATION_COUNT
        apply_announcement(state, rules, seat, combination, shown, found == 0)
    elif act == SEPT:
        place = state.talon_size - 1
        state.hand[seat] ^= np.int64(1) << seven_of_trump(state)
        state.hand[seat] |= np.int64(1) << np.int64(state.talon[place])
        state.talon[place] = seven_of_trump(state)
        state.sept = seat
        state.sept_trick = state.trick
    elif act == AU_SEPT:
        if not found:
            state.sept_settled = 1
    elif act == RESIGN:
        end_deal(state, RESIGNED, leading_seat(state, seat))
    elif act >= FIRST_DRAW:
        if not found & DRAW_UNEXPECTED:
            draw(state, seat)
    elif act >= ACCEPT:
        if not found:
            if state.irregularities[state.offender] >= 2:
                end_deal(state, PENALTY, seat)
            elif act == REPLAY:
                end_deal(state, REPLAYED, NOBODY)
            state.offender = NOBODY
    else:
        state.irregularities[seat] += 1
        if state.irregularities[seat] >= 2 and state.players == 2:
            end_deal(state, PENALTY, 1 - seat)
        else:
            state.offender = seat  # with three or four, a player must decide
    return faults


# omitting *au sept* is legal; `legal` does not list announcing it at the wrong moment (CH-14)
UNLISTED = ~AU_SEPT_MISSING
legal, probe, trace, replay_variants, replay_deals, trace_deals, totals = bulk.compile_kernel_loops(globals())
