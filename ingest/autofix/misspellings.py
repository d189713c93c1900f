"""Slips of the pen: words that name an action in another spelling than the format's.

People and printouts write a card as 10h, 10♥, hT or V♠, and words in capitals, with spaces too many
or a letter wrong. What such a word says is read here; that it was meant is for the engine to say.
"""

import re
import unicodedata
from functools import lru_cache

from ingest.games import of
from schemas.notation import SEATS, acts


def _by_name(**names: str) -> dict[str, str]:
    return {name: letter for letter, several in names.items() for name in several.split()}


LONGEST = 40  # characters of a word that is still read
MOST_IN_ONE = 4  # actions written into one text that are still told apart
LONG = 80  # characters past which nobody takes a text for one of a few known words
SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c"}
NAMED = _by_name(
    s="s pique piques spade spades",
    h="h cœur coeur cœurs coeurs heart hearts",
    d="d carreau carreaux diamond diamonds",
    c="c trèfle trefle trèfles trefles club clubs",
)
RANKS = {"10": "T", "1": "A", "R": "K", "D": "Q", "V": "J", "AS": "A"}
# of a card told as `roi de pique`
NAMED_RANKS = _by_name(A="as ace", K="roi king", Q="dame queen", J="valet jack", T="dix ten")
NAMED_RANKS |= {"neuf": "9", "huit": "8", "sept": "7", "six": "6"}
# of faces; no letter is one colour in French, another in English
COLOURS = _by_name(
    b="b bleu bleue blue", r="r rouge red", y="y j jaune yellow", k="k n noir noire black"
)
_SEVERAL = re.compile(r"[\s,;]+(?=[1-9]\s+\S)")
# a face at the end of a word: `noir 34`, `34 noir`, `n34`
_FACE = re.compile(
    r"(?:(?P<head>.*) )?"
    r"(?:(?P<colour>[a-z]+) ?(?P<value>[0-9]{1,3})|(?P<first>[0-9]{1,3}) ?(?P<then>[a-z]+))"
)
_SEAT = re.compile(r"\s*([1-9])\s*(.*?)\s*", re.DOTALL)
_APART = re.compile(r"[\s_-]+")


def folded(word: str) -> str:
    """A word in small letters without accents."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def one_letter(one: str, other: str) -> bool:
    """Whether two words differ by one letter written wrong, left out or too many."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = 0
    while one[same : same + 1] == other[same : same + 1]:
        same += 1
    short, long = sorted((one[same:], other[same:]), key=len)
    return short[1:] == long[1:] if len(short) == len(long) else short == long[1:]


def mistyped(one: str, other: str) -> bool:
    """Whether a word is another but for case, accents, spaces or one slip of the keyboard.

    A slip is a letter, or two neighbours exchanged; digits are never others than they were, and
    words of three letters are too near to each other for one.
    """
    if len(one) > LONG:
        return False
    one, other = (_APART.sub("", folded(word)) for word in (one, other))
    digits, others = (sorted(filter(str.isdigit, word)) for word in (one, other))
    if one == other or len(other) <= 3 or digits != others:
        return one == other
    crossed = (one[:i] + one[i + 1] + one[i] + one[i + 2 :] for i in range(len(one) - 1))
    return one_letter(one, other) or other in crossed


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


def actions(name: str, text: str, faces: tuple[str, ...]) -> list[str]:
    """The actions a text spells otherwise, several only where each has its seat; empty: none."""
    whole = reading(name, text, faces)
    if whole is not None:
        return [whole]
    parts = [part.strip(" ,;") for part in _SEVERAL.split(text[: 2 * LONGEST + 1])]
    if not 1 < len(parts) <= MOST_IN_ONE:
        return []
    read = [reading(name, part, faces) for part in parts]
    return [] if None in read else [one for one in read if one is not None]


@lru_cache(maxsize=8192)
def meanings(name: str, word: str, faces: tuple[str, ...] = ()) -> frozenset[str]:
    """The words of a game's actions that a word spells, without a seat and not a letter wrong."""
    if len(word) > LONGEST:
        return frozenset()
    known, low = acts(name, faces), " ".join(word.split())
    plain, spelt = folded(low), _spellings(low)
    for said, meant in of(name).SAID.items():  # what people of the game say
        if plain == said or plain.startswith(said + " "):
            spelt |= _spellings(meant + plain[len(said) :])
    if found := spelt & known.keys():
        return frozenset(found)
    # the first word may have been left out
    heads = {head for one in known for head, _, tail in [one.partition(" ")] if tail}
    whole = {f"{head} {one}" for one in spelt if len(one) > 1 for head in heads}
    return frozenset(whole & known.keys())


def slips(name: str, word: str, faces: tuple[str, ...] = ()) -> frozenset[str]:
    """The words of a game's actions that a word is but for a slip of the keyboard."""
    word = _letters(word)
    return frozenset(one for one in acts(name, faces) if len(one) > 3 and mistyped(word, one))


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
    found = _FACE.fullmatch(low)
    if found and (colour := COLOURS.get(found["colour"] or found["then"])):
        face = colour + (found["value"] or found["first"])
        plain.add(f"{found['head']} {face}" if found["head"] else face)
    if low.rpartition(" ")[2]:
        head, card = low.rpartition(" ")[0], _letters(word.rpartition(" ")[2])
        for rank, suit in ((card[:-1], card[-1:]), (card[1:], card[:1])):  # in either order
            if suit.lower() in NAMED.values():
                one = RANKS.get(rank.upper(), rank.upper()) + suit.lower()
                plain.add(f"{head} {one}" if head else one)
    return plain


def _letters(word: str) -> str:
    """A word with the letters of suits for their signs."""
    return "".join(SUITS.get(sign, sign) for sign in word if sign != "\ufe0f")
