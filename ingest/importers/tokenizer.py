"""Turns written words ("90 coeur", "9 de pique") into bids, cards, players and games.

A suit may be a symbol, a word or a letter. The letter `c` may mean cœur or carreau in French, clubs
in English: the other letters of the text decide, or else the user.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from engine.actions import ACT_MASK
from engine.cards import HIDDEN_WORD, SYMBOLS
from engine.games import game_names, game_title
from ingest.autofix.card_words import (
    RANK_LETTERS,
    RANK_NAMES,
    SUIT_NAMES,
    fold_case_and_accents,
    is_typo_of,
    typo_matches,
    words_spelled,
)
from ingest.findings.finding import ERROR, Finding
from ingest.games import game_support
from ingest.validate.slow_path import validate
from schemas.match_setup import MatchSetup
from schemas.notation import act_codes
from schemas.player_key import player_id_of

_WORD_PATTERN = re.compile(r"[^\s,;:]+")
_OPENING_MARKS, _CLOSING_MARKS = '([«“‘"', '.!…)]»”"'  # around a word and not part of it
_ARTICLES = ("le", "la", "l'", "les", "the")  # within an act: « tourne le bleu 15 »
_ELISION_PATTERN = re.compile(r"(?:[cdjlmnst]|qu)['’ʼ](?=\w)", re.IGNORECASE)  # « l'as »
MAX_WORDS_TOGETHER = 6  # most words of an act: `pioche la carte d'un autre`
MAX_SUGGESTIONS = 4  # words suggested for an unknown one
HIDDEN_WORDS = ("?", HIDDEN_WORD)
DASH = "[‐-―−-]"  # as a pattern: hyphens, dashes and the minus sign


class Token(NamedTuple):
    """A word with the position of its first character, from 1."""

    text: str
    line: int
    column: int
    follows_directly: bool  # only spaces separate it from the previous word

    @property
    def plain(self) -> str:
        """The word with case and accents folded."""
        return fold_case_and_accents(self.text)


class Interpretation(NamedTuple):
    """The possible meanings of some words; none if they are unknown."""

    meanings: tuple[str, ...]
    suggestions: tuple[str, ...]  # words they may be a typo of, if they have no meaning
    text: str
    word_count: int  # words interpreted


def tokens_in(text: str, line: int = 1, column: int = 1) -> Iterator[Token]:
    """Split a text that starts at `line` and `column` at spaces, commas, colons and semicolons."""
    end = 0
    for found in _WORD_PATTERN.finditer(text):
        joined = not text[end : found.start()].strip()
        yield Token(found[0], line, column + found.start(), joined)
        end = found.end()


def words_in(text: str, line: int = 1, column: int = 1) -> Iterator[Token]:
    """Split a sentence into words, without the marks around them; « l'as » is two."""
    end = 0
    for token in tokens_in(text, line, column):
        word = token.text.lstrip(_OPENING_MARKS)
        start = token.column - column + len(token.text) - len(word)
        while word := word.rstrip(_CLOSING_MARKS):
            elided = _ELISION_PATTERN.match(word)
            piece = elided[0] if elided else word
            yield Token(piece, line, column + start, not text[end:start].strip())
            start = end = start + len(piece)
            word = word[len(piece) :]


_SENTENCE_END = re.compile(
    r"(?:(?<=[^\W\d_]{2})|(?<=[♠♥♦♣❤\ufe0f)»”\"]))[.!]+(?=\s)"
    r"|(?<=\d)[.!](?=\s+[^\W\d])|…|\.\.\.+"
)


def sentences_in(text: str) -> Iterator[tuple[int, str]]:
    """Split a line at the ends of sentences; yield each with the index of its first character.

    The number at its beginning (`1.`) and a single letter (`M.`) end none.
    """
    start = 0
    for found in _SENTENCE_END.finditer(text):
        piece = text[start : found.start()]
        if not piece.strip() or piece.strip().isdigit():
            continue
        yield start + len(piece) - len(piece.lstrip()), piece.strip()
        start = found.end()
    rest = text[start:]
    if rest.strip():
        yield start + len(rest) - len(rest.lstrip()), rest.strip()


def joined(words: Sequence[Token]) -> str:
    """Return words as they were written, in as many characters; a comma replaces any mark."""
    text = ""
    for word in words:
        gap = word.column - words[0].column - len(text)
        text += " " * gap if word.follows_directly else ",".ljust(gap)[:gap]
        text += word.text
    return text


