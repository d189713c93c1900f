"""Reads and checks the 44 two-faced cards and bid cards of a match (CR-1, CR-2).

The deck is data, because S1 does not print the published one. A card such as `b3/y30` has two
faces, each a colour (`b` blue, `r` red, `y` yellow, `k` black) and a value. Actions name a card by
a face, so every face must be unique.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.cards import HIDDEN_CARD, HIDDEN_WORD
from engine.chouineurs.actions import FACE_COUNT
from engine.faults import DealProblem as DealProblem

COLOURS = "bryk"
BLUE, RED, YELLOW, BLACK = range(4)
CARD_COUNT = FACE_COUNT // 2

_FACE = re.compile(r"([bryk])(0|[1-9][0-9]{0,2})")


class InvalidDeckError(ValueError):
    """Raised for an unusable deck; `problems` is the result of `deck_problems`."""

    def __init__(self, problems: list[DealProblem]) -> None:
        super().__init__("; ".join(map(_english_text, problems)))
        self.problems = problems


def _english_text(problem: DealProblem) -> str:
    place = problem.path.lstrip("/")
    where = f"card {int(place) + 1}: " if place.isdigit() else ""
    if problem.code == "deck-size":
        return f"{problem.found} cards instead of {CARD_COUNT}"
    if problem.code == "duplicate-face":
        return f"{where}the face {problem.found} is already on card {problem.allowed[0]}"
    return f"{where}{problem.found!r} is not written like b3/y30"


def parse_face(text: str) -> tuple[int, int] | None:
    """Parse a face into (colour, value), values from 0 to 999; None if it is not a face."""
    if found := _FACE.fullmatch(text):
        return COLOURS.index(found[1]), int(found[2])
    return None


def deck_problems(cards: Sequence[object]) -> list[DealProblem]:
    """Return the problems of a deck: count, syntax, duplicate faces; empty if it is valid.

    For a duplicate face `allowed` names the card that already has it, counted from 1.
    """
    found = []
    if len(cards) != CARD_COUNT:
        found.append(DealProblem("deck-size", "", len(cards), (str(CARD_COUNT),)))
    seen: dict[str, int] = {}
    for at, card in enumerate(cards):
        faces = card.split("/") if isinstance(card, str) else []
        if len(faces) != 2 or not all(map(parse_face, faces)):
            found.append(DealProblem("card-syntax", f"/{at}", card, ("b3/y30",)))
            continue
        for name in faces:
            if name in seen:
                found.append(DealProblem("duplicate-face", f"/{at}", name, (str(seen[name] + 1),)))
            seen.setdefault(name, at)
    return found


class Deck:
    """A valid deck: `names[face]`, `code_entries[name]`, and the kernel's colours and values.

    Cards are sorted by their lower face (blue first, low values first), so that two logs that list
    the same deck in different orders get the same codes. InvalidDeckError: the deck has problems.
    """

    def __init__(self, cards: Iterable[str]) -> None:
        cards = list(cards)
        if found := deck_problems(cards):
            raise InvalidDeckError(found)
        both = sorted(
            sorted((parse_face(name) or (0, 0), name) for name in card.split("/")) for card in cards
        )
        faces = [side for card in both for side in card]
        self.names = tuple(name for _, name in faces)
        self.code_entries = {name: code for code, name in enumerate(self.names)}
        self.colour: NDArray[np.int8] = np.array([colour for (colour, _), _ in faces], np.int8)
        self.value: NDArray[np.int16] = np.array([value for (_, value), _ in faces], np.int16)

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards in the deck's own order, such as `b3/y30`."""
        return tuple(map(self.card_with_face_up, range(0, FACE_COUNT, 2)))

    def card_with_face_up(self, up: int) -> str:
        """Return the name of the card that shows a face, with that face first."""
        return f"{self.names[up]}/{self.names[up ^ 1]}"

    def face_up(self, card: str) -> int:
        """Return the first face of a card such as `y30/b3`, the one up. KeyError: no such card."""
        active, _, back = card.partition("/")
        code = self.code_entries[active]
        if self.code_entries[back] != code ^ 1:
            raise KeyError(card)
        return code


