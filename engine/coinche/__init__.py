"""Coinche, as played in the 2018 tournament: what the rest of the project asks of a game."""

from engine.cards import JASS
from engine.coinche import actions, bots, kernel, match, options, sampler, score_line
from engine.coinche.faults import FAULTS, MATCH
from engine.coinche.solver import SOLVER
from engine.games import Game, Row

GAME = Game(
    name="coinche",
    pack=JASS,
    players=(4,),
    acts=actions,
    kernel=kernel,
    match=match,
    told=score_line,
    bots=bots,
    options=options,
    faults=FAULTS,
    match_faults=MATCH,
    blank=tuple(range(len(JASS))),
    row=Row(cards=len(JASS), places=len(JASS)),
    dealing=kernel,
    partners=True,
    in_bulk=True,
    solver=SOLVER,
    sampler=sampler,
)