ENGLISH_SUITS = {"s": "s", "sp": "s", "h": "h", "he": "h", "d": "d", "di": "d", "cl": "c"}
FRENCH_SUITS = {"p": "s", "pi": "s", "co": "h", "ca": "d", "t": "c", "tr": "c"}
AMBIGUOUS_SUIT = "c"
ENGLISH_RANKS = frozenset("jqkt")
_SUIT_PATTERN = re.compile(
    r"(?P<stem>(?:.*[\s-])?(?P<rank>10|[0-9]+|as|[takqjrdv])?)(?P<suit>[shdcpt]|sp|he|di|cl|pi|co|ca|tr)",
    re.IGNORECASE,
)
_FRENCH_ACE = "as"  # ace of spades in English, any ace in French
_ONE_PATTERN = re.compile(r"(?<![0-9])1(?![0-9])")  # may mean an ace or a ten


class TokenReader:
    """Reads words of one match; `texts`, all its words, decide the language of suit letters."""

    def __init__(self, setup: MatchSetup, texts: Iterable[str]) -> None:
        self.setup = setup
        self.game, self.faces = setup.game.name, setup.faces
        pack = setup.game.pack.names
        ways = () if pack or setup.deck is None else game_support(self.game).card_spellings(setup)
        self._cards = {*pack, *(way for card in ways for way in card)}
        # a rank with a suit letter shows the language of the letters
        used = {
            found["suit"].casefold()
            for word in (word.text for text in texts for word in words_in(text))
            if (found := _SUIT_PATTERN.fullmatch(word)) and found["rank"] and word.casefold() != _FRENCH_ACE
        }
        english, french = used & {*ENGLISH_SUITS}, used & {*FRENCH_SUITS}
        self._english = bool(english) and not french
        # the suits a bare `c` may be
        self._suits_of_c = "c" if self._english else "hd" if french and not english else "hdc"

    def interpret(
        self, words: Sequence[Token], start: int, read: Callable[[str], tuple[str, ...]]
    ) -> Interpretation:
        """Interpret the longest run of words from `start` that has a meaning."""
        most = 1
        while most < min(MAX_WORDS_TOGETHER, len(words) - start) and words[start + most].follows_directly:
            most += 1
        sizes = range(most, 0, -1)
        texts = {size: " ".join(one.text for one in words[start : start + size]) for size in sizes}

        def found(size: int, meanings: tuple[str, ...], near: Sequence[str] = ()) -> Interpretation:
            text = joined(words[start : start + size])
            return Interpretation(meanings, tuple(near[:MAX_SUGGESTIONS]), text, size)

        for size, text in texts.items():
            if meant := read(text):
                return found(size, meant)
        for size, text in texts.items():
            if text.endswith("'"):  # « mariage d'… »
                continue
            near = self._meanings(text, None, mixed=True) or sorted(typo_matches(self.game, text, self.faces))
            if near := near or self._meanings(_with_card_words(text), None):
                return found(size, (), near)
        return found(1, ())

    def acts_meant(self, text: str) -> tuple[str, ...]:
        """Return the possible meanings of an act without its seat; empty if unknown."""
        if text in HIDDEN_WORDS:
            return ()
        words = [word.text for word in words_in(text)]
        plain = " ".join(word for word in words if fold_case_and_accents(word) not in _ARTICLES)
        return self._meanings(text, None) or (self._meanings(plain, None) if plain != text else ())

    def cards_meant(self, text: str) -> tuple[str, ...]:
        """Return the possible meanings of a card; `??` for an unrecorded one."""
        if text in HIDDEN_WORDS:
            return (HIDDEN_WORD,)
        if (low := text.casefold()) in self._cards:
            return (low,)
        if "/" in text:
            faces = [self._meanings(side.strip(), None) for side in text.split("/")]
            known = "/".join(side[0] for side in faces if len(side) == 1)
            return (known,) if known in self._cards else ()
        return self._meanings(text, self._cards)

    def rank_meant(self, text: str) -> str | None:
        """Return the rank that a single word names, such as `roi` or `10`; None if it names none."""
        plain = fold_case_and_accents(text)
        named = RANK_NAMES.get(plain) or RANK_LETTERS.get(plain if plain.isdigit() else "", plain)
        return named if self.setup.game.pack.names and named in RANK_NAMES.values() else None

    def act_kind(self, word: str) -> str:
        """Return the kind of act of a format word; `play` for a card."""
        return self.setup.game.acts.kind_of_act(act_codes(self.game, self.faces)[word] & ACT_MASK)

    def _meanings(self, text: str, among: Collection[str] | None, mixed: bool = False) -> tuple[str, ...]:
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
        """Replace a suit letter by its symbol; a text per possible suit."""
        # `mixed`: also combine an English rank with a French suit letter
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


