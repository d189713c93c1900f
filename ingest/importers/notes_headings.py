"""Reads titles of notes, without labels: « Chouine, 12 avril 2026, Lucie contre René »."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from ingest.importers.notes_lines import NoteLine
from ingest.importers.notes_rules import find_game_and_rules
from ingest.importers.notes_words import Role, roles_of
from ingest.importers.result_notes import parts_of, read_result_line
from ingest.importers.rules_text import find_rules
from ingest.importers.tokenizer import DASH, find_game, games_named, words_in
from ingest.importers.written_dates import WEEKDAY_NUMBERS, dates_without_year, find_date, parse_date

_NAME_SEPARATOR = re.compile(rf"\s*[,;/&+]\s*|\s+(?:{DASH}|et|and|contre|vs\.?)\s+", re.IGNORECASE)
_FRAGMENT_SEPARATOR = re.compile(rf"\s*[,;|]\s*|\s+{DASH}\s+|\s*[:!]\s+")
_VERSUS_PATTERN = re.compile(
    r"(.+?)\s+(?:(?:jou(?:e|ent|aient)\s+|plays?\s+|played\s+)?(?:contre|vs?\.?|versus|against)"
    r"|affront(?:e|ent|aient)|rencontr(?:e|ent|aient))\s+(.+)",
    re.IGNORECASE,
)
_TEAMS = re.compile(r"(?:les\s+)?(?:équipes?|teams?|paires?|pairs?)\s*:?\s+", re.IGNORECASE)
_AT_PLACE = re.compile(r"(.+?)\s+((?:chez|au|aux|à|at)\s+\D+)", re.IGNORECASE)  # behind a day
_TITLE_WORDS = {
    *WEEKDAY_NUMBERS,
    *("partie", "parties", "soiree", "match", "game", "evening", "tournoi", "tournament", "concours"),
    *("resultat", "resultats", "result", "results", "notre", "club", "jeu", "on", "a", "la", "une", "un"),
    *("le", "the", "de", "des", "du", "d'", "of", "at"),
}
_MAX_NAME_WORDS = 3
_MAX_GAME_WORDS = 5  # « coinche à 32 cartes »


class Title(NamedTuple):
    """The facts of a match in a line such as « Chouine, 12 avril 2026, Lucie contre René »."""

    game: str | None = None
    day: str | None = None
    day_without_year: str | None = None
    sides: tuple[list[str], ...] = ()
    others: tuple[str, ...] = ()
    rules: str | dict[str, Any] | None = None

    @property
    def is_match(self) -> bool:
        """Whether it has enough facts to begin another match."""
        return self.game is not None and bool(self.day or self.day_without_year or self.sides)


def names_in(text: str) -> list[str]:
    """Return the names of a list, or of two sides."""
    return [one.strip() for one in _NAME_SEPARATOR.split(text) if one.strip()]


def game_at_end(lines: Sequence[NoteLine]) -> NoteLine | None:
    """Return the last of several lines if it is a title with a game: the head of the next match."""
    title = read_title(lines[-1]) if len(lines) > 1 and not lines[-1].label else None
    return lines[-1] if title is not None and title.game else None


def read_title(line: NoteLine) -> Title | None:
    """Read the game, the day and the players in a line without a known label; None if it has none."""
    if has_result(line):
        return None
    title, is_first = Title(), line.number == 1 or find_date(line.text) is not None
    fragments = [one for one in _FRAGMENT_SEPARATOR.split(line.text.rstrip(".: ")) if one]
    place = 0
    while place < len(fragments):
        for size in (3, 2, 1):
            text = ", ".join(fragments[place : place + size])
            more = _read_fragment(text, title, is_first) if place + size <= len(fragments) else None
            if more is not None:
                title = more
                place += size
                break
        else:
            title = title._replace(others=(*title.others, fragments[place]))
            place += 1
    others = [text for text in title.others if not has_result(line_of(text, line))]
    has_acts = any(sign.isdigit() or sign in "♠♥♦♣" for text in others for sign in text)
    return title if not has_acts and (title.game or title.day or title.sides) else None


def has_result(line: NoteLine) -> bool:
    """Return whether a line names who beat whom."""
    return any(map(read_result_line, parts_of(line)))


def results_of(title: Title, line: NoteLine) -> list[NoteLine]:
    """Return the parts of a title that name who beat whom, as lines."""
    return [one for text in title.others if has_result(one := line_of(text, line))]


def line_of(text: str, line: NoteLine) -> NoteLine:
    """Return a text of a line as a line."""
    column = line.first_column + max(line.text.find(text), 0)
    return NoteLine(line.number, column, "", text, text, column)


def _read_fragment(text: str, title: Title, is_first: bool) -> Title | None:
    if title.game is None:
        is_open = is_first and "," not in text and find_date(text) is None
        if (named := _game_in(text)) and (is_open or not named.rest):
            return title._replace(
                game=named.game, rules=named.rules, others=(*title.others, *filter(None, [named.rest]))
            )
        if more := _read_game_and_day(text, title):
            return more
    elif rules := find_rules(text, title.game):
        return title._replace(rules=rules)
    if more := _read_day_within(text, title):
        return more
    if title.day is None and parse_date(text, None):
        return title._replace(day=text)
    if title.day is None and dates_without_year(text, date.max):
        return title._replace(day=text, day_without_year=text)
    if title.day is None and (place := _AT_PLACE.fullmatch(text)):
        others = (*title.others, place[2])
        if parse_date(place[1], None):
            return title._replace(day=place[1], others=others)
        if dates_without_year(place[1], date.max):
            return title._replace(day=place[1], day_without_year=place[1], others=others)
    if not title.sides and "," not in text and (versus := _VERSUS_PATTERN.fullmatch(text)):
        sides = tuple(names_in(_TEAMS.sub("", side)) for side in versus.groups())
        if all(map(_is_name, (name for side in sides for name in side))):
            return title._replace(sides=sides)
    return None


def _read_game_and_day(text: str, title: Title) -> Title | None:
    """Read « Soirée coinche du 14 novembre 2026 chez Odile »; what follows the day is for readers."""
    found = find_date(text)
    if found is None or title.day is not None or "," in text:
        return None
    if (named := _game_in(text[: found.start()])) is None:
        return None
    others = (*title.others, *filter(None, [named.rest, text[found.end() :].strip()]))
    return title._replace(game=named.game, rules=named.rules, day=found[0].strip(), others=others)


def _read_day_within(text: str, title: Title) -> Title | None:
    """Read « Soirée du vendredi 6 novembre 2026 au foyer »; what follows the day is for readers."""
    found = find_date(text)
    if found is None or title.day is not None or "," in text:
        return None
    before = [*words_in(text[: found.start()])]
    if not before or any(word.plain not in _TITLE_WORDS for word in before):
        return None
    others = (*title.others, *filter(None, [text[found.end() :].strip()]))
    return title._replace(day=found[0].strip(), others=others)


class _NamedGame(NamedTuple):
    game: str
    rules: str | dict[str, Any] | None
    rest: str  # what follows, for readers


def _game_in(text: str) -> _NamedGame | None:
    """Read the one game of « Soirée belote coinchée », « Tournoi de chouine de Lavardin »."""
    if not games_named(text):
        return None
    words = [*words_in(text)]
    runs = ((at, at + size) for size in range(_MAX_GAME_WORDS, 0, -1) for at in range(len(words) - size + 1))
    named = (
        (at, end, *pair)
        for at, end in runs
        if (pair := find_game_and_rules(" ".join(word.text for word in words[at:end])))
    )
    at, end, game, rules = next(named, (0, 0, "", None))
    others = (word for place, word in enumerate(words) if not at <= place < end)
    if not game or any(map(find_game, (word.text for word in others))):
        return None
    if any(word.plain not in _TITLE_WORDS for word in words[:at]):
        return None
    after = words[end:]
    while after and after[-1].plain in _TITLE_WORDS:
        after.pop()
    rest = text[after[0].column - 1 : after[-1].column - 1 + len(after[-1].text)] if after else ""
    if rest and (own := find_rules(f"{rules or ''} {rest}".strip(), game)):  # « coinche en 1000 »
        return _NamedGame(game, own, "")
    return _NamedGame(game, rules, rest)


def _is_name(text: str) -> bool:
    words = [*words_in(text)]
    return 0 < len(words) <= _MAX_NAME_WORDS and not any(
        roles_of(word) - {Role.FILLER} or any(map(str.isdigit, word.text)) for word in words
    )
