"""The rules of play of Chouineurs (CR-1 to CR-7): bids, legal cards, two-faced cards, scores.

`start` deals, `check` returns the faults of an action, `step` checks and applies it,
`playable` and `legal` return what may be done. Hands are bit masks of cards, `side` has one
bit per card for the face that is up, faults are bit sets. A match's deck and bid cards are
part of the `rules` record (`deck.add_equipment`).
"""

import numpy as np

from engine import bulk
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.chouineurs.actions import ACT_COUNT, POINT, RESIGN, TURN
from engine.chouineurs.deck import BIDS_OFFSET, BLACK, CARD_COUNT, HAND_SIZE, NO_FACE, YELLOW
from engine.chouineurs.faults import DEAL_FAULTS
from engine.jit import compiled, inlined
from engine.match import NOBODY as NOBODY
from engine.states import clear
from engine.trick import end_trick, next_seat, set_trick_winner

NULL = -2
"""`winner` of a manche where several seats share the most points."""

RUNNING, PLAYED_OUT, _, RESIGNED = range(4)
"""`outcome`: how a deal ended; the numbers mean the same in every game."""

OPEN, OVER = range(2)
"""`over`: play goes on; nothing may follow."""

State = np.dtype(
    [
        ("hand", np.int64, (5,)),  # cards
        ("pile", np.int64, (5,)),  # cards won
        ("side", np.int64),  # which face of each card is up, a bit each
        ("scored", np.int16, (5,)),  # points of the bid card, at the end of the manche
        ("lowest", np.int16),  # the lowest value in this trick
        ("bid", np.int8, (5,)),
        ("made", np.int8, (5,)),  # whether the bid was met, so its card leaves (CR-7)
        ("won", np.int8, (5,)),  # tricks
        ("taken", np.int8, (5,)),  # reserve cards
        ("turned", np.int8, (5,)),  # cards turned
        ("chouined", np.int8, (5,)),  # number of bonuses earned
        ("lost", np.int8, (5,)),  # number of bonuses not taken in time
        ("table", np.int8, (5,)),  # faces by seat, -1 for none
        ("last", np.int8, (5,)),  # the last complete trick, likewise
        ("trick_winners", np.int8, (8,)),
        ("leads", np.int8, (8,)),  # the seat that led each trick
        ("players", np.int8),
        ("dealer", np.int8),  # leads first; in every game the seat that opens a deal
        ("tricks", np.int8),  # in the whole manche
        ("reserve", np.int8),  # number of cards left, none of them known
        ("owed", np.int8),  # bit set of the seats with a bonus to take
        ("low", np.int8),  # bit set of the seats with the lowest value in this trick
        ("leader", np.int8),
        ("turn", np.int8),
        ("on_table", np.int8),
        ("best", np.int8),  # the face that wins the trick so far
        ("trick_winner", np.int8),  # and its seat
        ("trick", np.int8),  # complete tricks
        ("over", np.int8),
        ("outcome", np.int8),
        ("winner", np.int8),
    ],
    align=True,
)

(
    AFTER_END,
    WRONG_TURN,
    CARD_NOT_HELD,
    UNKNOWN_ACTION,
    NO_SUCH_SEAT,
    MUST_FOLLOW,
    WRONG_SIDE,
    BONUS_MISSING,
    TURN_NOT_ALLOWED,
    POINT_NOT_ALLOWED,
    RESERVE_EMPTY,
) = (fault.bit for fault in DEAL_FAULTS.rows)
IMPOSSIBLE = DEAL_FAULTS.impossible
ERRORS = DEAL_FAULTS.errors


@compiled
def start(state, rules, players, dealer, deal, explicit):
    """Deal `deal` (a `deck.encode_row`: faces up, bids); `dealer` leads first (CR-1, CR-2)."""
    clear(state, players, dealer, dealer)
    state.side = 0
    for seat in range(5):
        state.scored[seat] = 0
        state.bid[seat] = deal[BIDS_OFFSET + seat] if seat < players else -1
        state.made[seat] = 0
        state.won[seat] = 0
        state.taken[seat] = 0
        state.turned[seat] = 0
        state.chouined[seat] = 0
        state.lost[seat] = 0
    for seat in range(players):
        for i in range(HAND_SIZE):
            face = np.int64(deal[seat * HAND_SIZE + i])
            if face != NO_FACE:
                state.hand[seat] |= np.int64(1) << (face >> 1)
                state.side |= (face & 1) << (face >> 1)
    state.lowest = 0
    state.tricks = rules.tricks
    state.reserve = CARD_COUNT - rules.tricks * players
    state.owed = 0
    state.low = 0


