"""Brelin: what the rest of the project asks of a game."""

from engine.cards import Pack
from engine.games import Game, Row
from tests.newgame.engine import actions, bots, kernel, match, options, score_line
from tests.newgame.engine.faults import FAULTS, MATCH

PACK = Pack("QKA")

GAME = Game(
    name="brelin",
    pack=PACK,
    players=(2,),
    acts=actions,
    kernel=kernel,
    match=match,
    told=score_line,
    bots=bots,
    options=options,
    faults=FAULTS,
    match_faults=MATCH,
    blank=tuple(range(len(PACK))),
    row=Row(cards=len(PACK), places=len(PACK)),
    dealing=kernel,
    in_bulk=True,
    kinds=("pair",),
)
