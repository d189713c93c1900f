"""The log format of Belote with 32 cards."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from engine.belote import GAME, kernel
from engine.belote import actions as this
from engine.belote.tables import TRUMP_STRENGTH
from engine.cards import HIDDEN_CARD, HIDDEN_WORD, PIQUET
from schemas import french_deck
from schemas.column_docs import Rows, numbered_row, rows_by_kind
from schemas.french_deck import add_equipment as add_equipment
from schemas.match_setup import DealProblem, EncodeAction, MatchSetup, RowLayout
from schemas.models import Deal, Document, Match, ScoreLine, Start, action_pattern, cards_pattern


def announcement_word(announcement: int) -> str:
    """Return the word of an announcement: `tierce-Qh` goes up to the queen of hearts, `carre-J`."""
    if announcement >= this.FIRST_CARRE:
        return "carre-" + this.CARRE_RANKS[announcement - this.FIRST_CARRE]
    length, suit, top = this.SEQUENCES[announcement]
    return f"{this.SEQUENCE_KINDS[length - 3]}-{this.NATURAL_RANKS[top]}{this.STRAINS[suit]}"


def action_words(faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Map words such as `Kd`, `take h`, `bid 90h`, `bid capot-sa`, `tierce-Qh` or `belote` to acts."""
    found = {name: this.PLAY + card for card, name in enumerate(PIQUET.names)}
    for strain, name in enumerate(this.STRAINS):
        found["take " + name] = this.TAKE + strain
    for level, bid in enumerate(this.LEVELS[1:]):
        dash = "" if bid.isdigit() else "-"
        for strain, name in enumerate(this.STRAINS):
            found[f"bid {bid}{dash}{name}"] = this.BID + 6 * level + strain
    found |= {"pass": this.PASS, "contre": this.CONTRE, "surcontre": this.SURCONTRE}
    found |= {announcement_word(one): this.ANNOUNCE + one for one in range(this.ANNOUNCEMENT_COUNT)}
    return found | {"belote": this.BELOTE, "rebelote": this.REBELOTE, "renonce": this.RENONCE}


_ACTION_PATTERN = action_pattern(action_words(), max(GAME.players))
_BID_PATTERN = action_pattern(
    (word for word, act in action_words().items() if this.TAKE <= act < this.PASS), max(GAME.players)
)


class BeloteContract(Document):
    """The taking or the last bid, as an action, and how often it was doubled."""

    bid: str = Field(json_schema_extra={"pattern": _BID_PATTERN})
    coinche: int = Field(
        0, description="1 contré, 2 surcontré", json_schema_extra={"minimum": 0, "maximum": 2}
    )


class BeloteScoreLine(ScoreLine):
    """A line of a sheet: the contract, none where all passed."""

    contract: BeloteContract | None = None
    belote: list[int] | None = Field(None, description="belotes of each side")
    litige: int | None = Field(None, description="points of earlier litiges that `points` includes")


class BeloteDeal(Deal):
    """A deal of Belote: a `deck`, or `hands`, whole or in part; points are those of the sides."""

    dealer: int | None = Field(None, json_schema_extra={"minimum": 1, "maximum": 4})
    deck: str | None = Field(None, json_schema_extra={"pattern": cards_pattern(PIQUET, 32)})
    hands: list[str] | None = Field(
        None, description="of eight cards, with those dealt after the taking; of five before it"
    )
    actions: list[Annotated[str, Field(json_schema_extra={"pattern": _ACTION_PATTERN})]] = Field(
        default_factory=list
    )
    score_line: BeloteScoreLine | None = None


class BeloteStart(Start):
    """The scores before the first deal, and the points of litiges that wait."""

    litige: int | None = Field(None, description="points that go to the winner of the next contract")


class BeloteMatch(Match):
    """A game of Belote, seats 1 and 3 against 2 and 4."""

    game: Literal["belote"]
    start: BeloteStart | None = None
    deals: list[BeloteDeal] = Field(default_factory=list)


TRUMP_ORDER = french_deck.TrumpOrder("strain", TRUMP_STRENGTH, this.TOUT_ATOUT)
"""Trumps are in their own order (BE-1)."""
sorted_hand = TRUMP_ORDER.sorted_hand


FIRST_CARDS = 5
"""Cards of a hand before the taking (BE-4)."""
TURNED_UP = 4 * FIRST_CARDS
"""The place of the card turned up in a pack in dealing order."""
TAKINGS = {"take " + name: strain for strain, name in enumerate(this.STRAINS)}
"""The words after which the last twelve cards are dealt, each with its strain."""


def read_row(deal: Any, setup: MatchSetup, problems: list[DealProblem]) -> list[int] | None:
    """Return the pack in dealing order; hands of eight cards show it once a taking decides who got which.

    Hands of five cards are those before the taking.
    """
    if deal.deck is not None or not is_dealt_after_taking(setup):
        return french_deck.read_row(deal, setup, problems)
    at_once, actions = _as_if_dealt_at_once(setup), deal.actions
    if is_before_taking := _are_first_cards(deal.hands):
        more, actions = [HIDDEN_WORD] * (8 - FIRST_CARDS), ()
        padded = [hand if hand == HIDDEN_WORD else " ".join([hand, *more]) for hand in deal.hands]
        deal = deal.model_copy(update={"hands": padded})
    found = french_deck.read_row(deal, at_once, problems)
    if found is None:
        return None
    dealer, taking, row = deal.dealer - 1, _taking(actions), [HIDDEN_CARD] * len(PIQUET)
    if taking is None and not is_before_taking:
        return row
    dealt = french_deck.dealt_places(at_once, dealer)
    for seat, places in enumerate(places_of_hands(setup, dealer, actions)):
        hand = [found[place] for place in dealt[8 * seat : 8 * seat + 8]]
        if taking is not None:
            hand.sort()
        if taking is not None and taking[0] == seat:
            hand.insert(FIRST_CARDS, hand.pop(_turned_up(hand, *taking[1:])))
        for place, card in zip(places, hand, strict=False):
            row[place] = card
    return row


