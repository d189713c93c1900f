"""What the rows of a Coinche deal say besides what every game's do."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.cards import JASS, SUITS
from engine.coinche.kernel import PLAIN_POINTS
from ingest.games.code import REVOKE, Code, Spoken
from ingest.i18n import N_
from ingest.store.columns import nullable, small


def deal(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `deals`."""
    made = states["made"]
    return {
        "trump": small(states["trump"]),
        "contract": small(states["contract"]),
        "bidder": small(states["bidder"], 1),
        "coinched": small(states["coinched"]),
        "made": nullable(made > 0, made < 0, pa.bool_()),
    }


def seat(
    states: NDArray[np.void], deal: NDArray[np.int64], seat: NDArray[np.int64]
) -> dict[str, Any]:
    """Columns of `deal_seats` for these seats of these deals; points are the side's marks."""
    side = seat & 1
    winner = states["winner"][deal]
    return {
        "points": states["marks"][deal, side].astype(np.int16),
        "cards": states["cards"][deal, side].astype(np.int16),
        "tricks": states["taken"][deal, seat].astype(np.uint8),
        "der": states["der"][deal] == side,
        "won": nullable(winner == side, winner < 0, pa.bool_()),
    }


def card_points(states: NDArray[np.void]) -> NDArray[np.int64]:
    """What each of 36 cards is worth to whoever is dealt it: nothing is trump yet."""
    return np.broadcast_to(np.tile(PLAIN_POINTS, len(SUITS)), (len(states), len(JASS)))


def announced(rows: object) -> None:
    """Coinche has no announcements."""


# codes of findings

CODES = (
    # play
    Code(
        "card-before-contract",
        N_("{who} plays {found} before there is a contract."),
        N_("Complete the auction: three passes after a bid that is not coinched nor a générale."),
        Spoken.ACTS,
    ),
    Code(
        "must-follow-trump",
        N_("{who} plays {found} but has to follow in trump. Legal: {legal}."),
        REVOKE,
        Spoken.ACTS,
    ),
    Code(
        "must-follow-or-ruff",
        N_("{who} plays {found} but must follow suit or ruff higher. Legal: {legal}."),
        REVOKE,
        Spoken.ACTS,
    ),
    Code(
        "under-ruff",
        N_("{who} ruffs with {found}, lower than a trump already there. Legal: {legal}."),
        REVOKE,
        Spoken.ACTS,
    ),
    # the auction
    Code(
        "bid-too-low",
        N_("{who}: {found} is not higher than the last bid. Possible: {legal}."),
        N_("Correct the bid’s height or the bid before it."),
        Spoken.ACTS,
    ),
    Code(
        "auction-over",
        N_("{who}: {found} when the auction is over. It counts nothing."),
        N_("Leave the word out, or look for a pass too many before it."),
        Spoken.ACTS,
    ),
    Code(
        "coinche-no-bid",
        N_("{who} coinches when there is no bid. It counts nothing."),
        N_("Leave the coinche out, or add the bid that is missing."),
        Spoken.ACTS,
    ),
    Code(
        "coinche-side",
        N_("{who} coinches a bid of their own side. It counts nothing."),
        N_("Correct the seat: an opponent of the last bidder coinches."),
        Spoken.ACTS,
    ),
    Code(
        "coinche-generale",
        N_("{who} coinches a générale, which cannot be. It counts nothing."),
        N_("Leave the coinche out."),
        Spoken.ACTS,
    ),
    Code(
        "coinche-again",
        N_("{who}: {found} when it was said already. It counts nothing."),
        N_("Leave the second one out."),
        Spoken.ACTS,
    ),
    Code(
        "coinche-late",
        N_("{who}: {found} after the first card. It counts nothing."),
        N_("Leave it out, or move it before the first card."),
        Spoken.ACTS,
    ),
    Code(
        "surcoinche-no-coinche",
        N_("{who} surcoinches when nobody coinched. It counts nothing."),
        N_("Add the coinche that is missing, or leave the surcoinche out."),
        Spoken.ACTS,
    ),
    Code(
        "surcoinche-side",
        N_("{who} surcoinches for the other side. It counts nothing."),
        N_("Correct the seat: one of the bidding side surcoinches."),
        Spoken.ACTS,
    ),
    # claims
    Code(
        "claim-misplaced",
        N_("{who} lays down the hand without being on lead. It counts nothing."),
        N_("Move the claim to its player’s lead, or correct the seat."),
        Spoken.ACTS,
    ),
)
"""The codes no other game has; what they rest on is in the engine's tables."""
