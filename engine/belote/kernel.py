"""The rules of play of Belote with 32 cards: bids, trump, following suit, overruffing, capot, scores.

`start` deals, `check` returns the faults of an action, `step` checks and applies it,
`playable` and `legal` return what may be done. Side 0 is seats 0 and 2, so a seat's side is
its lowest bit. `score_deal` has the scores and their rounding. Hands are bit masks of 32 cards,
faults are bit sets.
"""

import numpy as np

from engine import bulk
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.belote.actions import (
    ACT_COUNT,
    ANNOUNCE,
    BELOTE,
    BID,
    CAPOT,
    CONTRE,
    FIRST_CARRE,
    PASS,
    REBELOTE,
    RENONCE,
    SANS_ATOUT,
    SURCONTRE,
    TAKE,
    TAKEN,
    TOUT_ATOUT,
)
from engine.belote.faults import DEAL_FAULTS
from engine.belote.tables import (
    ANNOUNCED_CARDS,
    ANNOUNCED_HEIGHT,
    ANNOUNCED_POINTS,
    ANNOUNCED_SUIT,
    CARD_VALUES,
    FIRST_PACKETS,
    FIRST_PACKETS_TO_TAKE,
    KING_AND_QUEEN,
    LEVEL_POINTS,
    RANK_OF,
    SCALED,
    SCALED_TOTAL,
    SUIT_MASK,
    SUIT_OF,
    TRUMP_STRENGTH,
    TRUMPS_ABOVE,
)
from engine.jit import compiled, inlined
from engine.match import NOBODY as NOBODY
from engine.states import clear
from engine.trick import end_trick, set_trick_winner

NULL = -2
"""`winner` of a deal whose contract neither side won: all passed, or a litige (BE-20)."""

RUNNING, PLAYED_OUT, PASSED, RENOUNCED, LITIGE = range(5)
"""`outcome`: how a deal ended."""

OPEN, OVER = range(2)
"""`over`: play goes on; nothing may follow."""

State = np.dtype(
    [
        ("hand", np.int64, (4,)),
        ("pile", np.int64, (4,)),  # by the seat that took the trick
        ("announced_cards", np.int64, (4,)),  # cards that count in an announcement already (BE-16)
        ("marks", np.int32, (2,)),  # by side, once the deal is over
        ("cards", np.int32, (2,)),  # by side: card points without the last trick's
        ("announced", np.int32, (2,)),  # by side: points of what it announced and held
        ("forfeited", np.int32, (2,)),  # by side: points of what it announced and did not hold
        ("waiting", np.int32),  # points of this deal that the next contract decides (BE-20)
        ("carried", np.int32),  # points of earlier deals in `marks`, -1 if not added yet
        ("table", np.int8, (4,)),  # cards by seat, -1 for none
        ("last", np.int8, (4,)),  # the last complete trick, likewise
        ("trick_winners", np.int8, (8,)),
        ("leads", np.int8, (8,)),  # the seat that led each trick
        ("taken", np.int8, (4,)),  # tricks by seat
        ("stock", np.int8, (11,)),  # cards not dealt before the taking, in their order (BE-4)
        ("announcements", np.int8, (4, 2)),  # those held, in the order announced; -1 for none
        ("pairs_held", np.int8, (4,)),  # suits whose king and queen of trump were dealt, as bits
        ("pairs_begun", np.int8, (4,)),  # suits of which belote was announced, as bits
        ("belotes", np.int8, (4,)),  # suits of which rebelote was, too, as bits (BE-15)
        ("players", np.int8),
        ("dealer", np.int8),
        ("bidding", np.int8),  # the auction is open
        ("retourne", np.int8),  # the card turned up, -1 for none
        ("contract", np.int8),  # level of the last bid, -1 for none
        ("strain", np.int8),  # what it is played in, -1 for none
        ("trump", np.int8),  # its suit, -1 for none
        ("values", np.int8),  # row of `CARD_VALUES`
        ("declarer", np.int8),
        ("passes", np.int8),  # in a row
        ("coinched", np.int8),  # 1 contré, 2 surcontré
        ("coincher", np.int8),
        ("surcoincher", np.int8),
        ("word", np.int8),  # goes with the next card: 1 belote, 2 rebelote
        ("best_height", np.int16),  # of the best announcement (BE-16)
        ("best_side", np.int8),  # whose it is, -1 for none or if both have one
        ("leader", np.int8),
        ("turn", np.int8),
        ("on_table", np.int8),
        ("best", np.int8),  # the card that wins the trick so far
        ("trick_winner", np.int8),  # and its seat
        ("trick", np.int8),  # complete tricks
        ("revoked", np.int8),  # seats that played a card against BE-9 to BE-13, as bits
        ("offender", np.int8),  # the seat whose renonce ended the deal
        ("sweeper", np.int8),  # the side that took every trick (BE-14)
        ("made", np.int8),  # whether the contract was made; -1 if undecided or a litige
        ("over", np.int8),
        ("outcome", np.int8),
        ("winner", np.int8),  # the side that won the contract, or NULL
        ("der", np.int8),  # side that took the last trick
    ],
    align=True,
)

