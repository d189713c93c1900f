"""Chouineurs in ingest: rows, spoken words, recording errors, decks."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.chouineurs.actions import FACE_COUNT
from engine.chouineurs.deck import BIDS_OFFSET, COLOURS, deck_problems, parse_face
from engine.chouineurs.kernel import totals
from engine.chouineurs.match import spent_bids
from engine.replay import Ply
from ingest.games import base
from ingest.games.finding_code import (
    CodeInfo,
    DependsOn,
    EditSearch,
    UnderlinedPart,
    ValueKind,
    action_code,
    has_likely_value,
    is_about_all_hands,
    is_nothing_found,
)
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup

ACT_TEXTS = {"point": N_("takes a point"), "resign": N_("resigns")}
FACE_TEXTS = {
    "b": N_("blue {value}"),
    "r": N_("red {value}"),
    "y": N_("yellow {value}"),
    "k": N_("black {value}"),
}
_CARD_PATTERN = re.compile(r"[bryk][0-9]{1,3}(/[bryk][0-9]{1,3})?")
DECK_PROBLEM_TEXTS = {
    "deck-size": N_("cards here: {found}; a deck has {legal}"),
    "card-syntax": N_("{found} is not written like {legal}"),
    "duplicate-face": N_("the face {found} is already on card {legal}"),
}
COLOUR_NAMES = {"b": N_("blue"), "r": N_("red"), "y": N_("yellow"), "k": N_("black")}


def _deck_problems(t: Translate, cards: Sequence[object]) -> list[str]:
    lines = []
    for problem in deck_problems(cards):
        where, legal = problem.path.lstrip("/"), ", ".join(problem.allowed)
        message = t(DECK_PROBLEM_TEXTS[problem.code], found=problem.found, legal=legal)
        number = int(where or 0) + 1
        lines.append(t("card {number}: {message}", number=number, message=message) if where else message)
    return lines


def _deck_summary(t: Translate, cards: Sequence[Any]) -> list[str]:
    """List each colour's faces, lowest first, to compare with the game's reminder card."""
    faces = [parse_face(name) for card in cards for name in card.split("/")]
    good = N_("A good deck: {cards} cards, {faces} different faces.")
    lines = [t(good, cards=len(cards), faces=FACE_COUNT)]
    for place, colour in enumerate(COLOURS):
        values = sorted(value for known in faces if known for c, value in [known] if c == place)
        message = " ".join(map(str, values))
        lines.append("  " + t("{colour}: {values}", colour=t(COLOUR_NAMES[colour]), values=message))
    return lines


_CODES = {
    # a line of a score sheet
    "reserve-impossible": CodeInfo(
        N_("The reserve points cannot be {found}."),
        N_("Write a number a seat: one point at least is taken, and no more than there are."),
        depends_on=DependsOn.DEAL,
    ),
    # play
    "wrong-side": action_code(
        N_("{who}: {found}, but the card shows its other face."),
        N_("Write the face that is up; or look for a turn that was not written down."),
    ),
    # the bonus
    "bonus-missing": action_code(
        N_("{who}: {found} before those who chouine have had their bonus."),
        N_("For each player who chouined, add a card turned or a point taken."),
    ),
    "turn-not-allowed": action_code(
        N_("{who}: {found} without having chouiné."), N_("Leave the turn out, or correct the seat.")
    ),
    "point-not-allowed": action_code(
        N_("{who} takes a point without having chouiné."), N_("Leave the point out, or correct the seat.")
    ),
    "reserve-empty": CodeInfo(
        N_("{who} takes a card from an empty reserve."),
        N_("Write a turn of a card instead: the reserve has no card left."),
    ),
    # bids
    "bid-already-used": CodeInfo(
        N_("{who} bids {found} again: that card has left the game. Left: {legal}."),
        N_("Correct the bid: a card that scored is not bid again."),
        depends_on=DependsOn.DEALS,
        edit_search=EditSearch.BID,
    ),
    # the deck and the bid cards
    "deck-unknown": CodeInfo(
        N_("The deck {found} is not known. Give its 44 cards, or one of: {legal}."),
        N_("Name a deck that is known, or list the 44 cards."),
        sentences_when={
            is_nothing_found: N_('The match names no deck. Add "deck": 44 cards, or one of: {legal}.')
        },
    ),
    "card-syntax": CodeInfo(
        N_("{found} is not a two-faced card such as {legal}."),
        N_("Write both faces with a / between them, colour then value."),
    ),
    "duplicate-face": CodeInfo(
        N_("The face {found} is there twice: it is on card {legal} already."),
        N_("Correct one of the two: each face is on one card of the deck."),
    ),
    "bid-cards": CodeInfo(
        N_("{found} cannot be in a set of five bid cards."),
        N_("Write five bid cards, with the numbers of tricks and the points of each."),
    ),
    # the deal as written
    "hand-size": CodeInfo(
        N_("Cards here: {found}; there should be {legal}."),
        N_("Count the cards of each hand, and that there is one hand a seat."),
        sentences_when={is_about_all_hands: N_("Hands here: {found}; there should be {legal}.")},
        edit_search=EditSearch.CARDS,
    ),
    "hand-card": CodeInfo(
        N_("{found} is not a card of this deck."),
        N_("Correct the card: both its faces as the deck has them."),
        underlined=UnderlinedPart.WORD,
        edit_search=EditSearch.CARDS,
    ),
    "duplicate-hand-card": action_code(
        N_("The card {found} was dealt twice."),
        N_("Correct one of the two: a card was dealt to one hand."),
        sentences_when={
            has_likely_value: N_("The card {found} was dealt twice. Played, not dealt: {legal}.")
        },
        underlined=UnderlinedPart.LAST_WORD,
        edit_search=EditSearch.CARDS,
    ),
    "bid-count": CodeInfo(N_("Bids here: {found}; players: {legal}."), N_("Write one bid for each seat.")),
    "bid-unknown": CodeInfo(
        N_("{found} is not one of the bid cards: {legal}."),
        N_("Write the bid by the name of one of the five cards."),
        edit_search=EditSearch.BID,
    ),
    # across deals
    "wrong-leader": CodeInfo(
        N_("{found} leads, but it is {legal}’s turn to lead."),
        N_("Correct the leader; or look for a slip in the points of the deals before."),
        ValueKind.SEATS,
        depends_on=DependsOn.DEALS,
        edit_search=EditSearch.SEAT,
    ),
}


class Chouineurs(base.GameSupport):
    """Ingest support for Chouineurs."""

    # rows of the store

    TOTALS_LOOP = staticmethod(totals)

    def seat_columns(
        self, states: base.StateArray, deal: base.IntArray, seat: base.IntArray
    ) -> base.ColumnValues:
        at = deal, seat
        winner = states["winner"][deal]
        by_trick = states["trick_winners"]
        last = by_trick[np.arange(len(by_trick)), np.maximum(states["trick"] - 1, 0)]
        return {
            "points": self.seat_points(states, deal, seat),
            "bonus": states["taken"][at].astype(np.int16),
            "bid": base.to_small_ints(states["bid"][at]),
            "bid_met": states["made"][at] > 0,
            "tricks": states["won"][at].astype(np.uint8),
            "der": last[deal] == seat,
            "won": base.masked_where(winner < 0, winner == seat),
        }

    def describe_word(self, t: Translate, word: str) -> str | None:
        """Describe a face, a card by both faces, or an act; None: unknown."""
        if _CARD_PATTERN.fullmatch(word):
            return "/".join(t(FACE_TEXTS[face[0]], value=face[1:]) for face in word.split("/"))
        if word in ACT_TEXTS:
            return t(ACT_TEXTS[word])
        if word.startswith("turn "):
            return t("turns {face}", face=self.describe_word(t, word[5:]) or word[5:])
        return None

    def describe_score_line(self, t: Translate, score_line: Any, names: Sequence[str]) -> list[str]:
        bids = [f"{who} {bid}" for who, bid in zip(names, score_line.bids or (), strict=False)]
        reserve = ", ".join(map(str, score_line.reserve or ()))
        return [*bids, *([t("reserve: {points}", points=reserve)] if reserve else [])]

    # the terminal's view

    OPENING_TEXT: str = N_("{who} leads")
    CARD_SEPARATOR: str = ", "

    def public_facts(self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]) -> list[str]:
        state = ply.state
        bids = setup.bid_cards.names if setup.bid_cards else ()
        items = ((who, bids[int(state["bid"][seat])]) for seat, who in enumerate(names))
        entries = [t("{who} bids {bid}", who=who, bid=bid) for who, bid in items]
        return [*entries, t("reserve {n}", n=int(state["reserve"]))]

    # recording errors

    ACT_FREQUENCIES: Mapping[str, float] = {"resign": 0.01}
    ALL_CARDS_DEALT: bool = False

    def card_spellings(self, setup: MatchSetup) -> Sequence[tuple[str, ...]]:
        assert setup.deck is not None
        return [(card, "/".join(reversed(card.split("/")))) for card in setup.deck.cards]

    def bid_slots(self, setup: MatchSetup) -> Sequence[tuple[int, Sequence[int]]]:
        assert setup.bid_cards is not None
        return [(BIDS_OFFSET + seat, range(len(setup.bid_cards.names))) for seat in range(setup.players)]

    # notes

    NOTE_FILLERS: Sequence[str] = ("chouine", "chouinent")
    NOTE_EXAMPLES = (N_("{who} plays black 34, {other} follows with black 29"), N_("{who} wins"))
    NOTE_ALIASES: Mapping[str, str] = {
        **dict.fromkeys(("tourne", "turns"), "turn"),
        **dict.fromkeys(("prend un point", "un point", "takes a point"), "point"),
        **dict.fromkeys(("abandonne", "abandon", "resigns"), "resign"),
    }

    # score sheets

    SHEET_COLUMNS: Sequence[base.SheetColumn] = (
        base.SheetColumn(
            "bids", N_("Bid"), N_("the bid card, such as 2-3-4"), per_player=True, aliases=("pari",)
        ),
        base.SheetColumn(
            "reserve", N_("Reserve"), N_("points taken from the reserve"), per_player=True, is_number=True
        ),
    )

    def read_score_line(self, reader: base.ScoreLineReader) -> dict[str, Any]:
        """Return bid cards and reserve points; each key is omitted if its cells are empty."""
        found: dict[str, Any] = {}
        bids = [reader.read_text("bids", seat) for seat in range(reader.players)]
        reserve = [reader.read_number("reserve", seat) for seat in range(reader.players)]
        if any(bids):
            found["bids"] = bids
        if any(points is not None for points in reserve):
            found["reserve"] = [points or 0 for points in reserve]
        return found

    # rules and deck

    RULE_PREFIX: str = "CR"
    DECK_CHECKER: base.DeckCheck | None = base.DeckCheck(_deck_problems, _deck_summary)

    def seat_violations(
        self, table: MatchSetup, match: np.void, state: np.void, deal: Any, code: str
    ) -> list[base.SeatViolation]:
        """Return every seat that bids a card no longer in the game (CR-7)."""
        if code != "bid-already-used" or table.bid_cards is None:
            return []
        names, found = table.bid_cards.names, list[base.SeatViolation]()
        for seat in range(table.players):
            removed = spent_bids(match, seat)
            if int(state["bid"][seat]) in removed:
                left = [name for bid, name in enumerate(names) if bid not in removed]
                where, result = "/bids", deal.bids
                if not deal.bids:
                    where, result = "/score_line/bids", deal.score_line.bids
                found.append((seat, f"{where}/{seat}", result[seat], left))
        return found

    ADVICE_PHRASES: Mapping[str, str] = {"deal-seat": N_("in Chouineurs the leader")}
    FINDING_CODES = _CODES


GAME = Chouineurs()
