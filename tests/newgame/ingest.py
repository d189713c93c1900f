"""Brelin in `ingest`: its rows, texts of its actions, what scorekeepers forget."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.cards import SUITS, SYMBOLS, card_label
from engine.replay import Ply
from ingest.games.base import (
    AnnouncementRows,
    BoolArray,
    ColumnValues,
    GameSupport,
    IntArray,
    StateArray,
    masked_where,
    to_small_ints,
)
from ingest.games.finding_code import CodeInfo, ValueKind
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup
from tests.newgame.engine import PACK
from tests.newgame.engine.actions import LEVELS
from tests.newgame.engine.kernel import TRICKS, totals

BIDS = N_("bids {tricks} tricks in {suit}")

_CODES = {
    "card-before-bid": CodeInfo(
        N_("{who} plays {found} before anybody has bid. Possible: {legal}."),
        N_("Add the bid of the one who leads, before the first card."),
        ValueKind.ACTS,
    ),
    "bid-again": CodeInfo(
        N_("{who} {found} when there is a bid already. No effect."),
        N_("Leave the second bid out."),
        ValueKind.ACTS,
    ),
    "pair-not-held": CodeInfo(
        N_("{who} announces {found} without king and queen. In hand: {hand}. No effect."),
        N_("Correct the suit of the pair, or leave it out."),
        ValueKind.ACTS,
    ),
    "pair-again": CodeInfo(
        N_("{who} announces {found} a second time. No effect."),
        N_("Leave the second one out."),
        ValueKind.ACTS,
    ),
}


class Brelin(GameSupport):
    """Brelin from files to the store."""

    # rows of the store

    TOTALS_LOOP = staticmethod(totals)

    def deal_columns(self, states: StateArray) -> ColumnValues:
        """Columns of `deals`."""
        made = states["made"]
        return {
            "trump": to_small_ints(states["trump"]),
            "contract": to_small_ints(states["contract"]),
            "declarer": to_small_ints(states["declarer"], 1),
            "contract_made": masked_where(made < 0, made > 0),
        }

    def seat_columns(self, states: StateArray, deal: IntArray, seat: IntArray) -> ColumnValues:
        """Columns of `deal_seats`."""
        at = deal, seat
        winner = states["winner"][deal]
        return {
            "points": self.seat_points(states, deal, seat),
            "bonus": states["bonus"][at].astype(np.int16),
            "tricks": states["won"][at].astype(np.uint8),
            "der": states["trick_winners"][deal, TRICKS - 1] == seat,
            "won": masked_where(winner < 0, winner == seat),
        }

    def announcement_rows(
        self, states: StateArray, rules: NDArray[np.void], rule_of: IntArray, partly_hidden: BoolArray
    ) -> AnnouncementRows:
        """Every pair held or announced, by deal, seat and suit."""
        result = states["pairs"]
        held = np.where(partly_hidden[:, None], result, states["held"])  # what nobody wrote down is not known
        deal, seat, suit = np.nonzero((held | result)[:, :, None] >> np.arange(len(SUITS)) & 1)
        at = deal, seat
        in_hand, counted = (held[at] >> suit & 1) > 0, (result[at] >> suit & 1) > 0
        worth = rules["pair"][rule_of[deal]].astype(np.int16)
        return AnnouncementRows(
            deal,
            seat,
            {
                "kind": np.full(len(deal), "pair"),
                "suit": suit.astype(np.uint8),
                "trump": states["trump"][deal] == suit,
                "held": in_hand,
                "announced": counted,
                "shown": np.zeros(len(deal), np.bool_),
                "counted": counted,
                "missed": in_hand & ~counted,
                "trick": to_small_ints(states["when"][deal, seat, suit], 1),
                "lead": masked_where(~counted, (states["led"][at] >> suit & 1) > 0),
                "closed": masked_where(~counted, counted),  # there is nothing to draw
                "points": worth * counted,
                "worth": worth,
            },
        )

    # speech

    ANNOUNCEMENT_NAMES: Mapping[str, str] = {"pair": N_("pair")}

    def describe_word(self, t: Translate, word: str) -> str | None:
        """A card, a bid or a pair as a player says it."""
        if word in PACK.code_entries:
            return card_label(word, t.language)
        kind, _, suit = word.partition("-")
        if kind in self.ANNOUNCEMENT_NAMES and suit in SYMBOLS:
            return f"{t(self.ANNOUNCEMENT_NAMES[kind])} {SYMBOLS[suit]}"
        verb, _, bid = word.partition(" ")
        if verb == "bid" and len(bid) == 2 and bid[0].isdigit() and bid[1] in SYMBOLS:
            return t(BIDS, tricks=bid[0], suit=SYMBOLS[bid[1]])
        return None

    # the board of the terminal

    def public_facts(self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]) -> list[str]:
        """The bid, with its trump, and whose it is."""
        state = ply.state
        if int(state["declarer"]) < 0:
            return [t("nobody has bid")]
        tricks, suit = LEVELS[int(state["contract"])], SYMBOLS[SUITS[int(state["trump"])]]
        who = names[int(state["declarer"])]
        return [t("{who} bid {tricks} tricks, trump {suit}", who=who, tricks=tricks, suit=suit)]

    def changes_public_facts(self, before: np.void, now: np.void) -> bool:
        """Whether the bid was made."""
        return bool(before["bidding"] and not now["bidding"])

    # recording errors

    # notes

    NOTE_ALIASES: Mapping[str, str] = {"paire": "pair", "annonce": "bid"}
    NOTE_EXAMPLES = ("{who} bids 4♥", "{who} plays A♠")

    # score sheets

    # the words of the game

    RULE_PREFIX: str = "BR"

    # codes of findings

    FINDING_CODES = _CODES


GAME = Brelin()