TRICKS = 8
TOTAL_POINTS = 162
BELOTE_POINTS = 20
BY_TAKING = 0
"""`rules.auction` where the suit turned up is taken (BE-5)."""
LITIGE_NEXT, LITIGE_MADE = 0, 1

(
    AFTER_END,
    WRONG_TURN,
    CARD_NOT_HELD,
    UNKNOWN_ACTION,
    NO_SUCH_SEAT,
    CARD_IN_AUCTION,
    MUST_FOLLOW,
    MUST_BEAT,
    MUST_RUFF,
    MUST_RUFF_HIGHER,
    MUST_UNDERTRUMP,
    UNDER_RUFF,
    WRONG_AUCTION,
    TAKE_SUIT,
    BID_STRAIN,
    BID_TOO_LOW,
    BID_TOO_HIGH,
    BID_AFTER_CONTRE,
    AUCTION_OVER,
    CONTRE_NO_BID,
    CONTRE_SIDE,
    CONTRE_AGAIN,
    CONTRE_TURN,
    SURCONTRE_NO_CONTRE,
    SURCONTRE_SIDE,
    ANNOUNCE_RULES,
    ANNOUNCE_TURN,
    ANNOUNCEMENT_NOT_HELD,
    ANNOUNCE_CARDS_AGAIN,
    BELOTE_TURN,
    BELOTE_NOT_HELD,
    BELOTE_AGAIN,
    BELOTE_CARD,
    REBELOTE_FIRST,
    RENONCE_MISPLACED,
    RENONCE_UNFOUNDED,
) = (fault.bit for fault in DEAL_FAULTS.rows)
IMPOSSIBLE = DEAL_FAULTS.impossible
ERRORS = DEAL_FAULTS.errors
STANDING_BIDS = TAKE_SUIT | BID_STRAIN | BID_TOO_LOW | BID_TOO_HIGH
"""Faults of a bid that counts all the same."""
REVOKES = DEAL_FAULTS.unless_before[RENONCE_UNFOUNDED]


@inlined
def hand_size(players):
    """Return the number of cards each player plays with (BE-4)."""
    return 8


@inlined
def receiver(rules, players, dealer, place):
    """Return the seat that is dealt the card at `place`, -1 if the taking decides (BE-4)."""
    if rules.auction == BY_TAKING:
        if place >= 20:
            return NOBODY
        first = FIRST_PACKETS_TO_TAKE[rules.dealing, 0]
        second = FIRST_PACKETS_TO_TAKE[rules.dealing, 1]
    else:
        first = FIRST_PACKETS[rules.dealing, 0]
        second = FIRST_PACKETS[rules.dealing, 1]
    if place < 4 * first:
        packet = place // first
    elif place < 4 * (first + second):
        packet = (place - 4 * first) // second
    else:
        packet = (place - 4 * (first + second)) // (8 - first - second)
    return (dealer + 1 + packet) & 3


