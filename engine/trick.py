"""The winner of a trick: the seat of the best card so far, and the end of the trick (CH-12, CO-6, BE-14)."""

from engine.jit import inlined
from engine.match import NOBODY


@inlined
def set_trick_winner(state, seat, card):
    """Have a card take the trick so far: one that leads, or that beats the best."""
    state.best = card
    state.trick_winner = seat


@inlined
def next_seat(state, seat):
    """Return the next seat in the order of play."""
    return seat + 1 if seat + 1 < state.players else 0


@inlined
def end_trick(state, trick_winner):
    """Count a trick whose cards left the table; its winner leads next."""
    state.trick_winners[state.trick] = trick_winner
    state.trick += 1
    state.on_table = 0
    state.best = -1
    state.trick_winner = NOBODY
    state.leader = trick_winner
    state.turn = trick_winner
