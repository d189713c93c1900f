"""Finds names in free text, however they are written."""

import base64
import html
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from itertools import accumulate

from engine.games import game_names as games
from engine.options import game_options, game_presets
from schemas.games import schemas_of
from schemas.player_key import fold_text

REDACTED = "…"
"""Replaces a name in free text: a pseudonym could be linked to its player by the context."""

MIN_INFIX_CHARACTERS = 3  # fewest letters searched for within longer words

NAME_PARTICLES = frozenset(
    ["de", "du", "des", "la", "le", "les", "da", "di", "do", "dos", "del", "el", "van", "von"]
)
"""Words of names that identify no one; searched for only as a whole name."""

Names = Iterable[str]
MAX_ENCODINGS = 8  # of one another, as `%25C3` is
_BYTE_PATTERN = re.compile(r"(?:%|(?<!\\)\\++x)([0-9a-fA-F]{2})|(?<!\\)\\++([0-3][0-7]{2})")
_CODE_POINT_PATTERN = re.compile(
    r"(?<!\\)\\++U([0-9a-fA-F]{8})|(?<!\\)\\++u\{([0-9a-fA-F]{1,6})\}|(?:(?<!\\)\\++|%)[uU]([0-9a-fA-F]{4})"
)
_ENCODED_PATTERN = re.compile(
    rf"(?=[%&\\<])(?:(?:{_BYTE_PATTERN.pattern})+|{_CODE_POINT_PATTERN.pattern}"
    r"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,30});?)"
)
_MARKUP_PATTERN = re.compile(rf"{_ENCODED_PATTERN.pattern}|</?[a-zA-Z!][^<>]{{0,200}}>")
_BASE64_PATTERNS = [
    re.compile(rf"(?<![{signs}])(?=[a-z\d]*[A-Z+/_-])[{signs}]{{6,}}={{0,2}}")
    for signs in ("a-zA-Z0-9_-", "a-zA-Z0-9+/")
]
"""Words that may be base64: of the alphabet for addresses, which a slash separates, and of the other."""
_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_CODE_PATTERN = re.compile(r"(?<=\d)[^\W\d_]{1,2}(?![^\W\d_])|(?<![^\W\d_])[^\W\d_]{1,2}(?=\d)")
"""One or two letters next to a digit: cards, faces and the letters of a date."""


class TextRedactor:
    """Replaces names by REDACTED; `parts`: their words too; `within`: also within longer words.

    Names in `allowed` stay, even if they contain a redacted name: they belong to other people.
    """

    def __init__(self, names: Names, parts: bool = False, within: bool = False, allowed: Names = ()) -> None:
        self._searched_words = {words for name in names for words in _search_terms(fold_text(name), parts)}
        self._allowed_words = {words for name in allowed for words in _search_terms(fold_text(name), False)}
        self._longest_words = {max(words, key=len) for words in self._searched_words}
        self._parts, self._within = parts, within

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """All terms, longest first (“Jean-Paul” before “Jean”); allowed names match a group."""
        every = sorted(self._searched_words | self._allowed_words, key=lambda one: (-sum(map(len, one)), one))
        how, own = (self._parts, self._within), self._searched_words
        ways = (_words_pattern(one, *how) if one in own else f"({_words_pattern(one)})" for one in every)
        return re.compile("|".join(ways))

    def has_name(self, text: str) -> bool:
        return self(text) != text

    def __call__(self, text: str) -> str:
        text = self._redact(text, _ENCODED_PATTERN)
        if "<" in plain_text(text):  # tags within names, after those that separate names
            text = self._redact(text, _MARKUP_PATTERN)
        for pattern in _BASE64_PATTERNS:
            text = pattern.sub(self._redact_base64, text)
        return text

    def _redact_base64(self, found: re.Match[str]) -> str:
        """Return a word, or REDACTED if it is the base64 of a text with a name."""
        with suppress(ValueError):
            word = found[0].rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
            plain = base64.b64decode(word + "=" * (-len(word) % 4)).decode()
            return REDACTED if self._spans(fold_text(plain_text(plain))) else found[0]
        return found[0]

    def _redact(self, text: str, pattern: re.Pattern[str]) -> str:
        """Replace names in a text, and in the text without the encodings of the pattern."""
        if not (spans := self._spans(fold_text(plain_text(text, pattern)))):
            return text
        plain, starts = decoded_text(text, pattern)
        places = [place for place, sign in enumerate(plain) for _ in fold_text(sign)]
        result, done = list[str](), 0
        for begin, end in spans:
            result += [text[starts[done] : starts[places[begin]]], REDACTED]
            done = places[end - 1] + 1
            while done < len(plain) and not fold_text(plain[done]):
                done += 1  # combining accents
        return "".join(result) + text[starts[done] :]

    def _spans(self, flat: str) -> list[tuple[int, int]]:
        if not any(needle in flat for needle in self._longest_words):  # fast path for most texts
            return []
        return [one.span() for one in self._pattern.finditer(flat) if one.lastindex is None]


def plain_text(text: str, pattern: re.Pattern[str] = _ENCODED_PATTERN) -> str:
    """Decode a text as `decoded_text` does, sooner."""
    if any(sign in text for sign in "%&\\<"):
        for _ in range(MAX_ENCODINGS):
            before = text
            text = pattern.sub(lambda found: "".join(sign for sign, _ in _decoded_signs(found[0])), text)
            if text == before:
                break
    return text


