"""Coinche on the board, in statistics and on pages."""

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.games import base
from dashboard.text.columns import count_column, decimal_column, interval_column
from dashboard.text.definitions import terms
from engine import games
from engine.cards import SUITS, SYMBOLS
from engine.coinche import actions, kernel
from engine.coinche.actions import bid_level, bid_suit
from engine.replay import Ply
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.games.coinche import action_words
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation

LEVEL_NAMES = {"match": N_("match"), "generale": N_("générale")}
CALL_TEXTS = {actions.PASS: N_("pass"), actions.COINCHE: N_("coinche"), actions.SURCOINCHE: N_("surcoinche")}
DOUBLED_TEXTS = {1: N_("coinched"), 2: N_("surcoinched")}
CLAIM_TEXTS = {
    1: N_("Rightly: {side} wins the match"),
    0: N_("Wrongly: {side} loses the match and scores nothing"),
    -1: N_("Earlier deals are missing: Retourne cannot check whether {side} is right"),
}
CONTRACT_FIELDS = ("turn", "bidding", "coinched")
"""Fields of a state: any call that counts changes at least one."""
LEVEL_KEYS = {"match": "m", "generale": "g"}
"""Keys that type a contract without a number, before its suit."""


class Coinche(base.GameView):
    """Partners, an auction, a contract, marks."""

    # the board

    MARKS: Mapping[str, base.MarkKind] = {
        **base.RUFF_MARK,
        "call": base.MarkKind(N_("call"), "M0 1H10V7H5L2 10V7H0Z", "primary"),
    }

    def deal_frame(self, deal: base.DealView) -> dict[str, Any]:
        played = next((ply.index for ply in deal.replay if not ply.state["bidding"]), None)
        return super().deal_frame(deal) | {
            "sides": [_side_text(side, deal.t) for side in range(2)],
            "auction": _auction_rounds(deal),
            "jumps": [] if played is None else [played],
        }

    def ply_state(self, deal: base.DealView, index: int) -> dict[str, Any]:
        t, now = deal.t, deal.replay[index]
        state, sides = now.state, []
        for side in range(2):
            lines = [t("Tricks: {n}", n=int(state["taken"][side]) + int(state["taken"][side + 2]))]
            if now.is_over:
                lines.append(t("Score: {n}", n=int(state["marks"][side])))
            sides.append({"points": int(kernel.points(state, side)), "lines": lines})
        due = t("to speak") if state["bidding"] else ""
        return super().ply_state(deal, index) | {"due": due, "sides": sides}

    def opening_text(self, deal: base.DealView, now: Ply) -> str:
        dealer = deal.names[int(now.state["dealer"])]
        who = deal.names[now.turn]
        return deal.t("{dealer} deals, {who} speaks first", dealer=dealer, who=who)

    def outcome_texts(self, deal: base.DealView, now: Ply, before: Ply) -> list[str]:
        names, t = deal.names, deal.t
        state, then = now.state, before.state
        found = []
        if then["bidding"] and not state["bidding"] and not now.is_over:
            leads = names[int(state["leader"])]
            contract = _contract_text(deal, now)
            found.append(t("Contract: {contract}. {who} leads", contract=contract, who=leads))
        elif int(state["coinched"]) > int(then["coinched"]):
            found.append(t("Contract: {contract}", contract=_contract_text(deal, now)))
        if now.trick > before.trick:
            taker = int(state["leader"])
            won = int(state["cards"][taker & 1]) - int(then["cards"][taker & 1])
            found.append(base.takes_text(names[taker], won, t))
            if now.trick == kernel.TRICKS:
                found.append(t("Last trick: 5 points"))
        return found + _result_texts(state, t) if now.is_over and not before.is_over else found

    def deal_facts(self, deal: base.DealView, now: Ply) -> list[dict[str, str]]:
        state, t = now.state, deal.t
        tricks = base.fact_line(t("Tricks"), f"{now.trick} / {kernel.TRICKS}")
        if int(state["contract"]) < 0:
            return [base.fact_line(t("Contract"), t("none yet")), tricks]
        trump = int(state["trump"])
        found = [
            base.fact_line(t("Contract"), contract_text(int(state["contract"]), trump, t), SUITS[trump]),
            base.fact_line(t("Taken by"), deal.names[int(state["bidder"])]),
        ]
        if state["coinched"]:
            found.append(base.fact_line(t("Coinched by"), deal.names[int(state["coincher"])]))
        if int(state["coinched"]) > 1:
            found.append(base.fact_line(t("Surcoinched by"), deal.names[int(state["surcoincher"])]))
        if state["stake"]:
            found.append(base.fact_line(t("At stake"), t("{n} scored", n=int(state["stake"]))))
        found += [base.fact_line(t("Trump"), base.suit_text(trump, t), SUITS[trump]), tricks]
        if now.is_over and int(state["made"]) >= 0:
            found.append(base.fact_line(t("Result"), t("made") if state["made"] else t("failed")))
        return found

    def seat_state(self, deal: base.DealView, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        t, state = deal.t, now.state
        doubled = (("coincher", N_("coinche")), ("surcoincher", N_("surcoinche")))
        notes = [t(text) for who, text in doubled if int(state[who]) == seat]
        if int(state["bidder"]) == seat:
            notes.insert(0, contract_text(int(state["contract"]), int(state["trump"]), t))
        return super().seat_state(deal, now, before, seat) | {
            "notes": [{"text": text, "counts": True} for text in notes],
            "lines": [t("Tricks: {n}", n=int(state["taken"][seat]))],
        }

    def legal_moves(self, deal: base.DealView, now: Ply) -> tuple[list[str], list[str]]:
        cards, words = super().legal_moves(deal, now)
        t, bids = deal.t, False
        for seat, act in now.legal:
            if actions.BID <= act < actions.PASS:
                if not bids:
                    height = t(self.HEIGHTS[bid_level(act)].text)
                    words.append(t("bid from {height} up", height=height))
                bids = True
            elif act >= actions.PASS and act not in (actions.RESIGN, actions.WON):
                who = "" if seat == now.turn else f"{deal.names[seat]} "
                words.append(who + describe_word(t, act_notation("coinche", act)))
        return cards, words

    def publicly_seen(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        return int(now.state["hand"][seat]) if int(now.state["claimer"]) == seat else known

    def timeline_marks(self, deal: base.DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        assert now.action is not None
        act = now.action.act
        if base.is_ruff(deal, act, before):
            yield "ruff", ""
        elif actions.BID <= act < actions.PASS or act in (actions.COINCHE, actions.SURCOINCHE):
            yield "call", ""

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
        return describe_word(t, word) if suit < 0 else contract_text(bid_level(act), suit, t)

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
        averages=("points", "cards", "tricks"),
        width=50,
        worth=tuple(map(int, kernel.PLAIN_POINTS)) * len(SUITS),
    )

    # pages

    TITLE = games.game_title("coinche")
    COUNTED_DEALS = N_("Deals")
    SECTIONS = ("contracts", "partners", "luck", "luck-and-play", "endgames")
    ROW_NAMES: Mapping[tuple[str, str], str] = {
        ("measure", "points"): N_("Score of the team"),
        ("measure", "cards"): N_("Card points of the team"),
    }
    PLAYER_COLUMNS = (
        decimal_column(N_("Average score of the team"), "points", "points"),
        interval_column("points_low", "points_high", label=N_("95% interval of scores")),
        decimal_column(N_("Card points of the team"), "cards", "cards"),
        interval_column("cards_low", "cards_high", label=N_("95% interval of card points")),
        count_column(N_("Contracts bid"), "contracts", "contracts"),
        count_column(N_("Contracts made"), "contracts_made", "made"),
    )
    EXAMPLE_NOTES: Mapping[str, str] = {"fr": "coinche-club", "en": "coinche-evening"}
    LINKED_EXAMPLES = ("coinche/under-ruff",)
    RULES: Mapping[str, str] = {"tournoi-2018": N_("Tournament 2018")}
    DEFINITIONS = terms("dashboard.games", "coinche.toml")
    DEFINITION_ADDITIONS: Mapping[str, str] = {
        "end-lost": N_("in Coinche the last five tricks with open cards, for the player’s team"),
        "won": N_("in Coinche by the player’s team"),
        "points": N_("in Coinche the score of the team"),
    }


def _side_text(side: int, t: Translate) -> str:
    return t("Team {n}", n=side + 1)


def contract_text(level: int, suit: int, t: Translate) -> str:
    """Return a bid, as the engine numbers it, as text: `90 ♥`, `match ♠`."""
    return f"{t(Coinche.HEIGHTS[level].text)} {SYMBOLS[SUITS[suit]]}"


def _contract_text(deal: base.DealView, now: Ply) -> str:
    """Return the contract as text: `90 ♥ by Jean, coinched`."""
    state, t = now.state, deal.t
    bid, who = contract_text(int(state["contract"]), int(state["trump"]), t), int(state["bidder"])
    text, doubled = t("{bid} by {who}", bid=bid, who=deal.names[who]), int(state["coinched"])
    return f"{text}, {t(DOUBLED_TEXTS[doubled])}" if doubled else text


def _auction_rounds(deal: base.DealView) -> dict[str, Any]:
    """Return the rounds of calls in order; a coinche out of turn stays in its player's column."""
    replay, t = deal.replay, deal.t
    first = replay[0].turn
    seats = [(first + step) % replay.players for step in range(replay.players)]
    rows: list[list[dict[str, Any] | None]] = []
    column = len(seats)
    for now in replay[1:]:
        assert now.action is not None
        seat, act = now.action
        if not actions.BID <= act <= actions.SURCOINCHE:
            continue
        if seats.index(seat) <= column - 1 or not rows:
            rows.append([None] * len(seats))
        column = seats.index(seat) + 1
        suit = bid_suit(act)
        rows[-1][column - 1] = {
            "ply": now.index,
            "text": contract_text(bid_level(act), suit, t) if suit >= 0 else t(CALL_TEXTS[act]),
            "suit": SUITS[suit] if suit >= 0 else "",
            # a call against the rules that changed nothing does not count
            "counts": any(now.state[f] != replay[now.index - 1].state[f] for f in CONTRACT_FIELDS),
        }
    return {"title": t("Auction"), "seats": seats, "rows": rows}


def _result_texts(state: Any, t: Translate) -> list[str]:
    """Return how the deal ended, whether the contract was made, and each side's score."""
    outcome, found = int(state["outcome"]), list[str]()
    if outcome == kernel.PASSED:
        return [t("Four passes: no score, the next player deals")]
    if outcome == kernel.BY_CLAIM:
        claimer = int(state["claimer"]) & 1
        if state["claim_good"]:
            side = _side_text(claimer, t)
            found.append(t("The claim holds: {side} wins the remaining tricks", side=side))
        else:
            side = _side_text(1 - claimer, t)
            found.append(t("The claim fails: the remaining tricks go to {side}", side=side))
    if outcome == kernel.STOPPED:
        side = _side_text(int(state["stopper"]) & 1, t)
        found.append(t(CLAIM_TEXTS[int(state["stop_good"])], side=side))
    if (sweeper := int(state["sweeper"])) >= 0:
        points, side = int(kernel.points(state, sweeper)), _side_text(sweeper, t)
        found.append(t("All tricks (capot): {points} points for {side}", points=points, side=side))
    if int(state["contract"]) >= 0 and int(state["made"]) >= 0:
        found.append(t("Contract made") if state["made"] else t("Contract failed"))
    marks = [
        t("{side} scores {points}", side=_side_text(one, t), points=int(state["marks"][one]))
        for one in range(2)
    ]
    return [*found, ", ".join(marks)]


GAME = Coinche()
