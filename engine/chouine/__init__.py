"""Chouine, all its tables: what the rest of the project asks of a game."""

from engine.cards import PIQUET
from engine.chouine import actions, bots, kernel, match, options, sampler, score_line
from engine.chouine.faults import FAULTS, MATCH
from engine.chouine.solver import SOLVER
from engine.games import Game, Row

GAME = Game(
    name="chouine",
    pack=PIQUET,
    players=(2, 3, 4),
    acts=actions,
    kernel=kernel,
    match=match,
    told=score_line,
    bots=bots,
    options=options,
    faults=FAULTS,
    match_faults=MATCH,
    blank=tuple(range(len(PIQUET))),
    in_bulk=True,
    row=Row(cards=len(PIQUET), places=len(PIQUET)),
    dealing=kernel,
    cut=True,
    kinds=("mariage", "tierce", "quarteron", "chouine", "quinte", "trente"),
    solver=SOLVER,
    sampler=sampler,
)
