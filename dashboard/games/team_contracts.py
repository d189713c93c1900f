"""The board and page names that games of two teams with a contract share."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from dashboard.games import base
from dashboard.text.columns import count_column, decimal_column, interval_column
from engine.cards import SUITS
from engine.replay import Ply
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.notation import act_notation

_CONTRACT_FIELDS = ("turn", "bidding", "coinched")
"""Fields of a state: any call that counts changes at least one."""
_DOUBLERS = ("coincher", "surcoincher")


def side_text(side: int, t: Translate) -> str:
    """Return the name of a team, from 0."""
    return t("Team {n}", n=side + 1)


def _marks(state: Any, side: int) -> int:
    return int(state["marks"][side])


class TeamContractView(base.GameView):
    """Partners, an auction, a contract, scores of teams."""

    MARKS: Mapping[str, base.MarkKind] = {
        **base.RUFF_MARK,
        "call": base.MarkKind(N_("call"), "M0 1H10V7H5L2 10V7H0Z", "primary"),
    }
    CALL_TEXTS: ClassVar[Mapping[int, str]]
    """The calls that are not bids: act → its text; a pass first, then the two that double."""
    DOUBLED_TEXTS: ClassVar[Mapping[int, str]]
    """`coinched` of a state → its text."""
    DOUBLED_BY: ClassVar[tuple[str, str]]
    """The labels of the players who doubled and redoubled the contract."""
    FAILED_TEXT: ClassVar[str] = N_("failed")
    BIDS: ClassVar[range]
    """The acts that bid a number or every trick."""
    UNLISTED_ACTS: ClassVar[frozenset[int]]
    """Acts that are possible at any time: the board does not list them."""
    RESULT_FIELDS: ClassVar[tuple[str, ...]] = ("outcome", "made", "marks", "sweeper")
    """The fields of a final state that the sentences about the result come from."""
    STRAIN_FIELD = "trump"
    """The field of a state with the index in STRAINS of the contract."""

    def bid_of(self, act: int) -> tuple[int, int]:
        """Return the level and the strain of a bid; a strain of -1 for an act that is not a bid."""
        raise NotImplementedError

    def contract_text(self, level: int, strain: int, t: Translate) -> str:
        """Return a bid, as the engine numbers it, as text: `90 ♥`, `capot ♠`."""
        return f"{t(self.HEIGHTS[level].text)} {t(self.STRAINS[strain])}"

    def final_contract_text(self, deal: base.DealView, now: Ply) -> str:
        """Return the contract as text: `90 ♥ by Jean, coinched`."""
        state, t = now.state, deal.t
        bid = self.contract_text(int(state["contract"]), int(state[self.STRAIN_FIELD]), t)
        text = t("{bid} by {who}", bid=bid, who=deal.names[int(state["declarer"])])
        doubled = int(state["coinched"])
        return f"{text}, {t(self.DOUBLED_TEXTS[doubled])}" if doubled else text

    def side_names(self, t: Translate) -> list[str]:
        return [side_text(side, t) for side in range(2)]

    def deal_frame(self, deal: base.DealView) -> dict[str, Any]:
        played = next((ply.index for ply in deal.replay if not ply.state["bidding"]), None)
        return super().deal_frame(deal) | {
            "auction": self._auction_rounds(deal),
            "jumps": [] if played is None else [played],
        }

    def _auction_rounds(self, deal: base.DealView) -> dict[str, Any]:
        """Return the rounds of calls in order; a call out of turn stays in its player's column."""
        replay, t = deal.replay, deal.t
        first = replay[0].turn
        seats = [(first + step) % replay.players for step in range(replay.players)]
        rows: list[list[dict[str, Any] | None]] = []
        column = len(seats)
        for now in replay[1:]:
            assert now.action is not None
            seat, act = now.action
            if (call := self._call_text(act, t)) is None:
                continue
            if seats.index(seat) <= column - 1 or not rows:
                rows.append([None] * len(seats))
            column = seats.index(seat) + 1
            rows[-1][column - 1] = call | {
                "ply": now.index,
                # a call against the rules that changed nothing does not count
                "counts": any(now.state[f] != replay[now.index - 1].state[f] for f in _CONTRACT_FIELDS),
            }
        return {"title": t("Auction"), "seats": seats, "rows": rows}

    def _call_text(self, act: int, t: Translate) -> dict[str, Any] | None:
        """Return a call as the auction shows it, None for another act."""
        level, strain = self.bid_of(act)
        if strain >= 0:
            suit = SUITS[strain] if strain < len(SUITS) else ""
            return {"text": self.contract_text(level, strain, t), "suit": suit}
        return {"text": t(self.CALL_TEXTS[act]), "suit": ""} if act in self.CALL_TEXTS else None

    def auction_parts(self, acts: Mapping[str, int], t: Translate) -> dict[str, Any] | None:
        calls = {word: call for word, act in acts.items() if (call := self._call_text(act, t))}
        return {"title": t("Auction"), "calls": calls, "fields": list(_CONTRACT_FIELDS)}

    def opening_text(self, deal: base.DealView, now: Ply) -> str:
        dealer = deal.names[int(now.state["dealer"])]
        return deal.t("{dealer} deals, {who} speaks first", dealer=dealer, who=deal.names[now.turn])

    def contract_event(self, deal: base.DealView, now: Ply, before: Ply) -> list[str]:
        """Return the sentence that the auction is over, if this act ended it."""
        state = now.state
        if not before.state["bidding"] or state["bidding"] or now.is_over:
            return []
        contract, leads = self.final_contract_text(deal, now), deal.names[int(state["leader"])]
        return [deal.t("Contract: {contract}. {who} leads", contract=contract, who=leads)]

    def trick_event(self, deal: base.DealView, now: Ply, before: Ply, last_trick: str) -> list[str]:
        """Return the sentence that a trick is taken, if it is; `last_trick` follows the last one."""
        state, then = now.state, before.state
        if now.trick <= before.trick:
            return []
        winner = int(state["leader"])
        won = int(state["cards"][winner & 1]) - int(then["cards"][winner & 1])
        found = [base.takes_text(deal.names[winner], won, deal.t)]
        return [*found, deal.t(last_trick)] if now.trick == len(state["trick_winners"]) else found

    def result_texts(self, deal: base.DealView, now: Ply, before: Ply) -> list[str]:
        """Return the sentences with the result of a deal that is over now, if no unknown card decides it."""
        if not now.is_over or before.is_over:
            return []
        if not all(map(now.is_known, self.RESULT_FIELDS)):
            return [deal.t("The result depends on cards that were not recorded.")]
        return self.final_texts(now.state, deal.t)

    def final_texts(self, state: Any, t: Translate) -> list[str]:
        """Return how a deal ended, whether the contract was made, and each side's score."""
        raise NotImplementedError

    def score_line(self, deal: base.DealView, now: Ply, side: int) -> str:
        """Return the line with a team's score."""
        return deal.t("Score: {n}", n=base.certain_number(deal, now, _marks, side))

    def scores_text(self, state: Any, t: Translate) -> str:
        """Return the sentence with the score of each team."""
        return ", ".join(
            t("{side} scores {points}", side=side_text(side, t), points=int(state["marks"][side]))
            for side in range(2)
        )

    def contract_facts(self, deal: base.DealView, now: Ply) -> list[dict[str, str]]:
        """Return further facts of a deal's contract, before its trump."""
        return []

    def deal_facts(self, deal: base.DealView, now: Ply) -> list[dict[str, str]]:
        state, t = now.state, deal.t
        tricks = base.fact_line(t("Tricks"), f"{now.trick} / {len(state['trick_winners'])}")
        if int(state["contract"]) < 0:
            return [base.fact_line(t("Contract"), t("none yet")), tricks]
        strain = int(state[self.STRAIN_FIELD])
        suit = SUITS[strain] if strain < len(SUITS) else ""
        found = [
            base.fact_line(t("Contract"), self.contract_text(int(state["contract"]), strain, t), suit),
            base.fact_line(t("Taken by"), deal.names[int(state["declarer"])]),
        ]
        for who, label in zip(_DOUBLERS, self.DOUBLED_BY, strict=True):
            if int(state[who]) >= 0:
                found.append(base.fact_line(t(label), deal.names[int(state[who])]))
        found += self.contract_facts(deal, now)
        if suit:
            found.append(base.fact_line(t("Trump"), base.suit_text(strain, t), suit))
        found.append(tricks)
        if now.is_over and int(state["made"]) >= 0 and now.is_known("made"):
            found.append(base.fact_line(t("Result"), t("made") if state["made"] else t(self.FAILED_TEXT)))
        return found

    def seat_notes(self, deal: base.DealView, now: Ply, seat: int) -> list[dict[str, Any]]:
        """Return the contract at its declarer, and the call of a player who doubled it."""
        t, state = deal.t, now.state
        texts = [
            t(text)
            for who, text in zip(_DOUBLERS, list(self.CALL_TEXTS.values())[1:], strict=True)
            if int(state[who]) == seat
        ]
        if int(state["declarer"]) == seat:
            strain = int(state[self.STRAIN_FIELD])
            texts.insert(0, self.contract_text(int(state["contract"]), strain, t))
        return [{"text": text, "counts": True} for text in texts]

    def seat_state(self, deal: base.DealView, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        return super().seat_state(deal, now, before, seat) | {
            "notes": self.seat_notes(deal, now, seat),
            "lines": [deal.t("Tricks: {n}", n=int(now.state["taken"][seat]))],
        }

    def legal_moves(self, deal: base.DealView, now: Ply) -> tuple[list[str], list[str]]:
        cards, words = super().legal_moves(deal, now)
        t, bids, game = deal.t, False, deal.replay.game
        for seat, act in now.legal:
            if act in self.BIDS:
                if not bids:
                    height = t(self.HEIGHTS[self.bid_of(act)[0]].text)
                    words.append(t("bid from {height} up", height=height))
                bids = True
            elif act >= len(game.pack) and act not in self.UNLISTED_ACTS:
                who = "" if seat == now.turn else f"{deal.names[seat]} "
                words.append(who + describe_word(t, act_notation(game.name, act), game.name))
        return cards, words

    def timeline_marks(self, deal: base.DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        assert now.action is not None
        act = now.action.act
        if base.is_ruff(deal, act, before):
            yield "ruff", ""
        elif self.bid_of(act)[1] >= 0 or act in list(self.CALL_TEXTS)[1:]:
            yield "call", ""

    ROW_NAMES: Mapping[tuple[str, str], str] = {
        ("measure", "points"): N_("Score of the team"),
        ("measure", "card_points"): N_("Card points of the team"),
    }
    PLAYER_COLUMNS = (
        decimal_column(N_("Average score of the team"), "points", "points"),
        interval_column("points_low", "points_high", label=N_("95% interval of scores")),
        decimal_column(N_("Card points of the team"), "card_points", "card_points"),
        interval_column("card_points_low", "card_points_high", label=N_("95% interval of card points")),
        count_column(N_("Contracts bid"), "contracts", "contracts"),
        count_column(N_("Contracts made"), "contracts_made", "made"),
    )
