"""Coinche, as played in the 2018 tournament: what the rest of the project asks of a game."""

from engine.cards import JASS
from engine.coinche import acts, kernel, match
from engine.coinche.faults import FAULTS, MATCH
from engine.games import Game

GAME = Game(
    name="coinche",
    pack=JASS,
    players=(4,),
    acts=acts,
    kernel=kernel,
    match=match,
    faults=FAULTS,
    match_faults=MATCH,
    blank=tuple(range(len(JASS))),
    partners=True,
    in_bulk=True,
)
