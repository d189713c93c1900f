"""What the rows of a manche of Chouineurs say besides what every game's do."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.chouineurs.kernel import total
from ingest.games.code import Code, Marked, Rests, Spoken
from ingest.i18n import N_
from ingest.store.columns import nullable, small


def deal(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `deals`: none of its own."""
    return {}


def seat(
    states: NDArray[np.void], deal: NDArray[np.int64], seat: NDArray[np.int64]
) -> dict[str, Any]:
    """Columns of `deal_seats` for these seats of these deals."""
    at = deal, seat
    winner = states["winner"][deal]
    points = [total(states[int(d)], int(s)) for d, s in zip(deal, seat, strict=True)]
    takers = states["takers"]
    last = takers[np.arange(len(takers)), np.maximum(states["trick"] - 1, 0)]
    return {
        "points": np.array(points, np.int16),
        "bonus": states["taken"][at].astype(np.int16),
        "bid": small(states["bid"][at]),
        "met": states["made"][at] > 0,
        "tricks": states["won"][at].astype(np.uint8),
        "der": last[deal] == seat,
        "won": nullable(winner == seat, winner < 0, pa.bool_()),
    }


def card_points(states: NDArray[np.void]) -> None:
    """No card has points of its own: a trick is worth what the bid says."""


def announced(rows: object) -> None:
    """Chouineurs has no announcements."""


# codes of findings

CODES = (
    # play
    Code(
        "wrong-side",
        N_("{who}: {found}, but the card shows its other face."),
        N_("Write the face that is up; or look for a turn that was not written down."),
        Spoken.ACTS,
    ),
    # the bonus
    Code(
        "bonus-missing",
        N_("{who}: {found} before those who chouine have had their bonus."),
        N_("Add what each player who chouined took: a turn of a card, or a point."),
        Spoken.ACTS,
    ),
    Code(
        "turn-undue",
        N_("{who}: {found} without having chouiné."),
        N_("Leave the turn out, or correct the seat."),
        Spoken.ACTS,
    ),
    Code(
        "point-undue",
        N_("{who} takes a point without having chouiné."),
        N_("Leave the point out, or correct the seat."),
        Spoken.ACTS,
    ),
    Code(
        "reserve-empty",
        N_("{who} takes a card from an empty reserve."),
        N_("Write a turn of a card instead: the reserve has no card left."),
    ),
    # bids
    Code(
        "bid-spent",
        N_("{who} bids {found} again: that card has left the game. Left: {legal}."),
        N_("Correct the bid: a card that scored is not bid again."),
        rests=Rests.DEALS,
    ),
    # the deck and the bid cards
    Code(
        "deck-unknown",
        N_("The deck {found} is not known. Give its 44 cards, or one of: {legal}."),
        N_("Name a deck that is known, or list the 44 cards."),
    ),
    Code(
        "card-syntax",
        N_("{found} is not a two-faced card such as {legal}."),
        N_("Write both faces with a / between them, colour then value."),
    ),
    Code(
        "face-twice",
        N_("The face {found} is there twice: it is on card {legal} already."),
        N_("Correct one of the two: each face is on one card of the deck."),
    ),
    Code(
        "bid-cards",
        N_("{found} cannot be in a set of five bid cards."),
        N_("Write five bid cards that tell every number of tricks apart and what each is worth."),
    ),
    # the deal as written
    Code(
        "hand-size",
        N_("There are {found} where {legal} belong."),
        N_("Count the cards of each hand, and that there is one hand a seat."),
    ),
    Code(
        "hand-card",
        N_("{found} is not a card of this deck."),
        N_("Correct the card: both its faces as the deck has them."),
        marked=Marked.WORD,
    ),
    Code(
        "hand-twice",
        N_("The card {found} was dealt twice."),
        N_("Correct one of the two: a card was dealt to one hand."),
        marked=Marked.LAST_WORD,
    ),
    Code(
        "bid-count",
        N_("There are {found} bids for {legal} players."),
        N_("Write one bid for each seat."),
    ),
    Code(
        "bid-unknown",
        N_("{found} is not one of the bid cards: {legal}."),
        N_("Write the bid by the name of one of the five cards."),
    ),
    # across deals
    Code(
        "wrong-leader",
        N_("{found} leads, but it is {legal} who should."),
        N_("Correct the leader; or look for a slip in the points of the deals before."),
        Spoken.SEATS,
        rests=Rests.DEALS,
    ),
)
"""The codes no other game has; what they rest on is in the engine's tables."""