def _with_card_words(text: str) -> str:
    """Replace each word that is a typo of one suit or rank: `roi de trfèle`."""
    return " ".join(map(_card_word, text.split()))


@lru_cache(maxsize=4096)
def _card_word(word: str) -> str:
    if word.casefold() == "las":  # telephones leave the apostrophe out
        return "as"
    names = (*SUIT_NAMES, *RANK_NAMES)
    return next((name for name in names if len(name) > 3 and is_typo_of(word, name)), word)


def make_reader(head: Mapping[str, Any], texts: Iterable[str]) -> TokenReader | list[Finding]:
    """Return a reader for a match with keys `head`, or the errors of these keys."""
    explained = validate(orjson.dumps({**head, "deals": []}))
    table = explained.setup
    if table is None or table.problems:
        return [one for one in explained.findings if one.severity == ERROR]
    return TokenReader(table, texts)


_NAME_MARKS = frozenset(_OPENING_MARKS + _CLOSING_MARKS)  # left out where names are compared
_NAME_WITH_ID = re.compile(
    r"(?P<name>.*?)\s*\(\s*id\s*:\s*(?P<id>[^()]+?(?:\([^()]*\)[^()]*?)*)\s*\)", re.IGNORECASE
)


def parse_player(text: str) -> dict[str, str]:
    """Parse a player as in a log: `Lucie`, or `Lucie (id: lucie-2)`.

    Other words in brackets are part of a name: `Paul (invité)` is not `Anne (invité)`.
    """
    text = " ".join(text.split())
    if found := _NAME_WITH_ID.fullmatch(text):
        name, own = found["name"], found["id"]
        return {"id": own, "name": name} if name else {"id": own}
    return {"id": player_id_of(text), "name": text}


def player_name(player: Mapping[str, str]) -> str:
    """Return a player's name, else the id."""
    return player.get("name") or player["id"]


def seat_of_name(text: str, players: Sequence[dict[str, str]], allow_prefix: bool = False) -> int | None:
    """Return the seat, from 0, of a unique name, first name or id; `allow_prefix`: or prefix of a name."""
    # prefixes of ids do not count: many ids are numbers
    if not (result := _name_key(text)):
        return None
    own = [(_name_key(one["id"]), _name_key(one.get("name", ""))) for one in players]
    found = [seat for seat, keys in enumerate(own) if result in keys]
    for prefix in (result + " ", *([result] if allow_prefix else [])):
        found = found or [seat for seat, (_, name) in enumerate(own) if name.startswith(prefix)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=8192)
def _name_key(text: str) -> str:
    plain = "".join(sign for sign in fold_case_and_accents(text) if sign not in _NAME_MARKS)
    return " ".join(plain.split()).replace("' ", "'")


_PAIR_SEPARATOR = re.compile(rf"\s+(?:et|and)\s+|\s*[&+/,;]\s*|\s+{DASH}\s+", re.IGNORECASE)
TITLES = ("m.", "m", "mr", "mr.", "monsieur", "mme", "mme.", "madame", "mlle", "mrs", "mrs.", "ms", "ms.")
"""Words before a family name."""
_TITLE = "|".join(map(re.escape, sorted(TITLES, key=len, reverse=True)))
_COUPLE = re.compile(
    rf"(?P<one>{_TITLE})\s*(?:\bet\b|\band\b|[&+/-])\s*(?P<other>{_TITLE})\s+(?P<name>\S.*)", re.IGNORECASE
)
_TEAM_WITH_NAMES = re.compile(r"[^()]*\S\s*\((?P<names>[^()]+)\)")
_SIDE_SEPARATORS = (
    re.compile(r"\s+(?:contre|vs\.?|versus|against)\s+", re.IGNORECASE),
    re.compile(rf"\s+{DASH}\s+"),
    re.compile(r"\s*[/;]\s*"),
    re.compile(r"\s*,\s*"),
    re.compile(r"\s+(?:et|and)\s+|\s*[&+]\s*", re.IGNORECASE),
)


SIZE_OF_PAIR = 2
_BEFORE_HYPHEN = ("jean", "marie", "anne", "pierre", "paul", "louis", "charles")
"""First parts of French first names with a hyphen."""