@inlined
def talon_place(rules, size, turn):
    """Return `turn`; never called, because all cards are dealt."""
    return turn


@inlined
def deal_packets(state, deck, place, size):
    """Deal four packets of `size` cards from `place` on, the dealer's next first."""
    for packet in range(4):
        cards = np.int64(0)
        for i in range(place + size * packet, place + size * packet + size):
            cards |= np.int64(1) << np.int64(deck[i])
        state.hand[state.dealer + 1 + packet & 3] |= cards


@compiled
def start(state, rules, players, dealer, deck, explicit):
    """Deal `deck`, 32 card codes in the order dealt, as far as it is dealt before the auction (BE-4)."""
    clear(state, players, dealer, dealer + 1 & 3)
    for seat in range(4):
        state.announced_cards[seat] = 0
        state.taken[seat] = 0
        state.announcements[seat, 0] = -1
        state.announcements[seat, 1] = -1
        state.pairs_held[seat] = 0
        state.pairs_begun[seat] = 0
        state.belotes[seat] = 0
    for side in range(2):
        state.marks[side] = 0
        state.cards[side] = 0
        state.announced[side] = 0
        state.forfeited[side] = 0
    if rules.auction == BY_TAKING:
        first = FIRST_PACKETS_TO_TAKE[rules.dealing, 0]
        deal_packets(state, deck, 0, first)
        deal_packets(state, deck, 4 * first, 5 - first)
        state.retourne = deck[20]
        for i in range(11):
            state.stock[i] = deck[21 + i]
    else:
        first = FIRST_PACKETS[rules.dealing, 0]
        second = FIRST_PACKETS[rules.dealing, 1]
        deal_packets(state, deck, 0, first)
        deal_packets(state, deck, 4 * first, second)
        deal_packets(state, deck, 4 * (first + second), 8 - first - second)
        state.retourne = -1
        for i in range(11):
            state.stock[i] = -1
    state.waiting = 0
    state.carried = -1
    state.bidding = 1
    state.contract = -1
    state.strain = -1
    state.trump = -1
    state.values = 0
    state.declarer = NOBODY
    state.passes = 0
    state.coinched = 0
    state.coincher = NOBODY
    state.surcoincher = NOBODY
    state.word = 0
    state.revoked = 0
    state.best_height = 0
    state.best_side = NOBODY
    state.offender = NOBODY
    state.sweeper = NOBODY
    state.made = -1
    state.der = NOBODY


@inlined
def is_trump(suit, strain):
    """Return whether a suit ranks as trump (BE-1, BE-23)."""
    return suit == strain or strain == TOUT_ATOUT


@inlined
def beats(card, best, strain):
    """Return whether `card` beats `best`, the card that wins so far (BE-14)."""
    suit = SUIT_OF[card]
    if suit != SUIT_OF[best]:
        return suit == strain
    if is_trump(suit, strain):
        return TRUMP_STRENGTH[RANK_OF[card]] > TRUMP_STRENGTH[RANK_OF[best]]
    return card > best


@inlined
def playable_from_hand(undertrump, undertrump_partner, hand, led, best, strain, partner_holds):
    """Return `playable` for a hand, given the suit led and the card that wins so far.

    A player who cannot follow ruffs, and has to overruff an opponent's ruff if possible: BE-11 to BE-13.
    """
    follow = hand & (SUIT_MASK << 8 * led)
    above = TRUMPS_ABOVE[RANK_OF[best]] << 8 * SUIT_OF[best]
    if follow:
        if is_trump(led, strain) and follow & above:
            return follow & above, np.int64(MUST_BEAT)
        return follow, np.int64(MUST_FOLLOW)
    if strain >= SANS_ATOUT or led == strain:
        return hand, np.int64(0)
    trumps = hand & (SUIT_MASK << 8 * np.int64(strain))
    if trumps == 0:
        return hand, np.int64(0)
    ruffed = SUIT_OF[best] == strain
    if partner_holds:
        if ruffed and not undertrump_partner and trumps != hand:
            return hand & ~trumps | trumps & above, np.int64(UNDER_RUFF)
        return hand, np.int64(0)
    if not ruffed:
        return trumps, np.int64(MUST_RUFF)
    if trumps & above:
        return trumps & above, np.int64(MUST_RUFF_HIGHER)
    if undertrump:
        return trumps, np.int64(MUST_UNDERTRUMP)
    return hand, np.int64(0)


