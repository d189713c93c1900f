"""Where the cards of a deal lie, and which of them nobody wrote down."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cards import HIDDEN
from engine.games import Game


class Layout(NamedTuple):
    """`written[place]` is a face, or a card that has but one; `slots[place]` its byte of `deck`.

    Places without a slot are those of cards nobody is dealt.
    """

    deck: NDArray[np.uint8]
    slots: list[int]
    cards: int
    sides: int
    """Faces of a card: 1, or 2."""
    written: dict[int, int]

    @property
    def everything(self) -> int:
        """The mask of all cards, or of all places."""
        return (1 << self.cards) - 1

    @property
    def places(self) -> dict[int, int]:
        """Card → place, of those written down."""
        return {face // self.sides: place for place, face in self.written.items()}

    def dealt(self, at: Sequence[int]) -> NDArray[np.uint8]:
        """The deal as the kernel takes it, with each card at its place."""
        row = self.deck.copy()
        for card, place in enumerate(at):
            if place < len(self.slots):
                row[self.slots[place]] = self.face(card, place)
        return row

    def face(self, card: int, place: int) -> int:
        """The face up of a card at the start; the first where nobody knows."""
        return self.written.get(place, card * self.sides)

    def faces(self, card: int) -> range:
        """The faces of a card."""
        return range(card * self.sides, (card + 1) * self.sides)


def layout(game: Game, deck: Sequence[int] | NDArray[np.uint8]) -> Layout:
    """The layout of a deal as `Game.kernel.start` takes it, but for its HIDDEN cards."""
    row = np.array(deck, np.uint8)
    places = row[: game.row.places]
    slots = [int(slot) for slot in np.flatnonzero(places != game.row.empty)]
    written = {place: int(row[slot]) for place, slot in enumerate(slots) if row[slot] != HIDDEN}
    return Layout(row, slots, game.row.cards, game.row.faces, written)


def bits(mask: int) -> Iterator[int]:
    """The places, or cards, in a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
