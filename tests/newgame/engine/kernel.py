"""The kernel of Brelin, for two players: its rules of play.

BR-1  Twelve cards, ace, king and queen of each suit, ace high; six each, dealt one at a time.
BR-2  Who does not deal bids three to six tricks with a trump of their choice, and leads.
BR-3  Suit must be followed. The highest trump takes a trick, else the highest of the suit led.
BR-4  On their turn a player may announce the king and queen of a suit as a pair, each one once.
BR-5  A trick is a point. Who bid and took fewer tricks has no points at all in this deal.
BR-6  The deal alternates. Who reaches the target first wins; of two at once, who has more.
"""

import numpy as np

from engine import bulk
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.jit import compiled, inlined
from tests.newgame.engine.actions import ACT_COUNT, BID, LEVELS, PAIR
from tests.newgame.engine.faults import DEAL_FAULTS

NOBODY = -1
NULL = -2
"""`winner` of a deal in which both have the same points."""

RUNNING, PLAYED_OUT = range(2)
"""`outcome`: how a deal ended."""

OPEN, OVER = range(2)
"""`over`: play goes on; nothing may follow."""

State = np.dtype(
    [
        ("hand", np.int64, (2,)),  # bit masks of cards
        ("pile", np.int64, (2,)),
        ("bonus", np.int32, (2,)),  # points of pairs
        ("held", np.int8, (2,)),  # pairs in the hand as it was dealt, a bit a suit
        ("pairs", np.int8, (2,)),  # announced and counted, likewise
        ("led", np.int8, (2,)),  # of these, announced by the one who led the trick
        ("when", np.int8, (2, 4)),  # complete tricks when each was announced, -1 for never
        ("won", np.int8, (2,)),  # tricks
        ("table", np.int8, (2,)),  # by seat, -1 for none
        ("last", np.int8, (2,)),  # the last complete trick, likewise
        ("trick_winners", np.int8, (6,)),
        ("leads", np.int8, (6,)),  # who led each trick
        ("players", np.int8),
        ("dealer", np.int8),
        ("bidding", np.int8),  # the bid is still to come
        ("contract", np.int8),  # place in LEVELS, -1 for none
        ("trump", np.int8),  # suit, -1 for none
        ("declarer", np.int8),
        ("made", np.int8),  # 1 once the tricks bid are taken, 0 if they were not, -1 while open
        ("leader", np.int8),
        ("turn", np.int8),
        ("on_table", np.int8),
        ("best", np.int8),  # the card that holds the trick
        ("trick_winner", np.int8),  # and its seat
        ("trick", np.int8),  # complete tricks
        ("over", np.int8),
        ("outcome", np.int8),
        ("winner", np.int8),
    ],
    align=True,
)

TRICKS = 6
SUIT_MASK = np.int64(0b111)
COUPLE = np.int64(0b011)  # queen and king
TRICKS_BID = np.array(LEVELS, np.int64)

(
    AFTER_END,
    WRONG_TURN,
    CARD_NOT_HELD,
    UNKNOWN_ACTION,
    NO_SUCH_SEAT,
    CARD_BEFORE_BID,
    MUST_FOLLOW,
    BID_AGAIN,
    PAIR_NOT_HELD,
    PAIR_AGAIN,
) = (fault.bit for fault in DEAL_FAULTS.rows)
IMPOSSIBLE = DEAL_FAULTS.impossible
ERRORS = DEAL_FAULTS.errors


@inlined
def hand_size(players):
    """Cards each player is dealt (BR-1)."""
    return 6


@inlined
def receiver(rules, players, dealer, place):
    """The seat that is dealt the card at a place of the deck (BR-1)."""
    return (dealer + 1 + place) % 2


@inlined
def talon_place(rules, size, turn):
    """Every card is dealt: no turn is ever asked for."""
    return turn


@inlined
def has_pair(state, seat, suit):
    """Whether the king and queen of a suit are in a hand (BR-4)."""
    couple = COUPLE << np.int64(3 * suit)
    return state.hand[seat] & couple == couple


@compiled
def start(state, rules, players, dealer, deck, explicit):
    """Deal `deck` (12 card codes in the order dealt) from seat `dealer` (BR-1)."""
    for seat in range(2):
        state.hand[seat] = 0
        state.pile[seat] = 0
        state.bonus[seat] = 0
        state.held[seat] = 0
        state.pairs[seat] = 0
        state.led[seat] = 0
        state.won[seat] = 0
        state.table[seat] = -1
        state.last[seat] = -1
    for trick in range(TRICKS):
        state.trick_winners[trick] = NOBODY
        state.leads[trick] = NOBODY
    for place in range(12):
        state.hand[receiver(rules, players, dealer, place)] |= np.int64(1) << np.int64(deck[place])
    for seat in range(2):
        for suit in range(4):
            state.held[seat] |= np.int64(has_pair(state, seat, suit)) << suit
            state.when[seat, suit] = -1
    state.players = players
    state.dealer = dealer
    state.bidding = 1
    state.contract = -1
    state.trump = -1
    state.declarer = NOBODY
    state.made = -1
    state.leader = 1 - dealer
    state.turn = 1 - dealer
    state.on_table = 0
    state.best = -1
    state.trick_winner = NOBODY
    state.trick = 0
    state.over = OPEN
    state.outcome = RUNNING
    state.winner = NOBODY


