"""The log format of Chouineurs."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, ClassVar, Literal

import numpy as np
import orjson
from pydantic import Field

from engine.chouineurs import actions as this
from engine.chouineurs import deck as decks
from engine.chouineurs import kernel
from engine.chouineurs.deck import BidCards, Deck
from schemas.column_docs import Rows, numbered_row
from schemas.match_setup import DealProblem, EncodeAction, MatchSetup, RowLayout
from schemas.models import Deal, Match, ScoreLine, Start

MATCH_DEFAULTS: Mapping[str, Any] = {"deck": "retourne"}
"""Simulated matches use the deck that ships with Retourne."""


def action_words(faces: tuple[str, ...]) -> dict[str, int]:
    """Map words such as `b3` or `turn b3` to acts; without `faces`, only words without a face."""
    found = {name: this.PLAY + face for face, name in enumerate(faces)}
    found |= {f"turn {name}": this.TURN + face for face, name in enumerate(faces)}
    return found | {"point": this.POINT, "resign": this.RESIGN}


class ChouineursScoreLine(ScoreLine):
    """A line of a score sheet: one bid card and the reserve's points for each seat."""

    bids: list[str] | None = None
    reserve: list[int] | None = None


class ChouineursDeal(Deal):
    """A manche of Chouineurs: hands, each card with its chosen face first, and one bid card per seat."""

    OPENS: ClassVar[str] = "leader"

    leader: int = Field(json_schema_extra={"minimum": 1, "maximum": 5})
    hands: list[str] = Field(default_factory=list)
    bids: list[str] = Field(default_factory=list)
    score_line: ChouineursScoreLine | None = None


class ChouineursStart(Start):
    """The totals before a manche."""

    manche: int = Field(description="the first manche of this log, from 1")


class ChouineursMatch(Match):
    """A match of Chouineurs; `deck` lists the cards or names a deck that ships with Retourne."""

    game: Literal["chouineurs"]
    deck: str | list[str] | None = Field(None, description="44 cards `b3/y30`, or a deck's name")
    bid_cards: dict[str, dict[str, int]] | None = Field(
        None, description="five cards, such as {'3-4+': {'3': 5, '4+': 10}}"
    )
    start: ChouineursStart | None = None
    deals: list[ChouineursDeal] = Field(default_factory=list)


MATCH_MODEL: type[Match] = ChouineursMatch


def shipped_decks() -> list[str]:
    """Return the names of the decks that ship under `data/decks/`."""
    entries = (entry.name for entry in files("data").joinpath("decks").iterdir())
    return sorted(name.removesuffix(".json") for name in entries if name.endswith(".json"))


@lru_cache(maxsize=64)
def cached_deck(cards: tuple[str, ...]) -> Deck:
    """Build the deck of some cards, once. InvalidDeckError: the cards have a problem."""
    return Deck(cards)


@lru_cache(maxsize=64)
def shipped_deck(name: str) -> tuple[str, ...]:
    """Return the cards of a deck that ships. KeyError: no such deck."""
    if not isinstance(name, str) or name not in shipped_decks():
        raise KeyError(name)
    text = files("data").joinpath("decks", f"{name}.json").read_bytes()
    return tuple(orjson.loads(text)["cards"])


def add_equipment(match: Any, setup: MatchSetup) -> MatchSetup:
    """Return the setup with the match's deck and bid cards (CR-1, CR-2), or their problems."""
    found: list[DealProblem] = []
    cards: tuple[str, ...] = ()
    if match.deck is None and match.is_result_only:  # no card is read
        return setup
    if isinstance(match.deck, list):
        cards = tuple(match.deck)
        found += [one._replace(path="/deck" + one.path) for one in decks.deck_problems(cards)]
    else:
        try:
            cards = shipped_deck(match.deck)
        except (KeyError, TypeError):
            found.append(DealProblem("deck-unknown", "/deck", match.deck, tuple(shipped_decks())))
    result = match.known("bid_cards")
    own = decks.PUBLISHED_BID_CARDS if result is None else result
    found += [one._replace(path="/bid_cards" + one.path) for one in decks.bid_problems(own)]
    if found:
        return setup._replace(problems=tuple(found))
    deck, bids = cached_deck(cards), BidCards(own)
    rules = decks.add_equipment(setup.rules, deck, bids)
    return setup._replace(rules=rules, faces=deck.names, deck=deck, bid_cards=bids)


