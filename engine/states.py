"""Shared by the states of all games: an empty table, the order of play, the end of a trick."""

from engine.jit import inlined
from engine.match import NOBODY

RUNNING = 0
"""`outcome` of a deal that has not ended."""
OPEN = 0
"""`over` of a deal while play goes on."""


@inlined
def clear(state, players, dealer, leader):
    """Reset what every game's state has: no cards anywhere, `leader` to lead the first trick."""
    for seat in range(len(state.hand)):
        state.hand[seat] = 0
        state.pile[seat] = 0
        state.table[seat] = -1
        state.last[seat] = -1
    for trick in range(len(state.takers)):
        state.takers[trick] = NOBODY
        state.leads[trick] = NOBODY
    state.players = players
    state.dealer = dealer
    state.leader = leader
    state.turn = leader
    state.on_table = 0
    state.best = -1
    state.taker = NOBODY
    state.trick = 0
    state.over = OPEN
    state.outcome = RUNNING
    state.winner = NOBODY


@inlined
def next_seat(state, seat):
    """Return the next seat in the order of play."""
    return seat + 1 if seat + 1 < state.players else 0


@inlined
def end_trick(state, taker):
    """Count a trick whose cards left the table; its taker leads next."""
    state.takers[state.trick] = taker
    state.trick += 1
    state.on_table = 0
    state.best = -1
    state.taker = NOBODY
    state.leader = taker
    state.turn = taker
