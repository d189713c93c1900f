"""Reads words for cards and acts in French and English, well or badly spelt.

People and printouts write a card as 10h, 10♥, hT or V♠, and words in capitals, with extra spaces or
a wrong letter. This module finds possible readings; the engine checks which one fits the play.
"""

import re
from functools import lru_cache

from ingest.games import game_support
from schemas.notation import MAX_SEATS, act_codes
from schemas.player_key import search_key


def _letters_by_name(**names: str) -> dict[str, str]:
    return {name: letter for letter, several in names.items() for name in several.split()}


MAX_WORD_CHARACTERS = 40  # longer words are not read
MAX_ACTIONS_IN_TEXT = 4  # actions in one text, at most
MAX_TEXT_CHARACTERS = 80  # longer texts are not compared with known words
SUIT_SYMBOLS = _letters_by_name(s="♠ ♤", h="♥ ♡ ❤", d="♦ ♢", c="♣ ♧")
SUIT_NAMES = _letters_by_name(
    s="s pique piques spade spades",
    h="h coeur coeurs heart hearts",
    d="d carreau carreaux diamond diamonds",
    c="c trefle trefles club clubs",
)
SUIT_PREPOSITIONS = (
    " de",
    " d'",
    " of",
    " a",
    " en",
    " in",
    " au",
)  # between the front of a word and its suit
RANK_LETTERS = {"10": "T", "1": "A", "R": "K", "D": "Q", "V": "J", "AS": "A"}
# of a card written as `roi de pique`
RANK_NAMES = _letters_by_name(A="as ace", K="roi king", Q="dame reine queen", J="valet jack", T="dix ten")
RANK_NAMES |= {"neuf": "9", "huit": "8", "sept": "7", "nine": "9", "eight": "8", "seven": "7", "six": "6"}
# colours of faces; no letter means different colours in French and English
COLOUR_NAMES = _letters_by_name(
    b="b bleu bleue blue", r="r rouge red", y="y j jaune yellow", k="k n noir noire black"
)
_ACTION_SEPARATOR = re.compile(r"[\s,;]+(?=[1-9]\s+\S)")
# a face at the end of a word: `noir 34`, `34 noir`, `n34`
_FACE_PATTERN = re.compile(
    r"(?:(?P<head>.*) )?"
    r"(?:(?P<colour>[a-z]+) ?(?P<value>[0-9]{1,3})|(?P<first>[0-9]{1,3}) ?(?P<then>[a-z]+))"
)
_SEAT_PATTERN = re.compile(r"\s*([1-9])\s*(.*?)\s*", re.DOTALL)
_WORD_SEPARATOR = re.compile(r"[\s_-]+")


def fold_case_and_accents(word: str) -> str:
    """Fold case, accents and ligatures; apostrophes, hyphens and spaces of all kinds are alike."""
    return search_key(word)


