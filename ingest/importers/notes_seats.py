"""Reads compass points in notes: « Nord (Lucie) : … », « N : … », « N-S 120 », for four players."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from engine.cards import HIDDEN_WORD
from engine.games import game_names
from ingest.autofix.card_words import fold_case_and_accents
from ingest.games import game_support
from ingest.importers.headings import DEAL_LABELS, POINT_WORDS
from ingest.importers.notes_lines import NoteLine
from ingest.importers.notes_words import Role, roles_of
from ingest.importers.tokenizer import DASH, TokenReader, parse_player, player_name, seat_of_name, words_in

_EACH = tuple((*words, *letters) for words, letters in zip(POINT_WORDS, ("n", "e", "s", "ow"), strict=True))
_POINTS = {word: point for point, words in enumerate(_EACH) for word in words}
_WORD = "|".join(_POINTS)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<point>{_WORD})",
        rf"(?:main\s+(?:de\s+|d['’]\s*)?)?(?P<point>{_WORD})\s*(?:\((?P<name>[^()]+)\)|\s(?:=|{DASH})\s+(?P<own>.+))",
        r"(?P<point>nord|north|est|east|sud|south|ouest|west)\s+(?P<name>[^\W\d_].*)",
        rf"(?P<name>.+?)\s*\((?P<point>{_WORD})\)",
    )
)
_HAND = re.compile(rf"(?:main\s+(?:de\s+|d['’]\s*)?)(?P<point>{_WORD})", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_a-zà-ÿ][^\W\d_]+(?:[ '’-][^\W\d_]+){0,2}")
PLAYERS = 4
MIN_TURNS = 2
"""Times that the deal has to pass on before it shows who sits next to whom."""


class PointName(NamedTuple):
    """A compass point, from 0 for north, and the player's name that is written with it."""

    point: int
    name: str


def read_point(text: str) -> PointName | None:
    """Read « Nord », « N (Lucie) », « Nord Lucie » or « Lucie (Nord) »; None if it is none of them."""
    found = next((found for form in _FORMS if (found := form.fullmatch(text.strip()))), None)
    if found is None:
        return None
    parts = found.groupdict()
    name = parts.get("name") or parts.get("own") or ""
    if fold_case_and_accents(name) in _POINTS:  # « N – S »
        return None
    return PointName(_POINTS[fold_case_and_accents(found["point"])], name.strip())


def names_by_point(lines: Iterable[NoteLine]) -> dict[int, str]:
    """Return the names that the labels of lines give compass points, also as in « Nord : Lucie »."""
    found: dict[int, str] = {}
    for line in lines:
        if line.label and (read := read_point(line.written_label)) is not None:
            if name := read.name or _name_in(line):
                found.setdefault(read.point, name)
    return found


def is_seat_line(line: NoteLine) -> bool:
    """Return whether a line names who sits at a point: « Nord : Lucie »."""
    point = read_point(line.written_label) if line.label else None
    return point is not None and not point.name and bool(_name_in(line))


def _name_in(line: NoteLine) -> str:
    text = line.body.strip()
    return text if _NAME.fullmatch(text) and fold_case_and_accents(text) not in _words_of_games() else ""


@cache
def _words_of_games() -> set[str]:
    """Return words that notes of a game have for acts: they are not names."""
    words = (game_support(name).NOTE_ALIASES.items() for name in game_names())
    return {word for items in words for pair in items for word in pair}


def seats_of_points(names: Mapping[int, str], players: Sequence[dict[str, str]]) -> dict[int, int]:
    """Return compass point → seat from 0, of all four; empty if the names do not fit the seats."""
    seats = {point: seat_of_name(name, players) for point, name in names.items()}
    found = {point: seat for point, seat in seats.items() if seat is not None}
    opposite = all(
        (found[point] - found[(point + 2) % PLAYERS]) % PLAYERS == 2
        for point in found
        if (point + 2) % PLAYERS in found
    )
    return found if sorted(found.values()) == [*range(PLAYERS)] and opposite else {}


def orders(names: Mapping[int, str]) -> list[list[str]]:
    """Return both orders in which players at compass points may sit."""
    return [[names[point] for point in way] for way in (range(PLAYERS), (0, 3, 2, 1))]


def as_dealt(
    lines: Iterable[NoteLine], ways: Sequence[Sequence[str]], points: Mapping[int, str]
) -> Sequence[str] | None:
    """Return the order of players in which the deal passes on, each time; None if it leaves it open.

    `points`: compass point → the player there.
    """
    dealers = [name for line in lines if (name := _dealer_in(line, ways[0], points)) is not None]
    for way in ways:
        turns = [(way.index(one) + 1 - way.index(then)) % len(way) for one, then in pairwise(dealers)]
        if len(turns) >= MIN_TURNS and not any(turns):
            return way
    return None


def _dealer_in(line: NoteLine, names: Sequence[str], points: Mapping[int, str]) -> str | None:
    players = [parse_player(name) for name in names]
    words = [*words_in(line.text)]
    at = next((place for place, word in enumerate(words) if Role.DEAL in roles_of(word)), 0)
    text = line.body if DEAL_LABELS.get(line.label) == "dealer" else line.text[: words[at].column - 1]
    seat = seat_of_name(text.strip(" :"), players)
    point = _POINTS.get(fold_case_and_accents(text.strip(" :")))
    if seat is None and point is not None:
        return points.get(point)
    return None if seat is None else names[seat]


def seat_words(seats: Mapping[int, int]) -> dict[str, int]:
    """Return the words of compass points, and the seat each means."""
    return {word: seats[point] for word, point in _POINTS.items() if point in seats}


def team_words(seats: Mapping[int, int]) -> dict[str, int]:
    """Return words such as `n-s`, and a seat of the team each means."""
    pairs = [(one, other, point) for point in (0, 1) for one in _EACH[point] for other in _EACH[point + 2]]
    return {
        one + mark + other: seats[point]
        for one, other, point in pairs
        if point in seats
        for mark in ("-", "/", "")
        if mark or len(one) == len(other) == 1
    }


def with_names(
    line: NoteLine, seats: Mapping[int, int], players: Sequence[dict[str, str]], reader: TokenReader
) -> NoteLine:
    """Put the player's name into a label that is a compass point; a whole hand is a hand as dealt."""
    hand = _HAND.fullmatch(line.written_label) if line.label else None
    point = _POINTS[fold_case_and_accents(hand["point"])] if hand else None
    if point is None and line.label and (read := read_point(line.written_label)) is not None:
        point = read.point
    if point is None or point not in seats:
        return line
    name = fold_case_and_accents(player_name(players[seats[point]]))
    is_hand = (
        hand is not None or _count_cards(line.body, reader) == len(reader.setup.game.pack.names) // PLAYERS
    )
    return line._replace(label=f"main de {name}" if is_hand else name)


def _count_cards(text: str, reader: TokenReader) -> int:
    """Return the number of cards of a text that is nothing else; 0 if it is something else."""
    words, place, count = [*words_in(text)], 0, 0
    while place < len(words):
        found = reader.interpret(words, place, reader.cards_meant)
        if not found.meanings and words[place].text != HIDDEN_WORD:
            return 0
        place += found.word_count
        count += 1
    return count
