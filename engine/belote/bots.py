"""Shuffles, deals and plays simulated matches of Belote, with players of different habits."""

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.belote import actions, kernel
from engine.belote.match import close_deal, open_deal, open_match
from engine.belote.tables import (
    ANNOUNCED_HEIGHT,
    CARD_VALUES,
    KING_AND_QUEEN,
    LEVEL_POINTS,
    RANK_OF,
    SUIT_OF,
    TRUMP_STRENGTH,
)
from engine.jit import compiled, inlined

RANDOM, GREEDY, CAREFUL = range(3)
HABITS: tuple[str, ...] = ("random", "greedy", "careful")
MAX_ACTIONS = 192
"""Number of actions in the longest deal the habits can play."""

ACE, TEN = 7, 6
#                          7  8  9   J   Q  K  T  A
TRUMP_TAKES = np.array([7, 7, 20, 28, 8, 9, 9, 13], np.int64)
PLAIN_TAKES = np.array([0, 0, 0, 0, 0, 2, 5, 15], np.int64)
SANS_ATOUT_TAKES = np.array([0, 0, 0, 1, 2, 5, 14, 27], np.int64)
TOUT_ATOUT_TAKES = np.array([0, 0, 13, 24, 1, 2, 5, 8], np.int64)


@inlined
def strength(hand, strain):
    """Return the card points a hand may take in a strain, without its partner's help."""
    points = 0
    for card in range(32):
        if hand >> np.int64(card) & 1:
            rank = RANK_OF[card]
            if strain == actions.SANS_ATOUT:
                points += SANS_ATOUT_TAKES[rank]
            elif strain == actions.TOUT_ATOUT:
                points += TOUT_ATOUT_TAKES[rank]
            else:
                points += TRUMP_TAKES[rank] if SUIT_OF[card] == strain else PLAIN_TAKES[rank]
    if strain < actions.SANS_ATOUT:
        for suit in range(4):
            if suit == strain and hand >> 8 * suit & KING_AND_QUEEN == KING_AND_QUEEN:
                points += kernel.BELOTE_POINTS
    return points


@inlined
def best_strain(hand, rules):
    """Return (strength, strain) for the strain in which a hand is strongest."""
    strain = 0
    points = -1
    for other in range(6 if rules.sans_tout else 4):
        own = strength(hand, other)
        if own > points:
            points = own
            strain = other
    return points, strain


@inlined
def choose_take(state, rules, seat, habit, rng):
    """Return the act of taking, or a pass (BE-5)."""
    hand = state.hand[seat] | np.int64(1) << np.int64(state.retourne)
    turned = SUIT_OF[state.retourne]
    least = 50 if habit == GREEDY else 60
    if habit == RANDOM:
        least = 20 + rng.integers(0, 60)
    if state.passes < 4:
        if strength(hand, turned) >= least:
            return np.int64(actions.TAKE + turned)
        return np.int64(actions.PASS)
    best = -1
    points = 0
    for strain in range(6 if rules.sans_tout else 4):
        own = strength(hand, strain)
        if own > points and (strain != turned or rules.second_round_any):
            best = strain
            points = own
    return np.int64(actions.TAKE + best if points >= least else actions.PASS)


