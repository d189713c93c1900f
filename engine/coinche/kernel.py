"""The rules of play of Coinche: bids, trump, following suit, overruffing, capot, scores and rounding.

`start` deals, `check` returns the faults of an action, `step` checks and applies it,
`playable` and `legal` return what may be done. Side 0 is seats 0 and 2, so a seat's side is
its lowest bit. Hands are bit masks of 36 cards, faults are bit sets.
"""

import numpy as np

from engine import bulk
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.coinche.actions import (
    ACT_COUNT,
    BID,
    CLAIM,
    COINCHE,
    GENERALE_BID,
    MATCH_BID,
    PASS,
    RESIGN,
    SURCOINCHE,
    WON,
)
from engine.coinche.faults import DEAL_FAULTS
from engine.jit import compiled, inlined
from engine.match import NOBODY as NOBODY
from engine.states import clear
from engine.trick import end_trick, set_trick_winner

NULL = -2
"""`winner` of a deal that brings both sides the same marks, such as four passes (CO-4)."""

RUNNING, PLAYED_OUT, BY_CLAIM, RESIGNED, STOPPED, PASSED = range(6)
"""`outcome`: how a deal ended."""

OPEN, OVER = range(2)
"""`over`: play goes on; nothing may follow."""

State = np.dtype(
    [
        ("hand", np.int64, (4,)),
        ("pile", np.int64, (4,)),  # by the seat that took the trick
        ("marks", np.int32, (2,)),  # by side, once the deal is over
        ("cards", np.int32, (2,)),  # by side: card points without the last trick's
        ("stake", np.int32),  # marks for winning a coinched contract, else 0 (CO-13)
        ("target", np.int32),  # marks that win the match
        ("table", np.int8, (4,)),  # cards by seat, -1 for none
        ("last", np.int8, (4,)),  # the last complete trick, likewise
        ("trick_winners", np.int8, (9,)),
        ("leads", np.int8, (9,)),  # the seat that led each trick
        ("taken", np.int8, (4,)),  # tricks by seat, including those of a good claim
        ("players", np.int8),
        ("dealer", np.int8),
        ("bidding", np.int8),  # the auction is open
        ("contract", np.int8),  # level of the last bid, -1 for none
        ("trump", np.int8),  # its suit, -1 for none
        ("declarer", np.int8),
        ("passes", np.int8),  # in a row
        ("coinched", np.int8),  # 1 coinched, 2 surcoinched
        ("coincher", np.int8),
        ("surcoincher", np.int8),
        ("leader", np.int8),
        ("turn", np.int8),
        ("on_table", np.int8),
        ("best", np.int8),  # the card that wins the trick so far
        ("trick_winner", np.int8),  # and its seat
        ("trick", np.int8),  # complete tricks
        ("claimer", np.int8),
        ("claim_good", np.int8),
        ("stopper", np.int8),  # the seat that announced "nous avons gagné"
        ("stop_good", np.int8),  # whether it was right; -1 until the match module decides
        ("sweeper", np.int8),  # the side that took every trick (CO-10)
        ("made", np.int8),  # whether the contract was made; -1 if undecided
        ("over", np.int8),
        ("outcome", np.int8),
        ("winner", np.int8),  # side with more marks on the deal, or NULL
        ("der", np.int8),  # side that took the last trick
    ],
    align=True,
)

TRICKS = 9
TOTAL_POINTS = 157
SUIT_OF = np.repeat(np.arange(4), 9).astype(np.int64)
RANK_OF = np.tile(np.arange(9), 4).astype(np.int64)
#                          6  7  8   9   T   J  Q  K   A
PLAIN_POINTS = np.array([0, 0, 0, 0, 10, 2, 3, 4, 11], np.int64)
TRUMP_POINTS = np.array([0, 0, 0, 14, 10, 20, 3, 4, 11], np.int64)
TRUMP_STRENGTH = np.array([0, 1, 2, 7, 3, 8, 4, 5, 6], np.int64)  # plain: the rank itself
# rank → the mask, within a suit, of the ranks that beat it as trumps
TRUMPS_ABOVE = np.array(
    [sum(1 << b for b in range(9) if TRUMP_STRENGTH[b] > own) for own in TRUMP_STRENGTH], np.int64
)
BID_POINTS = np.array([*range(60, 160, 10), 250, 500], np.int64)
SUIT_MASK = np.int64(0x1FF)
JACK = np.int64(0x20)

