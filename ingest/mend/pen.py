"""Slips of the pen: words that name an action in another spelling than the format's.

People and printouts write a card as 10h, 10♥, hT or V♠, and words in capitals, with spaces too many
or a letter wrong. What such a word says is read here; that it was meant is for the engine to say.
"""

import re
from functools import lru_cache

from ingest.games import of
from ingest.mend.near import folded, mistyped
from schemas.words import SEATS, acts

LONGEST = 40
"""Characters of a word that is still read."""
SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c"}
NAMED = {
    **dict.fromkeys(("pique", "piques", "spade", "spades"), "s"),
    **dict.fromkeys(("cœur", "coeur", "cœurs", "coeurs", "heart", "hearts"), "h"),
    **dict.fromkeys(("carreau", "carreaux", "diamond", "diamonds"), "d"),
    **dict.fromkeys(("trèfle", "trefle", "trèfles", "trefles", "club", "clubs"), "c"),
} | {suit: suit for suit in "shdc"}
"""Suits in words and letters."""
RANKS = {"10": "T", "1": "A", "R": "K", "D": "Q", "V": "J", "AS": "A"}
NAMED_RANKS = {
    **dict.fromkeys(("as", "ace"), "A"),
    **dict.fromkeys(("roi", "king"), "K"),
    **dict.fromkeys(("dame", "queen"), "Q"),
    **dict.fromkeys(("valet", "jack"), "J"),
    **dict.fromkeys(("dix", "ten"), "T"),
    **dict.fromkeys(("neuf", "nine"), "9"),
    **dict.fromkeys(("huit", "eight"), "8"),
    **dict.fromkeys(("sept", "seven"), "7"),
    **dict.fromkeys(("six",), "6"),
}
"""Ranks in words, of a card told as `roi de pique`."""
COLOURS = {
    **dict.fromkeys(("b", "bleu", "bleue", "blue"), "b"),
    **dict.fromkeys(("r", "rouge", "red"), "r"),
    **dict.fromkeys(("y", "j", "jaune", "yellow"), "y"),
    **dict.fromkeys(("k", "n", "noir", "noire", "black"), "k"),
}
"""Colours of faces in words and letters; no letter is one colour in French, another in English."""
MOST_IN_ONE = 4
"""Actions written into one text that are still told apart."""
_SEVERAL = re.compile(r"[\s,;]+(?=[1-9]\s+\S)")
_FACE = re.compile(
    r"(?:(?P<head>.*) )?"
    r"(?:(?P<colour>[a-z]+) ?(?P<value>[0-9]{1,3})|(?P<first>[0-9]{1,3}) ?(?P<then>[a-z]+))"
)
"""A face at the end of a word: `noir 34`, `34 noir`, `n34`."""
_SEAT = re.compile(r"\s*([1-9])\s*(.*?)\s*", re.DOTALL)


@lru_cache(maxsize=8192)
def reading(name: str, text: str, faces: tuple[str, ...]) -> str | None:
    """The one action of a game that a text is in another spelling; None: none, or several."""
    if len(text) > LONGEST or not (found := _SEAT.fullmatch(text)):
        return None
    seat, word = found.groups()
    if int(seat) > SEATS:
        return None
    meant = meanings(name, word, faces) or slips(name, word, faces)
    return f"{seat} {next(iter(meant))}" if len(meant) == 1 else None


@lru_cache(maxsize=8192)
def meanings(name: str, word: str, faces: tuple[str, ...] = ()) -> frozenset[str]:
    """The words of a game's actions that a word spells, without a seat and not a letter wrong."""
    if len(word) > LONGEST:
        return frozenset()
    known = acts(name, faces)
    heads = {head for one in known for head, _, tail in [one.partition(" ")] if tail}
    low = " ".join(word.split())
    spelt = set[str]().union(*(_spellings(one) for one in (low, *_said(name, low))))
    meant = {one for one in spelt if one in known}
    return frozenset(meant or {one for one in _headed(spelt, heads) if one in known})


def slips(name: str, word: str, faces: tuple[str, ...] = ()) -> frozenset[str]:
    """The words of a game's actions that a word is but for a slip of the keyboard."""
    word = _letters(word)
    return frozenset(one for one in acts(name, faces) if len(one) > 3 and mistyped(word, one))


def _said(name: str, word: str) -> list[str]:
    """A word with what people of the game say put into the format's words."""
    plain = folded(word)
    return [
        meant + plain[len(said) :]
        for said, meant in of(name).SAID.items()
        if plain == said or plain.startswith(said + " ")
    ]


def actions(name: str, text: str, faces: tuple[str, ...]) -> list[str]:
    """The actions a text is in another spelling, several of them in one perhaps; empty: it is none.

    Several are several only where each has its seat.
    """
    whole = reading(name, text, faces)
    if whole is not None:
        return [whole]
    parts = [part.strip(" ,;") for part in _SEVERAL.split(text[: 2 * LONGEST + 1])]
    if not 1 < len(parts) <= MOST_IN_ONE:
        return []
    read = [reading(name, part, faces) for part in parts]
    return [] if None in read else [one for one in read if one is not None]


def _spellings(word: str) -> set[str]:
    """What a word is, written as the format does: as it is, in small letters, as a card."""
    low = _letters(word.casefold())
    plain = {word, low, low.replace(" ", "-"), low.replace("-", " "), low.replace("_", "-")}
    front, _, suit = low.rpartition(" ")
    if front and suit in NAMED:  # 70 trèfle, 70 c, mariage de trèfle, roi de pique
        front = front.removesuffix(" de").removesuffix(" of")
        plain |= {front + NAMED[suit], f"{front}-{NAMED[suit]}"}
        front, _, rank = front.rpartition(" ")
        rank = RANKS.get(rank.upper(), NAMED_RANKS.get(rank, rank.upper())) + NAMED[suit]
        plain.add(f"{front} {rank}" if front else rank)
    if found := _face(low):
        plain.add(found)
    head, _, tail = low.rpartition(" ")
    cards = _cards(word.rpartition(" ")[2])
    return plain | {f"{head} {card}" if head else card for card in cards if tail}


def _headed(spelt: set[str], heads: set[str]) -> set[str]:
    """Spellings with a first word that was left out."""
    return {f"{head} {one}" for one in spelt if len(one) > 1 for head in heads}


def _letters(word: str) -> str:
    """A word with the letters of suits for their signs."""
    return "".join(SUITS.get(sign, sign) for sign in word if sign != "\ufe0f")


def _cards(word: str) -> set[str]:
    """The cards a word may be: rank and suit in either order."""
    found = set()
    word = _letters(word)
    for rank, suit in ((word[:-1], word[-1:]), (word[1:], word[:1])):
        if suit.lower() in "shdc" and suit:
            rank = rank.upper()
            found.add(RANKS.get(rank, rank) + suit.lower())
    return found


def _face(word: str) -> str | None:
    """A word with the face at its end as the format has it; None: none is there."""
    found = _FACE.fullmatch(word)
    colour = found and COLOURS.get(found["colour"] or found["then"])
    if not found or not colour:
        return None
    face = colour + (found["value"] or found["first"])
    return f"{found['head']} {face}" if found["head"] else face