@inlined
def playable(state, rules, seat):
    """Return (mask of the cards a seat may play, fault of another card): BE-9 to BE-13.

    Ignores the auction and whose turn it is.
    """
    hand = state.hand[seat]
    if state.on_table == 0:
        return hand, np.int64(0)
    led = SUIT_OF[state.table[state.leader]]
    holds = state.trick_winner == seat ^ 2
    under, under_partner = rules.undertrump, rules.undertrump_partner
    return playable_from_hand(under, under_partner, hand, led, state.best, state.strain, holds)


@inlined
def pairs_in(state, hand):
    """Return the suits, as bits, of which a hand has king and queen of trump (BE-15)."""
    found = np.int64(0)
    for suit in range(4):
        if is_trump(suit, state.strain) and hand >> 8 * suit & KING_AND_QUEEN == KING_AND_QUEEN:
            found |= np.int64(1) << suit
    return found


@inlined
def pair_suit(card):
    """Return the suit of a king or queen as a bit, 0 for another card."""
    if KING_AND_QUEEN >> RANK_OF[card] & 1:
        return np.int64(1) << SUIT_OF[card]
    return np.int64(0)


@inlined
def word_fits(state, seat, card):
    """Return whether belote or rebelote, if announced, belongs to this card (BE-15)."""
    if state.word == 0:
        return True
    suit = pair_suit(card)
    if state.word == 1 and state.strain < SANS_ATOUT:  # the pair was there when belote was announced
        return suit == np.int64(1) << state.strain
    if state.word == 1:
        return pairs_in(state, state.hand[seat]) & suit != 0
    return state.pairs_begun[seat] & ~state.belotes[seat] & suit != 0


@inlined
def check_play(state, rules, seat, card):
    bit = np.int64(1) << np.int64(card)
    if state.bidding:
        return np.int64(CARD_IN_AUCTION)
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    if state.hand[seat] & bit == 0:
        return np.int64(CARD_NOT_HELD)
    cards, fault = playable(state, rules, seat)
    found = np.int64(0)
    if cards & bit == 0:
        found = fault
        suit = SUIT_OF[card]
        if fault == MUST_BEAT and suit != SUIT_OF[state.table[state.leader]]:
            found = np.int64(MUST_FOLLOW)
        elif fault == MUST_RUFF_HIGHER and suit != state.strain:
            found = np.int64(MUST_RUFF)
    if not word_fits(state, seat, card):
        found |= BELOTE_CARD
    return found


@inlined
def check_take(state, rules, seat, strain):
    """Return the faults of taking (BE-5): the suit turned up first, then any other one."""
    if rules.auction != BY_TAKING:
        return np.int64(WRONG_AUCTION)
    if not state.bidding:
        return np.int64(AUCTION_OVER)
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    if strain >= SANS_ATOUT:
        return np.int64(0 if rules.sans_tout else BID_STRAIN)
    turned = strain == SUIT_OF[state.retourne]
    if state.passes < 4:
        return np.int64(0 if turned else TAKE_SUIT)
    return np.int64(TAKE_SUIT if turned and not rules.second_round_any else 0)