@inlined
def cards_showing(state, rules, colour):
    """Return the mask of the cards whose face up has a colour, wherever they are."""
    return rules.cards[0, colour] & ~state.side | rules.cards[1, colour] & state.side


@inlined
def face_of(state, card):
    """Return a card's face that is up."""
    return 2 * card + (state.side >> np.int64(card) & 1)


@inlined
def playable(state, rules, seat):
    """Return (mask of the cards a seat may play, fault of playing any other): CR-3.

    A card shows the face that is up. Ignores whose turn it is.
    """
    hand = state.hand[seat]
    if state.on_table == 0:
        return hand, np.int64(0)
    follow = hand & cards_showing(state, rules, rules.colour[state.table[state.leader]])
    if follow:
        return follow | hand & cards_showing(state, rules, BLACK), np.int64(MUST_FOLLOW)
    return hand, np.int64(0)


@inlined
def face_strength(rules, face, led_colour):
    """Return the strength of a face: black, then yellow, then the colour led (CR-4)."""
    colour = rules.colour[face]
    rank = np.int64(rules.value[face])
    if colour == BLACK:
        return rank + 3000
    if colour == YELLOW:
        return rank + 2000
    return rank + 1000 if colour == led_colour else np.int64(-1)


@inlined
def beats(rules, face, best, led_colour):
    """Return whether `face` beats `best`, the face that wins so far; equal ones do not (CR-4)."""
    return face_strength(rules, face, led_colour) > face_strength(rules, best, led_colour)


@inlined
def check_play(state, rules, seat, face):
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    card = np.int64(face >> 1)
    if state.hand[seat] >> card & 1 == 0:
        return np.int64(CARD_NOT_HELD)
    faults = np.int64(0)
    if state.side >> card & 1 != face & 1:
        faults |= WRONG_SIDE
    if state.on_table:
        colour = rules.colour[face]
        led = rules.colour[state.table[state.leader]]
        if colour != led and colour != BLACK:
            faults |= playable(state, rules, seat)[1]
    if state.owed:
        faults |= BONUS_MISSING
    return faults


@inlined
def check_turn(state, seat, face):
    card = np.int64(face >> 1)
    if state.hand[seat] >> card & 1 == 0:
        return np.int64(CARD_NOT_HELD)
    faults = np.int64(0)
    if state.side >> card & 1 != face & 1:
        faults |= WRONG_SIDE
    if not state.owed >> seat & 1:
        faults |= TURN_NOT_ALLOWED
    return faults


@inlined
def check_bounds(state, seat, act):
    """Return the faults of an action that is impossible now, whatever the hands."""
    if act >= ACT_COUNT:
        return np.int64(UNKNOWN_ACTION)
    if seat >= state.players:
        return np.int64(NO_SUCH_SEAT)
    return np.int64(AFTER_END if state.over == OVER else 0)


@compiled
def skip_due_actions(state, act):
    """Return 0: a bonus not taken in time is a fault of the next card only."""
    return np.int64(0)


@compiled
def claim_holds(state, seat):
    """Return False: Chouineurs has no claims."""
    return False


@compiled
def check(state, rules, code):
    """Return the faults of an action in this state as a bit set, 0 if it is legal."""
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    faults = check_bounds(state, seat, act)
    if faults:
        return faults
    if act < TURN:
        return check_play(state, rules, seat, act)
    if act < POINT:
        return check_turn(state, seat, act - TURN)
    if act == POINT:
        if state.reserve == 0:
            return np.int64(RESERVE_EMPTY)
        return np.int64(0 if state.owed >> seat & 1 else POINT_NOT_ALLOWED)
    return np.int64(0)  # every player may resign at any time


@inlined
def total(state, seat):
    """Return a seat's points: reserve cards taken and, at the end, the bid's points (CR-7)."""
    return np.int64(state.taken[seat]) + state.scored[seat]


