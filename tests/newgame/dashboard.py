"""Brelin on the board, a state in words, and what its figures are made of."""

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.games.base import (
    RUFF,
    Deal,
    Game,
    Height,
    Mark,
    Statistics,
    card_keys,
    fact,
    ruffs,
    suit_named,
    with_suits,
)
from dashboard.text.columns import POINTS, Column, averaged, counted
from dashboard.text.definitions import Definition
from engine.cards import SUITS, SYMBOLS
from engine.replay import Ply
from ingest.findings.spoken_notation import speak_word
from ingest.i18n import N_, Translate
from schemas.match_setup import Table
from schemas.notation import act_word
from tests.newgame import NAME
from tests.newgame.engine import actions, kernel


class Brelin(Game):
    """What it has of its own: bids of tricks, and pairs."""

    # the board

    MARKS: Mapping[str, Mark] = {
        **RUFF,
        "pair": Mark(N_("pair"), "M0 5A2.5 2.5 0 0 1 5 5A2.5 2.5 0 0 1 10 5L5 10Z", "primary"),
    }

    def ply(self, deal: Deal, index: int) -> dict[str, Any]:
        t = deal.t
        due = t("to bid") if deal.replay[index].state["bidding"] else ""
        return super().ply(deal, index) | {"due": due}

    def event(self, deal: Deal, now: Ply, before: Ply) -> str:
        assert now.action is not None
        seat, act = now.action
        if act < actions.PAIR:
            return super().event(deal, now, before)
        t = deal.t
        said = speak_word(t, act_word(NAME, act), NAME)
        return t("{who} announces {what}", who=deal.names[seat], what=said)

    def outcome(self, deal: Deal, now: Ply, before: Ply) -> list[str]:
        """A trick taken; at the end whether the bid was made."""
        found = super().outcome(deal, now, before)
        if now.over:
            who = deal.names[int(now.state["bidder"])]
            text = N_("{who} made the bid") if now.state["made"] else N_("{who} failed the bid")
            found.append(deal.t(text, who=who))
        return found

    def facts(self, deal: Deal, now: Ply) -> list[dict[str, str]]:
        """Who bid how many tricks, and what is trump."""
        state, t, tricks = now.state, deal.t, super().facts(deal, now)
        if int(state["bidder"]) < 0:
            return [fact(t("The bid"), t("nobody has bid")), *tricks]
        who, bid = deal.names[int(state["bidder"])], actions.LEVELS[int(state["contract"])]
        trump = int(state["trump"])
        return [
            fact(t("The bid"), t("{tricks} tricks by {who}", tricks=bid, who=who)),
            fact(t("Trump"), suit_named(trump, t), SUITS[trump]),
            *tricks,
        ]

    def seat(self, deal: Deal, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        """A seat, and the pairs that count for it."""
        t, pairs = deal.t, int(now.state["pairs"][seat])
        suits = [suit for place, suit in enumerate(SUITS) if pairs >> place & 1]
        notes = [{"text": f"{t('pair')} {SYMBOLS[suit]}", "counts": True} for suit in suits]
        return super().seat(deal, now, before, seat) | {"notes": notes}

    def allowed(self, deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
        """The legal cards, and in words the bids or the pairs."""
        cards, words = super().allowed(deal, now)
        for _, act in now.legal:
            if act >= actions.BID:
                words.append(speak_word(deal.t, act_word(NAME, act), NAME))
        return cards, words

    def shown(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """The king and queen of a pair, as long as they are in the hand."""
        for suit in range(len(SUITS)):
            if int(now.state["pairs"][seat]) >> suit & 1:
                known |= int(kernel.COUPLE) << 3 * suit
        return known & int(now.state["hand"][seat])

    def remarkable(self, deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        """Ruffs, and the pairs that count."""
        assert now.action is not None
        if ruffs(deal, now.action.act, before):
            yield "ruff", ""
        elif (now.state["pairs"] != before.state["pairs"]).any():
            yield "pair", ""

    # typing

    TAUGHT = ("9h", "pair-h")

    def keys(self, table: Table, t: Translate) -> dict[str, str]:
        """The cards, a pair by its suit, a bid by its tricks after `b`."""
        found = {**card_keys(table, t), **with_suits("p", "pair-")}
        for tricks in actions.LEVELS:
            found |= with_suits(f"b{tricks}", f"bid {tricks}")
        return found

    # what is counted

    HEIGHTS = tuple(Height(str(tricks), tricks) for tricks in actions.LEVELS)
    STATISTICS = Statistics(averages=("points", "bonus", "tricks"), width=2)

    # tables and pages

    TITLE = "Brelin"
    COUNTED_DEALS = N_("Hands of Brelin")
    SECTIONS = ("announcements", "contracts")
    SECTION_HEADINGS: Mapping[str, str] = {"contracts": N_("Tricks bid")}
    ROW_NAMES: Mapping[tuple[str, str], str] = {("measure", "bonus"): N_("Points of pairs")}
    PLAYER_COLUMNS = (
        *POINTS,
        averaged(N_("of which pairs"), "bonus", "bonus"),
        counted(N_("Tricks were bid"), "contracts", "contracts"),
        Column(
            N_("Bids made"),
            lambda row, t: t("{made} of {contracts}", made=row["made"], contracts=row["contracts"]),
            "made",
        ),
    )
    DEFINITIONS: Mapping[str, Definition] = {
        "pair": Definition("Pair", "King and queen of one suit in one hand of Brelin.", "BR-4"),
    }
    IN_DEFINITIONS: Mapping[str, str] = {"points": N_("in Brelin the tricks and the pairs")}


GAME = Brelin()
