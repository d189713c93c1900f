"""Deals of Chouine played to their end, the closed phase at two with best play."""

import numpy as np

from engine.chouine.bots import CAREFUL, LONGEST, act
from engine.chouine.endgame import FAR, value, wins_at_once, write_gains
from engine.chouine.kernel import OPEN, OVER, closed, playable, step, total
from engine.compiled import compiled, inlined


@inlined
def ahead(state, seat):
    """A seat's points minus those of the best of the others."""
    most = -FAR
    for other in range(state.players):
        if other != seat:
            most = max(most, np.int64(total(state, other)))
    return np.int64(total(state, seat)) - most


@inlined
def is_solved(state, rules):
    """Whether what is still to come can be reckoned, at a table where that is so at all."""
    if state.over != OPEN or state.chouine >= 0 or not closed(state):
        return False
    if not rules.one_per_suit and state.trump < 0:
        return False
    return not wins_at_once(state, rules)


@compiled
def play_on(states, room, rules, seat, codes, exact, rng, won, margins):
    """Lay each card in each state, and play on: `won[card, state]`, `margins[card, state]`."""
    gains = np.zeros((3, 3), np.int64)
    write_gains(rules, gains)
    acts = np.zeros(LONGEST, np.uint16)
    for i in range(len(states)):
        for j in range(len(codes)):
            room[0] = states[i]
            state = room[0]
            step(state, rules, codes[j])
            while state.over != OVER and not (exact and is_solved(state, rules)):
                act(state, rules, CAREFUL, rng, acts, 0)
            margin = ahead(state, seat)
            if state.over == OVER:
                share = 1.0 / state.players
                if state.winner >= 0:
                    share = 1.0 if state.winner == seat else 0.0
            else:
                turn = np.int64(state.turn)
                cards = playable(state, rules, turn)[0] & state.allowed
                more = value(state, rules, cards, -FAR, FAR, gains)
                margin += more if turn == seat else -more
                share = 0.5 if margin == 0 else 1.0 if margin > 0 else 0.0
            won[j, i] = share
            margins[j, i] = margin