def _deck_and_bids(setup: MatchSetup) -> tuple[Deck, BidCards]:
    """Return the deck and bid cards of a setup without problems."""
    assert isinstance(setup.deck, Deck)  # a setup without one has problems
    assert isinstance(setup.bid_cards, BidCards)
    return setup.deck, setup.bid_cards


def read_row(deal: Any, setup: MatchSetup, problems: list[DealProblem]) -> list[int] | None:
    """Return the kernel's row of hands and bids (CR-1, CR-2); None if unreadable."""
    deck, bids = _deck_and_bids(setup)
    tricks = setup.settings["tricks"]
    row, found = decks.read_row(deal.hands, deal.bids, deck, bids, setup.players, tricks)
    problems += found
    if duplicates := [one for one in found if one.code == "duplicate-hand-card"]:
        # suggest the cards that were played but are in no recorded hand
        sides = {side for held in deal.hands for side in held.replace("/", " ").split(" ")}
        there = {code >> 1 for side, code in deck.code_entries.items() if side in sides}
        words = (action.partition(" ")[2] for action in deal.actions)
        played = {deck.code_entries[word]: None for word in words if word in deck.code_entries}
        missing = tuple(deck.card_with_face_up(face) for face in played if face >> 1 not in there)
        problems[:] = [one._replace(allowed=missing) if one in duplicates else one for one in problems]
    return None if row is None else [int(number) for number in row]


def write_row(
    setup: MatchSetup, dealer: int, row: np.ndarray, as_hands: bool, actions: Sequence[str] = ()
) -> dict[str, Any]:
    """Return `leader`, `hands` (face up first) and `bids`; `as_hands` makes no difference."""
    held, bids = decks.write_row(row, *_deck_and_bids(setup), setup.players)
    return {"leader": dealer + 1, "hands": held, "bids": bids}


def row_layout(setup: MatchSetup) -> RowLayout:
    """Return where the hands' faces up and the bids are in the row."""
    deck, bids = _deck_and_bids(setup)
    size = setup.settings["tricks"]
    row = [seat * decks.HAND_SIZE + k for seat in range(setup.players) for k in range(size)]
    cards = {deck.card_with_face_up(up): up for up in range(len(deck.names))}
    places = np.tile(np.array(row, np.int64), (setup.players, 1))
    return RowLayout(cards, size, 0, places, bids.code_entries, decks.BIDS_OFFSET)


def read_score_line(
    line: Any, setup: MatchSetup, problems: list[DealProblem], code: EncodeAction
) -> dict[str, Any]:
    """Return the bid codes and the points of the reserve, one per seat (CR-2, CR-5)."""
    bids, reserve = line.bids, line.reserve
    if bids is not None:
        known = _deck_and_bids(setup)[1].code_entries
        if len(bids) != setup.players:
            problems.append(DealProblem("bid-count", "/bids", len(bids), (str(setup.players),)))
        problems += [
            DealProblem("bid-unknown", f"/bids/{seat}", bid, tuple(known))
            for seat, bid in enumerate(bids)
            if bid not in known
        ]
        bids = [known.get(bid, -1) for bid in bids]
    return {"bids": bids, "reserve": reserve}


def sorted_hand(setup: MatchSetup, state: np.void, seat: int, known: int) -> list[str]:
    """Return the cards of a hand in the mask `known`, colour by colour, strongest first."""
    shown = state.copy()
    shown["hand"][seat] = int(state["hand"][seat]) & known
    return decks.sorted_hand(shown, _deck_and_bids(setup)[0], seat)


CODE_DOCS: Mapping[str, Rows] = {
    "outcome": ((str(kernel.RESIGNED), "given up"),),
    "deck": (
        (
            f"{this.PLAY}–{this.TURN - 1}",
            "a face: 2 × its card's place in the deck of the match, from 0, and 1 more for the face"
            f" that the deck names second. {decks.HAND_SIZE} places for each of"
            f" {decks.MAX_SEATS} seats have the faces up, then each seat has one for its bid card,"
            " numbered as `bid`",
        ),
        (str(decks.NO_FACE), "a place without a card or a bid"),
    ),
    "actions": (
        (f"{this.PLAY}–{this.TURN - 1}", "plays the face, as in `deck`"),
        (f"{this.TURN}–{this.POINT - 1}", f"turns the card whose face up is {this.TURN} less"),
        numbered_row(("point", "resign"), this.POINT),
    ),
    "bid": (numbered_row(tuple(decks.PUBLISHED_BID_CARDS)),),
}
