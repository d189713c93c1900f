"""What the rows of a Chouine deal say besides what every game's do."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.chouine.acts import COMBINATIONS, QUINTE, kind_of
from engine.chouine.kernel import BRISQUES, VALUE
from ingest.columns import nullable, small, taken, words

if TYPE_CHECKING:
    from ingest.rows import DealRows

KINDS = [kind_of(combination) for combination in range(COMBINATIONS)]
TRENTE_POINTS = 30


def deal(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `deals`."""
    return {"trump": small(states["trump"]), "first_lead": small(states["first_lead"])}


def seat(
    states: NDArray[np.void], deal: NDArray[np.int64], seat: NDArray[np.int64]
) -> dict[str, Any]:
    """Columns of `deal_seats` for these seats of these deals."""
    at = deal, seat
    cards, bonus = states["cards"][at], states["bonus"][at]
    der = states["der"][deal] == seat
    winner = states["winner"][deal]
    return {
        "points": (cards + bonus + 10 * der).astype(np.int16),
        "cards": cards.astype(np.int16),
        "bonus": bonus.astype(np.int16),
        "tricks": taken(states["takers"])[at],
        "brisques": np.bitwise_count(states["pile"][at] & BRISQUES).astype(np.uint8),
        "der": der,
        "sept": nullable(
            (states["sept_trick"][deal] + 1).astype(np.uint8),
            states["sept"][deal] != seat,
            pa.uint8(),
        ),
        "won": nullable(winner == seat, winner < 0, pa.bool_()),
    }


def announced(rows: "DealRows") -> Any:
    """(deal, seat, columns of `announcements`) of every combination held or announced."""
    states = rows.states
    facts = {name: states[name] for name in ("held", "announced", "shown", "counted")}
    bits = (facts["held"] | facts["announced"])[:, :, None] >> np.arange(COMBINATIONS) & 1
    deal, seat, combination = np.nonzero(bits)

    def flag(sets: NDArray[np.int32]) -> NDArray[np.bool_]:
        return (sets[deal, seat] >> combination & 1).astype(np.bool_)

    flags = {name: flag(fact) for name, fact in facts.items()}
    suited = combination < QUINTE
    suit = combination & 3
    when = states["when"][deal, seat, combination]
    leader = states["leads"][deal, np.maximum(when, 0)]
    quinte = rows.numbers.rules["quinte"][rows.numbers.rule_of[rows.index[deal]]]
    plain = np.where(suited, VALUE[np.where(suited, combination >> 2, 0)], TRENTE_POINTS)
    points = np.where(combination == QUINTE, quinte, plain * (1 + flag(states["doubled"])))
    return (
        deal,
        seat,
        {
            "kind": words(combination, KINDS),
            "suit": nullable(suit.astype(np.uint8), ~suited, pa.uint8()),
            "trump": suited & (states["trump"][deal] == suit),
            **flags,
            "trick": small(when, 1),
            "lead": nullable(leader == seat, when < 0, pa.bool_()),
            "points": (points * flags["counted"]).astype(np.int16),
        },
    )