def decoded_text(text: str, pattern: re.Pattern[str] = _ENCODED_PATTERN) -> tuple[str, Sequence[int]]:
    """Decode percent-encoding, HTML entities and escapes, nested ones too.

    Returns the decoded text, and where each of its characters starts in `text`, and last the text's length.
    """
    starts: Sequence[int] = range(len(text) + 1)
    if not any(sign in text for sign in "%&\\<"):
        return text, starts
    for _ in range(MAX_ENCODINGS):
        signs, places, done = list[str](), list[int](), 0
        for found in pattern.finditer(text):
            decoded = _decoded_signs(found[0])
            if "".join(sign for sign, _ in decoded) == found[0]:
                continue
            signs += [text[done : found.start()], *(sign for sign, _ in decoded)]
            places += [*starts[done : found.start()], *(starts[found.start() + at] for _, at in decoded)]
            done = found.end()
        if not done:
            break
        text, starts = "".join((*signs, text[done:])), (*places, *starts[done:])
    return text, starts


def _decoded_signs(part: str) -> list[tuple[str, int]]:
    """Return the characters of an encoded part, each with the place where its code begins."""
    if part[0] == "&":
        return [(sign, 0) for sign in html.unescape(part)]
    if part[0] == "<":
        return []
    if code := _CODE_POINT_PATTERN.fullmatch(part):
        number = int(next(filter(None, code.groups())), 16)
        return [(chr(number) if number <= sys.maxunicode else part, 0)]
    encoded = [*_BYTE_PATTERN.finditer(part)]
    data = bytes(int(one[1], 16) if one[1] else int(one[2], 8) for one in encoded)
    try:
        message, sizes = data.decode(), [len(sign.encode()) for sign in data.decode()]
    except UnicodeDecodeError:  # as pages of another time encode addresses
        message, sizes = data.decode("cp1252", "replace"), [1] * len(data)
    return [
        (sign, encoded[at].start()) for sign, at in zip(message, accumulate(sizes, initial=0), strict=False)
    ]


_cached_redactor = lru_cache(maxsize=256)(TextRedactor)


def text_redactor(
    names: Names, parts: bool = False, within: bool = False, allowed: Names = ()
) -> TextRedactor:
    """Return a cached redactor: successive logs often have the same names."""
    return _cached_redactor(frozenset(names), parts, within, frozenset(allowed))


def is_searchable(name: str) -> bool:
    """Return whether a name is searched for: a number of two digits is in too many texts."""
    return any(_search_terms(fold_text(name), False))


def searchable_words(name: str) -> list[str]:
    """Return the folded words of a name that are searched for separately."""
    # only letters and combining marks
    remaining = (sign if unicodedata.category(sign)[0] in "LM" else " " for sign in fold_text(name))
    found = (word for word in "".join(remaining).split() if word not in NAME_PARTICLES)
    return [word for word in found if len(word) > 1 or _is_unspaced_script(word)]


def _search_terms(flat: str, parts: bool) -> Iterator[tuple[str, ...]]:
    """Yield the search terms of a folded name, as words; two words in either order."""
    every = tuple(re.findall(r"[^\W_]+", flat))
    together = "".join(every)
    if any(map(str.isalpha, together)) or len(together) >= MIN_INFIX_CHARACTERS:
        yield every
        if len(every) == 2:  # the family's name first
            yield every[::-1]
    elif any(unicodedata.category(sign) == "So" for sign in flat):
        yield (flat.strip(),)
    if parts:
        yield from ((word,) for word in searchable_words(flat))


def _words_pattern(words: tuple[str, ...], loose: bool = False, within: bool = False) -> str:
    """Build the pattern of words in folded text; `loose`: digits may follow, as in `zoe2`."""
    letters = [sum(map(str.isalpha, word)) for word in words]
    between = r"[\W_]{0,3}" if min(letters) >= MIN_INFIX_CHARACTERS else r"[\W_]{1,3}"
    found = between.join(map(re.escape, words))
    if any(map(_is_unspaced_script, words)) or (within and sum(letters) >= MIN_INFIX_CHARACTERS):
        return found
    before, after = (
        r"[^\W\d_]" if loose and end.isalpha() else r"[^\W_]" for end in (words[0][0], words[-1][-1])
    )
    return f"(?<!{before}){found}(?!{after})"


def _is_unspaced_script(word: str) -> bool:
    """Return whether a word has a caseless script or emoji: spaces need not separate those."""
    return any(unicodedata.category(sign) in ("Lo", "So") for sign in word)


def is_notation_only(text: str, keys: Iterable[str] = ()) -> bool:
    """Return whether a text has only cards, acts, rules, numbers and `keys`, so no names."""
    more = {word for key in keys for word in _WORD_PATTERN.findall(key)}
    found = _WORD_PATTERN.findall(_CODE_PATTERN.sub(" ", text))
    return all(word in notation_words() or word in more for word in found)


@cache
def notation_words() -> frozenset[str]:
    """Return every word of the notation of the registered games."""
    found = {"retourne", "maldonne", "replay", "abandoned", "true", "false", "null"}
    for game in games():
        known = [game, *schemas_of(game).action_words(()), *schemas_of(game).action_words(("b3",))]
        known += [option.name for option in game_options(game)]
        known.append(json.dumps(game_presets(game), ensure_ascii=False, default=str))
        for text in known:
            found.update(_WORD_PATTERN.findall(text))
    return frozenset(found)
