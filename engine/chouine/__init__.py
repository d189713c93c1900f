"""Chouine for two, three and four players: the game's interface to other packages."""

from engine.cards import PIQUET
from engine.chouine import actions, bots, kernel, match, options, sampler, score_sheet_line
from engine.chouine.faults import DEAL_FAULTS, MATCH_FAULTS
from engine.chouine.solver import SOLVER
from engine.games import DeckFormat, Game

GAME = Game(
    name="chouine",
    pack=PIQUET,
    players=(2, 3, 4),
    acts=actions,
    kernel=kernel,
    match=match,
    score_line_rules=score_sheet_line,
    bots=bots,
    options=options,
    faults=DEAL_FAULTS,
    match_faults=MATCH_FAULTS,
    example_deck=tuple(range(len(PIQUET))),
    has_fast_path=True,
    deck_format=DeckFormat(card_count=len(PIQUET), place_count=len(PIQUET)),
    dealing_rules=kernel,
    has_cut=True,
    announcement_kinds=("mariage", "tierce", "quarteron", "chouine", "quinte", "trente"),
    solver=SOLVER,
    sampler=sampler,
)
