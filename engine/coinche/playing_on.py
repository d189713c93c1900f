"""Deals of Coinche played to their end."""

import numpy as np

from engine.acts import SEAT_SHIFT
from engine.coinche.bots import CAREFUL, choose_card
from engine.coinche.kernel import OVER, points, step
from engine.compiled import compiled


@compiled
def play_on(states, room, rules, seat, codes, rng, won, margins):
    """Lay each card in each state, and play on: `won[card, state]`, `margins[card, state]`."""
    side = seat & 1
    for i in range(len(states)):
        for j in range(len(codes)):
            room[0] = states[i]
            state = room[0]
            step(state, rules, codes[j])
            while state.over != OVER:
                turn = np.int64(state.turn)
                card = np.int64(choose_card(state, rules, turn, CAREFUL, rng))
                step(state, rules, turn << SEAT_SHIFT | card)
            won[j, i] = 0.5 if state.winner < 0 else 1.0 if state.winner == side else 0.0
            margins[j, i] = points(state, side) - points(state, 1 - side)