def split_names(text: str, count: int) -> list[str] | None:
    """Return the names of `count` players in one text, such as `Martine & Gérard`; None if unclear."""
    if count == 1:
        return [text] if text else None
    if (couple := _COUPLE.fullmatch(text)) and count == SIZE_OF_PAIR:  # « M. et Mme Hubert »
        return [f"{couple[word]} {couple['name']}" for word in ("one", "other")]
    if (named := _TEAM_WITH_NAMES.fullmatch(text)) and split_names(named["names"], count) is not None:
        text = named["names"]  # « Les Cousins (Kévin / Théo) »
    names = _PAIR_SEPARATOR.split(text)
    if len(names) == 1:  # a hyphen separates two names only where there must be two
        names = re.split(DASH, text)
    return [name.strip() for name in names] if len(names) == count and all(map(str.strip, names)) else None


def may_be_one_name(texts: Iterable[str]) -> frozenset[str]:
    """Return those of a sheet's pairs that a hyphen joins and that may be one player: « Jean-Paul ».

    That is so if the text is one name of a pair elsewhere, or begins as such names do and no pair has
    either part as a name.
    """
    every = {text: _PAIR_SEPARATOR.split(text) for text in texts}
    named = {_name_key(name) for names in every.values() if len(names) > 1 for name in names}
    joined = {
        text: [*map(_name_key, re.split(DASH, text))] for text, names in every.items() if len(names) == 1
    }
    return frozenset(
        text
        for text, parts in joined.items()
        if len(parts) == SIZE_OF_PAIR
        and (_name_key(text) in named or (parts[0] in _BEFORE_HYPHEN and not named & {*parts}))
    )


def split_sides(text: str, sides: int, size: int) -> list[list[str]] | None:
    """Return the names of each side in one text, `A et B – C et D`; None if unclear."""
    for separator in _SIDE_SEPARATORS:
        parts = separator.split(text)
        if len(parts) == sides:
            found = [names for part in parts if (names := split_names(part, size)) is not None]
            if len(found) == sides:
                return found
    return None


def pairings(text: str) -> list[str]:
    """Return the pairs that four names in a text may be, each as a text; empty if they are not four."""
    names = [name.strip() for name in _PAIR_SEPARATOR.split(text)]
    if len(names) != 2 * SIZE_OF_PAIR or not all(names):
        return []
    first, *others = names
    return [
        f"{first} et {other} – {' et '.join(one for one in others if one != other)}"
        for other in dict.fromkeys(others)
    ]


class OtherName(NamedTuple):
    """Another name of a game, with the preset that it means and the other words of the text."""

    game: str
    preset: str
    rest: str


@lru_cache(maxsize=1)
def _other_names() -> list[tuple[re.Pattern[str], str, str]]:
    return [
        (re.compile(rf"(?<!\w){pattern}(?!\w)"), name, preset)
        for name in game_names()
        for pattern, preset in game_support(name).OTHER_NAMES.items()
    ]


def find_other_name(text: str) -> OtherName | None:
    """Find a name that is none of a game's own: « coinche (32 cartes) » is Belote by one of its presets."""
    plain = fold_case_and_accents(text)
    for pattern, game, preset in _other_names():
        if found := pattern.search(plain):
            return OtherName(game, preset, f"{plain[: found.start()]} {plain[found.end() :]}".strip())
    return None


def find_game(text: str) -> str | None:
    """Return the game with a name or title; None if there is none."""
    message = fold_case_and_accents(text).strip()
    other = find_other_name(message)
    if other is not None and not other.rest:
        return other.game
    return next(
        (one for one in game_names() if message in (one, fold_case_and_accents(game_title(one)))), None
    )


OTHER_GAMES = ("tarot", "rami", "bridge", "poker", "manille", "whist", "canasta", "scopa", "skat", "crapette")
"""Card games that Retourne does not have."""


def other_game_named(text: str) -> str:
    """Return the word of a text for a card game that Retourne does not have; empty if there is none."""
    words = re.findall(r"[^\W_]+", fold_case_and_accents(text))
    return next((word for word in words if word in OTHER_GAMES), "")


def games_named(text: str) -> set[str]:
    """Return the games whose name or title is a word of a text."""
    if (other := find_other_name(text)) is not None:
        return {other.game, *games_named(other.rest)}
    words = set(re.findall(r"[^\W_]+", fold_case_and_accents(text)))
    return {one for one in game_names() if {one, fold_case_and_accents(game_title(one))} & words}
