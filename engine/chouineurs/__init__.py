"""Chouineurs for two to five players: the game's interface to other packages."""

from engine.cards import Pack
from engine.chouineurs import actions, bid_regret, bots, kernel, match, options, score_sheet_line
from engine.chouineurs.deck import BIDS_OFFSET, CARD_COUNT, NO_FACE, ROW_LENGTH
from engine.chouineurs.faults import DEAL_FAULTS, MATCH_FAULTS
from engine.games import DeckFormat, Game

GAME = Game(
    name="chouineurs",
    pack=Pack(""),  # the deck is data, and each match's own
    players=(2, 3, 4, 5),
    acts=actions,
    kernel=kernel,
    match=match,
    score_line_rules=score_sheet_line,
    bots=bots,
    options=options,
    faults=DEAL_FAULTS,
    match_faults=MATCH_FAULTS,
    example_deck=(NO_FACE,) * ROW_LENGTH,
    deck_format=DeckFormat(card_count=CARD_COUNT, place_count=BIDS_OFFSET, faces_per_card=2, no_card=NO_FACE),
    has_fast_path=True,
    bid_regret=bid_regret,
)
