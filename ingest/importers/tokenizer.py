"""Words somebody wrote → the acts and cards, the players, the game and the date they mean.

A suit may be a sign, a word or a letter. In French `c` begins both cœur and carreau, in English it
is clubs: which of them a text means is seen by the other letters it uses, or is asked. Of a date
the day comes first where all of it is numbers.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

import orjson

from engine.actions import ACT_MASK
from engine.cards import SYMBOLS, UNTOLD
from engine.games import names, title
from ingest.autofix.misspellings import folded, meanings, slips
from ingest.findings.finding import ERROR, Finding
from ingest.games import of
from ingest.validate.slow_path import explain
from schemas.match_setup import Table
from schemas.notation import acts

_WORD = re.compile(r"[^\s,;:]+")
MOST = 4  # words of the longest act: `roi de pique`, `mariage de cœur`
MOST_NEAR = 4  # words offered in place of one that nobody knows
HIDDEN = ("?", UNTOLD)


class Word(NamedTuple):
    """A word, and the place of its first sign, from 1."""

    text: str
    line: int
    column: int
    joined: bool  # nothing but spaces is between it and the word before


class Spelt(NamedTuple):
    """What some words mean: one thing, several, or none that is known."""

    meant: tuple[str, ...]
    near: tuple[str, ...]  # what they are a slip for, where they mean nothing
    text: str
    used: int  # how many words


def words_in(text: str, line: int = 1, column: int = 1) -> Iterator[Word]:
    """The words of a text that begins at some place."""
    end = 0
    for found in _WORD.finditer(text):
        joined = not text[end : found.start()].strip()
        yield Word(found[0], line, column + found.start(), joined)
        end = found.end()


ENGLISH = {"s": "s", "sp": "s", "h": "h", "he": "h", "d": "d", "di": "d", "cl": "c"}
FRENCH = {"p": "s", "pi": "s", "co": "h", "ca": "d", "t": "c", "tr": "c"}
EITHER = "c"
ENGLISH_RANKS = frozenset("jqkt")
_SUIT = re.compile(
    r"(?P<stem>(?:.*[\s-])?(?P<rank>10|[0-9]+|as|[takqjrdv])?)(?P<suit>[shdcpt]|sp|he|di|cl|pi|co|ca|tr)",
    re.IGNORECASE,
)
_ACE = "as"  # the ace of spades in English letters, and any ace in French
_ONE = re.compile(r"(?<![0-9])1(?![0-9])")  # an ace as some write it, or a ten without its nought


class Reader:
    """Reads words at one table; `texts` are all that there is to read."""

    def __init__(self, table: Table, texts: Iterable[str]) -> None:
        self.table = table
        self.game, self.faces = table.game.name, table.faces
        pack = table.game.pack.names
        ways = () if pack or table.deck is None else of(self.game).cards(table)
        self._cards = {*pack, *(way for card in ways for way in card)}
        # a rank with the letter of a suit behind it tells what language the letters are
        used = {
            found["suit"].casefold()
            for word in (word.text for text in texts for word in words_in(text))
            if (found := _SUIT.fullmatch(word)) and found["rank"] and word.casefold() != _ACE
        }
        english, french = used & {*ENGLISH}, used & {*FRENCH}
        self._english = bool(english) and not french
        # the suits a bare `c` may be
        self._clubs = "c" if self._english else "hd" if french and not english else "hdc"

    def spelt(
        self, words: Sequence[Word], place: int, read: Callable[[str], tuple[str, ...]]
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
            mixed = self._read(text, None, mixed=True)
            if near := mixed or tuple(sorted(slips(self.game, text, self.faces))):
                return Spelt((), near[:MOST_NEAR], text, size)
        return Spelt((), (), texts[1], 1)

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
        return self.table.game.acts.kind_of_act(acts(self.game, self.faces)[word] & ACT_MASK)

    def _read(
        self, text: str, among: Collection[str] | None, mixed: bool = False
    ) -> tuple[str, ...]:
        suited = bool(self.table.game.pack.names)
        texts = dict.fromkeys([text, _ONE.sub("10", text)]) if suited else [text]
        found = dict.fromkeys(
            word
            for one in texts
            for way in (self._signed(one, mixed) if suited else [one])
            for word in sorted(meanings(self.game, way, self.faces))
            if among is None or word in among
        )
        return tuple(found)

    def _signed(self, text: str, mixed: bool) -> list[str]:
        """A text with the sign of its suit for its letter, once for each suit that may be meant."""
        # `mixed`: even where its rank is English and its suit French, as initials may be
        found = _SUIT.fullmatch(text)
        if found is None or not found["stem"]:
            return [text]
        if text.casefold() == _ACE and not self._english:
            return []
        suit = found["suit"].casefold()
        if not mixed and (found["rank"] or "").casefold() in ENGLISH_RANKS and suit in FRENCH:
            return []
        suits = self._clubs if suit == EITHER else (ENGLISH | FRENCH)[suit]
        return [found["stem"] + SYMBOLS[one] for one in suits]


def reader_of(head: Mapping[str, Any], texts: Iterable[str]) -> Reader | list[Finding]:
    """What reads the texts of a match with such keys; what is wrong with them where none can."""
    explained = explain(orjson.dumps({**head, "deals": []}))
    table = explained.table
    if table is None or table.problems:
        return [one for one in explained.findings if one.severity == ERROR]
    return Reader(table, texts)


_WITH_ID = re.compile(r"(?P<name>[^()]*?)\s*\(\s*(?P<id>[^()]+?)\s*\)\s*")


def player(text: str) -> dict[str, str]:
    """A player as a log has it: `Lucie`, or `Lucie (lucie-2)` where the id is another."""
    text = " ".join(text.split())
    if found := _WITH_ID.fullmatch(text):
        name, own = found["name"], found["id"]
        return {"id": own, "name": name} if name else {"id": own}
    return {"id": "-".join(text.casefold().split()), "name": text}


def name_of(one: Mapping[str, str]) -> str:
    """What a player is called."""
    return one.get("name") or one["id"]


def called(text: str, players: Sequence[dict[str, str]], begun: bool = False) -> int | None:
    """The seat, from 0, of whose name or id this is, or `begun`: how one name alone begins."""
    # none where several have it; how an id begins names nobody: many are numbers
    if not (said := _key(text)):
        return None
    own = [(_key(one["id"]), _key(one.get("name", ""))) for one in players]
    found = [seat for seat, keys in enumerate(own) if said in keys]
    if begun and not found:
        found = [seat for seat, (_, name) in enumerate(own) if name.startswith(said)]
    return found[0] if len(found) == 1 else None


def _key(text: str) -> str:
    return " ".join(folded(text).split())


def game_called(text: str) -> str | None:
    """The game of such a name or title; None: there is none."""
    said = folded(text).strip()
    return next((one for one in names() if said in (one, folded(title(one)))), None)


NOON = 12  # the hour of a day whose hour nobody wrote down: the day is the same wherever it is read
_MONTHS_OF_A_YEAR = (
    "janvier january janv jan, fevrier february fevr fev feb, mars march mar, avril april avr apr, "
    "mai may, juin june jun, juillet july juil jul, aout august aug, septembre september sept sep, "
    "octobre october oct, novembre november nov, decembre december dec"
)
_MONTHS = {
    name: number
    for number, several in enumerate(_MONTHS_OF_A_YEAR.split(", "), 1)
    for name in several.split()
}
_HOUR = (
    r"(?:[\s,T]+(?:à\s+|at\s+)?(?P<hour>\d{1,2})"
    r"(?:[:hH](?P<minute>\d{2})?(?::(?P<second>\d{2}))?))?"
)
_FORMS = tuple(
    re.compile(r"\s*(?:[^\W\d]+\.?,?\s+)??" + form + _HOUR + r"\s*")
    for form in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})\s*[/.-]\s*(?P<month>\d{1,2})\s*[/.-]\s*(?P<year>\d{4})",
        r"(?P<day>\d{1,2})(?:er|st|nd|rd|th)?\s+(?P<name>[^\W\d]+)\.?,?\s+(?P<year>\d{4})",
        r"(?P<name>[^\W\d]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})",
    )
)
_WHOLE = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)")


def moment(text: str, zone: tzinfo | None) -> str | None:
    """A date, with its time or without, as a log writes it; None: none. No `zone`: our own."""
    text = text.strip()
    found = next((found for form in _FORMS if (found := form.fullmatch(text))), None)
    try:
        if _WHOLE.fullmatch(text):
            return datetime.fromisoformat(text.upper()).isoformat()
        if found is None:
            return None
        parts = found.groupdict()
        month = int(parts.get("month") or _MONTHS[folded(parts["name"])])
        clock = ("year", "day", "hour", "minute", "second")
        year, day, hour, minute, second = (int(parts[key] or 0) for key in clock)
        hour = NOON if parts["hour"] is None else hour
        return written(datetime(year, month, day, hour, minute, second), zone)
    except (KeyError, ValueError):
        return None


def written(when: datetime, zone: tzinfo | None) -> str:
    """A date and time as a log writes it; one without a zone is in `zone`."""
    if when.tzinfo is None:
        when = when.astimezone() if zone is None else when.replace(tzinfo=zone)
    return when.isoformat(timespec="seconds")
