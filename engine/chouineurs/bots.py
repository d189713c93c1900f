"""Shuffles, deals and plays simulated matches of Chouineurs, with players of different habits."""

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.chouineurs import kernel
from engine.chouineurs.actions import FACE_COUNT, POINT, TURN
from engine.chouineurs.deck import BID_COUNT, BID_NOT_MET, BIDS_OFFSET, CARD_COUNT, HAND_SIZE, NO_FACE, YELLOW
from engine.chouineurs.match import close_deal, open_deal, open_match
from engine.jit import compiled, inlined

RANDOM, GREEDY, CAREFUL = range(3)
HABITS: tuple[str, ...] = ("random", "greedy", "careful")
MAX_ACTIONS = 80
"""Number of actions in the longest manche: eight tricks of five cards, five bonuses per trick."""


@compiled
def win_chance(rules, players, face):
    """Estimate a face's chance to win its trick, from how many faces of the deck it beats."""
    own = kernel.face_strength(rules, face, rules.colour[face])
    beaten = 0
    for other in range(FACE_COUNT):
        if kernel.face_strength(rules, other, rules.colour[face]) < own:
            beaten += 1
    hold = (beaten / (FACE_COUNT - 1.0)) ** (players - 1)
    return hold if rules.colour[face] >= YELLOW else 0.6 * hold


@compiled
def likely_points(rules, bid, tricks):
    """Return the expected points of a bid card for a player who expects `tricks` tricks."""
    points = 0.0
    weight = 0.0
    for won in range(rules.tricks + 1):
        likely = np.exp(-((won - tricks) ** 2) / 2.4)
        weight += likely
        points += likely * max(rules.bid_points[bid, won], 0)
    return points / weight


@compiled
def choose_hand_and_bid(rules, players, cards, turned, spent, habit, rng, row, seat):
    """Choose which way up to hold a hand and which card to bid; write both to a row (CR-1, CR-2).

    `turned[card]` is the face that was up when the card was dealt.
    """
    flip = 0
    best = -1
    liking = -1e9
    for side in range(2):
        tricks = 0.0
        for card in cards:
            tricks += win_chance(rules, players, 2 * card + (side ^ turned[card]))
        for bid in range(BID_COUNT):
            if spent >> bid & 1:
                continue
            own = rng.random()
            if habit == GREEDY:
                own += 10 * tricks - abs(tricks - bid)
            elif habit == CAREFUL:
                own = likely_points(rules, bid, tricks) + own / 4
            if own > liking:
                liking = own
                best = bid
                flip = side
    for i in range(HAND_SIZE):
        row[seat * HAND_SIZE + i] = NO_FACE
    for i, card in enumerate(cards):
        row[seat * HAND_SIZE + i] = 2 * card + (flip ^ turned[card])
    row[BIDS_OFFSET + seat] = best


@inlined
def wants_tricks(state, rules, seat, habit):
    """Return whether winning more tricks could still improve a player's bid points."""
    if habit == GREEDY:
        return True
    bid = state.bid[seat]
    best = rules.bid_points[bid, state.won[seat]]
    if best == BID_NOT_MET:
        best = 0
    left = state.tricks - state.trick
    reach = rules.bid_points[bid, state.won[seat] + 1 : state.won[seat] + left + 1]
    return left > 0 and reach.max() > best


@inlined
def play_score(state, rules, seat, face, wants, rng):
    """Return how much a player who `wants` tricks, or not, likes a face; noise decides ties."""
    noise = rng.random()
    value = float(rules.value[face])
    if state.on_table == 0:
        power = 100 * win_chance(rules, state.players, face)
        return power + noise if wants else -power + noise
    led = rules.colour[state.table[state.leader]]
    own = kernel.face_strength(rules, face, led)
    wins = kernel.beats(rules, face, state.best, led)
    last = state.on_table + 1 == state.players
    if wants:
        if wins:
            return 5000 - own + noise if last else 5000 + own / 4 + noise
        return -value + noise  # low cards earn a bonus
    if wins:
        return -own + noise
    return 5000 + own + value + noise


@inlined
def choose_play(state, rules, seat, habit, rng):
    """Return the playable face a player likes best (CR-3)."""
    cards = kernel.playable(state, rules, seat)[0]
    wants = wants_tricks(state, rules, seat, habit)
    best = -1
    liking = -1e9
    for card in range(CARD_COUNT):
        if cards >> card & 1:
            face = kernel.face_of(state, card)
            if habit == RANDOM:
                own = rng.random()
            else:
                own = play_score(state, rules, seat, face, wants, rng)
            if own > liking:
                liking = own
                best = face
    return best


@inlined
def choose_bonus(state, rules, seat, habit, rng):
    """Return the act for a bonus: a point, or the turn that helps a player's aim most (CR-5)."""
    base = np.int64(seat) << SEAT_SHIFT
    wants = wants_tricks(state, rules, seat, habit)
    can_take = kernel.check(state, rules, base | POINT) == 0
    best = POINT
    liking = -1e9
    if can_take:
        # how much a sure point is liked, on the scale of a change in winning chances
        liking = rng.random() if habit == RANDOM else (0.3 if habit == GREEDY else 0.15)
    for card in range(CARD_COUNT):
        if state.hand[seat] >> card & 1:
            face = kernel.face_of(state, card)
            if habit == RANDOM:
                own = rng.random() * 0.8
            else:
                own = win_chance(rules, state.players, face ^ 1) - win_chance(rules, state.players, face)
                own = own if wants else -own
            if own > liking:
                liking = own
                best = TURN + face
    return best


@compiled
def play_deal(state, rules, habits, rng, codes):
    """Play a started manche to its end; return how many actions were written to `codes`."""
    count = 0
    while state.over != kernel.OVER:
        if state.owed:
            seat = np.int64(rng.integers(0, state.players))
            while not state.owed >> seat & 1:
                seat = (seat + 1) % state.players
            act = choose_bonus(state, rules, seat, habits[seat], rng)
        else:
            seat = np.int64(state.turn)
            act = choose_play(state, rules, seat, habits[seat], rng)
        code = seat << SEAT_SHIFT | act
        kernel.step(state, rules, code)
        codes[count] = code
        count += 1
    return count


def finish_deal(state, rules, habit, rng, codes):
    """Finish a manche from its current state, all seats with one habit; return the action count."""
    return play_deal(state, rules, np.full(int(state["players"]), habit), rng, codes)


@compiled
def play_match(rules, players, habits, rng, state, match, cuts, dealers, rows, codes, lengths):
    """Play one match, filling a row per deal; return (deals, 0, 0), since the game has no cut."""
    open_match(match, rules, players, -1, -1, -1)
    deals = 0
    while not match.over and deals < len(rows):
        leader = rng.integers(0, players)
        while match.leaders and not match.leaders >> leader & 1:
            leader = (leader + 1) % players
        pack = rng.permutation(CARD_COUNT)
        turned = rng.integers(0, 2, CARD_COUNT)
        row = rows[deals]
        row[:] = NO_FACE
        for seat in range(players):
            cards = pack[seat * rules.tricks : (seat + 1) * rules.tricks]
            spent = match.spent[seat]
            choose_hand_and_bid(rules, players, cards, turned, spent, habits[seat], rng, row, seat)
        dealers[deals] = leader
        open_deal(match, leader)
        kernel.start(state, rules, players, leader, row, 0)
        lengths[deals] = play_deal(state, rules, habits, rng, codes[deals])
        close_deal(match, rules, state, False)
        deals += 1
    return deals, 0, 0
