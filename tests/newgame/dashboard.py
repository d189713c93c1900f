"""Brelin on the dashboard: its board, texts of a state, columns of its statistics."""

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.games.base import (
    RUFF_MARK,
    BidHeight,
    DealView,
    GameView,
    MarkKind,
    Statistics,
    card_key_bindings,
    fact_line,
    is_ruff,
    suit_key_bindings,
    suit_text,
)
from dashboard.text.columns import POINTS_COLUMNS, Column, count_column, decimal_column
from dashboard.text.definitions import Definition
from engine.cards import SUITS, SYMBOLS
from engine.replay import Ply
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation
from tests.newgame import NAME
from tests.newgame.engine import actions, kernel


class Brelin(GameView):
    """What it has of its own: bids of tricks, and pairs."""

    # the board

    MARKS: Mapping[str, MarkKind] = {
        **RUFF_MARK,
        "pair": MarkKind(N_("pair"), "M0 5A2.5 2.5 0 0 1 5 5A2.5 2.5 0 0 1 10 5L5 10Z", "primary"),
    }

    def ply_state(self, deal: DealView, index: int) -> dict[str, Any]:
        t = deal.t
        due = t("to bid") if deal.replay[index].state["bidding"] else ""
        return super().ply_state(deal, index) | {"due": due}

    def event_text(self, deal: DealView, now: Ply, before: Ply) -> str:
        assert now.action is not None
        seat, act = now.action
        if act < actions.PAIR:
            return super().event_text(deal, now, before)
        t = deal.t
        result = describe_word(t, act_notation(NAME, act), NAME)
        return t("{who} announces {what}", who=deal.names[seat], what=result)

    def outcome_texts(self, deal: DealView, now: Ply, before: Ply) -> list[str]:
        """A trick taken; at the end whether the bid was made."""
        found = super().outcome_texts(deal, now, before)
        if now.is_over:
            who = deal.names[int(now.state["declarer"])]
            text = N_("{who} made the bid") if now.state["made"] else N_("{who} failed the bid")
            found.append(deal.t(text, who=who))
        return found

    def deal_facts(self, deal: DealView, now: Ply) -> list[dict[str, str]]:
        """Who bid how many tricks, and what is trump."""
        state, t, tricks = now.state, deal.t, super().deal_facts(deal, now)
        if int(state["declarer"]) < 0:
            return [fact_line(t("The bid"), t("nobody has bid")), *tricks]
        who, bid = deal.names[int(state["declarer"])], actions.LEVELS[int(state["contract"])]
        trump = int(state["trump"])
        return [
            fact_line(t("The bid"), t("{tricks} tricks by {who}", tricks=bid, who=who)),
            fact_line(t("Trump"), suit_text(trump, t), SUITS[trump]),
            *tricks,
        ]

    def seat_state(self, deal: DealView, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        """A seat, and the pairs that count for it."""
        t, pairs = deal.t, int(now.state["pairs"][seat])
        suits = [suit for place, suit in enumerate(SUITS) if pairs >> place & 1]
        notes = [{"text": f"{t('pair')} {SYMBOLS[suit]}", "counts": True} for suit in suits]
        return super().seat_state(deal, now, before, seat) | {"notes": notes}

    def legal_moves(self, deal: DealView, now: Ply) -> tuple[list[str], list[str]]:
        """The legal cards, and in words the bids or the pairs."""
        cards, words = super().legal_moves(deal, now)
        for _, act in now.legal:
            if act >= actions.BID:
                words.append(describe_word(deal.t, act_notation(NAME, act), NAME))
        return cards, words

    def publicly_seen(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """The king and queen of a pair, as long as they are in the hand."""
        for suit in range(len(SUITS)):
            if int(now.state["pairs"][seat]) >> suit & 1:
                known |= int(kernel.COUPLE) << 3 * suit
        return known & int(now.state["hand"][seat])

    def timeline_marks(self, deal: DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        """Ruffs, and the pairs that count."""
        assert now.action is not None
        if is_ruff(deal, now.action.act, before):
            yield "ruff", ""
        elif (now.state["pairs"] != before.state["pairs"]).any():
            yield "pair", ""

    # typing

    HELP_WORDS = ("9h", "pair-h")

    def key_bindings(self, table: MatchSetup, t: Translate) -> dict[str, str]:
        """The cards, a pair by its suit, a bid by its tricks after `b`."""
        found = {**card_key_bindings(table, t), **suit_key_bindings("p", "pair-")}
        for tricks in actions.LEVELS:
            found |= suit_key_bindings(f"b{tricks}", f"bid {tricks}")
        return found

    # what is counted

    HEIGHTS = tuple(BidHeight(str(tricks), tricks) for tricks in actions.LEVELS)
    STATISTICS = Statistics(averages=("points", "bonus", "tricks"), width=2)

    # tables and pages

    TITLE = "Brelin"
    COUNTED_DEALS = N_("Hands of Brelin")
    SECTIONS = ("announcements", "contracts")
    SECTION_HEADINGS: Mapping[str, str] = {"contracts": N_("Tricks bid")}
    ROW_NAMES: Mapping[tuple[str, str], str] = {("measure", "bonus"): N_("Points of pairs")}
    PLAYER_COLUMNS = (
        *POINTS_COLUMNS,
        decimal_column(N_("of which pairs"), "bonus", "bonus"),
        count_column(N_("Tricks were bid"), "contracts", "contracts"),
        Column(
            N_("Bids made"),
            lambda row, t: t("{made} of {contracts}", made=row["contracts_made"], contracts=row["contracts"]),
            "made",
        ),
    )
    DEFINITIONS: Mapping[str, Definition] = {
        "pair": Definition("Pair", "King and queen of one suit in one hand of Brelin.", "BR-4")
    }
    DEFINITION_ADDITIONS: Mapping[str, str] = {"points": N_("in Brelin the tricks and the pairs")}


GAME = Brelin()
