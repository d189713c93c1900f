"""Rows, sentences and sheet columns (declarer, contract) that games of two teams with a contract share."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import SYMBOLS
from ingest.games.base import (
    ColumnValues,
    GameSupport,
    IntArray,
    SheetColumn,
    StateArray,
    masked_where,
    player_at_seat,
    to_small_ints,
)
from ingest.i18n import N_, Translate

BID_TEXT = N_("bids {bid} {strain}")
_BID_PATTERN = re.compile(r"bid ([a-z]+(?=-)|\d+)-?(sa|ta|[shdc])")


class TeamContractSupport(GameSupport):
    """Ingest support of a game of two teams, one of which has a contract."""

    DOUBLED_TEXTS: Sequence[str]
    """Descriptions of a doubled and of a redoubled contract."""
    DOUBLE_WORD: str
    """The word of the call that doubles, which ends that of the call that doubles again."""
    LEVEL_TEXTS: Mapping[str, str]
    """Levels of contracts without a number → their names."""
    STRAIN_TEXTS: Mapping[str, str] = {}
    """Strains of contracts that are not suits → their names."""

    # rows of the store

    def deal_columns(self, states: StateArray) -> ColumnValues:
        return {
            "trump": to_small_ints(states["trump"]),
            "contract": to_small_ints(states["contract"]),
            "declarer": to_small_ints(states["declarer"], 1),
            "coinched": to_small_ints(states["coinched"]),
            "contract_made": masked_where(states["made"] < 0, states["made"] > 0),
        }

    def seat_points(self, states: StateArray, deal: IntArray, seat: IntArray) -> NDArray[np.int16]:
        return np.asarray(states["marks"][deal, seat & 1], np.int16)

    def seat_columns(self, states: StateArray, deal: IntArray, seat: IntArray) -> ColumnValues:
        side, winner = seat & 1, states["winner"][deal]
        return {
            "points": self.seat_points(states, deal, seat),
            "card_points": states["cards"][deal, side].astype(np.int16),
            "tricks": states["taken"][deal, seat].astype(np.uint8),
            "der": states["der"][deal] == side,
            "won": masked_where(winner < 0, winner == side),
        }

    # descriptions

    def strain_text(self, t: Translate, strain: str) -> str:
        """Return the strain of a contract as text: `♥`, or *sans atout*."""
        return t(self.STRAIN_TEXTS[strain]) if strain in self.STRAIN_TEXTS else SYMBOLS[strain]

    def level_text(self, t: Translate, level: str) -> str:
        """Return the level of a contract as text: `90`, or *capot*."""
        return t(self.LEVEL_TEXTS[level]) if level in self.LEVEL_TEXTS else level

    def _bid_in(self, word: str) -> tuple[str, str] | None:
        """Return level and strain of a bid's word, None of another."""
        found = _BID_PATTERN.fullmatch(word)
        if found is None or not (found[1].isdigit() or found[1] in self.LEVEL_TEXTS):
            return None
        return (found[1], found[2]) if found[2] in (*SYMBOLS, *self.STRAIN_TEXTS) else None

    def describe_bid(self, t: Translate, word: str) -> str | None:
        """Describe the word of a bid; None: it is not one."""
        if (found := self._bid_in(word)) is None:
            return None
        return t(BID_TEXT, bid=self.level_text(t, found[0]), strain=self.strain_text(t, found[1]))

    def summarize_actions(self, t: Translate, words: Sequence[Any]) -> list[Any]:
        """Return actions with bids merged, `bids 90–150 ♠♥♦♣`: there may be a hundred."""
        strains: dict[str, list[str]] = {}
        others = []
        for word in words:
            if found := self._bid_in(str(word).partition(" ")[2]):
                strains.setdefault(found[0], []).append(self.strain_text(t, found[1]))
            else:
                others.append(word)
        texts = {level: " ".join(each).replace(" ", "", 3) for level, each in strains.items()}
        spoken: list[Any] = []
        for same, run in groupby(texts, key=lambda level: (texts[level], level.isdigit())):
            levels = list(run)
            if same[1] and len(levels) > 1:
                levels = [f"{levels[0]}–{levels[-1]}"]
            spoken += [t(BID_TEXT, bid=self.level_text(t, level), strain=same[0]) for level in levels]
        return spoken + others

    def describe_score_line(self, t: Translate, score_line: Any, names: Sequence[str]) -> list[str]:
        if score_line.contract is None:
            return []
        seat, _, bid = score_line.contract.bid.partition(" ")
        times = getattr(score_line.contract, self.TIMES_FIELD)
        items = [t(self.DOUBLED_TEXTS[times - 1])] if 0 < times <= len(self.DOUBLED_TEXTS) else []
        return [" ".join([f"{player_at_seat(seat, names)} {self.describe_word(t, bid) or bid}", *items])]

    def changes_public_facts(self, before: np.void, now: np.void) -> bool:
        return bool(before["bidding"] and not now["bidding"])

    # notes and score sheets

    def score_line_of(self, actions: Sequence[str]) -> dict[str, Any] | None:
        """Return the contract of an auction."""
        bids = [one for one in actions if " bid " in one or " take " in one]
        times = sum(one.endswith(self.DOUBLE_WORD) for one in actions)
        return {"contract": {"bid": bids[-1], self.TIMES_FIELD: times}} if bids else None

    TIMES_FIELD: str
    """The key of a written contract that has how often it was doubled."""
    TOTALS_COLUMNS: Sequence[str] = ("made",)


DECLARER_COLUMN = SheetColumn(
    "declarer", N_("Declarer"), N_("who has the contract"), aliases=("preneur", "taker", "bidder")
)
MADE_COLUMN = SheetColumn(
    *("made", N_("Card points made"), N_("of the declarer’s team")),
    aliases=("realise", "realises", "fait", "faits", "points faits", "points realises", "made"),
    in_template=False,
    is_number=True,
)