# bid cards: the points each one scores for a number of tricks

BID_COUNT = 5
MAX_TRICKS = 8
BID_NOT_MET = -1
"""`points[bid, tricks]` of a bid card that this number of tricks does not meet."""

PUBLISHED_BID_CARDS: Mapping[str, Mapping[str, int]] = {
    "0-1": {"0": 8, "1": 3},
    "0-1-2": {"0": 2, "1": 8, "2": 5},
    "1-2-3": {"1": 4, "2": 8, "3": 4},
    "2-3-4": {"2": 3, "3": 9, "4": 4},
    "3-4+": {"3": 5, "4+": 10},
}
"""Name → tricks → points; `4+` means four or more."""

_TRICKS = re.compile(r"([0-8])(\+?)")


def bid_problems(cards: Mapping[str, Mapping[str, int]]) -> list[DealProblem]:
    """Return the problems of a match's own bid cards: five are needed, each `{"2": 3, "4+": 9}`."""
    found = []
    if len(cards) != BID_COUNT:
        found.append(DealProblem("bid-cards", "", len(cards), (str(BID_COUNT),)))
    for name, bid in cards.items():
        where = "/" + name.replace("~", "~0").replace("/", "~1")
        if not bid:
            found.append(DealProblem("bid-cards", where, {}))
        met: set[int] = set()
        for tricks, points in bid.items():
            covered = _tricks_covered(tricks)
            whole = isinstance(points, int) and not isinstance(points, bool)
            if not covered or met & covered or not whole or not 0 <= points <= 1000:
                found.append(DealProblem("bid-cards", f"{where}/{tricks}", points))
            met |= covered
    return found


def _tricks_covered(tricks: str) -> set[int]:
    found = _TRICKS.fullmatch(tricks)
    if not found:
        return set()
    low = int(found[1])
    return set(range(low, (MAX_TRICKS if found[2] else low) + 1))


class BidCards:
    """Five bid cards: `names[bid]`, `code_entries[name]`, `points[bid, tricks]` (5 × 9, -1: unmet).

    They are numbered in the order of their names, because the keys of a JSON object have no order.
    ValueError: the cards have `bid_problems`.
    """

    def __init__(self, cards: Mapping[str, Mapping[str, int]] = PUBLISHED_BID_CARDS) -> None:
        if found := bid_problems(cards):
            raise ValueError("; ".join(f"{wrong.path}: {wrong.found}" for wrong in found))
        self.names = tuple(sorted(cards))
        self.code_entries = {name: code for code, name in enumerate(self.names)}
        self.points: NDArray[np.int16] = np.full((BID_COUNT, MAX_TRICKS + 1), BID_NOT_MET, np.int16)
        for bid, name in enumerate(self.names):
            for tricks, points in cards[name].items():
                for number in _tricks_covered(tricks):
                    self.points[bid, number] = points


# a deal as the row of bytes that `Kernel.start` deals from

MAX_SEATS = 5
HAND_SIZE = MAX_TRICKS
BIDS_OFFSET = MAX_SEATS * HAND_SIZE
ROW_LENGTH = BIDS_OFFSET + MAX_SEATS
"""Bytes in a row: eight places per seat for the faces up in its hand, then a bid per seat."""
NO_FACE = 255
"""The byte of a place in a row without a card or bid."""


def add_equipment(rules: np.void, deck: Deck, bids: BidCards | None = None) -> np.void:
    """Return a copy of a match's rules record with its deck and bid cards filled in."""
    record: np.void = rules.copy()
    record["colour"], record["value"] = deck.colour, deck.value
    record["bid_points"] = (bids or BidCards()).points
    for side in (0, 1):
        for colour in range(len(COLOURS)):
            cards = np.flatnonzero(deck.colour[side::2] == colour)
            record["cards"][side, colour] = sum(1 << int(card) for card in cards)
    return record


