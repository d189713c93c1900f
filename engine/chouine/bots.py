"""Shuffles, deals and plays simulated matches of Chouine, with players of different habits."""

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.chouine import actions, kernel
from engine.chouine.match import RANK_COUNT, close_deal, open_deal, open_match
from engine.cut import extreme_card
from engine.jit import compiled, inlined

RANDOM, GREEDY, CAREFUL = range(3)
HABITS: tuple[str, ...] = ("random", "greedy", "careful")
MAX_ACTIONS = 160
"""Number of actions in the longest deal the habits can play."""


@inlined
def play_score(state, seat, card, habit, rng):
    """Return how much a player of this habit likes a card; random noise decides ties."""
    noise = rng.random()
    if habit == RANDOM:
        return noise
    own = float(kernel.CARD_POINTS[card])
    suit = card >> 3
    trump = suit == state.trump
    keep = 0.0
    if habit == CAREFUL:
        keep = 7.0 if trump else 0.0
        honours = state.hand[seat] >> (8 * suit) & 0x38
        combined = state.counted[seat] & actions.SUIT_COMBINATIONS << suit
        if honours & honours - 1 and 3 <= card & 7 <= 5 and not combined:
            keep += 8.0  # two of K Q J: a marriage in the making
    if state.on_table == 0:
        if habit == GREEDY or kernel.is_talon_empty(state):
            return own - keep / 2 + noise
        return -own - keep + noise
    table = 0.0
    for other in range(state.players):
        if state.table[other] >= 0:
            table += kernel.CARD_POINTS[state.table[other]]
    if kernel.beats(card, state.best, state.trump):
        return table + own / 2 - keep + noise
    return -own - table / 2 - keep + noise


@inlined
def choose_card(state, rules, seat, habit, rng):
    """Return the playable card this habit likes best."""
    cards = kernel.playable(state, rules, seat)[0] & state.allowed
    best = -1
    liking = -1e9
    for card in range(32):
        if cards >> card & 1:
            own = play_score(state, seat, card, habit, rng)
            if own > liking:
                liking = own
                best = card
    return best


@inlined
def wants_to_announce(state, combination, habit, rng):
    """Return whether the habit makes this announcement now."""
    if habit == GREEDY or combination >= actions.QUINTE or combination >> 2 == actions.CHOUINE:
        return True
    if habit == RANDOM:
        return rng.random() < 0.5
    # while the talon lasts, careful players may wait for a better combination
    waits = 0.45 if combination >> 2 == 0 else 0.15
    return kernel.is_talon_empty(state) or rng.random() > waits


@compiled
def take_turn(state, rules, habit, rng, codes, count):
    """Play a player's whole turn, writing actions to `codes` from `count`; return the new count."""
    seat = np.int64(state.turn)
    base = seat << SEAT_SHIFT
    if state.over == kernel.OPEN:
        if state.chouine < 0 and kernel.is_talon_empty(state) and habit == CAREFUL and state.players == 2:
            behind = kernel.total(state, 1 - seat) - kernel.total(state, seat)
            if behind > 70 and rng.random() < 0.08:
                codes[count] = base | actions.RESIGN
                kernel.step(state, rules, base | actions.RESIGN)
                return count + 1
        if kernel.check(state, rules, base | actions.SEPT) == 0:
            eager = 0.25 if habit == RANDOM else 0.9
            if rng.random() < eager:
                codes[count] = base | actions.SEPT
                count += 1
                kernel.step(state, rules, base | actions.SEPT)
        if kernel.is_au_sept_due(state):
            codes[count] = base | actions.AU_SEPT
            count += 1
            kernel.step(state, rules, base | actions.AU_SEPT)
        held = kernel.combinations_held(state, seat)
        if held:
            for best in range(actions.TRENTE, -1, -1):
                combination = best
                if not held >> combination & 1:
                    continue
                code = base | actions.ANNOUNCE + combination
                if kernel.check(state, rules, code) == 0 and wants_to_announce(
                    state, combination, habit, rng
                ):
                    if rng.random() < 0.015:
                        code += actions.UNSHOWN - actions.ANNOUNCE
                    codes[count] = code
                    count += 1
                    kernel.step(state, rules, code)
                    if rng.random() < 0.8 or state.over != kernel.OPEN:
                        break
    code = base | choose_card(state, rules, seat, habit, rng)
    codes[count] = code
    kernel.step(state, rules, code)
    return count + 1


@compiled
def play_deal(state, rules, habits, rng, codes):
    """Play a started deal to its end; return how many actions were written to `codes`."""
    count = 0
    while state.over != kernel.OVER:
        between = state.trick > 0 and state.on_table == 0 and state.over == kernel.OPEN
        if between and rng.random() < 0.0006:
            offender = np.int64(rng.integers(0, state.players))
            code = offender << SEAT_SHIFT | actions.FAULT + rng.integers(0, 3)
            if kernel.check(state, rules, code) == 0:
                codes[count] = code
                count += 1
                kernel.step(state, rules, code)
                if state.over == kernel.OVER:
                    break
                wronged = (offender + 1) % state.players
                code = wronged << SEAT_SHIFT | (actions.REPLAY if rng.random() < 0.3 else actions.ACCEPT)
                codes[count] = code
                count += 1
                kernel.step(state, rules, code)
                continue
        count = take_turn(state, rules, habits[state.turn], rng, codes, count)
        if state.over == kernel.LAST_CARD and rng.random() < 0.5:
            break  # a log may omit the card of a chouine that ends the deal
    return count


def finish_deal(state, rules, habit, rng, codes):
    """Finish a deal from its current state, all seats with one habit; return the action count."""
    return play_deal(state, rules, np.full(int(state["players"]), habit), rng, codes)


@compiled
def cut_for_dealer(players, rng, cards_cut):
    """Cut until the lowest rank is unique; return how many rows of `cards_cut` it took (CH-2)."""
    for k in range(len(cards_cut)):
        cards = rng.permutation(32)
        for seat in range(players):
            cards_cut[k, seat] = cards[seat]
        if extreme_card(cards_cut[k], RANK_COUNT, 1)[1]:
            return k + 1
    return 0


@compiled
def play_match(rules, players, habits, rng, state, match, cuts, dealers, decks, codes, lengths):
    """Play one match, a row per deal; return (deals, attempts at the cut, at the belle's cut)."""
    first_cut = cut_for_dealer(players, rng, cuts[0])
    last = cuts[0, first_cut - 1]
    open_match(
        match, rules, players, extreme_card(last, RANK_COUNT, 1)[0], extreme_card(last, RANK_COUNT, -1)[0], -1
    )
    belle_cut = 0
    deals = 0
    while not match.over and deals < len(decks):
        if match.dealer < 0:
            belle_cut = cut_for_dealer(players, rng, cuts[1])
            match.dealer = extreme_card(cuts[1, belle_cut - 1], RANK_COUNT, 1)[0]
            match.belle_dealer = match.dealer
        decks[deals] = rng.permutation(32)
        dealers[deals] = match.dealer
        open_deal(match, match.dealer)
        kernel.start(state, rules, players, match.dealer, decks[deals], 0)
        lengths[deals] = play_deal(state, rules, habits, rng, codes[deals])
        close_deal(match, rules, state, False)
        deals += 1
    return deals, first_cut, belle_cut
