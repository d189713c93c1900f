"""What the rows of a Chouine deal say besides what every game's do."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.chouine.acts import COMBINATIONS, QUINTE, kind_of
from engine.chouine.kernel import BRISQUES, POINTS, VALUE
from ingest.games.code import REVOKE, Code, Rests, Spoken
from ingest.i18n import N_
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


# codes of findings

_KIND = N_("Take an announcement this number of players has, or leave it out.")
CODES = (
    # play
    Code(
        "must-beat",
        N_("{who} plays {found} but can play a higher trump and must. Legal: {legal}."),
        REVOKE,
        Spoken.ACTS,
    ),
    Code(
        "must-ruff",
        N_("{who} plays {found} but can ruff and must. Legal: {legal}."),
        REVOKE,
        Spoken.ACTS,
    ),
    Code(
        "must-overruff",
        N_("{who} plays {found} but can overruff and must. Legal: {legal}."),
        N_("If your club does not ask for it, set overruff to false; otherwise as for a revoke."),
        Spoken.ACTS,
    ),
    # the 7 of trump
    Code(
        "sept-not-held",
        N_("{who} exchanges the 7 of trump without holding it."),
        N_("Leave the exchange out, or look for a slip in the deal."),
        Spoken.ACTS,
    ),
    Code(
        "sept-again",
        N_("{who} exchanges the 7 of trump a second time."),
        N_("Leave the second exchange out."),
        Spoken.ACTS,
    ),
    Code(
        "sept-gone",
        N_("{who} exchanges the 7 of trump when the retourne has left the talon."),
        N_("Leave the exchange out, or move it before the retourne was drawn."),
        Spoken.ACTS,
    ),
    Code(
        "sept-is-retourne",
        N_("{who} exchanges the 7 of trump, but the retourne is that 7."),
        N_("Leave the exchange out: there is nothing to exchange."),
        Spoken.ACTS,
    ),
    Code(
        "sept-no-retourne",
        N_("{who} exchanges the 7, but this game has no retourne."),
        N_("Leave the exchange out, or name rules that turn a card up."),
        Spoken.ACTS,
    ),
    Code(
        "sept-turn",
        N_("{who} exchanges the 7 of trump out of turn."),
        N_("Move the exchange to its player’s own turn, before the card played."),
        Spoken.ACTS,
    ),
    Code(
        "au-sept-missing",
        N_("{who} leads with two cards left in the talon and does not say “au sept”."),
        N_("Nothing has to be mended; add the word if it was said, or set au_sept to ignore."),
        Spoken.ACTS,
    ),
    Code(
        "au-sept-misplaced",
        N_("{who} says “au sept” when it is not the time."),
        N_("Leave the word out: it belongs to the leader with two cards left in the talon."),
        Spoken.ACTS,
    ),
    # announcements
    Code(
        "announce-turn",
        N_("{who} announces {found} out of turn: it counts nothing."),
        N_("Move the announcement to the turn of its player, together with the card played."),
        Spoken.ACTS,
    ),
    Code(
        "announce-not-held",
        N_("{who} announces {found} without all its cards. In hand: {hand}. It counts nothing."),
        N_("Correct the suit or the kind of the announcement, or leave it out."),
        Spoken.ACTS,
    ),
    Code(
        "announce-card",
        N_("{who}: {found}. A card of the announcement must be played with it."),
        N_("Correct the card played; or allow any card with announce_with set to any."),
        Spoken.ACTS,
    ),
    Code(
        "announce-kind",
        N_("{who} announces {found}: two players have no such announcement."),
        _KIND,
        Spoken.ACTS,
    ),
    Code(
        "announce-kind-3-4",
        N_("{who} announces {found}: three or four players have no such announcement."),
        _KIND,
        Spoken.ACTS,
    ),
    Code(
        "announce-again",
        N_("{who} announces {found} after another one of that suit or kind: it counts nothing."),
        N_("Leave the second one out; or allow it with one_per_suit set to false."),
        Spoken.ACTS,
    ),
    Code(
        "announce-one-per-play",
        N_("{who} announces {found}: only one announcement goes with a card here."),
        N_("Keep one of them with this card; or set one_per_play to false."),
        Spoken.ACTS,
    ),
    # draws
    Code(
        "draw-card",
        N_("{who}: {found}, but the talon gives {legal}."),
        N_("Correct the card drawn, or look for a slip in the order of the talon."),
        Spoken.ACTS,
        legal=Spoken.CARDS,
    ),
    Code(
        "draw-turn",
        N_("{who}: {found} before their turn to draw."),
        N_("Put the draws in order: the winner of the trick first, then the others in seat order."),
        Spoken.ACTS,
    ),
    Code(
        "draw-missing",
        N_("{who}: {found} before every player has drawn."),
        N_("Add the draws that are missing; or leave all draws out, for the talon tells them."),
        Spoken.ACTS,
    ),
    Code(
        "draw-unexpected",
        N_("{who}: {found} when there is nothing to draw."),
        N_("Leave the draw out, or move it to the end of its trick."),
        Spoken.ACTS,
    ),
    # irregularities told in the log
    Code(
        "irregularity-misplaced",
        N_("{who}: {found} when nobody has just drawn."),
        N_("Move the irregularity to just after the draw it is about."),
        Spoken.ACTS,
    ),
    Code(
        "decision-missing",
        N_("{who}: {found} before the wronged player has decided."),
        N_("Add what the wronged player decided: accept or replay."),
        Spoken.ACTS,
    ),
    Code(
        "decision-misplaced",
        N_("{who}: {found} where there is nothing for them to decide."),
        N_("Leave the decision out, or add the irregularity it answers."),
        Spoken.ACTS,
    ),
    # across deals
    Code(
        "manche-differs",
        N_("The sheet says manche {found}; it is manche {legal}."),
        N_("Correct the number of the manche, or look for a partie that is missing."),
        rests=Rests.DEALS,
    ),
    # the cut
    Code(
        "cut-undecided",
        N_("The cut {found} leaves the deal undecided: the lowest card is shared."),
        N_("Add the next attempt of the cut."),
        Spoken.ACTS,
        rests=Rests.CUT,
    ),
    Code(
        "cut-repeated",
        N_("The cut {found} had already decided the deal."),
        N_("Leave the attempts out that come after the one that decided."),
        Spoken.ACTS,
        rests=Rests.CUT,
    ),
    Code(
        "cut-cards",
        N_("The cut {found} is not one different card for each seat."),
        N_("Write one card for each seat, all different."),
        Spoken.ACTS,
        rests=Rests.CUT,
    ),
)
"""The codes no other game has; what they rest on is in the engine's tables."""
