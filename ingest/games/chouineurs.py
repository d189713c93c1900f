"""Chouineurs from files to the store: its rows, its words, its scribes’ slips, decks checked."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.chouineurs.actions import FACES
from engine.chouineurs.deck import BIDS_AT, COLOURS, face, problems
from engine.chouineurs.kernel import totals
from engine.chouineurs.match import spent
from engine.replay import Ply
from ingest.games import base
from ingest.games.finding_code import (
    Code,
    Marked,
    Mended,
    Rests,
    Spoken,
    likely_known,
    nothing_found,
    of_act,
)
from ingest.i18n import N_, Translate
from schemas.match_setup import Table

ACTS = {"point": N_("takes a point"), "resign": N_("resigns")}
FACE = {
    "b": N_("blue {value}"),
    "r": N_("red {value}"),
    "y": N_("yellow {value}"),
    "k": N_("black {value}"),
}
_CARD = re.compile(r"[bryk][0-9]{1,3}(/[bryk][0-9]{1,3})?")
WRONG = {
    "deck-size": N_("there are {found} cards, {legal} belong in a deck"),
    "card-syntax": N_("{found} is not written like {legal}"),
    "face-twice": N_("the face {found} is already on card {legal}"),
}
COLOUR_NAMES = {"b": N_("blue"), "r": N_("red"), "y": N_("yellow"), "k": N_("black")}


def _wrong(t: Translate, cards: Sequence[object]) -> list[str]:
    """Everything wrong with a deck, each with its card."""
    lines = []
    for problem in problems(cards):
        where, legal = problem.path.lstrip("/"), ", ".join(problem.legal)
        said = t(WRONG[problem.code], found=problem.found, legal=legal)
        number = int(where or 0) + 1
        lines.append(t("card {number}: {said}", number=number, said=said) if where else said)
    return lines


def _good(t: Translate, cards: Sequence[Any]) -> list[str]:
    """The faces of each colour, lowest first, to compare with the reminder card of the box."""
    faces = [face(name) for card in cards for name in card.split("/")]
    good = N_("A good deck: {cards} cards, {faces} different faces.")
    lines = [t(good, cards=len(cards), faces=FACES)]
    for place, colour in enumerate(COLOURS):
        values = sorted(value for known in faces if known for c, value in [known] if c == place)
        said = " ".join(map(str, values))
        lines.append("  " + t("{colour}: {values}", colour=t(COLOUR_NAMES[colour]), values=said))
    return lines


_CODES = {
    # a line of a score sheet
    "reserve-impossible": Code(
        N_("No manche takes {found} from the reserve."),
        N_("Write a number a seat: one point at least is taken, and no more than there are."),
        rests=Rests.DEAL,
    ),
    # play
    "wrong-side": of_act(
        N_("{who}: {found}, but the card shows its other face."),
        N_("Write the face that is up; or look for a turn that was not written down."),
    ),
    # the bonus
    "bonus-missing": of_act(
        N_("{who}: {found} before those who chouine have had their bonus."),
        N_("Add what each player who chouined took: a turn of a card, or a point."),
    ),
    "turn-undue": of_act(
        N_("{who}: {found} without having chouiné."), N_("Leave the turn out, or correct the seat.")
    ),
    "point-undue": of_act(
        N_("{who} takes a point without having chouiné."),
        N_("Leave the point out, or correct the seat."),
    ),
    "reserve-empty": Code(
        N_("{who} takes a card from an empty reserve."),
        N_("Write a turn of a card instead: the reserve has no card left."),
    ),
    # bids
    "bid-spent": Code(
        N_("{who} bids {found} again: that card has left the game. Left: {legal}."),
        N_("Correct the bid: a card that scored is not bid again."),
        rests=Rests.DEALS,
        mended=Mended.BID,
    ),
    # the deck and the bid cards
    "deck-unknown": Code(
        N_("The deck {found} is not known. Give its 44 cards, or one of: {legal}."),
        N_("Name a deck that is known, or list the 44 cards."),
        instead={
            nothing_found: N_('The match names no deck. Add "deck": 44 cards, or one of: {legal}.')
        },
    ),
    "card-syntax": Code(
        N_("{found} is not a two-faced card such as {legal}."),
        N_("Write both faces with a / between them, colour then value."),
    ),
    "face-twice": Code(
        N_("The face {found} is there twice: it is on card {legal} already."),
        N_("Correct one of the two: each face is on one card of the deck."),
    ),
    "bid-cards": Code(
        N_("{found} cannot be in a set of five bid cards."),
        N_("Write five bid cards that tell every number of tricks apart and what each is worth."),
    ),
    # the deal as written
    "hand-size": Code(
        N_("There are {found} where {legal} belong."),
        N_("Count the cards of each hand, and that there is one hand a seat."),
        mended=Mended.CARDS,
    ),
    "hand-card": Code(
        N_("{found} is not a card of this deck."),
        N_("Correct the card: both its faces as the deck has them."),
        marked=Marked.WORD,
        mended=Mended.CARDS,
    ),
    "hand-twice": of_act(
        N_("The card {found} was dealt twice."),
        N_("Correct one of the two: a card was dealt to one hand."),
        instead={likely_known: N_("The card {found} was dealt twice. Played, not dealt: {legal}.")},
        marked=Marked.LAST_WORD,
        mended=Mended.CARDS,
    ),
    "bid-count": Code(
        N_("There are {found} bids for {legal} players."), N_("Write one bid for each seat.")
    ),
    "bid-unknown": Code(
        N_("{found} is not one of the bid cards: {legal}."),
        N_("Write the bid by the name of one of the five cards."),
        mended=Mended.BID,
    ),
    # across deals
    "wrong-leader": Code(
        N_("{found} leads, but it is {legal} who should."),
        N_("Correct the leader; or look for a slip in the points of the deals before."),
        Spoken.SEATS,
        rests=Rests.DEALS,
        mended=Mended.SEAT,
    ),
}


class Chouineurs(base.Game):
    """Chouineurs from files to the store."""

    # rows of the store

    SCORE: str = "total"
    TOTALS = staticmethod(totals)

    def seat(self, states: base.States, deal: base.Places, seat: base.Places) -> base.Columns:
        at = deal, seat
        winner = states["winner"][deal]
        takers = states["takers"]
        last = takers[np.arange(len(takers)), np.maximum(states["trick"] - 1, 0)]
        return {
            "points": self.points(states, deal, seat),
            "bonus": states["taken"][at].astype(np.int16),
            "bid": base.small(states["bid"][at]),
            "met": states["made"][at] > 0,
            "tricks": states["won"][at].astype(np.uint8),
            "der": last[deal] == seat,
            "won": base.unless(winner < 0, winner == seat),
        }

    def speak(self, t: Translate, word: str) -> str | None:
        """A face, a card by both its faces, or an act as a player says it."""
        if _CARD.fullmatch(word):
            return "/".join(t(FACE[face[0]], value=face[1:]) for face in word.split("/"))
        if word in ACTS:
            return t(ACTS[word])
        if word.startswith("turn "):
            return t("turns {face}", face=self.speak(t, word[5:]) or word[5:])
        return None

    def say_told(self, t: Translate, line: Any, names: Sequence[str]) -> list[str]:
        """The bid cards, and the points of the reserve."""
        bids = [f"{who} {bid}" for who, bid in zip(names, line.bids or (), strict=False)]
        reserve = ", ".join(map(str, line.reserve or ()))
        return [*bids, *([t("reserve: {points}", points=reserve)] if reserve else [])]

    # the board of the terminal

    OPENING: str = N_("{who} leads")
    BETWEEN_CARDS: str = ", "

    def beside(self, t: Translate, ply: Ply, table: Table, names: Sequence[str]) -> list[str]:
        """What each player bids, and how many cards the reserve has."""
        state = ply.state
        bids = table.bids.names if table.bids else ()
        told = ((who, bids[int(state["bid"][seat])]) for seat, who in enumerate(names))
        said = [t("{who} bids {bid}", who=who, bid=bid) for who, bid in told]
        return [*said, t("reserve {n}", n=int(state["reserve"]))]

    # slips of a scribe

    OFTEN: Mapping[str, float] = {"resign": 0.01}
    ALL_DEALT: bool = False

    def cards(self, table: Table) -> Sequence[tuple[str, ...]]:
        """The deck of the match, each card with either face first."""
        assert table.deck is not None
        return [(card, "/".join(reversed(card.split("/")))) for card in table.deck.cards]

    def bids(self, table: Table) -> Sequence[tuple[int, Sequence[int]]]:
        """One bid card a seat (CR-2)."""
        assert table.bids is not None
        return [(BIDS_AT + seat, range(len(table.bids.names))) for seat in range(table.players)]

    # notes

    SAID: Mapping[str, str] = {
        **dict.fromkeys(("tourne", "turns"), "turn"),
        **dict.fromkeys(("prend un point", "un point", "takes a point"), "point"),
        **dict.fromkeys(("abandonne", "abandon", "resigns"), "resign"),
    }

    # score sheets

    COLUMNS: Sequence[base.Column] = (
        base.Column(
            "bids", N_("Bid"), N_("the bid card, such as 2-3-4"), each=True, said=("pari",)
        ),
        base.Column("reserve", N_("Reserve"), N_("points taken from the reserve"), each=True),
    )

    def told(self, line: base.Line) -> dict[str, Any]:
        """The bid cards and the points of the reserve, each where all of them are told."""
        found: dict[str, Any] = {}
        bids = [line.text("bids", seat) for seat in range(line.players)]
        reserve = [line.number("reserve", seat) for seat in range(line.players)]
        if any(bids):
            found["bids"] = bids
        if any(points is not None for points in reserve):
            found["reserve"] = [points or 0 for points in reserve]
        return found

    # what is said of the game

    RULES: str = "CR"
    MEANINGS: Sequence[str] = (
        N_("manches in the match; five bid cards last for five"),
        N_("tricks in a manche, and cards in a hand"),
    )
    DECK_CHECK: base.DeckCheck | None = base.DeckCheck(_wrong, _good)

    def at_seats(
        self, table: Table, match: np.void, state: np.void, deal: Any, code: str
    ) -> list[base.AtSeat]:
        """Every seat that bids with a card that has left the game (CR-7)."""
        if code != "bid-spent" or table.bids is None:
            return []
        names, found = table.bids.names, list[base.AtSeat]()
        for seat in range(table.players):
            gone = spent(match, seat)
            if int(state["bid"][seat]) in gone:
                left = [name for bid, name in enumerate(names) if bid not in gone]
                where, told = ("/bids", deal.bids) if deal.bids else ("/told/bids", deal.told.bids)
                found.append((seat, f"{where}/{seat}", told[seat], left))
        return found

    IN_ADVICE: Mapping[str, str] = {"deal-seat": N_("in Chouineurs the leader")}
    CODES = _CODES


GAME = Chouineurs()
