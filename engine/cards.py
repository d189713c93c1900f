"""Packs of cards as small integers, hands as bit masks.

A card's code is `suit * ranks + rank`, ranks ascending, so that within a suit the
stronger card has the higher code and "every card above this one" is one shift.
"""

from collections.abc import Iterable, Iterator

SUITS = "shdc"
SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
FRENCH_RANKS = {"T": "10", "K": "R", "Q": "D", "J": "V"}
ENGLISH_RANKS = {"T": "10"}

HIDDEN_WORD = "??"
"""The name of a card nobody wrote down,"""
HIDDEN_CARD = 254
"""and its code where a deal is numbers; `engine.hidden` says what it may be."""


class Pack:
    """One game's pack; `names[code]` and `codes[name]` are the only translation there is."""

    def __init__(self, ranks: str) -> None:
        self.ranks = ranks
        self.names = tuple(rank + suit for suit in SUITS for rank in ranks)
        self.code_entries = {name: code for code, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def mask(self, cards: Iterable[str]) -> int:
        """The bit mask of some named cards. KeyError: a name this pack does not have."""
        return sum({1 << self.code_entries[card] for card in cards})

    def codes_in(self, mask: int) -> Iterator[int]:
        """The codes in a mask, ascending."""
        mask = int(mask)
        while mask:
            yield (low := mask & -mask).bit_length() - 1
            mask ^= low

    def names_in(self, mask: int) -> tuple[str, ...]:
        """The names in a mask, suit by suit, strongest first, as a player sorts a hand."""
        size = len(self.ranks)
        codes = sorted(self.codes_in(mask), key=lambda code: (code // size, -code))
        return tuple(self.names[code] for code in codes)


PIQUET = Pack("789JQKTA")
"""32 cards, the 10 above the king in every suit (CH-1)."""

JASS = Pack("6789TJQKA")
"""36 cards, the 10 below the jack: the order of plain suits, trumps have another (CO-2)."""


def card_label(card: str, language: str = "fr") -> str:
    """`Th` as a player writes it: `10♥`; the king of hearts is `R♥` in French, `K♥` in English."""
    if card == HIDDEN_WORD:
        return card
    return (FRENCH_RANKS if language == "fr" else ENGLISH_RANKS).get(card[0], card[0]) + SYMBOLS[
        card[1]
    ]
