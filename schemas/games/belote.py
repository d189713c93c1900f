"""The log format of Belote with 32 cards."""

from collections.abc import Mapping, Sequence
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
    hands: list[str] | None = Field(None, description="of eight cards, with those dealt after the taking")
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


def read_row(deal: Any, setup: MatchSetup, problems: list[DealProblem]) -> list[int] | None:
    """Return the pack in dealing order; hands of which the taking decides are put in an order it deals."""
    if deal.deck is not None or not _is_dealt_after_taking(setup):
        return french_deck.read_row(deal, setup, problems)
    found = french_deck.read_row(deal, _as_if_dealt_at_once(setup), problems)
    if found is None:
        return None
    places = french_deck.dealt_places(_as_if_dealt_at_once(setup), deal.dealer - 1)
    hands = [sorted(found[place] for place in places[8 * seat : 8 * seat + 8]) for seat in range(4)]
    taker, strain, first_round = _taking(deal.actions) or (0, 0, True)
    hand = hands[taker]
    hand.append(hand.pop(_turned_up(hand, strain, first_round)))
    return _dealt_to_taker(setup, deal.dealer - 1, hands, taker)


def write_row(
    setup: MatchSetup, dealer: int, row: np.ndarray, as_hands: bool, actions: Sequence[str] = ()
) -> dict[str, Any]:
    """Return `dealer`, and `deck` or `hands`; of a taking, those after it, or the deck without one (BE-4)."""
    if not as_hands or not _is_dealt_after_taking(setup):
        return french_deck.write_row(setup, dealer, row, as_hands)
    if (taking := _taking(actions)) is None:
        return french_deck.write_row(setup, dealer, row, False)
    left = list(row)
    hands: list[list[int]] = [[], [], [], []]
    for place in range(20):
        hands[int(kernel.receiver(setup.rules, 4, dealer, place))].append(left.pop(0))
    hands[taking[0]].append(left.pop(0))
    for step in range(1, 5):
        hand = hands[(dealer + step) % 4]
        while len(hand) < 8:
            hand.append(left.pop(0))
    words = [HIDDEN_WORD if card == HIDDEN_CARD else PIQUET.names[card] for hand in hands for card in hand]
    return {"dealer": dealer + 1, "hands": [" ".join(words[at : at + 8]) for at in range(0, 32, 8)]}


def row_layout(setup: MatchSetup) -> RowLayout:
    """Return where the cards of hands are in dealing order, none if the taking decides it (BE-4)."""
    if not _is_dealt_after_taking(setup):
        return french_deck.row_layout(setup)
    order = np.tile(np.arange(len(PIQUET)), (setup.players, 1))
    return RowLayout(PIQUET.code_entries, 0, len(PIQUET), order)


def _is_dealt_after_taking(setup: MatchSetup) -> bool:
    return bool(setup.rules["auction"] == kernel.BY_TAKING)


def _as_if_dealt_at_once(setup: MatchSetup) -> MatchSetup:
    rules = setup.rules.copy()
    rules["auction"] = 1 - kernel.BY_TAKING
    return setup._replace(rules=rules)


def _taking(actions: Sequence[str]) -> tuple[int, int, bool] | None:
    """Return the taker's seat, the strain, and whether in the first round; None without one."""
    for index, action in enumerate(actions):
        seat, _, word = action.partition(" ")
        if word.startswith("take ") and word[5:] in this.STRAINS and seat in ("1", "2", "3", "4"):
            return int(seat) - 1, this.STRAINS.index(word[5:]), index < 4
    return None


def _turned_up(hand: list[int], strain: int, first_round: bool) -> int:
    """Return the place of a card that may have been turned up, a hidden one if no known one may (BE-5)."""
    known = [i for i, card in enumerate(hand) if card != HIDDEN_CARD]
    fitting = [i for i in known if (hand[i] >> 3 == strain) == first_round]
    return next(iter(fitting or [i for i in range(len(hand)) if i not in known]), 0)


def _dealt_to_taker(setup: MatchSetup, dealer: int, hands: list[list[int]], taker: int) -> list[int]:
    """Return the row that deals these hands if `taker` takes; the taker's last card is turned up."""
    left = [list(hand) for hand in hands]
    turned = left[taker].pop()
    row = []
    for place in range(20):
        row.append(left[int(kernel.receiver(setup.rules, 4, dealer, place))].pop(0))
    row.append(turned)
    for step in range(1, 5):
        row += left[(dealer + step) % 4]
    return row


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