(
    AFTER_END,
    WRONG_TURN,
    CARD_NOT_HELD,
    UNKNOWN_ACTION,
    NO_SUCH_SEAT,
    CARD_BEFORE_CONTRACT,
    MUST_FOLLOW_TRUMP,
    MUST_FOLLOW_OR_RUFF,
    UNDER_RUFF,
    BID_TOO_LOW,
    AUCTION_OVER,
    COINCHE_NO_BID,
    COINCHE_SIDE,
    COINCHE_GENERALE,
    COINCHE_AGAIN,
    COINCHE_LATE,
    SURCOINCHE_NO_COINCHE,
    SURCOINCHE_SIDE,
    CLAIM_MISPLACED,
) = (fault.bit for fault in DEAL_FAULTS.rows)
IMPOSSIBLE = DEAL_FAULTS.impossible
ERRORS = DEAL_FAULTS.errors


@inlined
def hand_size(players):
    """Return the number of cards each player is dealt (CO-1)."""
    return 9


@inlined
def receiver(rules, players, dealer, place):
    """Return the seat that is dealt the card at `place`; cards are dealt in threes (CO-1)."""
    return (dealer + 1 + place // 3) & 3


@inlined
def talon_place(rules, size, turn):
    """Return `turn`; never called, because all cards are dealt."""
    return turn


@compiled
def start(state, rules, players, dealer, deck, explicit):
    """Deal `deck`, 36 card codes in the order dealt (CO-1)."""
    clear(state, players, dealer, dealer + 1 & 3)
    for seat in range(4):
        state.taken[seat] = 0
    for side in range(2):
        state.marks[side] = 0
        state.cards[side] = 0
    for third in range(12):
        packet = np.int64(0)
        for i in range(3 * third, 3 * third + 3):
            packet |= np.int64(1) << np.int64(deck[i])
        state.hand[receiver(rules, players, dealer, 3 * third)] |= packet
    state.stake = 0
    state.target = rules.target
    state.bidding = 1
    state.contract = -1
    state.trump = -1
    state.declarer = NOBODY
    state.passes = 0
    state.coinched = 0
    state.coincher = NOBODY
    state.surcoincher = NOBODY
    state.claimer = NOBODY
    state.claim_good = 0
    state.stopper = NOBODY
    state.stop_good = -1
    state.sweeper = NOBODY
    state.made = -1
    state.der = NOBODY


@inlined
def is_before_first_card(state):
    """Return whether no card was played yet, so coinche and surcoinche are allowed (CO-5)."""
    return state.trick == 0 and state.on_table == 0


@inlined
def card_points(card, trump):
    """Return a card's points (CO-2)."""
    rank = RANK_OF[card]
    return TRUMP_POINTS[rank] if SUIT_OF[card] == trump else PLAIN_POINTS[rank]


@inlined
def beats(card, best, trump):
    """Return whether `card` beats `best`, the card that wins so far (CO-2, CO-6)."""
    suit = SUIT_OF[card]
    if suit != SUIT_OF[best]:
        return suit == trump
    if suit == trump:
        return TRUMP_STRENGTH[RANK_OF[card]] > TRUMP_STRENGTH[RANK_OF[best]]
    return card > best


@inlined
def playable_from_hand(hand, led, best, trump):
    """Return `playable` for a hand, given the suit led and the card that wins so far.

    With a plain suit led, a trump has to overruff those in the trick: CO-8.
    """
    lowest = 9 * np.int64(trump)
    trumps = hand & (SUIT_MASK << lowest)
    if led == trump:
        if trumps == 0 or trumps == JACK << lowest:
            return hand, np.int64(0)
        return trumps, np.int64(MUST_FOLLOW_TRUMP)
    if trumps == hand:
        return hand, np.int64(0)
    ruffs = trumps
    if SUIT_OF[best] == trump:
        ruffs &= TRUMPS_ABOVE[RANK_OF[best]] << lowest
    follow = hand & (SUIT_MASK << 9 * led)
    if follow == 0:
        follow = hand ^ trumps
    return follow | ruffs, np.int64(MUST_FOLLOW_OR_RUFF)


@inlined
def playable(state, rules, seat):
    """Return (mask of the cards a seat may play, fault of another plain card): CO-7, CO-8.

    Ignores the auction and whose turn it is.
    """
    hand = state.hand[seat]
    if state.on_table == 0:
        return hand, np.int64(0)
    return playable_from_hand(hand, SUIT_OF[state.table[state.leader]], state.best, state.trump)


@inlined
def check_play(state, rules, seat, card):
    bit = np.int64(1) << np.int64(card)
    if state.bidding:
        return np.int64(CARD_BEFORE_CONTRACT)
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    if state.hand[seat] & bit == 0:
        return np.int64(CARD_NOT_HELD)
    cards, fault = playable(state, rules, seat)
    if cards & bit:
        return np.int64(0)
    return np.int64(UNDER_RUFF) if SUIT_OF[card] == state.trump else fault


@inlined
def check_bid(state, seat, level):
    """Return the faults of a bid, or of a pass: a `level` above all bids (CO-3, CO-4)."""
    if not state.bidding:
        return np.int64(AUCTION_OVER)
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    return np.int64(0 if level > state.contract else BID_TOO_LOW)


@inlined
def check_coinche(state, seat, times):
    """Return the faults of a coinche (`times` 1) or surcoinche (2), in or out of turn (CO-5)."""
    faults = np.int64(0)
    if not is_before_first_card(state):
        faults |= COINCHE_LATE
    if state.coinched >= times:
        faults |= COINCHE_AGAIN
    own = (seat ^ state.declarer) & 1 == 0
    if times == 2:
        if not state.coinched:
            return faults | SURCOINCHE_NO_COINCHE
        return faults if own else faults | SURCOINCHE_SIDE
    if state.contract < 0:
        return faults | COINCHE_NO_BID
    if own:
        faults |= COINCHE_SIDE
    if state.contract == GENERALE_BID:
        faults |= COINCHE_GENERALE
    return faults


@inlined
def check_bounds(state, seat, act):
    """Return the faults of an action that is impossible now, whatever the hands."""
    if act >= ACT_COUNT:
        return np.int64(UNKNOWN_ACTION)
    if seat >= 4:
        return np.int64(NO_SUCH_SEAT)
    return np.int64(AFTER_END if state.over == OVER else 0)


@compiled
def skip_due_actions(state, act):
    """Return 0: an act that comes too early is impossible or has no effect."""
    return np.int64(0)


@compiled
def check(state, rules, code):
    """Return the faults of an action in this state as a bit set, 0 if it is legal."""
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    faults = check_bounds(state, seat, act)
    if faults:
        return faults
    if act < BID:
        return check_play(state, rules, seat, act)
    if act <= PASS:
        return check_bid(state, seat, act - BID >> 2)
    if act <= SURCOINCHE:
        return check_coinche(state, seat, act - COINCHE + 1)
    if act == CLAIM:
        on_lead = not state.bidding and state.on_table == 0 and seat == state.turn
        return np.int64(0 if on_lead else CLAIM_MISPLACED)
    return np.int64(0)


@inlined
def points(state, side):
    """Return a side's card points: with 5 for the last trick, 250 or 500 for all (CO-10)."""
    if state.sweeper >= 0:
        if state.sweeper != side:
            return np.int64(0)
        alone = state.taken[side] == TRICKS or state.taken[side + 2] == TRICKS
        return np.int64(500 if alone else 250)
    return np.int64(state.cards[side] + (5 if state.der == side else 0))


@inlined
def round_score(number):
    """Round to the nearest ten, 5 upwards (CO-12)."""
    return (number + 5) // 10 * 10


@inlined
def contract_outcome(state):
    """Return 1 if the contract is made, 0 if it can no longer be, -1 if it is open (CO-11)."""
    side = np.int64(state.declarer) & 1
    lost = state.taken[1 - side] + state.taken[3 - side] > 0
    if state.contract >= MATCH_BID:
        if state.contract == GENERALE_BID:
            lost = lost or state.taken[state.declarer ^ 2] > 0
        if lost or state.der == 1 - side:
            return 0
        return 1 if state.sweeper == side else -1
    value = BID_POINTS[state.contract]
    if points(state, side) >= value:
        return 1
    if state.sweeper >= 0 or state.der >= 0:
        return 0
    return 0 if TOTAL_POINTS - state.cards[1 - side] < value else -1


@inlined
def total(state, side):
    """Return a side's marks for the deal; before its end, those of stopping now (CO-15)."""
    if state.over == OVER:
        return np.int64(state.marks[side])
    if state.contract < 0:
        return np.int64(0)
    bids = side == state.declarer & 1
    made = contract_outcome(state)
    if state.stake:
        return np.int64(state.stake if made == (1 if bids else 0) else 0)
    own = round_score(points(state, side))
    if not bids:
        return own
    return BID_POINTS[state.contract] + own if made == 1 else np.int64(0)


@inlined
def set_winner(state):
    """Set the winner to the side with more marks, NULL if they are equal."""
    state.winner = NULL
    if state.marks[0] != state.marks[1]:
        state.winner = 0 if state.marks[0] > state.marks[1] else 1


@inlined
def end_deal(state, outcome):
    """Close the deal with its current marks."""
    state.outcome = outcome
    state.over = OVER
    set_winner(state)


@inlined
def score_deal(state, outcome, made):
    """Set the marks of a deal whose contract was made or failed, and close it (CO-12, CO-13)."""
    side = np.int64(state.declarer) & 1
    state.made = made
    if state.stake:
        state.marks[side if made else 1 - side] = state.stake
    elif made:
        state.marks[side] = BID_POINTS[state.contract] + round_score(points(state, side))
        state.marks[1 - side] = round_score(points(state, 1 - side))
    else:
        state.marks[1 - side] = BID_POINTS[state.contract] + 160
    end_deal(state, outcome)


@inlined
def take_trick(state):
    """Give the trick to its winner, who leads next (CO-6, CO-10)."""
    trick_winner = np.int64(state.trick_winner)
    side = trick_winner & 1
    pile = state.pile[trick_winner]
    gain = np.int64(0)
    for seat in range(4):
        card = state.table[seat]
        pile |= np.int64(1) << np.int64(card)
        gain += card_points(card, state.trump)
        state.last[seat] = card
        state.table[seat] = -1
    state.pile[trick_winner] = pile
    state.cards[side] += gain
    state.taken[trick_winner] += 1
    end_trick(state, trick_winner)
    if state.trick == TRICKS:
        state.der = side
        if state.taken[side] + state.taken[side + 2] == TRICKS:
            state.sweeper = side
        score_deal(state, PLAYED_OUT, contract_outcome(state))


@inlined
def apply_play(state, seat, card):
    state.hand[seat] ^= np.int64(1) << np.int64(card)
    state.table[seat] = card
    if state.on_table == 0:
        state.leads[state.trick] = seat
        set_trick_winner(state, seat, card)
    elif beats(card, state.best, state.trump):
        set_trick_winner(state, seat, card)
    state.on_table += 1
    if state.on_table == 4:
        take_trick(state)
    else:
        state.turn = seat + 1 & 3


@inlined
def close_auction(state):
    state.bidding = 0
    state.turn = state.leader


@inlined
def apply_bid(state, seat, level, suit):
    state.contract = level
    state.trump = suit
    state.declarer = seat
    state.passes = 0
    state.turn = seat + 1 & 3
    if level == GENERALE_BID:
        close_auction(state)


@inlined
def apply_pass(state, seat):
    state.passes += 1
    state.turn = seat + 1 & 3
    if state.contract < 0:
        if state.passes == 4:
            state.bidding = 0
            end_deal(state, PASSED)
    elif state.passes == 3:
        close_auction(state)


@inlined
def apply_coinche(state, rules, seat, times):
    state.coinched = times
    if times == 1:
        state.coincher = seat
    else:
        state.surcoincher = seat
    value = BID_POINTS[state.contract]
    if rules.coinche_score == 0:
        state.stake = 2 * times * value + 160
    else:
        state.stake = 2 * times * (value + 160)
    close_auction(state)


@inlined
def claim_holds(state, seat):
    """Return whether each card of a leading hand wins, however the others are held (CO-9)."""
    others = state.hand[0] | state.hand[1] | state.hand[2] | state.hand[3]
    others ^= state.hand[seat]
    for suit in range(4):
        mine = state.hand[seat] >> (9 * suit) & SUIT_MASK
        theirs = others >> (9 * suit) & SUIT_MASK
        if suit == state.trump:
            if theirs:
                return False
        elif mine and theirs > mine & -mine:
            return False
    return True


@inlined
def take_rest(state, side, seat):
    """Give a side all cards in hand or on the table; `seat` (if any) takes the tricks left."""
    cards = state.hand[0] | state.hand[1] | state.hand[2] | state.hand[3]
    for i in range(4):
        if state.table[i] >= 0:
            cards |= np.int64(1) << np.int64(state.table[i])
    for card in range(36):
        if cards >> np.int64(card) & 1:
            state.cards[side] += card_points(card, state.trump)
    if seat >= 0:
        state.taken[seat] += TRICKS - state.trick
    state.der = side
    if state.taken[1 - side] + state.taken[3 - side] == 0:
        state.sweeper = side


@inlined
def give_rest(state, side):
    """Give a side the rest after a bad claim or a resignation; in a générale, to its declarer."""
    own = state.contract == GENERALE_BID and side == state.declarer & 1
    take_rest(state, side, np.int64(state.declarer if own else NOBODY))


@inlined
def apply_claim(state, seat):
    side = np.int64(seat) & 1
    state.claimer = seat
    if claim_holds(state, seat):
        state.claim_good = 1
        take_rest(state, side, np.int64(seat))
    else:
        give_rest(state, 1 - side)
    score_deal(state, BY_CLAIM, contract_outcome(state))


@inlined
def apply_resign(state, seat):
    """Give the other side the tricks left and the deal: the contract fails or is made."""
    other = 1 - (np.int64(seat) & 1)
    state.bidding = 0
    if state.contract < 0:
        state.marks[other] = 160
        end_deal(state, RESIGNED)
        return
    give_rest(state, other)
    score_deal(state, RESIGNED, 1 if other == state.declarer & 1 else 0)


@inlined
def apply_won(state, seat):
    """Stop the deal with its current marks; the match module decides if they win (CO-15)."""
    for side in range(2):
        state.marks[side] = total(state, side)
    state.stopper = seat
    if state.contract >= 0:
        state.made = contract_outcome(state)
    end_deal(state, STOPPED)


@compiled
def step(state, rules, code):
    """Apply an action and return its faults; an impossible one leaves the state unchanged."""
    faults = check(state, rules, code)
    if faults & IMPOSSIBLE:
        return faults
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    if act < BID:
        apply_play(state, seat, act)
    elif faults & ~BID_TOO_LOW:
        return faults  # other acts against the rules have no effect
    elif act < PASS:
        apply_bid(state, seat, act - BID >> 2, act - BID & 3)
    elif act == PASS:
        apply_pass(state, seat)
    elif act <= SURCOINCHE:
        apply_coinche(state, rules, seat, act - COINCHE + 1)
    elif act == CLAIM:
        apply_claim(state, seat)
    elif act == WON:
        apply_won(state, seat)
    elif act == RESIGN:
        apply_resign(state, seat)
    return faults


UNLISTED = ERRORS
legal, probe, trace, replay_variants, replay_deals, trace_deals, totals = bulk.compile_kernel_loops(globals())
