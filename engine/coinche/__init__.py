"""Coinche as in the 2018 tournament: the game's interface to other packages."""

from engine.cards import JASS
from engine.coinche import actions, bots, kernel, match, options, sampler, score_sheet_line
from engine.coinche.faults import DEAL_FAULTS, MATCH_FAULTS
from engine.coinche.solver import SOLVER
from engine.games import DeckFormat, Game

GAME = Game(
    name="coinche",
    pack=JASS,
    players=(4,),
    acts=actions,
    kernel=kernel,
    match=match,
    score_line_rules=score_sheet_line,
    bots=bots,
    options=options,
    faults=DEAL_FAULTS,
    match_faults=MATCH_FAULTS,
    example_deck=tuple(range(len(JASS))),
    deck_format=DeckFormat(card_count=len(JASS), place_count=len(JASS)),
    dealing_rules=kernel,
    partners=True,
    has_fast_path=True,
    solver=SOLVER,
    sampler=sampler,
)
