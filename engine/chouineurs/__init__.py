"""Chouineurs, all its tables: what the rest of the project asks of a game."""

from engine.cards import Pack
from engine.chouineurs import actions, bid_regret, bots, kernel, match, options, score_line
from engine.chouineurs.deck import BIDS_AT, CARDS, NONE, ROW
from engine.chouineurs.faults import FAULTS, MATCH
from engine.games import Game, Row

GAME = Game(
    name="chouineurs",
    pack=Pack(""),  # the deck is data, and each match's own
    players=(2, 3, 4, 5),
    acts=actions,
    kernel=kernel,
    match=match,
    told=score_line,
    bots=bots,
    options=options,
    faults=FAULTS,
    match_faults=MATCH,
    blank=(NONE,) * ROW,
    row=Row(cards=CARDS, places=BIDS_AT, faces=2, empty=NONE),
    in_bulk=True,
    chosen=bid_regret,
)