leading_seat = bulk.compile_for_game(bulk.leading_seat, globals())


@inlined
def score_bid(state, rules, seat, most):
    """Score a bid with the best number of tricks from those won up to `most` (CR-7)."""
    for tricks in range(state.won[seat], most + 1):
        points = rules.bid_points[state.bid[seat], tricks]
        if points >= 0:
            state.made[seat] = 1
            state.scored[seat] = max(state.scored[seat], points)


@inlined
def end_manche(state, rules, resigned):
    """End the manche; after a resignation the other bids score the best still in reach."""
    left = state.tricks - state.trick
    for seat in range(state.players):
        if seat != resigned:
            score_bid(state, rules, seat, state.won[seat] + left)
    state.outcome = PLAYED_OUT if resigned == NOBODY else RESIGNED
    state.winner = leading_seat(state, resigned)
    state.owed = 0
    state.over = OVER


@inlined
def drop_due_bonuses(state, rules):
    """Drop bonuses that can no longer be taken; end a finished manche (CR-5, CR-7)."""
    if state.owed and state.reserve == 0:
        for seat in range(state.players):
            if state.hand[seat] == 0:
                state.owed &= ~(1 << seat)
    if state.trick == state.tricks and not state.owed:
        end_manche(state, rules, NOBODY)


@inlined
def take_trick(state, rules):
    """Give the trick to its winner, who leads next, and bonuses to the lowest (CR-4, CR-5)."""
    trick_winner = state.trick_winner
    for seat in range(state.players):
        face = state.table[seat]
        state.pile[trick_winner] |= np.int64(1) << np.int64(face >> 1)
        state.last[seat] = face
        state.table[seat] = -1
        if state.low >> seat & 1 and (state.hand[seat] or state.reserve):
            state.owed |= 1 << seat
            state.chouined[seat] += 1
    state.won[trick_winner] += 1
    end_trick(state, trick_winner)
    drop_due_bonuses(state, rules)


@inlined
def apply_play(state, rules, seat, face):
    if state.owed:
        for other in range(state.players):
            state.lost[other] += state.owed >> other & 1
        state.owed = 0
    card = np.int64(face >> 1)
    state.hand[seat] ^= np.int64(1) << card
    state.side = state.side & ~(np.int64(1) << card) | np.int64(face & 1) << card
    state.table[seat] = face
    value = rules.value[face]
    if state.on_table == 0:
        state.leads[state.trick] = seat
        state.lowest = value
        state.low = 1 << seat
        set_trick_winner(state, seat, face)
    else:
        if value < state.lowest:
            state.lowest = value
            state.low = 1 << seat
        elif value == state.lowest:
            state.low |= 1 << seat
        led = rules.colour[state.table[state.leader]]
        if beats(rules, face, state.best, led):
            set_trick_winner(state, seat, face)
    state.on_table += 1
    if state.on_table == state.players:
        take_trick(state, rules)
    else:
        state.turn = next_seat(state, seat)


@compiled
def step(state, rules, code):
    """Apply an action and return its faults; an impossible one leaves the state unchanged."""
    faults = check(state, rules, code)
    if faults & IMPOSSIBLE:
        return faults
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    if act < TURN:
        apply_play(state, rules, seat, act)
    elif act == RESIGN:
        end_manche(state, rules, seat)
    else:
        state.owed &= ~(1 << seat)
        if act == POINT:
            state.reserve -= 1
            state.taken[seat] += 1
        else:
            state.side ^= np.int64(1) << np.int64((act - TURN) >> 1)
            state.turned[seat] += 1
        drop_due_bonuses(state, rules)
    return faults


UNLISTED = ERRORS
legal, _, trace, replay_variants, replay_deals, trace_deals, totals = bulk.compile_kernel_loops(globals())


@compiled
def probe(state, rules, code, hands, sides, found):
    """Set `found[i]` to `check` if the acting seat held `hands[i]`, with faces `sides[i]`."""
    seat = code >> SEAT_SHIFT
    hand, side = state.hand[seat], state.side
    for i in range(len(hands)):
        state.hand[seat] = hands[i]
        state.side = sides[i]
        found[i] = check(state, rules, code)
    state.hand[seat] = hand
    state.side = side
