"""Words somebody wrote one after another → the acts or cards they spell, or may mean.

A suit may be a sign, a word or a letter. In French `c` begins both cœur and carreau, in English it
is clubs: which of them a text means is seen by the other letters it uses, or is asked.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from engine.acts import ACT_MASK
from engine.cards import SYMBOLS, UNTOLD
from ingest.finding.finding import ERROR, Finding
from ingest.games import of
from ingest.judge.explain import explain
from ingest.mend.pen import meanings, slips
from schemas.table import Table
from schemas.words import acts

WORD = re.compile(r"[^\s,;:]+")
MOST = 4
"""Words of the longest act: `roi de pique`, `mariage de cœur`."""


class Word(NamedTuple):
    """A word, and the place of its first sign, from 1."""

    text: str
    line: int
    column: int
    joined: bool
    """Nothing but spaces is between it and the word before."""


class Spelt(NamedTuple):
    """What some words mean: one thing, several, or none that is known."""

    meant: tuple[str, ...]
    near: tuple[str, ...]
    """What they are a slip for, where they mean nothing."""
    text: str
    used: int
    """How many words."""


def words_in(text: str, line: int = 1, column: int = 1) -> Iterator[Word]:
    """The words of a text that begins at some place."""
    end = 0
    for found in WORD.finditer(text):
        joined = not text[end : found.start()].strip()
        yield Word(found[0], line, column + found.start(), joined)
        end = found.end()


def spelt(
    words: Sequence[Word],
    place: int,
    read: Callable[[str], tuple[str, ...]],
    near: Callable[[str], tuple[str, ...]],
) -> Spelt:
    """What the most words from a place on mean together."""
    most = 1
    while most < min(MOST, len(words) - place) and words[place + most].joined:
        most += 1
    sizes = range(most, 0, -1)
    texts = {size: " ".join(one.text for one in words[place : place + size]) for size in sizes}
    for size, text in texts.items():
        if meant := read(text):
            return Spelt(meant, (), text, size)
    for size, text in texts.items():
        if found := near(text):
            return Spelt((), found, text, size)
    return Spelt((), (), texts[1], 1)


ENGLISH = {"s": "s", "sp": "s", "h": "h", "he": "h", "d": "d", "di": "d", "cl": "c"}
FRENCH = {"p": "s", "pi": "s", "co": "h", "ca": "d", "t": "c", "tr": "c"}
EITHER = "c"
_SUIT = re.compile(
    r"(?P<stem>(?:.*[\s-])?(?P<rank>10|[0-9]+|as|[takqjrdv])?)(?P<suit>[shdcpt]|sp|he|di|cl|pi|co|ca|tr)",
    re.IGNORECASE,
)
ENGLISH_RANKS = frozenset("jqkt")
_ACE = "as"
"""The ace of spades in English letters, and any ace in French."""
_ONE = re.compile(r"(?<![0-9])1(?![0-9])")
"""An ace as some write it, or a ten that lost its nought."""
HIDDEN = ("?", UNTOLD)


class Letters:
    """What the letters of one text stand for, by those that can mean one thing only."""

    def __init__(self, words: Iterable[str]) -> None:
        used = {found["suit"].casefold() for word in words if (found := _shortened(word))}
        english, french = used & {*ENGLISH}, used & {*FRENCH}
        self.english = bool(english) and not french
        clear = "c" if self.english else "hd" if french and not english else "hdc"
        self.clubs = clear
        """The suits a bare `c` may be."""

    def signed(self, text: str, mixed: bool = False) -> list[str]:
        """A text with the sign of its suit for its letter, once for each suit that may be meant.

        `mixed`: even where its rank is English and its suit French, as initials may be.
        """
        found = _SUIT.fullmatch(text)
        if found is None or not found["stem"]:
            return [text]
        if text.casefold() == _ACE and not self.english:
            return []
        suit = found["suit"].casefold()
        if not mixed and (found["rank"] or "").casefold() in ENGLISH_RANKS and suit in FRENCH:
            return []
        suits = self.clubs if suit == EITHER else (ENGLISH | FRENCH)[suit]
        return [found["stem"] + SYMBOLS[one] for one in suits]


def _shortened(word: str) -> "re.Match[str] | None":
    """A rank with the letter of a suit behind it, which tells what language the letters are."""
    found = _SUIT.fullmatch(word)
    return found if found and found["rank"] and word.casefold() != _ACE else None


class Reader:
    """Reads words at one table."""

    def __init__(self, table: Table, letters: Letters) -> None:
        self.table, self.letters = table, letters
        self.game, self.faces = table.game.name, table.faces
        pack = table.game.pack.names
        ways = () if pack or table.deck is None else of(self.game).cards(table)
        self._cards = {*pack, *(way for card in ways for way in card)}

    def acts(self, text: str) -> tuple[str, ...]:
        """What an act without its seat may be; empty: nobody knows it."""
        return () if text in HIDDEN else self._read(text, None)

    def cards(self, text: str) -> tuple[str, ...]:
        """What a card may be; `??` of one nobody wrote down."""
        if text in HIDDEN:
            return (UNTOLD,)
        if (low := text.casefold()) in self._cards:
            return (low,)
        if "/" in text:
            faces = [self._read(side.strip(), None) for side in text.split("/")]
            known = "/".join(side[0] for side in faces if len(side) == 1)
            return (known,) if known in self._cards else ()
        return self._read(text, self._cards)

    def kind(self, word: str) -> str:
        """The kind of act a word of the format is, `play` of a card laid."""
        code = acts(self.game, self.faces)[word]
        return self.table.game.acts.kind_of_act(code & ACT_MASK)

    def near(self, text: str) -> tuple[str, ...]:
        """What a word that means nothing may have been meant for."""
        mixed = self._read(text, None, mixed=True)
        return (mixed or tuple(sorted(slips(self.game, text, self.faces))))[:MOST_NEAR]

    def _read(
        self, text: str, among: Collection[str] | None, mixed: bool = False
    ) -> tuple[str, ...]:
        suited = bool(self.table.game.pack.names)
        texts = dict.fromkeys([text, _ONE.sub("10", text)]) if suited else [text]
        found = dict.fromkeys(
            word
            for one in texts
            for way in (self.letters.signed(one, mixed) if suited else [one])
            for word in sorted(meanings(self.game, way, self.faces))
            if among is None or word in among
        )
        return tuple(found)


MOST_NEAR = 4
"""Words offered in place of one that nobody knows."""


def reader_of(head: Mapping[str, Any], words: Iterable[str]) -> Reader | list[Finding]:
    """What reads the words of a match with such keys; what is wrong with them where none can."""
    explained = explain(orjson.dumps({**head, "deals": []}))
    table = explained.table
    if table is None or table.problems:
        return [one for one in explained.findings if one.severity == ERROR]
    return Reader(table, Letters(words))
