"""Packs of cards as small integers, hands as bit masks.

A card's code is `suit * ranks + rank`, ranks ascending, so that within a suit the
stronger card has the higher code and the mask of all higher cards is one shift.
"""

from collections.abc import Iterable, Iterator

SUITS = "shdc"
SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
FRENCH_RANKS = {"T": "10", "K": "R", "Q": "D", "J": "V"}
ENGLISH_RANKS = {"T": "10"}

HIDDEN_WORD = "??"
"""The name of a card that is not recorded."""
HIDDEN_CARD = 254
"""The code of a card that is not recorded; `engine.hidden` finds which it may be."""


class Pack:
    """One game's pack; `names[code]` and `code_entries[name]` translate between both forms."""

    def __init__(self, ranks: str) -> None:
        self.ranks = ranks
        self.names = tuple(rank + suit for suit in SUITS for rank in ranks)
        self.code_entries = {name: code for code, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def mask(self, cards: Iterable[str]) -> int:
        """Return the bit mask of named cards. KeyError: the pack has no card of that name."""
        return sum({1 << self.code_entries[card] for card in cards})

    def codes_in(self, mask: int) -> Iterator[int]:
        """Iterate over the card codes in a mask, ascending."""
        mask = int(mask)
        while mask:
            yield (low := mask & -mask).bit_length() - 1
            mask ^= low

    def names_in(self, mask: int) -> tuple[str, ...]:
        """Return the card names in a mask, by suit, strongest first, as players sort a hand."""
        size = len(self.ranks)
        codes = sorted(self.codes_in(mask), key=lambda code: (code // size, -code))
        return tuple(self.names[code] for code in codes)


PIQUET = Pack("789JQKTA")
"""32 cards, the 10 above the king in every suit (CH-1)."""

JASS = Pack("6789TJQKA")
"""36 cards, the 10 below the jack: the order of plain suits, trumps have another (CO-2)."""


def card_label(card: str, language: str = "fr") -> str:
    """Return a card as players write it: `Th` is `10♥`, `Kh` is `R♥` in French, `K♥` in English."""
    if card == HIDDEN_WORD:
        return card
    return (FRENCH_RANKS if language == "fr" else ENGLISH_RANKS).get(card[0], card[0]) + SYMBOLS[card[1]]
