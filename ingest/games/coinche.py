"""Coinche in ingest: rows, spoken words, common recording errors."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import JASS, SUITS, SYMBOLS, card_label
from engine.coinche.actions import LEVELS
from engine.coinche.kernel import card_points, points
from engine.replay import Ply
from ingest.games.base import (
    SUIT_COLUMN,
    NumberReader,
    ScoreLineReader,
    SheetColumn,
    StateArray,
    TeamSupport,
    player_at_seat,
)
from ingest.games.finding_code import DependsOn, action_code, revoke_code
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup

ACT_TEXTS = {
    "pass": N_("passes"),
    "coinche": N_("coinches"),
    "surcoinche": N_("surcoinches"),
    "claim": N_("shows the hand and claims"),
    "won": N_("announces “we have won”"),
    "resign": N_("resigns"),
}
BID_TEXT = N_("bids {bid} {suit}")
_NAMED_BIDS = {"match": N_("match"), "generale": N_("générale")}
_BID_PATTERN = re.compile(r"\d+ bid (match|generale|\d+)-?([shdc])")


def _level_text(t: Translate, level: str) -> str:
    return t(_NAMED_BIDS[level]) if level in _NAMED_BIDS else level


COINCHE_TEXTS = (N_("coinched"), N_("surcoinched"))
_COINCHE_ALIASES: Mapping[str, int] = {
    **dict.fromkeys(("0", "non", "no", "-", "–"), 0),
    **dict.fromkeys(("1", "oui", "yes", "x", "coinche", "coinchee", "contre", "coinched"), 1),
    **dict.fromkeys(("2", "surcoinche", "surcoinchee", "surcontre", "surcoinched"), 2),
}

DOUBLED = {"coinche": 1, "surcoinche": 2}
_OTHER_RULES = re.compile(r"\b(?:sa|ta|sans[ -]?atouts?|tout[ -]?atouts?|no[ -]?trumps?|all[ -]?trumps?)\b")
OTHER_COINCHE = N_(
    "“{read}” is a contract of Belote, with 32 cards; Coinche is the tournament game with 36. Choose "
    "Belote as the game of the sheet."
)

_CODES = {
    # a line of a score sheet
    "contract-impossible": action_code(
        N_("No such contract: {found}."),
        N_("Write the last bid, and 0, 1 or 2 for how often it was doubled; a générale never is."),
        depends_on=DependsOn.DEAL,
    ),
    # play
    "card-before-contract": action_code(
        N_("{who} plays {found} before there is a contract."),
        N_("Complete the auction: three passes after a bid that is not coinched nor a générale."),
    ),
    "must-follow-trump": revoke_code(N_("{who} plays {found} but has to follow in trump. Legal: {legal}.")),
    "must-follow-or-ruff": revoke_code(
        N_("{who} plays {found} but must follow suit or ruff higher. Legal: {legal}.")
    ),
    # the auction
    "coinche-no-bid": action_code(
        N_("{who} coinches before any bid. No effect."),
        N_("Leave the coinche out, or add the bid that is missing."),
    ),
    "coinche-side": action_code(
        N_("{who} coinches a bid of their own team. No effect."),
        N_("Correct the seat: only a defender can coinche."),
    ),
    "coinche-generale": action_code(
        N_("{who} coinches a générale; a générale cannot be coinched. No effect."),
        N_("Leave the coinche out."),
    ),
    "coinche-again": action_code(
        N_("{who}: {found} for the second time. No effect."), N_("Leave the second one out.")
    ),
    "coinche-late": action_code(
        N_("{who}: {found} after the first card. No effect."),
        N_("Leave it out, or move it before the first card."),
    ),
    "surcoinche-no-coinche": action_code(
        N_("{who} surcoinches without a coinche. No effect."),
        N_("Add the coinche that is missing, or leave the surcoinche out."),
    ),
    "surcoinche-side": action_code(
        N_("{who} surcoinches for the other team. No effect."),
        N_("Correct the seat: one of the bidding team surcoinches."),
    ),
    # claims
    "claim-misplaced": action_code(
        N_("{who} claims without being on lead. No effect."),
        N_("Move the claim to its player’s lead, or correct the seat."),
    ),
}


class Coinche(TeamSupport):
    """Ingest support for Coinche."""

    # rows of the store

    def dealt_card_points(self, states: StateArray) -> NDArray[np.int64]:
        """Return the points of each card to the player dealt it, (deals, 36), without trump."""
        points = np.array([card_points(card, -1) for card in range(len(JASS))], np.int64)
        return np.broadcast_to(points, (len(states), len(JASS)))

    def describe_word(self, t: Translate, word: str) -> str | None:
        if word in JASS.code_entries:
            return card_label(word, t.language)
        if word in ACT_TEXTS:
            return t(ACT_TEXTS[word])
        if word.startswith("bid ") and word[-1] in SYMBOLS:
            return t(BID_TEXT, bid=_level_text(t, word[4:-1].rstrip("-")), suit=SYMBOLS[word[-1]])
        return None

    def summarize_actions(self, t: Translate, words: Sequence[Any]) -> list[Any]:
        """Return actions with bids merged, `bids 90–150 ♠♥♦♣`: there may be forty."""
        suits: dict[str, str] = {}
        others = []
        for word in words:
            if found := _BID_PATTERN.fullmatch(str(word)):
                suits[found[1]] = suits.get(found[1], "") + SYMBOLS[found[2]]
            else:
                others.append(word)
        spoken: list[Any] = []
        for same, run in groupby(suits, key=lambda height: (suits[height], height.isdigit())):
            heights = list(run)
            if same[1] and len(heights) > 1:
                heights = [f"{heights[0]}–{heights[-1]}"]
            spoken += [t(BID_TEXT, bid=_level_text(t, height), suit=same[0]) for height in heights]
        return spoken + others

    def describe_score_line(self, t: Translate, score_line: Any, names: Sequence[str]) -> list[str]:
        if score_line.contract is None:
            return []
        seat, _, bid = score_line.contract.bid.partition(" ")
        times = score_line.contract.coinche
        items = [t(COINCHE_TEXTS[times - 1])] if 0 < times <= len(COINCHE_TEXTS) else []
        return [" ".join([f"{player_at_seat(seat, names)} {self.describe_word(t, bid) or bid}", *items])]

    # the terminal's view

    def public_facts(self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]) -> list[str]:
        state = ply.state
        level = int(state["contract"])
        if level < 0:
            return [t("no bid")] if ply.index else []
        suit = SYMBOLS[SUITS[int(state["trump"])]]
        message = t("{bid} {suit} by {who}", bid=LEVELS[level], suit=suit, who=names[int(state["bidder"])])
        doubled = ("", t("coinched"), t("surcoinched"))[int(state["coinched"])]
        return [message, doubled] if doubled else [message]

    def changes_public_facts(self, before: np.void, now: np.void) -> bool:
        return bool(before["bidding"] and not now["bidding"])

    # recording errors

    ACT_FREQUENCIES: Mapping[str, float] = {
        "bid generale": 0.001,
        "bid match": 0.01,
        "bid": 0.4,
        "pass": 0.6,
        "coinche": 0.05,
        "surcoinche": 0.05,
        "claim": 0.05,
        "won": 0.02,
        "resign": 0.01,
    }

    # notes

    NOTE_FILLERS: Sequence[str] = ("chute", "chutent", "dedans", "reussi", "reussit", "down")
    NOTE_EXAMPLES = (N_("{who} bids 90 ♥, {other} passes"), N_("{who} wins 210 to 40"))
    NOTE_ALIASES: Mapping[str, str] = {
        **dict.fromkeys(("passe", "je passe", "passent", "passes", "passed"), "pass"),
        **dict.fromkeys(("contre", "coinches", "doubles", "coinched", "doubled"), "coinche"),
        **dict.fromkeys(("surcontre", "surcoinches", "redoubles", "surcoinched", "redoubled"), "surcoinche"),
        **dict.fromkeys(("abat son jeu", "abat", "claims", "lays down"), "claim"),
        **dict.fromkeys(("nous avons gagne", "we have won"), "won"),
        **dict.fromkeys(("abandonne", "abandon", "resigns"), "resign"),
        **dict.fromkeys(("bids",), "bid"),
        **dict.fromkeys(("capot", "slam"), "match"),
    }

    def trump_of(self, setup: MatchSetup, deal: Mapping[str, Any], acts: Sequence[str]) -> str | None:
        return next((act[-1] for act in reversed(acts) if act.startswith("bid ")), None)

    def score_line_of(self, actions: Sequence[str]) -> dict[str, Any] | None:
        """Return the contract of an auction."""
        bids = [one for one in actions if " bid " in one]
        times = sum(one.endswith("coinche") for one in actions)
        return {"contract": {"bid": bids[-1], "coinche": times}} if bids else None

    # score sheets

    SHEET_COLUMNS: Sequence[SheetColumn] = (
        SheetColumn("bidder", N_("Bidder"), N_("the declarer"), aliases=("preneur", "taker")),
        SheetColumn("contract", N_("Contract"), N_("90 ♥; – where all passed"), aliases=("enchere", "bid")),
        SUIT_COLUMN,
        SheetColumn(
            "coinche", N_("Coinche"), N_("1 coinched, 2 surcoinched"), aliases=("coinchee", "contre")
        ),
        SheetColumn(
            "made",
            N_("Card points made"),
            N_("of the declarer’s team"),
            aliases=("realise", "realises", "fait", "faits", "points faits", "points realises", "made"),
            in_template=False,
            is_number=True,
        ),
    )
    TOTALS_COLUMNS: Sequence[str] = ("made",)
    CARD_TOTALS: Sequence[int] = (157,)

    OTHER_NAMES: Mapping[str, str] = {
        r"coinche\W+(?:(?:a|avec|en|jeu|de|with)\s+)*36\s*(?:cartes|cards)\b\)?": "tournoi-2018"
    }

    def is_end_of_row(self, reader: NumberReader, state: np.void) -> bool:
        """Return whether the bidder's team has the card points of the sheet, rounded to ten (CO-12)."""
        made, level = reader.read_number("made"), LEVELS[max(0, int(state["contract"]))]
        if made is None or int(state["contract"]) < 0 or not level.isdigit():
            return True
        if (made >= int(level)) != (state["made"] > 0):
            return False
        if made < int(level) or state["coinched"]:
            return True
        side, total = int(state["bidder"]) & 1, sum(int(points(state, side)) for side in range(2))
        marks = [int(one) for one in state["marks"]]
        same = marks[side] - int(level) == (made + 5) // 10 * 10
        rounded = made % 10 == 0  # the writer may have rounded it: the others' points are open
        return same and (rounded or marks[1 - side] == (total - made + 5) // 10 * 10)

    def read_score_line(self, reader: ScoreLineReader) -> dict[str, Any]:
        """Return the contract with its bidder, asking for a missing bidder."""
        if _OTHER_RULES.search(reader.read_text("contract").casefold()):
            reader.ask_once("contract", OTHER_COINCHE)
            return {}
        bids = reader.read_acts("contract", "bid", "coinche", "surcoinche")
        bidder = reader.read_seat("bidder")
        coinche = reader.read_choice("coinche", _COINCHE_ALIASES)
        if coinche is None and bids:  # « 110 ♥ coinché »
            coinche = max(DOUBLED.get(word, 0) for word in bids) or None
        bids = [word for word in bids or () if word.startswith("bid ")]
        if not bids:
            return {}
        if bidder is None:
            reader.ask_for_missing("bidder")
            return {}
        bid = {"bid": f"{bidder} {bids[-1]}"}
        return {"contract": bid if coinche is None else bid | {"coinche": coinche}}

    # rules

    RULE_PREFIX: str = "CO"

    FINDING_CODES = _CODES


GAME = Coinche()
