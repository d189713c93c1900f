"""Chouineurs, all its tables: what the rest of the project asks of a game."""

from engine.cards import Pack
from engine.chouineurs import acts, kernel, match
from engine.chouineurs.deal import NONE, ROW
from engine.chouineurs.faults import FAULTS, MATCH
from engine.games import Game

GAME = Game(
    name="chouineurs",
    pack=Pack(""),  # the deck is data, and each match's own
    players=(2, 3, 4, 5),
    acts=acts,
    kernel=kernel,
    match=match,
    faults=FAULTS,
    match_faults=MATCH,
    blank=(NONE,) * ROW,
)