@inlined
def beats(card, best, trump):
    """Whether a card takes the trick over the one that holds it (BR-3)."""
    if card // 3 == best // 3:
        return card > best
    return card // 3 == trump


@inlined
def playable(state, seat):
    """(cards that seat may lay on this table, fault that any other card is): BR-3."""
    hand = state.hand[seat]
    if state.on_table:
        follow = hand & SUIT_MASK << np.int64(3 * (state.best // 3))
        if follow:
            return follow, np.int64(MUST_FOLLOW)
    return hand, np.int64(0)


@inlined
def check_play(state, seat, card):
    bit = np.int64(1) << np.int64(card)
    if state.bidding:
        return np.int64(CARD_BEFORE_BID)
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    if state.hand[seat] & bit == 0:
        return np.int64(CARD_NOT_HELD)
    cards, fault = playable(state, seat)
    return np.int64(0) if cards & bit else fault


@inlined
def check_bid(state, seat):
    if not state.bidding:
        return np.int64(BID_AGAIN)
    return np.int64(0 if seat == state.turn else WRONG_TURN)


@inlined
def check_pair(state, seat, suit):
    """The faults of an announcement; one with a fault does not count (BR-4)."""
    if state.bidding or seat != state.turn:
        return np.int64(WRONG_TURN)
    if state.pairs[seat] >> suit & 1:
        return np.int64(PAIR_AGAIN)
    return np.int64(0 if has_pair(state, seat, suit) else PAIR_NOT_HELD)


@inlined
def check_bounds(state, seat, act):
    """The faults of an action that no state of this deal can take."""
    if act >= ACT_COUNT:
        return np.int64(UNKNOWN_ACTION)
    if seat >= 2:
        return np.int64(NO_SUCH_SEAT)
    return np.int64(AFTER_END if state.over == OVER else 0)


@compiled
def check(state, rules, code):
    """The bit set of everything wrong with an action in this state; 0 when it is legal."""
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    faults = check_bounds(state, seat, act)
    if faults:
        return faults
    if act < BID:
        return check_play(state, seat, act)
    return check_bid(state, seat) if act < PAIR else check_pair(state, seat, act - PAIR)


@compiled
def skip_due_actions(state, act):
    """0: a card before the bid cannot have been played, so nothing is done in its place."""
    return np.int64(0)


@compiled
def claim_holds(state, seat):
    """False: nobody lays down a hand."""
    return False


@inlined
def total(state, seat):
    """Tricks and pairs, nothing after a bid that failed (BR-5)."""
    if seat == state.declarer and state.made == 0:
        return np.int64(0)
    return np.int64(state.won[seat]) + state.bonus[seat]


@inlined
def take_trick(state):
    trick_winner = state.trick_winner
    for seat in range(2):
        state.pile[trick_winner] |= np.int64(1) << np.int64(state.table[seat])
        state.last[seat] = state.table[seat]
        state.table[seat] = -1
    state.won[trick_winner] += 1
    state.trick_winners[state.trick] = trick_winner
    state.trick += 1
    state.on_table = 0
    state.best = -1
    state.trick_winner = NOBODY
    state.leader = trick_winner
    state.turn = trick_winner
    if state.trick == TRICKS:
        state.over = OVER
        state.outcome = PLAYED_OUT
        state.made = state.won[state.declarer] >= TRICKS_BID[state.contract]
        ahead = total(state, 0) - total(state, 1)
        state.winner = NULL if ahead == 0 else (0 if ahead > 0 else 1)


@inlined
def apply_play(state, seat, card):
    state.hand[seat] ^= np.int64(1) << np.int64(card)
    state.table[seat] = card
    if state.on_table == 0:
        state.leads[state.trick] = seat
    if state.on_table == 0 or beats(card, state.best, state.trump):
        state.best = card
        state.trick_winner = seat
    state.on_table += 1
    state.turn = 1 - seat
    if state.on_table == 2:
        take_trick(state)


@compiled
def step(state, rules, code):
    """Apply an action; returns the bit set of its faults, 0 for a legal one.

    With an impossible fault the state stays as it was.
    """
    faults = check(state, rules, code)
    if faults & IMPOSSIBLE:
        return faults
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    if act < BID:
        apply_play(state, seat, act)
    elif faults:
        return faults  # a word against the rules counts for nothing
    elif act < PAIR:
        state.contract = act - BID >> 2
        state.trump = act - BID & 3
        state.declarer = seat
        state.bidding = 0
    else:
        suit = act - PAIR
        state.pairs[seat] |= 1 << suit
        state.when[seat, suit] = state.trick
        if state.on_table == 0:
            state.led[seat] |= 1 << suit
        state.bonus[seat] += rules.pair
    return faults


UNLISTED = ERRORS
legal, probe, trace, replay_variants, replay_deals, trace_deals, totals = bulk.compile_kernel_loops(globals())