@inlined
def check_bid(state, rules, seat, level, strain):
    """Return the faults of a bid (BE-6)."""
    if rules.auction == BY_TAKING:
        return np.int64(WRONG_AUCTION)
    if not state.bidding:
        return np.int64(AUCTION_OVER)
    if seat != state.turn:
        return np.int64(WRONG_TURN)
    if state.coinched:
        return np.int64(BID_AFTER_CONTRE)
    faults = np.int64(0)
    if level <= state.contract:
        faults |= BID_TOO_LOW
    if level < CAPOT and LEVEL_POINTS[level] > rules.highest:
        faults |= BID_TOO_HIGH
    if strain >= SANS_ATOUT and not rules.sans_tout:
        faults |= BID_STRAIN
    return faults


@inlined
def check_pass(state, seat):
    if not state.bidding:
        return np.int64(AUCTION_OVER)
    return np.int64(0 if seat == state.turn else WRONG_TURN)


@inlined
def check_contre(state, rules, seat, times):
    """Return the faults of a contre (`times` 1) or surcontre (2), which have no effect (BE-7)."""
    if rules.auction == BY_TAKING:
        return np.int64(WRONG_AUCTION)
    if not state.bidding:
        return np.int64(AUCTION_OVER)
    faults = np.int64(0)
    if seat != state.turn and not rules.contre_any_time:
        faults |= CONTRE_TURN
    own = (seat ^ state.declarer) & 1 == 0
    if times == 2:
        if not state.coinched:
            return faults | SURCONTRE_NO_CONTRE
        return faults if own else faults | SURCONTRE_SIDE
    if state.contract < 0:
        return faults | CONTRE_NO_BID
    if own:
        faults |= CONTRE_SIDE
    if state.coinched:
        faults |= CONTRE_AGAIN
    return faults


@inlined
def check_announcement(state, rules, seat, announcement):
    """Return the faults of an announcement (BE-16): before one's first card, of cards one holds."""
    if not rules.announcements:
        return np.int64(ANNOUNCE_RULES)
    if state.bidding or state.trick or seat != state.turn:
        return np.int64(ANNOUNCE_TURN)
    cards = ANNOUNCED_CARDS[announcement]
    if state.announced_cards[seat] & cards:
        return np.int64(ANNOUNCE_CARDS_AGAIN)
    return np.int64(0 if state.hand[seat] & cards == cards else ANNOUNCEMENT_NOT_HELD)


@inlined
def check_word(state, seat, word):
    """Return the faults of belote (`word` 1) or rebelote (2), before the card (BE-15)."""
    if state.bidding or seat != state.turn:
        return np.int64(BELOTE_TURN)
    if state.word:
        return np.int64(BELOTE_AGAIN)
    if word == 1:
        if pairs_in(state, state.hand[seat]):
            return np.int64(0)
        return np.int64(BELOTE_AGAIN if state.pairs_begun[seat] else BELOTE_NOT_HELD)
    if state.pairs_begun[seat] & ~state.belotes[seat]:
        return np.int64(0)
    return np.int64(BELOTE_AGAIN if state.belotes[seat] else REBELOTE_FIRST)


@inlined
def check_bounds(state, seat, act):
    """Return the faults of an action that is impossible now, whatever the hands."""
    if act >= ACT_COUNT:
        return np.int64(UNKNOWN_ACTION)
    if seat >= 4:
        return np.int64(NO_SUCH_SEAT)
    return np.int64(AFTER_END if state.over == OVER else 0)