def differs_by_one_letter(one: str, other: str) -> bool:
    """Return whether two words differ by one wrong, missing or extra letter."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = 0
    while one[same : same + 1] == other[same : same + 1]:
        same += 1
    short, long = sorted((one[same:], other[same:]), key=len)
    return short[1:] == long[1:] if len(short) == len(long) else short == long[1:]


def is_typo_of(one: str, other: str) -> bool:
    """Return whether two words are equal but for case, accents, spaces or one typo.

    A typo is a wrong, missing or extra letter, or two neighbours exchanged. Digits must be equal;
    words of up to three letters are too similar to allow a typo.
    """
    return len(one) <= MAX_TEXT_CHARACTERS and _are_near(_without_spaces(one), _without_spaces(other))


@lru_cache(maxsize=8192)
def _without_spaces(word: str) -> str:
    return _WORD_SEPARATOR.sub("", fold_case_and_accents(word))


def _are_near(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    if (
        one == other
        or len(other) <= 3
        or sorted(filter(str.isdigit, one)) != sorted(filter(str.isdigit, other))
    ):
        return one == other
    crossed = (one[:i] + one[i + 1] + one[i] + one[i + 2 :] for i in range(len(one) - 1))
    return differs_by_one_letter(one, other) or other in crossed


@lru_cache(maxsize=8192)
def action_spelled(name: str, text: str, faces: tuple[str, ...]) -> str | None:
    """Return the only action that a text may spell; None if there is none or several."""
    if len(text) > MAX_WORD_CHARACTERS or not (found := _SEAT_PATTERN.fullmatch(text)):
        return None
    seat, word = found.groups()
    if int(seat) > MAX_SEATS:
        return None
    meant = words_spelled(name, word, faces) or typo_matches(name, word, faces)
    return f"{seat} {next(iter(meant))}" if len(meant) == 1 else None


def actions_spelled(name: str, text: str, faces: tuple[str, ...]) -> list[str]:
    """Return the actions a text spells, several only if each has its seat; empty if none."""
    whole = action_spelled(name, text, faces)
    if whole is not None:
        return [whole]
    parts = [part.strip(" ,;") for part in _ACTION_SEPARATOR.split(text[: 2 * MAX_WORD_CHARACTERS + 1])]
    if not 1 < len(parts) <= MAX_ACTIONS_IN_TEXT:
        return []
    read = [action_spelled(name, part, faces) for part in parts]
    return [] if None in read else [one for one in read if one is not None]


@lru_cache(maxsize=8192)
def words_spelled(name: str, word: str, faces: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the action words that a word without seat spells, without typos."""
    if len(word) > MAX_WORD_CHARACTERS:
        return frozenset()
    known, plain = act_codes(name, faces), fold_case_and_accents(word)
    spelt = _spellings(plain) | {" ".join(word.split())}
    elided = plain.replace("' ", "'")
    for result, meant in game_support(name).NOTE_ALIASES.items():  # jargon of the game
        if elided == result or elided.startswith(result + " "):
            spelt |= _spellings(meant + elided[len(result) :])
    if found := spelt & known.keys():
        return frozenset(found)
    # the first word may be missing
    heads = {head for one in known for head, _, tail in [one.partition(" ")] if tail}
    whole = {f"{head} {one}" for one in spelt if len(one) > 1 for head in heads}
    return frozenset(whole & known.keys())


@lru_cache(maxsize=8192)
def typo_matches(name: str, word: str, faces: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the action words that a word may be a typo of."""
    word = _with_suit_letters(word)
    return frozenset(one for one in act_codes(name, faces) if len(one) > 3 and is_typo_of(word, one))


def _spellings(word: str) -> set[str]:
    """Return the format spellings that a folded word may have: unchanged, as a card and so on."""
    low = _with_suit_letters(word)
    plain = {low, low.replace(" ", "-"), low.replace("-", " "), low.replace("_", "-")}
    front, _, suit = low.rpartition(" ")
    if front and suit in SUIT_NAMES:  # 70 trèfle, 70 c, mariage de trèfle, roi de pique
        front = next((front.removesuffix(one) for one in SUIT_PREPOSITIONS if front.endswith(one)), front)
        plain |= {front + SUIT_NAMES[suit], f"{front}-{SUIT_NAMES[suit]}"}
        front, _, rank = front.rpartition(" ")
        rank = RANK_LETTERS.get(rank.upper(), RANK_NAMES.get(rank, rank.upper())) + SUIT_NAMES[suit]
        plain |= {f"{front} {rank}", f"{front}-{rank}"} if front else {rank}
    found = _FACE_PATTERN.fullmatch(low)
    if found and (colour := COLOUR_NAMES.get(found["colour"] or found["then"])):
        face = colour + (found["value"] or found["first"])
        plain.add(f"{found['head']} {face}" if found["head"] else face)
    if low.rpartition(" ")[2]:
        head, _, card = low.rpartition(" ")
        for rank, suit in ((card[:-1], card[-1:]), (card[1:], card[:1])):  # in either order
            if suit.lower() in SUIT_NAMES.values():
                one = RANK_LETTERS.get(rank.upper(), rank.upper()) + suit.lower()
                plain |= {f"{head} {one}", f"{head}-{one}"} if head else {one}
    return plain


def _with_suit_letters(word: str) -> str:
    return "".join(SUIT_SYMBOLS.get(sign, sign) for sign in word)
