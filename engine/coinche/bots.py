"""Shuffles, deals and plays simulated matches of Coinche, with players of different habits."""

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.coinche import actions, kernel
from engine.coinche.match import Match, close_deal, open_deal, open_match
from engine.jit import compiled, inlined

RANDOM, GREEDY, CAREFUL = range(3)
HABITS: tuple[str, ...] = ("random", "greedy", "careful")
MAX_ACTIONS = 112
"""Number of actions in the longest deal the habits can play."""

#                          6  7  8   9  T   J  Q  K   A
TRUMP_TAKES = np.array([7, 7, 7, 20, 9, 28, 8, 9, 13], np.int64)
PLAIN_TAKES = np.array([0, 0, 0, 0, 0, 0, 2, 6, 15], np.int64)


@inlined
def strength(hand, trump):
    """Return the card points a hand may take with a suit as trump, without its partner's help."""
    points = 0
    for card in range(36):
        if hand >> np.int64(card) & 1:
            rank = kernel.RANK_OF[card]
            points += TRUMP_TAKES[rank] if kernel.SUIT_OF[card] == trump else PLAIN_TAKES[rank]
    return points


@inlined
def best_bid(state, seat, habit, rng):
    """Return the highest (level, suit) a player would bid; level -1: pass."""
    hand = state.hand[seat]
    suit = 0
    points = -1
    for trump in range(4):
        own = strength(hand, trump)
        if own > points:
            points = own
            suit = trump
    if habit == RANDOM:
        if rng.random() < 0.004:
            return rng.integers(actions.MATCH_BID, actions.GENERALE_BID + 1), suit
        if rng.random() < 0.6:
            return -1, suit
        return rng.integers(0, 5), suit
    if points >= 108 and rng.random() < 0.5:
        return actions.GENERALE_BID if points >= 120 else actions.MATCH_BID, suit
    points += 10 if habit == CAREFUL else 25
    if state.contract >= 0 and state.declarer == seat ^ 2:
        suit = int(state.trump)
        support = strength(hand, suit)
        points = min(int(kernel.BID_POINTS[state.contract]) + (support - 20) // 2, 80 + support // 2)
    return min((points - 60) // 10, actions.MATCH_BID - 1), suit


@inlined
def choose_bid(state, seat, habit, rng):
    """Return the act of a bid or pass: a random level from the lowest legal to the best one."""
    level, suit = best_bid(state, seat, habit, rng)
    lowest = state.contract + 1
    if level < lowest:
        return np.int64(actions.PASS)
    if level < actions.MATCH_BID:
        level = lowest + np.int64(rng.random() * rng.random() * (level - lowest + 1))
    return np.int64(actions.BID + 4 * level + suit)


@inlined
def wants_to_coinche(state, seat, habit, rng):
    """Return whether a player calls coinche, or surcoinche, now."""
    own = strength(state.hand[seat], state.trump)
    value = kernel.BID_POINTS[state.contract]
    if state.coinched:
        return own > 65 and rng.random() < 0.3
    if habit == RANDOM:
        return rng.random() < 0.004
    return own + value > 185 and rng.random() < (0.25 if habit == GREEDY else 0.12)


@inlined
def play_score(state, seat, card, habit, rng):
    """Return how much a player of this habit likes a card; random noise decides ties."""
    noise = rng.random()
    if habit == RANDOM:
        return noise
    own = float(kernel.card_points(card, state.trump))
    trump = kernel.SUIT_OF[card] == state.trump
    rank = kernel.RANK_OF[card]
    if state.on_table == 0:
        if trump:
            # the declarers draw trumps early, the others save theirs
            if (seat ^ state.declarer) & 1 == 0 and state.trick < 4:
                return 4.0 * kernel.TRUMP_STRENGTH[rank] + noise
            return -5.0 + noise
        if rank == 8:
            return 20.0 + noise
        return (own if habit == GREEDY else -own) + noise
    table = 0.0
    for other in range(4):
        if state.table[other] >= 0:
            table += kernel.card_points(state.table[other], state.trump)
    keep = 6.0 if trump and habit == CAREFUL else 0.0
    if kernel.beats(card, state.best, state.trump):
        if state.trick_winner == seat ^ 2 and habit == CAREFUL:
            return -own - keep + noise
        return table + own / 2 - keep + noise
    if state.trick_winner == seat ^ 2 and habit == CAREFUL:
        return (0.0 if rank == 8 else own) - keep + noise
    return -own - keep + noise


@inlined
def choose_card(state, rules, seat, habit, rng):
    """Return the playable card a player likes best."""
    cards = kernel.playable(state, rules, seat)[0]
    best = -1
    liking = -1e9
    for card in range(36):
        if cards >> np.int64(card) & 1:
            own = play_score(state, seat, card, habit, rng)
            if own > liking:
                liking = own
                best = card
    return best


@inlined
def choose_call(state, rules, match, habits, rng):
    """Return the code of a call out of turn or instead of a card, -1 for none."""
    if kernel.is_before_first_card(state):
        if state.contract >= 0:
            for seat in range(4):
                code = seat << SEAT_SHIFT | actions.COINCHE
                if state.coinched:
                    code = seat << SEAT_SHIFT | actions.SURCOINCHE
                if kernel.check(state, rules, code) == 0 and wants_to_coinche(state, seat, habits[seat], rng):
                    return np.int64(code)
        if state.bidding:
            return np.int64(-1)
    if state.on_table:
        return np.int64(-1)
    for seat in range(4):
        # not in a first deal, where a log does not show that the stop was wrong
        rash = habits[seat] == RANDOM and rng.random() < 0.0003 and match.partie > 0
        wins = False
        if habits[seat] == CAREFUL:  # stop if that wins the match for the seat's side (CO-15)
            wins = match.score[seat & 1] + kernel.total(state, seat & 1) >= state.target
        if rash or wins:
            return np.int64(seat << SEAT_SHIFT | actions.WON)
    lead = np.int64(state.turn)
    if kernel.claim_holds(state, lead):
        if habits[lead] != RANDOM and state.trick < kernel.TRICKS - 1 and rng.random() < 0.5:
            return np.int64(lead << SEAT_SHIFT | actions.CLAIM)
    elif habits[lead] == GREEDY and state.trick > 4 and rng.random() < 0.004:
        return np.int64(lead << SEAT_SHIFT | actions.CLAIM)
    if rng.random() < 0.0004:
        return np.int64(lead << SEAT_SHIFT | actions.RESIGN)
    return np.int64(-1)


@compiled
def play_deal(state, rules, match, habits, rng, codes):
    """Play a started deal to its end; return how many actions were written to `codes`."""
    count = 0
    while state.over != kernel.OVER:
        code = choose_call(state, rules, match, habits, rng)
        if code < 0:
            seat = np.int64(state.turn)
            habit = habits[seat]
            if state.bidding:
                act = choose_bid(state, seat, habit, rng)
            else:
                act = np.int64(choose_card(state, rules, seat, habit, rng))
            code = seat << SEAT_SHIFT | act
        codes[count] = code
        count += 1
        kernel.step(state, rules, code)
    return count


def finish_deal(state, rules, habit, rng, codes):
    """Finish a deal from its current state, all seats with one habit and as if at 0 to 0."""
    return play_deal(state, rules, np.zeros(1, Match)[0], np.full(4, habit), rng, codes)


@compiled
def play_match(rules, players, habits, rng, state, match, cuts, dealers, decks, codes, lengths):
    """Play one match, filling a row per deal; return (deals, 0, 0), since the game has no cut."""
    open_match(match, rules, players, rng.integers(0, 4), -1, -1)
    deals = 0
    while not match.over and deals < len(decks):
        decks[deals] = rng.permutation(36)
        dealers[deals] = match.dealer
        open_deal(match, match.dealer)
        kernel.start(state, rules, players, match.dealer, decks[deals], 0)
        lengths[deals] = play_deal(state, rules, match, habits, rng, codes[deals])
        close_deal(match, rules, state, False)
        deals += 1
    return deals, 0, 0
