"""Slips of the pen: words that name an action in another spelling than the format's.

People and printouts write a card as 10h, 10♥, hT or V♠, and words in capitals, with spaces too many
or a letter wrong. What such a word says is read here; that it was meant is for the engine to say.
"""

import re
from functools import lru_cache

from ingest.mend.near import mistyped
from schemas.words import SEATS, acts

LONGEST = 40
"""Characters of a word that is still read."""
SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c"}
RANKS = {"10": "T", "1": "A", "R": "K", "D": "Q", "V": "J", "AS": "A"}
_SEAT = re.compile(r"\s*([1-9])\s*(.*?)\s*", re.DOTALL)


@lru_cache(maxsize=8192)
def reading(name: str, text: str, faces: tuple[str, ...]) -> str | None:
    """The one action of a game that a text is in another spelling; None: none, or several."""
    if len(text) > LONGEST or not (found := _SEAT.fullmatch(text)):
        return None
    seat, word = found.groups()
    if int(seat) > SEATS:
        return None
    known = acts(name, faces)
    meant = {one for one in _spellings(" ".join(word.split())) if one in known}
    if not meant:
        meant = {one for one in known if len(one) > 3 and mistyped(word, one)}
    return f"{seat} {meant.pop()}" if len(meant) == 1 else None


def _spellings(word: str) -> set[str]:
    """What a word is, written as the format does: as it is, in small letters, as a card."""
    low = _letters(word.casefold())
    plain = {word, low, low.replace(" ", "-"), low.replace("-", " "), low.replace("_", "-")}
    head, _, tail = low.rpartition(" ")
    cards = _cards(word.rpartition(" ")[2])
    return plain | {f"{head} {card}" if head else card for card in cards if tail}


def _letters(word: str) -> str:
    """A word with the letters of suits for their signs."""
    return "".join(SUITS.get(sign, sign) for sign in word if sign != "\ufe0f")


def _cards(word: str) -> set[str]:
    """The cards a word may be: rank and suit in either order, or a face."""
    found = set()
    word = _letters(word)
    for rank, suit in ((word[:-1], word[-1:]), (word[1:], word[:1])):
        if suit.lower() in "shdc" and suit:
            rank = rank.upper()
            found.add(RANKS.get(rank, rank) + suit.lower())
    if face := re.fullmatch(r"([bryk])(\d+)|(\d+)([bryk])", word.casefold()):
        found.add((face[1] or face[4]) + (face[2] or face[3]))
    return found