def encode_row(hands: Sequence[Sequence[int]], bids: Sequence[int]) -> NDArray[np.uint8]:
    """Return the row of a deal: `hands` are the faces up, by seat, `bids` a bid card per seat."""
    packed = np.full(ROW_LENGTH, NO_FACE, np.uint8)
    for seat, (hand, bid) in enumerate(zip(hands, bids, strict=True)):
        packed[seat * HAND_SIZE : seat * HAND_SIZE + len(hand)] = hand
        packed[BIDS_OFFSET + seat] = bid
    return packed


def hands_in_row(packed: NDArray[np.uint8], players: int) -> list[list[int]]:
    """Return the faces up in each hand of a row."""
    hands = packed[: players * HAND_SIZE].reshape(players, HAND_SIZE)
    return [[int(up) for up in hand if up != NO_FACE] for hand in hands]


def bids_in_row(packed: NDArray[np.uint8], players: int) -> list[int]:
    """Return the bid card of each seat in a row."""
    return [int(bid) for bid in packed[BIDS_OFFSET : BIDS_OFFSET + players]]


def read_row(
    hands: Sequence[str], bids: Sequence[str], deck: Deck, cards: BidCards, players: int, tricks: int
) -> tuple[NDArray[np.uint8] | None, list[DealProblem]]:
    """Convert a deal from a log to a row; return it, or None with problems.

    `hands` has one string per seat, `"b11/y30 r13/k40"`, with the face up first; `??` is an unrecorded
    card, or as the whole string an unrecorded hand. Without `hands` all are unrecorded. Paths of problems
    start at the deal.
    """
    found: list[DealProblem] = []
    hands = hands or [HIDDEN_WORD] * players
    if len(hands) != players:
        found.append(DealProblem("hand-size", "/hands", len(hands), (str(players),)))
    if len(bids) != players:
        found.append(DealProblem("bid-count", "/bids", len(bids), (str(players),)))
    held: set[int] = set()
    faces: list[list[int]] = []
    for seat, hand in enumerate(hands):
        path = f"/hands/{seat}"
        written = [HIDDEN_WORD] * tricks if hand == HIDDEN_WORD else hand.split(" ")
        if len(written) != tricks:
            found.append(DealProblem("hand-size", path, len(written), (str(tricks),)))
        faces.append([])
        for card in written:
            if card == HIDDEN_WORD:
                faces[-1].append(HIDDEN_CARD)
                continue
            try:
                up = deck.face_up(card)
            except KeyError:
                found.append(DealProblem("hand-card", path, card))
                continue
            if up >> 1 in held:
                found.append(DealProblem("duplicate-hand-card", path, card))
            held.add(up >> 1)
            faces[-1].append(up)
    for seat, bid in enumerate(bids):
        if bid not in cards.code_entries:
            found.append(DealProblem("bid-unknown", f"/bids/{seat}", bid, cards.names))
    if found:
        return None, found
    return encode_row(faces, [cards.code_entries[bid] for bid in bids]), found


def write_row(
    packed: NDArray[np.uint8], deck: Deck, cards: BidCards, players: int
) -> tuple[list[str], list[str]]:
    """Return a row's hands and bids as a log writes them, the inverse of `read_row`."""
    hands = [" ".join(map(deck.card_with_face_up, hand)) for hand in hands_in_row(packed, players)]
    return hands, [cards.names[bid] for bid in bids_in_row(packed, players)]


def sorted_hand(state: np.void, deck: Deck, seat: int) -> list[str]:
    """Return a hand as players sort it, by colour, strongest first; each card's face up first."""
    hand, side = int(state["hand"][seat]), int(state["side"])
    up = [2 * card + (side >> card & 1) for card in range(len(deck.names) // 2) if hand >> card & 1]
    order = sorted(up, key=lambda code: ((deck.colour[code] + 1) % (BLACK + 1), -deck.value[code]))
    return [deck.card_with_face_up(code) for code in order]