def write_row(
    setup: MatchSetup, dealer: int, row: np.ndarray, as_hands: bool, actions: Sequence[str] = ()
) -> dict[str, Any]:
    """Return `dealer`, and `deck` or `hands`; of a taking, those after it, or the deck without one (BE-4)."""
    if not as_hands or not is_dealt_after_taking(setup):
        return french_deck.write_row(setup, dealer, row, as_hands)
    if _taking(actions) is None:
        return french_deck.write_row(setup, dealer, row, False)
    words = [HIDDEN_WORD if card == HIDDEN_CARD else PIQUET.names[card] for card in row]
    hands = [" ".join(words[place] for place in hand) for hand in places_of_hands(setup, dealer, actions)]
    return {"dealer": dealer + 1, "hands": hands}


def places_of_hands(setup: MatchSetup, dealer: int, actions: Sequence[str]) -> list[list[int]]:
    """Return where in the pack each hand is: five cards, and after a taking the three others (BE-4).

    The card turned up is the sixth of the declarer's.
    """
    hands: list[list[int]] = [[], [], [], []]
    for place in range(TURNED_UP):
        hands[int(kernel.receiver(setup.rules, 4, dealer, place))].append(place)
    if (taking := _taking(actions)) is not None:
        hands[taking[0]].append(TURNED_UP)
        rest = iter(range(TURNED_UP + 1, len(PIQUET)))
        for step in range(1, 5):
            hand = hands[(dealer + step) % 4]
            hand += islice(rest, 8 - len(hand))
    return hands


def row_layout(setup: MatchSetup) -> RowLayout:
    """Return where the cards of hands are in dealing order, none if the taking decides it (BE-4)."""
    if not is_dealt_after_taking(setup):
        return french_deck.row_layout(setup)
    return RowLayout(PIQUET.code_entries, 0, len(PIQUET), np.tile(np.arange(len(PIQUET)), (setup.players, 1)))


def is_dealt_after_taking(setup: MatchSetup) -> bool:
    """Return whether the taking decides who is dealt the last twelve cards (BE-4)."""
    return bool(setup.rules["auction"] == kernel.BY_TAKING)


def _as_if_dealt_at_once(setup: MatchSetup) -> MatchSetup:
    rules = setup.rules.copy()
    rules["auction"] = 1 - kernel.BY_TAKING
    return setup._replace(rules=rules)


def _are_first_cards(hands: Sequence[str] | None) -> bool:
    """Return whether the hands that are written have five cards each."""
    sizes = {hand.count(" ") + 1 for hand in hands or () if hand != HIDDEN_WORD}
    return sizes == {FIRST_CARDS}


def _taking(actions: Sequence[str]) -> tuple[int, int, bool] | None:
    """Return the declarer's seat, the strain, and whether in the first round; None without one."""
    for index, action in enumerate(actions):
        seat, _, word = action.partition(" ")
        if word in TAKINGS and seat in ("1", "2", "3", "4"):
            return int(seat) - 1, TAKINGS[word], index < 4
    return None


def _turned_up(hand: list[int], strain: int, first_round: bool) -> int:
    """Return the place of a card that may have been turned up, a hidden one if no known one may (BE-5)."""
    known = [i for i, card in enumerate(hand) if card != HIDDEN_CARD]
    fitting = [i for i in known if (hand[i] >> 3 == strain) == first_round]
    return next(iter(fitting or [i for i in range(len(hand)) if i not in known]), 0)


def read_score_line(
    line: Any, setup: MatchSetup, problems: list[DealProblem], code: EncodeAction
) -> dict[str, Any]:
    """Return the contract, the belotes of each side and the litige that the points include."""
    found: dict[str, Any] = {}
    if line.contract is not None:
        found["contract"] = (code(line.contract.bid, "/contract/bid"), line.contract.coinche)
    if line.belote is not None and len(line.belote) == 2 and all(0 <= one <= 4 for one in line.belote):
        found["belote"] = tuple(line.belote)
    if line.litige is not None:
        found["litige"] = line.litige
    return found


MATCH_MODEL: type[Match] = BeloteMatch
MATCH_DEFAULTS: Mapping[str, Any] = {}
CODE_DOCS: Mapping[str, Rows] = {
    "outcome": (
        (str(kernel.PASSED), "all passed"),
        (str(kernel.RENOUNCED), "ended by a renonce"),
        (str(kernel.LITIGE), "equal totals: a litige"),
    ),
    "deck": (numbered_row(PIQUET.names),),
    "actions": rows_by_kind(action_words(), this.kind_of_act),
    "contract": (numbered_row(this.LEVELS),),
    "coinched": (("1", "contré"), ("2", "surcontré")),
}
