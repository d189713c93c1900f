"""Chouineurs on the board, in statistics and on pages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dashboard.games import base, two_faced_cards
from dashboard.games.find_word import FindWord, choice, flag
from dashboard.text import columns
from dashboard.text.definitions import terms
from dashboard.text.labels import RESERVE_INTERVAL_LABEL, RESERVE_LABEL
from engine.chouineurs import actions, deck
from engine.chouineurs.deck import COLOURS, MAX_TRICKS, BidCards, Deck, parse_face
from engine.games import game_title
from engine.replay import Ply
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation

LED_COLOUR_NAMES = {"b": N_("blue"), "r": N_("red"), "y": N_("yellow"), "k": N_("black")}
WINNING_TEXTS = {
    deck.BLACK: N_("The highest black, {card}, takes it"),
    deck.YELLOW: N_("The highest yellow, {card}, takes it"),
}
LED_COLOUR_TEXT = N_("The highest of the colour asked, {card}, takes it")
FACES_LABEL = N_("{face}, on the other side {back}")
COLOUR_KEYS = {"b": ("b",), "r": ("r",), "y": ("y", "j"), "k": ("k", "n")}
"""Keys that type a colour, in English and in French."""


class Chouineurs(base.GameView):
    """Two-faced cards, bids, the reserve."""

    # the board

    MARKS: Mapping[str, base.MarkKind] = {
        "chouine": base.MarkKind(N_("chouine"), "M5 0C8 4 9 5 9 7A4 3 0 0 1 1 7C1 5 2 4 5 0Z", "blue")
    }

    def card_faces(self, deal: base.DealView) -> dict[str, dict[str, str]]:
        """Return every card of the deal, either way up: its picture and its two faces in words."""
        deck, t, found = _deck_of(deal.table), deal.t, dict[str, dict[str, str]]()
        dealt = int(np.bitwise_or.reduce(deal.replay[0].state["hand"]))
        for up in range(len(deck.names)):
            if dealt >> (up >> 1) & 1:
                card = deck.card_with_face_up(up)
                above, back = (describe_word(t, side) for side in card.split("/"))
                label = t(FACES_LABEL, face=above, back=back)
                found[card] = {"src": card_image(card, t), "label": label}
        return found

    def own_deck_parts(self, t: Translate) -> dict[str, Any]:
        halves = {"upper": two_faced_cards.upper_half, "lower": two_faced_cards.lower_half}
        return {
            "head": two_faced_cards.SVG_HEAD,
            "label": t(FACES_LABEL),
            "colours": {
                letter: {
                    name: [half((colour, n), t).replace(f">{n}<", ">{n}<") for n in (7, 77)]
                    for name, half in halves.items()
                }
                for colour, letter in enumerate(COLOURS)
            },
        }

    def card_names(self, deal: base.DealView) -> tuple[str, ...]:
        """Return the card of each face of the match's deck, the face up first."""
        deck = _deck_of(deal.table)
        return tuple(deck.card_with_face_up(up) for up in range(len(deck.names)))

    OPENER_TEXT = N_("opener")
    CORNER_WIDTH = two_faced_cards.CORNER_WIDTH

    def card_back(self) -> str:
        return two_faced_cards.card_back()

    def pile_parts(self, t: Translate) -> list[dict[str, Any]]:
        return [{"label": t("Reserve"), "left": ["reserve"], "empty": t("empty")}]

    def ply_state(self, deal: base.DealView, index: int) -> dict[str, Any]:
        t, now = deal.t, deal.replay[index]
        left, owed = int(now.state["reserve"]), _seats_in_mask(int(now.state["owed"]))
        note = "" if left else t("empty")
        return super().ply_state(deal, index) | {
            "turns": [] if now.is_over else owed or [now.turn],
            "due": t("to chouine") if owed else "",
            "piles": [{"label": t("Reserve"), "card": None, "count": left, "note": note}],
        }

    def opening_text(self, deal: base.DealView, now: Ply) -> str:
        return deal.t("The bids are shown; {who} leads", who=deal.names[now.turn])

    def event_text(self, deal: base.DealView, now: Ply, before: Ply) -> str:
        assert now.action is not None
        seat, act = now.action
        result = describe_word(deal.t, act_notation("chouineurs", act, _deck_of(deal.table).names))
        if act < actions.TURN:
            return deal.t("{who} plays {card}", who=deal.names[seat], card=result)
        return f"{deal.names[seat]} {result}"

    def outcome_texts(self, deal: base.DealView, now: Ply, before: Ply) -> list[str]:
        assert now.action is not None
        names, t, state, then = deal.names, deal.t, now.state, before.state
        found, act = list[str](), now.action.act
        if actions.TURN <= act < actions.POINT:
            shown = _deck_of(deal.table).names[(act - actions.TURN) ^ 1]
            found.append(t("The card now shows {face}", face=describe_word(t, shown)))
        if now.trick > before.trick:
            found.append(t("{who} wins the trick", who=names[int(state["leader"])]))
            low, value = _seats_in_mask(int(state["low"])), int(state["lowest"])
            owed = [seat for seat in low if state["chouined"][seat] > then["chouined"][seat]]
            text = N_("Nothing is left to chouine for: {who}")
            if owed:
                one = N_("{who} chouines with {value}, the lowest")
                text = N_("{who} chouine with {value}, the lowest") if len(owed) > 1 else one
            who = ", ".join(names[seat] for seat in owed or low)
            found.append(t(text, who=who, value=value))
        late = [who for seat, who in enumerate(names) if state["lost"][seat] > then["lost"][seat]]
        if late:
            found.append(t("The bonus is lost: {who}", who=", ".join(late)))
        if now.is_over and not before.is_over:
            met = ", ".join(who for seat, who in enumerate(names) if state["made"][seat])
            found.append(t("Bids met: {who}", who=met) if met else t("No bid is met"))
            if (winner := int(state["winner"])) >= 0:
                text = N_("{who} scores most in this manche · points: {points}")
                found.append(t(text, who=names[winner], points=now.points[winner]))
            else:
                found.append(t("The most points of this manche are shared"))
        return found

    def deal_facts(self, deal: base.DealView, now: Ply) -> list[dict[str, str]]:
        state, t = now.state, deal.t
        requested = t("any colour") if not now.is_over else "–"
        if int(state["on_table"]):
            led = int(state["table"][int(state["leader"])])
            requested = t(LED_COLOUR_NAMES[COLOURS[int(_deck_of(deal.table).colour[led])]])
        tricks = f"{now.trick} / {int(state['tricks'])}"
        found = [base.fact_line(t("Asked"), requested), base.fact_line(t("Tricks"), tricks)]
        if state["owed"]:
            who = ", ".join(deal.names[seat] for seat in _seats_in_mask(int(state["owed"])))
            found.append(base.fact_line(t("Chouine"), who))
        return found

    def seat_state(self, deal: base.DealView, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        state, t = now.state, deal.t
        hand = self.known_hand(deal, now, seat)
        had = hand if before is None else self.known_hand(deal, before, seat)
        bids, bid, won = _bid_cards_of(deal.table), int(state["bid"][seat]), int(state["won"][seat])
        label = t("Bid {bid}", bid=bids.names[bid])
        if now.is_over:
            label = " · ".join([label, t("met") if state["made"][seat] else t("not met")])
        steps, here = list[dict[str, Any]](), None
        for at, (low, high, points) in enumerate(_bid_steps(bids, bid)):
            tricks = f"{low}+" if high == MAX_TRICKS > low else str(low)
            steps.append({"tricks": tricks, "points": points})
            here = at if low <= won <= high else here
        return super().seat_state(deal, now, before, seat) | {
            "fresh": [card for card in hand if card not in had],
            "lines": [
                t("Tricks: {n}", n=won),
                t("Reserve cards: {n}", n=int(state["taken"][seat])),
                t("Turned: {n}", n=int(state["turned"][seat])),
            ],
            "bid": {"label": label, "steps": steps, "here": here},
        }

    def legal_moves(self, deal: base.DealView, now: Ply) -> tuple[list[str], list[str]]:
        names, legal = self.card_names(deal), [act for _, act in now.legal]
        faces = [act - actions.TURN if actions.TURN <= act < actions.POINT else act for act in legal]
        words = [deal.t("take a card of the reserve")] * legal.count(actions.POINT)
        return [names[face] for face in faces if face < len(names)], words

    def trick_reason(self, deal: base.DealView, now: Ply, best: int, played: Sequence[int]) -> str:
        deck, t = _deck_of(deal.table), deal.t
        text = WINNING_TEXTS.get(int(deck.colour[best]), LED_COLOUR_TEXT)
        return t(text, card=describe_word(t, deck.names[best]))

    def hidden_event_text(self, deal: base.DealView, now: Ply, seen: Sequence[Sequence[str]]) -> str:
        """Describe the turning of a card in hand: no other player sees which."""
        if now.action is None or not actions.TURN <= now.action.act < actions.POINT:
            return ""
        return deal.t("{who} turns a card of the hand", who=deal.names[now.action.seat])

    def timeline_marks(self, deal: base.DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        assert now.action is not None
        if actions.TURN <= now.action.act <= actions.POINT:
            yield "chouine", deal.t("{who} chouines", who=deal.names[now.action.seat])

    # typing a manche

    HELP_WORDS = ("b3", "b11", "y30", "k40", "turn b3", "point", "resign")

    def card_grid(self, table: MatchSetup) -> list[list[str]]:
        rows: dict[str, list[str]] = {colour: [] for colour in COLOURS}
        for name in _deck_of(table).names:
            rows[name[0]].append(name)
        return [sorted(row, key=lambda name: int(name[1:])) for row in rows.values()]

    def card_tile(self, table: MatchSetup, card: str, t: Translate) -> base.Tile:
        colour = two_faced_cards.COLOURS[_parse_face(card)[0]]
        return base.Tile(colour.letters[t.language] + card[1:], "", colour.paper, colour.ink)

    def key_bindings(self, table: MatchSetup, t: Translate) -> dict[str, str]:
        """Return the keys of faces, turned cards (after `t`), a reserve point, a resignation."""
        way = -1 if t.language == "fr" else 1
        found = {
            colour + name[1:]: name
            for name in _deck_of(table).names
            for colour in COLOUR_KEYS[name[0]][::way]
        }
        turns = {f"t{typed}": f"turn {name}" for typed, name in found.items()}
        return {**found, **turns, "p": "point", **base.RESIGN_KEYS}

    def button_text(self, word: str, t: Translate) -> str:
        """Return a word as players call it; `turn` without a card is a hint to tap the card."""
        return t("Tap the card that is turned") if word == "turn" else describe_word(t, word)

    def next_question(
        self, table: MatchSetup, opening: Mapping[str, Any], t: Translate
    ) -> base.Question | None:
        """Ask for each seat's bid card in turn: they are shown before the first card."""
        known = len(opening.get("bids") or ())
        if known >= table.players or not isinstance(table.bid_cards, BidCards):
            return None
        options = tuple((name, name) for name in table.bid_cards.names)
        return base.Question(("bid", str(known + 1)), t("Which bid for {who}?"), options, known + 1)

    def with_answer(
        self, table: MatchSetup, opening: Mapping[str, Any], about: Sequence[str], answer: str
    ) -> dict[str, Any]:
        """Return the deal's keys with one more bid card."""
        bids = list(opening.get("bids") or ())
        if tuple(about) != ("bid", str(len(bids) + 1)) or answer not in _bid_cards_of(table).code_entries:
            raise ValueError(answer)
        return {**opening, "bids": [*bids, answer]}

    def hand_size(self, table: MatchSetup, deal: Mapping[str, Any]) -> int:
        return int(table.settings["tricks"])

    def card_in_hand(self, table: MatchSetup, card: str) -> str:
        deck = _deck_of(table)
        return deck.card_with_face_up(deck.code_entries[card])

    # statistics

    STATISTICS = base.Statistics(
        averages=("points", "bonus", "tricks"),
        width=1,
        fairness=False,  # players choose their hands: each card may be turned before play
    )

    # pages

    TITLE = game_title("chouineurs")
    COUNTED_DEALS = N_("Manches")
    SECTIONS = ("bid-cards", "reserve", "bid-choice")
    ROW_NAMES: Mapping[tuple[str, str], str] = {
        ("measure", "bonus"): RESERVE_LABEL,
        ("dealer", "true"): N_("Leading the first trick"),
        ("dealer", "false"): N_("Not leading it"),
    }
    PLAYER_COLUMNS = (
        *columns.POINTS_COLUMNS,
        columns.decimal_column(N_("of which reserve"), "bonus", "reserve"),
        columns.interval_column("bonus_low", "bonus_high", label=RESERVE_INTERVAL_LABEL),
        columns.share_column(N_("Bids met"), "bids_met_share", "met"),
        columns.share_interval_column(N_("95% interval of bids met"), "bids_met_"),
    )
    BID_CARDS = tuple(deck.PUBLISHED_BID_CARDS)
    FIND_WORDS = (
        FindWord(
            ("bid", "pari"),
            N_("deals in which the player chose a bid card"),
            (f"bid:{BID_CARDS[0]}",),
            choice(
                "s.bid",
                lambda: {name.casefold(): at for at, name in enumerate(deck.PUBLISHED_BID_CARDS)},
                f"bid:{BID_CARDS[0]}",
                "s.bid IS NOT NULL",
            ),
            True,
        ),
        FindWord(
            ("met", "tenue"), N_("deals in which the player met the bid"), ("met",), flag("s.bid_met"), True
        ),
    )
    EXAMPLE_NOTES: Mapping[str, str] = {"fr": "chouineurs", "en": "chouineurs-evening"}
    LINKED_EXAMPLES = ("chouineurs/must-follow",)
    RULES: Mapping[str, str] = {"blam": "Blam"}
    DEFINITIONS = terms("dashboard.games", "chouineurs.toml")
    DEFINITION_ADDITIONS: Mapping[str, str] = {"points": N_("in Chouineurs the bid and the reserve")}


def _deck_of(table: MatchSetup) -> Deck:
    assert isinstance(table.deck, Deck)  # without a deck there is nothing to replay or to type
    return table.deck


def _bid_cards_of(table: MatchSetup) -> BidCards:
    assert isinstance(table.bid_cards, BidCards)  # likewise
    return table.bid_cards


def _seats_in_mask(bits: int) -> list[int]:
    return [seat for seat in range(5) if bits >> seat & 1]


def card_image(card: str, t: Translate) -> str:
    """Return the picture of `b3/y30`, the face up first, as a data URI. ValueError: no card."""
    up, below = (_parse_face(name) for name in card.split("/"))
    return two_faced_cards.card_image(up, below, t)


def _parse_face(name: str) -> tuple[int, int]:
    found = parse_face(name)
    if found is None:
        raise ValueError(f"no face: {name!r}")
    return found


def _bid_steps(bids: BidCards, bid: int) -> list[tuple[int, int, int]]:
    """Return (fewest tricks, most tricks, points) per step; only the last may be open-ended."""
    row, last = [int(points) for points in bids.points[bid]], MAX_TRICKS
    while last and row[last - 1] == row[MAX_TRICKS]:
        last -= 1
    steps = [(tricks, tricks, points) for tricks, points in enumerate(row[:last])]
    return [step for step in (*steps, (last, MAX_TRICKS, row[last])) if step[2] >= 0]


GAME = Chouineurs()
