"""Turns written words into cards, acts, players, games and dates.

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
from engine.cards import HIDDEN_WORD, SYMBOLS
from engine.games import game_names, game_title
from ingest.autofix.misspellings import fold_case_and_accents, typo_matches, words_spelled
from ingest.findings.finding import ERROR, Finding
from ingest.games import game_support
from ingest.validate.slow_path import validate
from schemas.match_setup import MatchSetup
from schemas.notation import act_codes

_WORD_PATTERN = re.compile(r"[^\s,;:]+")
MAX_WORDS_TOGETHER = 4  # words of the longest act: `roi de pique`, `mariage de cœur`
MAX_SUGGESTIONS = 4  # words offered in place of one that nobody knows
HIDDEN_WORDS = ("?", HIDDEN_WORD)


class Token(NamedTuple):
    """A word, and the place of its first sign, from 1."""

    text: str
    line: int
    column: int
    follows_directly: bool  # nothing but spaces is between it and the word before


class Interpretation(NamedTuple):
    """What some words mean: one thing, several, or none that is known."""

    meanings: tuple[str, ...]
    suggestions: tuple[str, ...]  # what they are a slip for, where they mean nothing
    text: str
    word_count: int  # how many words


def tokens_in(text: str, line: int = 1, column: int = 1) -> Iterator[Token]:
    """The words of a text that begins at some place."""
    end = 0
    for found in _WORD_PATTERN.finditer(text):
        joined = not text[end : found.start()].strip()
        yield Token(found[0], line, column + found.start(), joined)
        end = found.end()


ENGLISH_SUITS = {"s": "s", "sp": "s", "h": "h", "he": "h", "d": "d", "di": "d", "cl": "c"}
FRENCH_SUITS = {"p": "s", "pi": "s", "co": "h", "ca": "d", "t": "c", "tr": "c"}
AMBIGUOUS_SUIT = "c"
ENGLISH_RANKS = frozenset("jqkt")
_SUIT_PATTERN = re.compile(
    r"(?P<stem>(?:.*[\s-])?(?P<rank>10|[0-9]+|as|[takqjrdv])?)(?P<suit>[shdcpt]|sp|he|di|cl|pi|co|ca|tr)",
    re.IGNORECASE,
)
_FRENCH_ACE = "as"  # the ace of spades in English letters, and any ace in French
_ONE_PATTERN = re.compile(
    r"(?<![0-9])1(?![0-9])"
)  # an ace as some write it, or a ten without its nought


class TokenReader:
    """Reads words at one table; `texts` are all that there is to read."""

    def __init__(self, setup: MatchSetup, texts: Iterable[str]) -> None:
        self.setup = setup
        self.game, self.faces = setup.game.name, setup.faces
        pack = setup.game.pack.names
        ways = () if pack or setup.deck is None else game_support(self.game).card_spellings(setup)
        self._cards = {*pack, *(way for card in ways for way in card)}
        # a rank with the letter of a suit behind it tells what language the letters are
        used = {
            found["suit"].casefold()
            for word in (word.text for text in texts for word in tokens_in(text))
            if (found := _SUIT_PATTERN.fullmatch(word))
            and found["rank"]
            and word.casefold() != _FRENCH_ACE
        }
        english, french = used & {*ENGLISH_SUITS}, used & {*FRENCH_SUITS}
        self._english = bool(english) and not french
        # the suits a bare `c` may be
        self._suits_of_c = "c" if self._english else "hd" if french and not english else "hdc"

    def interpret(
        self, words: Sequence[Token], start: int, read: Callable[[str], tuple[str, ...]]
    ) -> Interpretation:
        """What the most words from a place on mean together."""
        most = 1
        while (
            most < min(MAX_WORDS_TOGETHER, len(words) - start)
            and words[start + most].follows_directly
        ):
            most += 1
        sizes = range(most, 0, -1)
        texts = {size: " ".join(one.text for one in words[start : start + size]) for size in sizes}
        for size, text in texts.items():
            if meant := read(text):
                return Interpretation(meant, (), text, size)
        for size, text in texts.items():
            mixed = self._meanings(text, None, mixed=True)
            if near := mixed or tuple(sorted(typo_matches(self.game, text, self.faces))):
                return Interpretation((), near[:MAX_SUGGESTIONS], text, size)
        return Interpretation((), (), texts[1], 1)

    def acts_meant(self, text: str) -> tuple[str, ...]:
        """What an act without its seat may be; empty: nobody knows it."""
        return () if text in HIDDEN_WORDS else self._meanings(text, None)

    def cards_meant(self, text: str) -> tuple[str, ...]:
        """What a card may be; `??` of one nobody wrote down."""
        if text in HIDDEN_WORDS:
            return (HIDDEN_WORD,)
        if (low := text.casefold()) in self._cards:
            return (low,)
        if "/" in text:
            faces = [self._meanings(side.strip(), None) for side in text.split("/")]
            known = "/".join(side[0] for side in faces if len(side) == 1)
            return (known,) if known in self._cards else ()
        return self._meanings(text, self._cards)

    def act_kind(self, word: str) -> str:
        """The kind of act a word of the format is, `play` of a card laid."""
        return self.setup.game.acts.kind_of_act(act_codes(self.game, self.faces)[word] & ACT_MASK)

    def _meanings(
        self, text: str, among: Collection[str] | None, mixed: bool = False
    ) -> tuple[str, ...]:
        suited = bool(self.setup.game.pack.names)
        texts = dict.fromkeys([text, _ONE_PATTERN.sub("10", text)]) if suited else [text]
        found = dict.fromkeys(
            word
            for one in texts
            for way in (self._with_suit_symbols(one, mixed) if suited else [one])
            for word in sorted(words_spelled(self.game, way, self.faces))
            if among is None or word in among
        )
        return tuple(found)

    def _with_suit_symbols(self, text: str, mixed: bool) -> list[str]:
        """A text with the sign of its suit for its letter, once for each suit that may be meant."""
        # `mixed`: even where its rank is English and its suit French, as initials may be
        found = _SUIT_PATTERN.fullmatch(text)
        if found is None or not found["stem"]:
            return [text]
        if text.casefold() == _FRENCH_ACE and not self._english:
            return []
        suit = found["suit"].casefold()
        if not mixed and (found["rank"] or "").casefold() in ENGLISH_RANKS and suit in FRENCH_SUITS:
            return []
        suits = self._suits_of_c if suit == AMBIGUOUS_SUIT else (ENGLISH_SUITS | FRENCH_SUITS)[suit]
        return [found["stem"] + SYMBOLS[one] for one in suits]


def make_reader(head: Mapping[str, Any], texts: Iterable[str]) -> TokenReader | list[Finding]:
    """What reads the texts of a match with such keys; what is wrong with them where none can."""
    explained = validate(orjson.dumps({**head, "deals": []}))
    table = explained.setup
    if table is None or table.problems:
        return [one for one in explained.findings if one.severity == ERROR]
    return TokenReader(table, texts)


_NAME_WITH_ID = re.compile(r"(?P<name>[^()]*?)\s*\(\s*(?P<id>[^()]+?)\s*\)\s*")


def parse_player(text: str) -> dict[str, str]:
    """A player as a log has it: `Lucie`, or `Lucie (lucie-2)` where the id is another."""
    text = " ".join(text.split())
    if found := _NAME_WITH_ID.fullmatch(text):
        name, own = found["name"], found["id"]
        return {"id": own, "name": name} if name else {"id": own}
    return {"id": "-".join(text.casefold().split()), "name": text}


def player_name(player: Mapping[str, str]) -> str:
    """What a player is called."""
    return player.get("name") or player["id"]


def seat_of_name(
    text: str, players: Sequence[dict[str, str]], allow_prefix: bool = False
) -> int | None:
    """The seat, from 0, of whose name or id this is, or `allow_prefix`: how one name alone
    begins.
    """
    # none where several have it; how an id begins names nobody: many are numbers
    if not (said := _name_key(text)):
        return None
    own = [(_name_key(one["id"]), _name_key(one.get("name", ""))) for one in players]
    found = [seat for seat, keys in enumerate(own) if said in keys]
    if allow_prefix and not found:
        found = [seat for seat, (_, name) in enumerate(own) if name.startswith(said)]
    return found[0] if len(found) == 1 else None


def _name_key(text: str) -> str:
    return " ".join(fold_case_and_accents(text).split())


def find_game(text: str) -> str | None:
    """The game of such a name or title; None: there is none."""
    said = fold_case_and_accents(text).strip()
    return next(
        (one for one in game_names() if said in (one, fold_case_and_accents(game_title(one)))), None
    )


NOON_HOUR = (
    12  # the hour of a day whose hour nobody wrote down: the day is the same wherever it is read
)
_MONTH_NAMES = (
    "janvier january janv jan, fevrier february fevr fev feb, mars march mar, avril april avr apr, "
    "mai may, juin june jun, juillet july juil jul, aout august aug, septembre september sept sep, "
    "octobre october oct, novembre november nov, decembre december dec"
)
_MONTH_NUMBERS = {
    name: number
    for number, several in enumerate(_MONTH_NAMES.split(", "), 1)
    for name in several.split()
}
_HOUR_PATTERN = (
    r"(?:[\s,T]+(?:à\s+|at\s+)?(?P<hour>\d{1,2})"
    r"(?:[:hH](?P<minute>\d{2})?(?::(?P<second>\d{2}))?))?"
)
_DATE_PATTERNS = tuple(
    re.compile(r"\s*(?:[^\W\d]+\.?,?\s+)??" + form + _HOUR_PATTERN + r"\s*")
    for form in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})\s*[/.-]\s*(?P<month>\d{1,2})\s*[/.-]\s*(?P<year>\d{4})",
        r"(?P<day>\d{1,2})(?:er|st|nd|rd|th)?\s+(?P<name>[^\W\d]+)\.?,?\s+(?P<year>\d{4})",
        r"(?P<name>[^\W\d]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})",
    )
)
_ISO_PATTERN = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)")


def parse_date(text: str, zone: tzinfo | None) -> str | None:
    """A date, with its time or without, as a log writes it; None: none. No `zone`: our own."""
    text = text.strip()
    found = next((found for form in _DATE_PATTERNS if (found := form.fullmatch(text))), None)
    try:
        if _ISO_PATTERN.fullmatch(text):
            return datetime.fromisoformat(text.upper()).isoformat()
        if found is None:
            return None
        parts = found.groupdict()
        month = int(parts.get("month") or _MONTH_NUMBERS[fold_case_and_accents(parts["name"])])
        clock = ("year", "day", "hour", "minute", "second")
        year, day, hour, minute, second = (int(parts[key] or 0) for key in clock)
        hour = NOON_HOUR if parts["hour"] is None else hour
        return format_date(datetime(year, month, day, hour, minute, second), zone)
    except (KeyError, ValueError):
        return None


def format_date(when: datetime, zone: tzinfo | None) -> str:
    """A date and time as a log writes it; one without a zone is in `zone`."""
    if when.tzinfo is None:
        when = when.astimezone() if zone is None else when.replace(tzinfo=zone)
    return when.isoformat(timespec="seconds")
