"""What the rows of a Chouine deal say besides what every game's do."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.chouine.acts import COMBINATIONS, QUINTE, kind_of
from engine.chouine.kernel import BRISQUES, POINTS, VALUE
from ingest.store.columns import nullable, small, taken, words

if TYPE_CHECKING:
    from ingest.store.rows import DealRows

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


def card_points(states: NDArray[np.void]) -> NDArray[np.int32]:
    """What each of 32 cards counted for whoever was dealt it or drew it, a row a deal."""
    worth = np.tile(POINTS, (len(states), 1))
    exchanged = np.flatnonzero(states["sept"] >= 0)
    seven, retourne = states["trump"][exchanged] << 3, states["retourne"][exchanged]
    worth[exchanged, seven] = POINTS[retourne]
    worth[exchanged, retourne] = POINTS[seven]
    return worth


def announced(rows: "DealRows") -> Any:
    """(deal, seat, columns of `announcements`) of every combination held or announced."""
    states = rows.states
    facts = {name: states[name] for name in ("held", "announced", "shown", "counted")}
    if rows.numbers.hidden is not None:
        # of a deal told in part it is not known what was held and not said
        part = rows.numbers.hidden[rows.index].any(axis=1)[:, None]
        facts["held"] = np.where(part, facts["counted"], facts["held"])
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
    trump = suited & (states["trump"][deal] == suit)
    doubled = np.where(flags["counted"], flag(states["doubled"]), trump)
    worth = np.where(combination == QUINTE, quinte, plain * (1 + doubled))
    alike = np.where(suited, 0x1111 << suit, 1 << combination)
    higher = alike & -(2 << combination)
    said, had = facts["announced"][deal, seat], facts["held"][deal, seat]
    draws = states["drawable"][deal] // np.maximum(states["players"][deal], 1)
    return (
        deal,
        seat,
        {
            "kind": words(combination, KINDS),
            "suit": nullable(suit.astype(np.uint8), ~suited, pa.uint8()),
            "trump": trump,
            **flags,
            "missed": flags["held"] & (said & alike == 0) & (had & higher == 0),
            "trick": small(when, 1),
            "lead": nullable(leader == seat, when < 0, pa.bool_()),
            "closed": nullable(when >= draws, when < 0, pa.bool_()),
            "points": (worth * flags["counted"]).astype(np.int16),
            "worth": worth.astype(np.int16),
        },
    )