@inlined
def highest_level(state, rules, seat, habit, rng):
    """Return the highest (level, strain) a player would bid; level -1: pass."""
    points, strain = best_strain(state.hand[seat], rules)
    if habit == RANDOM:
        if rng.random() < 0.004:
            return np.int64(actions.CAPOT), np.int64(strain)
        if rng.random() < 0.6:
            return np.int64(-1), np.int64(strain)
        return np.int64(rng.integers(1, 6)), np.int64(strain)
    if points >= 128 and rng.random() < 0.5:
        return np.int64(actions.CAPOT), np.int64(strain)
    points += 20 if habit == CAREFUL else 35
    if state.contract >= 0 and state.declarer == seat ^ 2:
        strain = int(state.strain)
        support = strength(state.hand[seat], strain)
        points = min(int(LEVEL_POINTS[state.contract]) + (support - 15) // 2, 80 + support)
    return np.int64(min((points - 70) // 10, (rules.highest - 70) // 10, 11)), np.int64(strain)


@inlined
def choose_bid(state, rules, seat, habit, rng):
    """Return the act of a bid or pass: a random level from the lowest legal to the highest (BE-6)."""
    if state.coinched:
        own = strength(state.hand[seat], state.strain)
        if state.declarer & 1 == seat & 1 and own > 70 and rng.random() < 0.3:
            return np.int64(actions.SURCONTRE)
        return np.int64(actions.PASS)
    if state.contract >= 0 and (seat ^ state.declarer) & 1 and wants_to_contre(state, seat, habit, rng):
        return np.int64(actions.CONTRE)
    level, strain = highest_level(state, rules, seat, habit, rng)
    lowest = max(np.int64(state.contract) + 1, np.int64(1))
    if level < lowest:
        return np.int64(actions.PASS)
    if level < actions.CAPOT:
        level = lowest + np.int64(rng.random() * rng.random() * (level - lowest + 1))
    return np.int64(actions.BID + 6 * (level - 1) + strain)


@inlined
def wants_to_contre(state, seat, habit, rng):
    """Return whether an opponent of the last bid doubles it now."""
    if habit == RANDOM:
        return rng.random() < 0.01
    own = strength(state.hand[seat], state.strain)
    return own + LEVEL_POINTS[state.contract] > 180 and rng.random() < (0.5 if habit == GREEDY else 0.25)


@inlined
def play_score(state, seat, card, habit, rng):
    """Return how much a player of this habit likes a card; random noise decides ties."""
    noise = rng.random()
    if habit == RANDOM:
        return noise
    own = float(CARD_VALUES[state.values, card])
    trump = kernel.is_trump(SUIT_OF[card], state.strain)
    rank = RANK_OF[card]
    if state.on_table == 0:
        if trump:
            # the declarers draw trumps early, the others save theirs
            if state.strain == actions.TOUT_ATOUT or ((seat ^ state.declarer) & 1 == 0 and state.trick < 4):
                return 4.0 * TRUMP_STRENGTH[rank] + noise
            return -5.0 + noise
        if rank == ACE:
            return 20.0 + noise
        return (own if habit == GREEDY else -own) + noise
    table = 0.0
    for other in range(4):
        if state.table[other] >= 0:
            table += CARD_VALUES[state.values, state.table[other]]
    keep = 6.0 if trump and habit == CAREFUL else 0.0
    if kernel.beats(card, state.best, state.strain):
        if state.trick_winner == seat ^ 2 and habit == CAREFUL:
            return -own - keep + noise
        return table + own / 2 - keep + noise
    if state.trick_winner == seat ^ 2 and habit == CAREFUL:
        return (0.0 if rank == ACE else own) - keep + noise
    return -own - keep + noise


@inlined
def choose_card(state, rules, seat, habit, rng):
    """Return the playable card a player likes best; after belote or rebelote one that belongs to it."""
    cards = kernel.playable(state, rules, seat)[0]
    best = -1
    liking = -1e9
    for card in range(32):
        if cards >> np.int64(card) & 1 and kernel.word_fits(state, seat, card):
            own = play_score(state, seat, card, habit, rng)
            if own > liking:
                liking = own
                best = card
    return best


@inlined
def choose_word(state, rules, seat, card, habit, rng):
    """Return belote or rebelote if a card allows it, else -1 (BE-15)."""
    if state.word or (habit == RANDOM and rng.random() < 0.1):
        return np.int64(-1)
    suit = kernel.pair_suit(card)
    if suit == 0:
        return np.int64(-1)
    if kernel.pairs_in(state, state.hand[seat]) & suit:
        return np.int64(actions.BELOTE)
    if state.pairs_begun[seat] & ~state.belotes[seat] & suit:
        return np.int64(actions.REBELOTE)
    return np.int64(-1)


@inlined
def choose_announcement(state, rules, seat, habit, rng):
    """Return the best announcement a player may still make, -1 for none (BE-16)."""
    if not rules.announcements or state.trick or (habit == RANDOM and rng.random() < 0.3):
        return np.int64(-1)
    best = np.int64(-1)
    for announcement in range(actions.ANNOUNCEMENT_COUNT):
        if kernel.check_announcement(state, rules, seat, announcement) == 0:
            if best < 0 or ANNOUNCED_HEIGHT[announcement] > ANNOUNCED_HEIGHT[best]:
                best = np.int64(announcement)
    return best + actions.ANNOUNCE if best >= 0 else best


@inlined
def choose_act(state, rules, seat, habit, rng):
    """Return what a player does next: a bid, an announcement, a word or a card."""
    if state.bidding:
        if rules.auction == kernel.BY_TAKING:
            return choose_take(state, rules, seat, habit, rng)
        return choose_bid(state, rules, seat, habit, rng)
    act = choose_announcement(state, rules, seat, habit, rng)
    if act >= 0:
        return act
    card = np.int64(choose_card(state, rules, seat, habit, rng))
    act = choose_word(state, rules, seat, card, habit, rng)
    return act if act >= 0 else card


@compiled
def play_deal(state, rules, habits, rng, codes):
    """Play a started deal to its end; return how many actions were written to `codes`."""
    count = 0
    while state.over != kernel.OVER:
        seat = np.int64(state.turn)
        code = seat << SEAT_SHIFT | choose_act(state, rules, seat, habits[seat], rng)
        codes[count] = code
        count += 1
        kernel.step(state, rules, code)
    return count


def finish_deal(state, rules, habit, rng, codes):
    """Finish a deal from its current state, all seats with one habit."""
    return play_deal(state, rules, np.full(4, habit), rng, codes)


@compiled
def play_match(rules, players, habits, rng, state, match, cuts, dealers, decks, codes, lengths):
    """Play one match, filling a row per deal; return (deals, 0, 0), since the game has no cut."""
    open_match(match, rules, players, rng.integers(0, 4), -1, -1)
    deals = 0
    while not match.over and deals < len(decks):
        decks[deals] = rng.permutation(32)
        dealers[deals] = match.dealer
        open_deal(match, match.dealer)
        kernel.start(state, rules, players, match.dealer, decks[deals], 0)
        lengths[deals] = play_deal(state, rules, habits, rng, codes[deals])
        close_deal(match, rules, state, False)
        deals += 1
    return deals, 0, 0
