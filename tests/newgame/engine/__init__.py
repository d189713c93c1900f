"""Brelin: what the rest of the project asks of a game."""

from engine.cards import Pack
from engine.games import DeckFormat, Game
from tests.newgame.engine import actions, bots, kernel, match, options, score_sheet_line
from tests.newgame.engine.faults import DEAL_FAULTS, MATCH_FAULTS

PACK = Pack("QKA")

GAME = Game(
    name="brelin",
    pack=PACK,
    players=(2,),
    acts=actions,
    kernel=kernel,
    match=match,
    score_line_rules=score_sheet_line,
    bots=bots,
    options=options,
    faults=DEAL_FAULTS,
    match_faults=MATCH_FAULTS,
    example_deck=tuple(range(len(PACK))),
    deck_format=DeckFormat(card_count=len(PACK), place_count=len(PACK)),
    dealing_rules=kernel,
    has_fast_path=True,
    announcement_kinds=("pair",),
)
