"""Brelin on the board, a state in words, and what its figures are made of."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from dashboard.games import plain
from dashboard.games.deal import RUFF, Deal, fact, ruffs, suit_named, won_by_suit
from dashboard.games.plain import card_names as card_names
from dashboard.games.plain import dealt as dealt
from dashboard.games.plain import dealt_worth as dealt_worth
from dashboard.games.plain import faces as faces
from dashboard.games.plain import frame as frame
from dashboard.games.plain import turned as turned
from dashboard.games.plain import veiled as veiled
from dashboard.games.records import Height, Mark, Statistics
from dashboard.games.typing import answered as answered
from dashboard.games.typing import asks as asks
from dashboard.games.typing import called as called
from dashboard.games.typing import card_keys, with_suits
from dashboard.games.typing import grid as grid
from dashboard.games.typing import hand_size as hand_size
from dashboard.games.typing import held as held
from dashboard.games.typing import is_seldom as is_seldom
from dashboard.games.typing import tile as tile
from dashboard.text.columns import POINTS, Column, averaged, counted
from dashboard.text.definitions import Definition
from engine.cards import SUITS, SYMBOLS
from engine.replay import Ply
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate
from schemas.table import Table
from schemas.words import act_word
from tests.newgame import NAME
from tests.newgame.engine import acts, kernel

# the board

TITLE = "Brelin"
RECALL: Literal["own", "last"] = "last"
MARKS: Mapping[str, Mark] = {
    **RUFF,
    "pair": Mark(N_("pair"), "M0 5A2.5 2.5 0 0 1 5 5A2.5 2.5 0 0 1 10 5L5 10Z", "primary"),
}


def ply(deal: Deal, index: int) -> dict[str, Any]:
    """One state as every game of tricks has it, with the bid, the trump and the pairs."""
    t, now = deal.t, deal.replay[index]
    told = plain.ply(deal, index)
    told["due"] = t("to bid") if now.state["bidding"] else ""
    if now.action is not None and now.action.act >= acts.PAIR:
        seat, act = now.action
        said = speak_word(t, act_word(NAME, act), NAME)
        told["text"] = t("{who} announces {what}", who=deal.names[seat], what=said)
    told["facts"] = [*_facts(deal, now), *told["facts"]]
    for seat, view in enumerate(told["seats"]):
        view["notes"] = [
            {"text": f"{t('pair')} {SYMBOLS[suit]}", "counts": True} for suit in _pairs(now, seat)
        ]
    if index and now.over:
        told["also"].append(_ending(deal, now))
    return told


def _facts(deal: Deal, now: Ply) -> list[dict[str, str]]:
    """Who bid how many tricks, and what is trump."""
    state, t = now.state, deal.t
    if int(state["bidder"]) < 0:
        return [fact(t("The bid"), t("nobody has bid"))]
    who, tricks = deal.names[int(state["bidder"])], acts.LEVELS[int(state["contract"])]
    trump = int(state["trump"])
    return [
        fact(t("The bid"), t("{tricks} tricks by {who}", tricks=tricks, who=who)),
        fact(t("Trump"), suit_named(trump, t), SUITS[trump]),
    ]


def _pairs(now: Ply, seat: int) -> list[str]:
    """The suits of the pairs that count for a seat."""
    return [suit for place, suit in enumerate(SUITS) if int(now.state["pairs"][seat]) >> place & 1]


def _ending(deal: Deal, now: Ply) -> str:
    """Whether the bid was made."""
    t, who = deal.t, deal.names[int(now.state["bidder"])]
    text = N_("{who} made the bid") if now.state["made"] else N_("{who} failed the bid")
    return t(text, who=who)


def allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The legal cards, and in words the bids or the pairs."""
    cards, words = plain.allowed(deal, now)
    for _, act in now.legal:
        if act >= acts.BID:
            words.append(speak_word(deal.t, act_word(NAME, act), NAME))
    return cards, words


why = won_by_suit


def shown(now: Ply, before: Ply, seat: int, known: int) -> int:
    """The king and queen of a pair, as long as they are in the hand."""
    for suit in range(len(SUITS)):
        if int(now.state["pairs"][seat]) >> suit & 1:
            known |= int(kernel.COUPLE) << 3 * suit
    return known & int(now.state["hand"][seat])


def remarkable(deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
    """Ruffs, and the pairs that count."""
    assert now.action is not None
    if ruffs(deal, now.action.act, before):
        yield "ruff", ""
    elif (now.state["pairs"] != before.state["pairs"]).any():
        yield "pair", ""


# typing

TAUGHT: tuple[str, ...] = ("9h", "pair-h")


def keys(table: Table, t: Translate) -> dict[str, str]:
    """The cards, a pair by its suit, a bid by its tricks after `b`."""
    found = {**card_keys(table, t), **with_suits("p", "pair-")}
    for tricks in acts.LEVELS:
        found |= with_suits(f"b{tricks}", f"bid {tricks}")
    return found


# what is counted

HEIGHTS: tuple[Height, ...] = tuple(Height(str(tricks), tricks) for tricks in acts.LEVELS)
STATISTICS = Statistics(averages=("points", "bonus", "tricks"), width=2)


# tables and pages


def _made(row: Mapping[str, Any], t: Translate) -> str:
    return t("{made} of {contracts}", made=row["made"], contracts=row["contracts"])


COUNTED_DEALS = N_("Hands of Brelin")
SECTIONS: tuple[str, ...] = ("announcements", "contracts")
SECTION_HEADINGS: Mapping[str, str] = {"contracts": N_("Tricks bid")}
ROW_NAMES: Mapping[tuple[str, str], str] = {("measure", "bonus"): N_("Points of pairs")}
PLAYER_COLUMNS: tuple[Column, ...] = (
    *POINTS,
    averaged(N_("of which pairs"), "bonus", "bonus"),
    counted(N_("Tricks were bid"), "contracts", "contracts"),
    Column(N_("Bids made"), _made, "made"),
)
MATCH_COLUMNS: tuple[Column, ...] = ()
SUITLESS: tuple[str, ...] = ()
BID_CARDS: tuple[str, ...] = ()
EXAMPLES: tuple[str, ...] = ()
RULES: Mapping[str, str] = {}
DEFINITIONS: Mapping[str, Definition] = {
    "pair": Definition(N_("Pair"), N_("King and queen of one suit in one hand of Brelin."), "BR-4"),
}
IN_DEFINITIONS: Mapping[str, str] = {"points": N_("in Brelin the tricks and the pairs")}
