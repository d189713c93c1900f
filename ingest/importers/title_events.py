"""Reads the round and the event of a table from the titles above it: `1er tour`, `Tournoi de mai`."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from engine.games import game_names
from ingest.i18n import N_
from ingest.importers import written_dates
from ingest.importers.headings import normalized
from ingest.importers.rules_text import find_preset
from ingest.importers.tokenizer import find_game

TITLES_NOT_STORED = N_("Titles of “{sheet}” that the matches do not keep: {titles}.")
_ROUND = re.compile(r"(?P<number>\d{1,2})(?: ?(?:er|re|e|eme|nd|nde|st|rd|th))? (?:tour|ronde|journee|round)")
_FINAL = re.compile(r"(?:(?:petite|grande|demi|quarts? de|semi|quarter|huitiemes? de) )?finale?s?")
_EVENTS = re.compile(
    r"(?:tournoi|concours|championnat|coupe|challenge|criterium|trophee|memorial|open|tournament|cup"
    r"|championship)s?"
)
_SMALL = ("du", "de", "le", "la", "au", "of", "the", "soiree", "evening", "resultats", "results")
_TABLE = re.compile(r"table(?: n| no| numero)? (?P<number>\d{1,3})")
_SEASON = re.compile(r"(?:saison|season) 20\d\d(?: (?:20)?\d\d)?")
_PARTS = re.compile(r"\s+[-–—|]\s+|\s*;\s*")


class TitleFacts(NamedTuple):
    """Facts of a match in titles: the key of a column → its text; and titles that have none."""

    facts: dict[str, str]
    unused: list[str]


def event_of_titles(titles: Sequence[str]) -> TitleFacts:
    """Return the round, the table and the event that titles name, if each names one."""
    found: dict[str, list[str]] = {"round": [], "table": [], "name": []}
    unused: list[str] = []
    for title in titles:
        parts = _PARTS.split(title)
        rests = [part for part in parts if not _take_part(part, found)]
        if _names_event(title):
            found["name"].append(_event_of(rests))
        elif not all(map(_is_of_day_or_game, rests)):
            unused.append(title)
    return TitleFacts({key: texts[0] for key, texts in found.items() if len({*texts}) == 1}, unused)


def _take_part(part: str, found: dict[str, list[str]]) -> bool:
    """Take a round or a table that a part of a title names; return whether it does."""
    words = normalized(part)
    if one := _ROUND.fullmatch(words) or _TABLE.fullmatch(words):
        found["table" if one.re is _TABLE else "round"].append(one["number"])
    elif one := _FINAL.fullmatch(words):
        found["round"].append(part)
    return one is not None


def _names_event(text: str) -> bool:
    return any(_EVENTS.fullmatch(word) for word in normalized(text).split())


def _event_of(parts: Sequence[str]) -> str:
    """Return parts of a title without those of only the day, which differs from evening to evening."""
    return " – ".join(one for one in parts if _names_event(one) or not written_dates.dates_within(one))


def _is_of_day_or_game(part: str) -> bool:
    """Return whether a part of a title is no more than a day, a season, or a game and its rules."""
    plain = _SEASON.sub(" ", normalized(written_dates.without_dates(part)))
    words = (one for one in plain.split() if one not in _SMALL)
    text = " ".join(words)
    return not text or find_game(text) is not None or any(find_preset(text, game) for game in game_names())