@inlined
def claim_holds(state, seat):
    """Return False: no hand claims the rest."""
    return False


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
    if act < TAKE:
        return check_play(state, rules, seat, act)
    if act < BID:
        return check_take(state, rules, seat, act - TAKE)
    if act < PASS:
        return check_bid(state, rules, seat, (act - BID) // 6 + 1, (act - BID) % 6)
    if act == PASS:
        return check_pass(state, seat)
    if act <= SURCONTRE:
        return check_contre(state, rules, seat, act - CONTRE + 1)
    if act < BELOTE:
        return check_announcement(state, rules, seat, act - ANNOUNCE)
    if act <= REBELOTE:
        return check_word(state, seat, act - BELOTE + 1)
    if state.bidding or state.trick == state.on_table == 0:
        return np.int64(RENONCE_MISPLACED)
    return np.int64(0 if state.revoked >> seat & 1 else RENONCE_UNFOUNDED)


# what a deal brings


@inlined
def points(state, side):
    """Return a side's card points, with the dix de der; 252 for all tricks (BE-14, BE-23)."""
    if state.sweeper >= 0:
        return np.int64(252 if state.sweeper == side else 0)
    own = np.int64(state.cards[side] + (10 if state.der == side else 0))
    if state.values == SCALED:
        if side == state.declarer & 1:
            return (2 * own * TOTAL_POINTS + SCALED_TOTAL) // (2 * SCALED_TOTAL)
        other = np.int64(state.cards[1 - side] + (10 if state.der == 1 - side else 0))
        if own + other == SCALED_TOTAL:
            return TOTAL_POINTS - (2 * other * TOTAL_POINTS + SCALED_TOTAL) // (2 * SCALED_TOTAL)
        return own * TOTAL_POINTS // SCALED_TOTAL
    return own


@inlined
def belote_points(state, side):
    """Return the points of a side's belotes, 20 each (BE-15)."""
    found = np.int64(0)
    for seat in range(side, 4, 2):
        suits = np.int64(state.belotes[seat])
        while suits:
            found += BELOTE_POINTS
            suits &= suits - 1
    return found


@inlined
def announcement_points(state, side):
    """Return the announced points that count for a side (BE-16).

    It has its own if its best one is the best of all, and those the others announced without holding them.
    """
    own = np.int64(state.announced[side] if state.best_side == side else 0)
    return own + state.forfeited[1 - side]


@inlined
def round_score(rules, number):
    """Return a score, to the nearest ten if the rules round, 5 upwards (BE-21)."""
    return (number + 5) // 10 * 10 if rules.round else number


@inlined
def multiplier(state):
    """Return what a contre (2) or surcontre (4) multiplies by, else 1 (BE-19)."""
    return np.int64(1) << np.int64(state.coinched)


@inlined
def total(state, side):
    """Return a side's score for the deal; before its end, what it has taken and announced."""
    if state.over == OVER:
        return np.int64(state.marks[side])
    if state.contract < 0:
        return np.int64(0)
    return points(state, side) + belote_points(state, side) + announcement_points(state, side)


@inlined
def end_deal(state, outcome):
    state.outcome = outcome
    state.over = OVER
    state.winner = NULL
    if state.made >= 0:
        side = np.int64(state.declarer) & 1
        state.winner = side if state.made else 1 - side


@inlined
def give_to_winner(state, rules, winner, base, announcements):
    """Set the marks where only the winner of the contract scores, except for belotes (BE-18, BE-19)."""
    times = multiplier(state)
    gain = (base + announcements + LEVEL_POINTS[state.contract]) * times
    belote = belote_points(state, winner)
    gain += belote * times if rules.belote_doubled else belote
    state.marks[winner] = round_score(rules, gain)
    state.marks[1 - winner] = round_score(rules, belote_points(state, 1 - winner))


@inlined
def keep_waiting(state, rules, own, other):
    """Set the marks of a litige: the declarers' points wait, but not their belotes (BE-20)."""
    side = np.int64(state.declarer) & 1
    belote = belote_points(state, side)
    if state.coinched:
        announced = announcement_points(state, side)
        gain = (160 + announced + LEVEL_POINTS[state.contract]) * multiplier(state)
        other = belote_points(state, 1 - side)
    else:
        gain = own - belote + LEVEL_POINTS[state.contract]
    state.waiting = round_score(rules, gain)
    state.marks[side] = round_score(rules, belote)
    state.marks[1 - side] = round_score(rules, other)


@inlined
def contract_result(state, rules, own, other, sweeper):
    """Return 1 if the total makes the contract, 0 if not, -1 for a litige (BE-17, BE-18, BE-20)."""
    if state.contract == CAPOT:
        reached = sweeper == state.declarer & 1
    else:
        reached = own >= LEVEL_POINTS[state.contract]
    if not reached or own < other:
        return np.int64(0)
    if own > other or rules.litige == LITIGE_MADE:
        return np.int64(1)
    return np.int64(-1 if rules.litige == LITIGE_NEXT else 0)


@inlined
def score_deal(state, rules):
    """Set the marks of a deal played to its last card, and close it (BE-17 to BE-20)."""
    side = np.int64(state.declarer) & 1
    announced = announcement_points(state, side)
    theirs = announcement_points(state, 1 - side)
    if state.sweeper == side:  # theirs go to those who took every trick, but not what these forfeited (BE-19)
        announced += theirs - state.forfeited[side]
        theirs = np.int64(state.forfeited[side])
    own = points(state, side) + belote_points(state, side) + announced
    other = points(state, 1 - side) + belote_points(state, 1 - side) + theirs
    result = contract_result(state, rules, own, other, state.sweeper)
    if result < 0:
        keep_waiting(state, rules, own, other)
        end_deal(state, LITIGE)
        return
    made = result == 1
    state.made = made
    winner = side if made else 1 - side
    base = np.int64(TOTAL_POINTS if rules.auction == BY_TAKING else 160)
    both = announced + theirs - state.forfeited[winner]
    if state.coinched:
        if state.sweeper == winner:
            base = np.int64(250)
        give_to_winner(state, rules, winner, base, announced if made else both)
    elif made:
        state.marks[side] = round_score(rules, own + LEVEL_POINTS[state.contract])
        state.marks[1 - side] = round_score(rules, other)
    else:
        if rules.auction == BY_TAKING and state.sweeper == winner:
            base = np.int64(252)
        give_to_winner(state, rules, winner, base, both)
    end_deal(state, PLAYED_OUT)


@inlined
def apply_renonce(state, rules, seat):
    """End the deal as failed for the team of a seat that revoked (BE-25)."""
    winner = 1 - (np.int64(seat) & 1)
    state.offender = seat
    state.made = winner == state.declarer & 1
    base = np.int64(TOTAL_POINTS if rules.auction == BY_TAKING else 160)
    both = announcement_points(state, 0) + announcement_points(state, 1) - state.forfeited[winner]
    give_to_winner(state, rules, winner, base, both)
    end_deal(state, RENOUNCED)


# acts


@inlined
def take_trick(state, rules):
    """Give the trick to its winner, who leads next (BE-8, BE-14)."""
    trick_winner = np.int64(state.trick_winner)
    side = trick_winner & 1
    pile = state.pile[trick_winner]
    gain = np.int64(0)
    for seat in range(4):
        card = state.table[seat]
        pile |= np.int64(1) << np.int64(card)
        gain += CARD_VALUES[state.values, card]
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
        score_deal(state, rules)


@inlined
def count_word(state, seat, card):
    """Count belote or rebelote with its card, and forget it (BE-15)."""
    if word_fits(state, seat, card):
        if state.word == 1:
            state.pairs_begun[seat] |= pair_suit(card)
        else:
            state.belotes[seat] |= pair_suit(card)
    state.word = 0


@inlined
def apply_play(state, rules, seat, card):
    if state.word:
        count_word(state, seat, card)
    state.hand[seat] ^= np.int64(1) << np.int64(card)
    state.table[seat] = card
    if state.on_table == 0:
        state.leads[state.trick] = seat
        set_trick_winner(state, seat, card)
    elif beats(card, state.best, state.strain):
        set_trick_winner(state, seat, card)
    state.on_table += 1
    if state.on_table == 4:
        take_trick(state, rules)
    else:
        state.turn = seat + 1 & 3


@inlined
def close_auction(state, rules):
    """Begin play: the dealer's next leads, or the declarer (BE-8)."""
    state.bidding = 0
    if rules.declarer_leads:
        state.leader = state.declarer
    state.turn = state.leader
    for seat in range(4):
        state.pairs_held[seat] = pairs_in(state, state.hand[seat])


@inlined
def set_contract(state, rules, seat, level, strain):
    state.contract = level
    state.strain = strain
    state.trump = strain if strain < SANS_ATOUT else -1
    state.values = SCALED if rules.auction == BY_TAKING and strain == TOUT_ATOUT else strain
    state.declarer = seat


@inlined
def apply_take(state, rules, seat, strain):
    """Take, and deal the rest: the card turned up and two to the declarer, three to the others (BE-4)."""
    set_contract(state, rules, seat, TAKEN, strain)
    state.hand[seat] |= np.int64(1) << np.int64(state.retourne)
    place = 0
    for packet in range(4):
        to = state.dealer + 1 + packet & 3
        for _ in range(2 if to == seat else 3):
            state.hand[to] |= np.int64(1) << np.int64(state.stock[place])
            place += 1
    close_auction(state, rules)


@inlined
def apply_bid(state, rules, seat, level, strain):
    set_contract(state, rules, seat, level, strain)
    state.passes = 0
    state.turn = seat + 1 & 3


@inlined
def apply_pass(state, rules, seat):
    state.passes += 1
    state.turn = seat + 1 & 3
    if state.contract < 0:
        if state.passes == (8 if rules.auction == BY_TAKING else 4):
            state.bidding = 0
            end_deal(state, PASSED)
    elif state.passes == 3:
        close_auction(state, rules)


@inlined
def apply_contre(state, rules, seat, times):
    state.coinched = times
    state.passes = 0
    state.turn = seat + 1 & 3
    if times == 1:
        state.coincher = seat
    else:
        state.surcoincher = seat
        close_auction(state, rules)


@inlined
def apply_announcement(state, rules, seat, announcement, held):
    """Count an announcement for its side, or for the others if it cannot be shown (BE-16)."""
    side = np.int64(seat) & 1
    if not held:
        state.forfeited[side] += ANNOUNCED_POINTS[announcement]
        return
    state.announced_cards[seat] |= ANNOUNCED_CARDS[announcement]
    state.announced[side] += ANNOUNCED_POINTS[announcement]
    place = 0 if state.announcements[seat, 0] < 0 else 1
    state.announcements[seat, place] = announcement
    height = ANNOUNCED_HEIGHT[announcement]
    if announcement < FIRST_CARRE and ANNOUNCED_SUIT[announcement] == state.trump:
        height += 1
    if height > state.best_height:
        state.best_height = height
        state.best_side = side
    elif height == state.best_height and state.best_side != side and not rules.equal_first:
        state.best_side = NOBODY


@compiled
def step(state, rules, code):
    """Apply an action and return its faults; an impossible one leaves the state unchanged."""
    faults = check(state, rules, code)
    if faults & IMPOSSIBLE:
        return faults
    seat = code >> SEAT_SHIFT
    act = code & ACT_MASK
    if act < TAKE:
        if faults & REVOKES:
            state.revoked |= np.int64(1) << seat
        apply_play(state, rules, seat, act)
    elif faults & ~(STANDING_BIDS | ANNOUNCEMENT_NOT_HELD | RENONCE_UNFOUNDED):
        return faults  # other acts against the rules have no effect
    elif act < BID:
        apply_take(state, rules, seat, act - TAKE)
    elif act < PASS:
        apply_bid(state, rules, seat, (act - BID) // 6 + 1, (act - BID) % 6)
    elif act == PASS:
        apply_pass(state, rules, seat)
    elif act <= SURCONTRE:
        apply_contre(state, rules, seat, act - CONTRE + 1)
    elif act < BELOTE:
        apply_announcement(state, rules, seat, act - ANNOUNCE, faults == 0)
    elif act <= REBELOTE:
        state.word = act - BELOTE + 1
    elif act == RENONCE:
        apply_renonce(state, rules, seat)
    return faults


UNLISTED = ERRORS
legal, probe, trace, replay_variants, replay_deals, trace_deals, totals = bulk.compile_kernel_loops(globals())
