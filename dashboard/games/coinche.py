"""Coinche on the board, in statistics and on pages."""

from collections.abc import Mapping
from typing import Any, ClassVar

from dashboard.games import base
from dashboard.games.team_contracts import TeamContractView, side_text
from dashboard.text.definitions import terms
from engine import games
from engine.cards import SUITS
from engine.coinche import actions, kernel
from engine.coinche.actions import bid_level, bid_suit
from engine.replay import Ply
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.games.coinche import action_words
from schemas.match_setup import MatchSetup

LEVEL_NAMES = {"match": N_("match"), "generale": N_("générale")}
CLAIM_TEXTS = {
    1: N_("Rightly: {side} wins the match"),
    0: N_("Wrongly: {side} loses the match and scores nothing"),
    -1: N_("Earlier deals are missing: Retourne cannot check whether {side} is right"),
}
LEVEL_KEYS = {"match": "m", "generale": "g"}
"""Keys that type a contract without a number, before its suit."""


class Coinche(TeamContractView):
    """Partners, an auction, a contract, marks."""

    CALL_TEXTS: ClassVar = {
        actions.PASS: N_("pass"),
        actions.COINCHE: N_("coinche"),
        actions.SURCOINCHE: N_("surcoinche"),
    }
    DOUBLED_TEXTS: ClassVar = {1: N_("coinched"), 2: N_("surcoinched")}
    DOUBLED_BY: ClassVar = (N_("Coinched by"), N_("Surcoinched by"))
    BIDS: ClassVar = range(actions.BID, actions.PASS)
    UNLISTED_ACTS: ClassVar = frozenset((actions.RESIGN, actions.WON))
    RESULT_FIELDS: ClassVar = (*TeamContractView.RESULT_FIELDS, "claim_good", "stop_good")

    def bid_of(self, act: int) -> tuple[int, int]:
        return bid_level(act), bid_suit(act)

    # the board

    def ply_state(self, deal: base.DealView, index: int) -> dict[str, Any]:
        t, now = deal.t, deal.replay[index]
        state, sides = now.state, []
        for side in range(2):
            lines = [t("Tricks: {n}", n=int(state["taken"][side]) + int(state["taken"][side + 2]))]
            if now.is_over:
                lines.append(self.score_line(deal, now, side))
            sides.append({"points": base.certain_number(deal, now, kernel.points, side), "lines": lines})
        due = t("to speak") if state["bidding"] else ""
        return super().ply_state(deal, index) | {"due": due, "sides": sides}

    def outcome_texts(self, deal: base.DealView, now: Ply, before: Ply) -> list[str]:
        found = self.contract_event(deal, now, before)
        if not found and int(now.state["coinched"]) > int(before.state["coinched"]):
            found = [deal.t("Contract: {contract}", contract=self.final_contract_text(deal, now))]
        found += self.trick_event(deal, now, before, N_("Last trick: 5 points"))
        return found + self.result_texts(deal, now, before)

    def final_texts(self, state: Any, t: Translate) -> list[str]:
        outcome, found = int(state["outcome"]), list[str]()
        if outcome == kernel.PASSED:
            return [t("Four passes: no score, the next player deals")]
        if outcome == kernel.BY_CLAIM:
            claimer = int(state["claimer"]) & 1
            if state["claim_good"]:
                side = side_text(claimer, t)
                found.append(t("The claim holds: {side} wins the remaining tricks", side=side))
            else:
                side = side_text(1 - claimer, t)
                found.append(t("The claim fails: the remaining tricks go to {side}", side=side))
        if outcome == kernel.STOPPED:
            side = side_text(int(state["stopper"]) & 1, t)
            found.append(t(CLAIM_TEXTS[int(state["stop_good"])], side=side))
        if (sweeper := int(state["sweeper"])) >= 0:
            points, side = int(kernel.points(state, sweeper)), side_text(sweeper, t)
            found.append(t("All tricks (capot): {points} points for {side}", points=points, side=side))
        if int(state["contract"]) >= 0 and int(state["made"]) >= 0:
            found.append(t("Contract made") if state["made"] else t("Contract failed"))
        return [*found, self.scores_text(state, t)]

    def publicly_seen(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        return int(now.state["hand"][seat]) if int(now.state["claimer"]) == seat else known

    def contract_facts(self, deal: base.DealView, now: Ply) -> list[dict[str, str]]:
        t, stake = deal.t, int(now.state["stake"])
        return [base.fact_line(t("At stake"), t("{n} scored", n=stake))] if stake else []

    # typing a deal

    HELP_WORDS = (
        *("9h", "Th", "Js", "bid 90h", "bid match-h", "bid generale-h", "pass"),
        *("coinche", "2 coinche", "surcoinche", "claim", "won", "resign"),
    )

    def key_bindings(self, table: MatchSetup, t: Translate) -> dict[str, str]:
        """Return the keys of cards, bids, other words; `c1`, `s1`: seat 1 calls out of turn."""
        found = base.card_key_bindings(table, t)
        for level in actions.LEVELS:
            word = f"bid {level}" if level.isdigit() else f"bid {level}-"
            found |= base.suit_key_bindings(LEVEL_KEYS.get(level, level), word)
        for typed, word in (("c", "coinche"), ("s", "surcoinche")):
            found[typed * 2] = word
            found |= {f"{typed}{seat}": f"{seat} {word}" for seat in range(1, table.players + 1)}
        return {**found, "p": "pass", "cl": "claim", "w": "won", **base.RESIGN_KEYS}

    def button_text(self, word: str, t: Translate) -> str:
        act = action_words().get(word, actions.PASS)
        suit = bid_suit(act)
        return describe_word(t, word) if suit < 0 else self.contract_text(bid_level(act), suit, t)

    def is_rare(self, word: str, in_turn: bool) -> bool:
        """Return True for *nous avons gagné* and the default cases, but not for a coinche."""
        coinches = word in ("coinche", "surcoinche")
        return word == "won" or (not coinches and super().is_rare(word, in_turn))

    # statistics

    HEIGHTS = tuple(
        base.BidHeight(LEVEL_NAMES.get(level, level), int(worth))
        for level, worth in zip(actions.LEVELS, kernel.BID_POINTS, strict=True)
    )
    STATISTICS = base.Statistics(
        averages=("points", "card_points", "tricks"),
        width=50,
        worth=tuple(map(int, kernel.PLAIN_POINTS)) * len(SUITS),
    )

    # pages

    TITLE = games.game_title("coinche")
    COUNTED_DEALS = N_("Deals")
    SECTIONS = ("contracts", "defence", "partners", "luck", "luck-and-play", "endgames")
    EXAMPLE_NOTES: Mapping[str, str] = {"fr": "coinche-club", "en": "coinche-evening"}
    LINKED_EXAMPLES = ("coinche/under-ruff",)
    RULES: Mapping[str, str] = {"tournoi-2018": N_("Tournament 2018")}
    DEFINITIONS = terms("dashboard.games", "coinche.toml")
    DEFINITION_ADDITIONS: Mapping[str, str] = {
        "end-lost": N_("in Coinche the last five tricks with open cards, for the player’s team"),
        "won": N_("in Coinche by the player’s team"),
        "points": N_("in Coinche the score of the team"),
    }


GAME = Coinche()
