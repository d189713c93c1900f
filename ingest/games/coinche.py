"""Coinche from files to the store: its rows, how its acts are spoken, what its scribes forget."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import JASS, SUITS, SYMBOLS, pretty
from engine.coinche.actions import LEVELS
from engine.coinche.kernel import worth
from engine.replay import Ply
from ingest.games.base import Column, Columns, Game, Line, Places, States, named, small, unless
from ingest.games.finding_code import Rests, of_act, revoke
from ingest.i18n import N_, Translate
from schemas.match_setup import Table

ACTS = {
    "pass": N_("passes"),
    "coinche": N_("coinches"),
    "surcoinche": N_("surcoinches"),
    "claim": N_("lays down the hand"),
    "won": N_("says “we have won”"),
    "resign": N_("resigns"),
}
BIDS = N_("bids {bid} {suit}")
_NAMED = {"match": N_("match"), "generale": N_("générale")}
_BID = re.compile(r"\d+ bid (match|generale|\d+)-?([shdc])")


def _height(t: Translate, level: str) -> str:
    """What is bid, without its suit."""
    return t(_NAMED[level]) if level in _NAMED else level


TIMES = (N_("coinched"), N_("surcoinched"))
_COINCHED: Mapping[str, int] = {
    **dict.fromkeys(("0", "non", "no", "-", "–"), 0),
    **dict.fromkeys(("1", "oui", "yes", "x", "coinche", "coinchee", "contre", "coinched"), 1),
    **dict.fromkeys(("2", "surcoinche", "surcoinchee", "surcontre", "surcoinched"), 2),
}

_CODES = {
    # a line of a score sheet
    "contract-impossible": of_act(
        N_("There is no such contract: {found}."),
        N_("Write the last bid, and 0, 1 or 2 for how often it was doubled; a générale never is."),
        rests=Rests.DEAL,
    ),
    # play
    "card-before-contract": of_act(
        N_("{who} plays {found} before there is a contract."),
        N_("Complete the auction: three passes after a bid that is not coinched nor a générale."),
    ),
    "must-follow-trump": revoke(
        N_("{who} plays {found} but has to follow in trump. Legal: {legal}.")
    ),
    "must-follow-or-ruff": revoke(
        N_("{who} plays {found} but must follow suit or ruff higher. Legal: {legal}.")
    ),
    "under-ruff": revoke(
        N_("{who} ruffs with {found}, lower than a trump already there. Legal: {legal}.")
    ),
    # the auction
    "bid-too-low": of_act(
        N_("{who}: {found} is not higher than the last bid. Possible: {legal}."),
        N_("Correct the bid’s height or the bid before it."),
    ),
    "auction-over": of_act(
        N_("{who}: {found} when the auction is over. It counts nothing."),
        N_("Leave the word out, or look for a pass too many before it."),
    ),
    "coinche-no-bid": of_act(
        N_("{who} coinches when there is no bid. It counts nothing."),
        N_("Leave the coinche out, or add the bid that is missing."),
    ),
    "coinche-side": of_act(
        N_("{who} coinches a bid of their own team. It counts nothing."),
        N_("Correct the seat: an opponent of the last bidder coinches."),
    ),
    "coinche-generale": of_act(
        N_("{who} coinches a générale, which cannot be. It counts nothing."),
        N_("Leave the coinche out."),
    ),
    "coinche-again": of_act(
        N_("{who}: {found} when it was said already. It counts nothing."),
        N_("Leave the second one out."),
    ),
    "coinche-late": of_act(
        N_("{who}: {found} after the first card. It counts nothing."),
        N_("Leave it out, or move it before the first card."),
    ),
    "surcoinche-no-coinche": of_act(
        N_("{who} surcoinches when nobody coinched. It counts nothing."),
        N_("Add the coinche that is missing, or leave the surcoinche out."),
    ),
    "surcoinche-side": of_act(
        N_("{who} surcoinches for the other team. It counts nothing."),
        N_("Correct the seat: one of the bidding team surcoinches."),
    ),
    # claims
    "claim-misplaced": of_act(
        N_("{who} lays down the hand without being on lead. It counts nothing."),
        N_("Move the claim to its player’s lead, or correct the seat."),
    ),
}


class Coinche(Game):
    """Coinche from files to the store."""

    # rows of the store

    SCORE: str = "marks"

    def deal(self, states: States) -> Columns:
        made = states["made"]
        return {
            "trump": small(states["trump"]),
            "contract": small(states["contract"]),
            "bidder": small(states["bidder"], 1),
            "coinched": small(states["coinched"]),
            "made": unless(made < 0, made > 0),
        }

    def points(self, states: States, deal: Places, seat: Places) -> NDArray[np.int16]:
        """The marks of each seat's side."""
        marks: NDArray[np.int16] = states["marks"][deal, seat & 1].astype(np.int16)
        return marks

    def seat(self, states: States, deal: Places, seat: Places) -> Columns:
        side = seat & 1
        winner = states["winner"][deal]
        return {
            "points": self.points(states, deal, seat),
            "cards": states["cards"][deal, side].astype(np.int16),
            "tricks": states["taken"][deal, seat].astype(np.uint8),
            "der": states["der"][deal] == side,
            "won": unless(winner < 0, winner == side),
        }

    def card_points(self, states: States) -> NDArray[np.int64]:
        """What each of 36 cards is worth to whoever is dealt it: nothing is trump yet."""
        points = np.array([worth(card, -1) for card in range(len(JASS))], np.int64)
        return np.broadcast_to(points, (len(states), len(JASS)))

    def speak(self, t: Translate, word: str) -> str | None:
        if word in JASS.codes:
            return pretty(word, t.language)
        if word in ACTS:
            return t(ACTS[word])
        if word.startswith("bid ") and word[-1] in SYMBOLS:
            return t(BIDS, bid=_height(t, word[4:-1].rstrip("-")), suit=SYMBOLS[word[-1]])
        return None

    def shorten(self, t: Translate, words: Sequence[Any]) -> list[Any]:
        """Actions with their bids in a few words, `bids 90–150 ♠♥♦♣`, for there may be forty."""
        suits: dict[str, str] = {}
        others = []
        for word in words:
            if found := _BID.fullmatch(str(word)):
                suits[found[1]] = suits.get(found[1], "") + SYMBOLS[found[2]]
            else:
                others.append(word)
        spoken: list[Any] = []
        for same, run in groupby(suits, key=lambda height: (suits[height], height.isdigit())):
            heights = list(run)
            if same[1] and len(heights) > 1:
                heights = [f"{heights[0]}–{heights[-1]}"]
            spoken += [t(BIDS, bid=_height(t, height), suit=same[0]) for height in heights]
        return spoken + others

    def say_told(self, t: Translate, line: Any, names: Sequence[str]) -> list[str]:
        if line.contract is None:
            return []
        seat, _, bid = line.contract.bid.partition(" ")
        times = line.contract.coinche
        said = [t(TIMES[times - 1])] if 0 < times <= len(TIMES) else []
        return [" ".join([f"{named(seat, names)} {self.speak(t, bid) or bid}", *said])]

    # the board of the terminal

    def beside(self, t: Translate, ply: Ply, table: Table, names: Sequence[str]) -> list[str]:
        """The bid that holds, whose it is, and whether it was coinched."""
        state = ply.state
        level = int(state["contract"])
        if level < 0:
            return [t("no bid")] if ply.index else []
        suit = SYMBOLS[SUITS[int(state["trump"])]]
        bidder = names[int(state["bidder"])]
        said = t("{bid} {suit} by {who}", bid=LEVELS[level], suit=suit, who=bidder)
        doubled = ("", t("coinched"), t("surcoinched"))[int(state["coinched"])]
        return [said, doubled] if doubled else [said]

    def settled(self, before: np.void, now: np.void) -> bool:
        """Whether the auction was closed."""
        return bool(before["bidding"] and not now["bidding"])

    # slips of a scribe

    OFTEN: Mapping[str, float] = {
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

    SAID: Mapping[str, str] = {
        **dict.fromkeys(("passe", "je passe", "passes"), "pass"),
        **dict.fromkeys(("contre", "coinches"), "coinche"),
        **dict.fromkeys(("surcontre", "surcoinches"), "surcoinche"),
        **dict.fromkeys(("abat son jeu", "abat", "claims", "lays down"), "claim"),
        **dict.fromkeys(("nous avons gagne", "we have won"), "won"),
        **dict.fromkeys(("abandonne", "abandon", "resigns"), "resign"),
        **dict.fromkeys(("bids",), "bid"),
    }

    # score sheets

    COLUMNS: Sequence[Column] = (
        Column("bidder", N_("Bidder"), N_("who has the contract"), said=("preneur", "taker")),
        Column("contract", N_("Contract"), N_("90 ♥; – where all passed"), said=("enchere", "bid")),
        Column(
            "coinche", N_("Coinche"), N_("1 coinched, 2 surcoinched"), said=("coinchee", "contre")
        ),
    )

    def told(self, line: Line) -> dict[str, Any]:
        """The contract, and whose it is."""
        bids, bidder = line.acts("contract", "bid"), line.who("bidder")
        coinche = line.one_of("coinche", _COINCHED)
        bids = [word for word in bids or () if word.startswith("bid ")]
        if not bids:
            return {}
        if bidder is None:
            line.lacks("bidder")
            return {}
        bid = {"bid": f"{bidder} {bids[-1]}"}
        return {"contract": bid if coinche is None else bid | {"coinche": coinche}}

    # what is said of the game

    RULES: str = "CO"
    MEANINGS: Sequence[str] = (N_("score to reach"), N_("what a coinche multiplies"))

    CODES = _CODES


GAME = Coinche()
