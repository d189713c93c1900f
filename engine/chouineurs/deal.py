"""A deal's hands and bids as the one row of small integers the kernel starts from."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.cards import HIDDEN, UNTOLD
from engine.chouineurs.deck import BLACK, COLOURS, MOST_TRICKS, BidCards, Deck, Problem

SEATS = 5
HAND = MOST_TRICKS
BIDS_AT = SEATS * HAND
ROW = BIDS_AT + SEATS
"""Bytes of a row: eight places for the faces up of each seat's hand, then a bid per seat."""
NONE = 255
"""A place of a row that holds no card or no bid."""


def equip(rules: np.void, deck: Deck, bids: BidCards | None = None) -> np.void:
    """The options of a match with its deck and its bid cards: the `rules` the kernel reads."""
    equipped = np.zeros(1, rules.dtype)
    equipped[0] = rules
    record: np.void = equipped[0]
    record["colour"] = deck.colour
    record["value"] = deck.value
    record["bid_points"] = (bids or BidCards()).points
    for side in (0, 1):
        for colour in range(len(COLOURS)):
            cards = np.flatnonzero(deck.colour[side::2] == colour)
            record["cards"][side, colour] = sum(1 << int(card) for card in cards)
    return record


def row(hands: Sequence[Sequence[int]], bids: Sequence[int]) -> NDArray[np.uint8]:
    """The row of a deal: `hands` are the faces up seat by seat, `bids` a bid card each."""
    packed = np.full(ROW, NONE, np.uint8)
    for seat, (hand, bid) in enumerate(zip(hands, bids, strict=True)):
        packed[seat * HAND : seat * HAND + len(hand)] = hand
        packed[BIDS_AT + seat] = bid
    return packed


def hands_of(packed: NDArray[np.uint8], players: int) -> list[list[int]]:
    """The faces up of each hand in a row."""
    hands = packed[: players * HAND].reshape(players, HAND)
    return [[int(up) for up in hand if up != NONE] for hand in hands]


def bids_of(packed: NDArray[np.uint8], players: int) -> list[int]:
    """The bid card of each seat in a row."""
    return [int(bid) for bid in packed[BIDS_AT : BIDS_AT + players]]


def read(
    hands: Sequence[str],
    bids: Sequence[str],
    deck: Deck,
    cards: BidCards,
    players: int,
    tricks: int,
) -> tuple[NDArray[np.uint8] | None, list[Problem]]:
    """The row of a deal as a log writes it, and everything that stands in the way.

    `hands` are one string a seat, `"b11/y30 r13/k40"`, the face up first, `??` for a card nobody
    wrote down, alone for a whole hand; no hands at all are hands of such cards. Paths of problems
    start at the deal.
    """
    found: list[Problem] = []
    hands = hands or [UNTOLD] * players
    if len(hands) != players:
        found.append(Problem("hand-size", "/hands", len(hands), (str(players),)))
    if len(bids) != players:
        found.append(Problem("bid-count", "/bids", len(bids), (str(players),)))
    held: set[int] = set()
    faces: list[list[int]] = []
    for seat, hand in enumerate(hands):
        path = f"/hands/{seat}"
        written = [UNTOLD] * tricks if hand == UNTOLD else hand.split(" ")
        if len(written) != tricks:
            found.append(Problem("hand-size", path, len(written), (str(tricks),)))
        faces.append([])
        for card in written:
            if card == UNTOLD:
                faces[-1].append(HIDDEN)
                continue
            try:
                up = deck.up(card)
            except KeyError:
                found.append(Problem("hand-card", path, card))
                continue
            if up >> 1 in held:
                found.append(Problem("hand-twice", path, card))
            held.add(up >> 1)
            faces[-1].append(up)
    for seat, bid in enumerate(bids):
        if bid not in cards.codes:
            found.append(Problem("bid-unknown", f"/bids/{seat}", bid, cards.names))
    if found:
        return None, found
    return row(faces, [cards.codes[bid] for bid in bids]), found


def write(
    packed: NDArray[np.uint8], deck: Deck, cards: BidCards, players: int
) -> tuple[list[str], list[str]]:
    """A row's hands and bids as a log writes them; `read` gives the row back."""
    hands = [" ".join(map(deck.card, hand)) for hand in hands_of(packed, players)]
    return hands, [cards.names[bid] for bid in bids_of(packed, players)]


def show_hand(state: np.void, deck: Deck, seat: int) -> list[str]:
    """A hand as its player sorts it, the face up first: colour by colour, strongest first."""
    hand, side = int(state["hand"][seat]), int(state["side"])
    up = [2 * card + (side >> card & 1) for card in range(len(deck.names) // 2) if hand >> card & 1]
    order = sorted(up, key=lambda code: ((deck.colour[code] + 1) % (BLACK + 1), -deck.value[code]))
    return [deck.card(code) for code in order]
