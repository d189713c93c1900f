"""Coinche in ingest: rows, spoken words, common recording errors."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import JASS, SUITS, SYMBOLS, card_label
from engine.coinche.actions import LEVELS
from engine.coinche.kernel import card_points, points
from engine.replay import Ply
from ingest.games.base import SUIT_COLUMN, NumberReader, ScoreLineReader, SheetColumn, StateArray
from ingest.games.finding_code import DependsOn, action_code, revoke_code
from ingest.games.team_contracts import DECLARER_COLUMN, MADE_COLUMN, TeamContractSupport
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
        N_("No contract can be “{found}”."),
        N_("Write the last bid, and 0, 1 or 2 for how often it was doubled; a générale never is."),
        depends_on=DependsOn.DEAL,
        sentences_when={
            # the kernel refuses 1 and 2 only to a générale
            (lambda one: one.path.endswith("/coinche") and one.found in (1, 2)): N_(
                "A générale cannot be coinched, but `coinche` is {found}. Write 0."
            ),
            (lambda one: one.path.endswith("/coinche")): N_("`coinche` cannot be {found}. Write 0, 1 or 2."),
        },
    ),
    # play
    "card-before-contract": action_code(
        N_("{who} plays {found} before there is a contract."),
        N_("Complete the auction: three passes after a bid that is not coinched nor a générale."),
    ),
    "must-follow-trump": revoke_code(N_("{who} plays {found} but has to follow in trump. Legal: {legal}.")),
    "must-follow-or-ruff": revoke_code(
        N_("{who} plays {found} but must follow suit or ruff above every trump played. Legal: {legal}.")
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
        N_("{who} surcoinches, but it was their own team that coinched. No effect."),
        N_("Correct the seat: one of the bidding team surcoinches."),
    ),
    # claims
    "claim-misplaced": action_code(
        N_("{who} claims without being on lead. No effect."),
        N_("Move the claim to its player’s lead, or correct the seat."),
    ),
}


class Coinche(TeamContractSupport):
    """Ingest support for Coinche."""

    DOUBLED_TEXTS = (N_("coinched"), N_("surcoinched"))
    DOUBLE_WORD = "coinche"
    TIMES_FIELD = "coinche"
    LEVEL_TEXTS: Mapping[str, str] = {"match": N_("match"), "generale": N_("générale")}

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
        return self.describe_bid(t, word)

    # the terminal's view

    def public_facts(self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]) -> list[str]:
        state = ply.state
        level = int(state["contract"])
        if level < 0:
            return [t("no bid")] if ply.index else []
        suit = SYMBOLS[SUITS[int(state["trump"])]]
        message = t("{bid} {suit} by {who}", bid=LEVELS[level], suit=suit, who=names[int(state["declarer"])])
        doubled = ("", t("coinched"), t("surcoinched"))[int(state["coinched"])]
        return [message, doubled] if doubled else [message]

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

    # score sheets

    SHEET_COLUMNS: Sequence[SheetColumn] = (
        DECLARER_COLUMN,
        SheetColumn("contract", N_("Contract"), N_("90 ♥; – where all passed"), aliases=("enchere", "bid")),
        SUIT_COLUMN,
        SheetColumn(
            "coinche", N_("Coinche"), N_("1 coinched, 2 surcoinched"), aliases=("coinchee", "contre")
        ),
        MADE_COLUMN,
    )
    CARD_TOTALS: Sequence[int] = (157,)

    OTHER_NAMES: Mapping[str, str] = {
        r"coinche\W+(?:(?:a|avec|en|jeu|de|with)\s+)*36\s*(?:cartes|cards)\b\)?": "tournoi-2018"
    }

    def is_end_of_row(self, reader: NumberReader, state: np.void) -> bool:
        """Return whether the declarer's team has the card points of the sheet, rounded to ten (CO-12)."""
        made, level = reader.read_number("made"), LEVELS[max(0, int(state["contract"]))]
        if made is None or int(state["contract"]) < 0 or not level.isdigit():
            return True
        if (made >= int(level)) != (state["made"] > 0):
            return False
        if made < int(level) or state["coinched"]:
            return True
        side, total = int(state["declarer"]) & 1, sum(int(points(state, side)) for side in range(2))
        marks = [int(one) for one in state["marks"]]
        same = marks[side] - int(level) == (made + 5) // 10 * 10
        rounded = made % 10 == 0  # the writer may have rounded it: the others' points are open
        return same and (rounded or marks[1 - side] == (total - made + 5) // 10 * 10)

    def read_score_line(self, reader: ScoreLineReader) -> dict[str, Any]:
        """Return the contract with its declarer, asking for a missing declarer."""
        if _OTHER_RULES.search(reader.read_text("contract").casefold()):
            reader.ask_once("contract", OTHER_COINCHE)
            return {}
        bids = reader.read_acts("contract", "bid", "coinche", "surcoinche")
        declarer = reader.read_seat("declarer")
        coinche = reader.read_choice("coinche", _COINCHE_ALIASES)
        if coinche is None and bids:  # « 110 ♥ coinché »
            coinche = max(DOUBLED.get(word, 0) for word in bids) or None
        bids = [word for word in bids or () if word.startswith("bid ")]
        if not bids:
            return {}
        if declarer is None:
            reader.ask_for_missing("declarer")
            return {}
        bid = {"bid": f"{declarer} {bids[-1]}"}
        return {"contract": bid if coinche is None else bid | {"coinche": coinche}}

    # rules

    RULE_PREFIX: str = "CO"

    FINDING_CODES = _CODES


GAME = Coinche()
