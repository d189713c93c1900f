"""Belote with 32 cards, also as Contrée and Coinche: the game's interface to other packages."""

from engine.belote import actions, bots, kernel, match, options, sampler, score_sheet_line
from engine.belote.faults import DEAL_FAULTS, MATCH_FAULTS
from engine.belote.solver import SOLVER
from engine.cards import PIQUET
from engine.games import DeckFormat, Game

GAME = Game(
    name="belote",
    pack=PIQUET,
    players=(4,),
    acts=actions,
    kernel=kernel,
    match=match,
    score_line_rules=score_sheet_line,
    bots=bots,
    options=options,
    faults=DEAL_FAULTS,
    match_faults=MATCH_FAULTS,
    example_deck=tuple(range(len(PIQUET))),
    deck_format=DeckFormat(card_count=len(PIQUET), place_count=len(PIQUET)),
    dealing_rules=kernel,
    partners=True,
    has_fast_path=True,
    announcement_kinds=actions.ANNOUNCEMENT_KINDS,
    solver=SOLVER,
    sampler=sampler,
)
