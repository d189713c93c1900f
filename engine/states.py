"""Shared by the states of all games: an empty table, nothing played."""

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
    for trick in range(len(state.trick_winners)):
        state.trick_winners[trick] = NOBODY
        state.leads[trick] = NOBODY
    state.players = players
    state.dealer = dealer
    state.leader = leader
    state.turn = leader
    state.on_table = 0
    state.best = -1
    state.trick_winner = NOBODY
    state.trick = 0
    state.over = OPEN
    state.outcome = RUNNING
    state.winner = NOBODY
