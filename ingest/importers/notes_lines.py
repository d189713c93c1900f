"""Splits notes into lines and sentences, each with its label: « Lucie : V♦ A♠ »."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any, NamedTuple

from ingest.autofix.card_words import fold_case_and_accents
from ingest.i18n import N_
from ingest.importers.headings import MATCH_LABELS, point_seat
from ingest.importers.import_result import Question
from ingest.importers.notes_words import is_team_label
from ingest.importers.tokenizer import seat_of_name, sentences_in
from ingest.importers.written_dates import dates_of_other_weekday, parse_date

NO_DATE = N_("“{read}” is not a date. Write it as in: {could}.")
OTHER_WEEKDAY = N_("“{read}”: the day of the week does not fit the date. Is {could} meant?")
COMMENT_MARK = "#"
# numbers before lines of play: `1.`, `Pli 1 :`
_TRICK_PATTERN = re.compile(r"\s*(?:(?:pli|trick)\s+)?\d+\s*[.):]\s*", re.IGNORECASE)
_NEXT_LABEL = re.compile(r"\s*[,;|]\s*|\s+[–—-]\s+")
_LABEL_PATTERN = re.compile(r"(?P<label>[^:]{1,60}?)\s*:(?!(?<=\d:)\d)\s*(?P<body>.*)")

_DEAL_NOUNS = "(?:donne|deal|hand|partie|manche)"
HEADING_PATTERN = re.compile(
    rf"(?:{_DEAL_NOUNS}\s+(?:n[°o]?\s*)?\d+|p\d+|\d+(?:er|ere|re|e|eme|st|nd|rd|th)\s+{_DEAL_NOUNS}"
    r"|(?:la\s+)?(?:belle|revanche))\s*[.:]?"
)
"""`Donne 3` above a deal: only for readers."""


TOTAL_PATTERN = re.compile(r"(?:(?:sous[ -])?total|totaux|cumul|subtotal|totals)\b")


class NoteLine(NamedTuple):
    """A sentence of notes, or a line with a known label; numbers and columns count from 1."""

    number: int
    column: int  # where `body` starts
    label: str  # case and accents folded; empty if there is none
    body: str
    text: str  # the whole sentence, unchanged
    first_column: int  # where `text` starts
    goes_past_midnight: bool = False  # the new day of a chat that goes on in the night
    sender: str = ""  # of a message of a chat

    @property
    def is_comment(self) -> bool:
        """Whether the line is a comment."""
        return self.text.startswith(COMMENT_MARK)

    def holds(self, number: int, column: int) -> bool:
        """Whether a position is within it."""
        return self.number == number and 0 <= column - self.first_column <= len(self.text)

    @property
    def written_label(self) -> str:
        """The label as written."""
        return self.text.split(":")[0].strip()


def are_totals(lines: Sequence[NoteLine]) -> bool:
    """Return whether lines add up deals or matches, and nothing else: « Total : 230-170 »."""
    own = [line for line in lines if not line.is_comment]
    return bool(own) and all(
        TOTAL_PATTERN.match(fold_case_and_accents(line.text)) and any(map(str.isdigit, line.text))
        for line in own
    )


def is_heading(text: str, players: Sequence[dict[str, str]], whole: bool = False) -> bool:
    """Return whether a text begins with a heading of a deal, or is one; a player may be called « Belle »."""
    found = HEADING_PATTERN.fullmatch(text) if whole else HEADING_PATTERN.match(text)
    return found is not None and seat_of_name(text, players) is None


def parse_line(number: int, raw: str) -> list[NoteLine]:
    """Split a non-empty line into sentences, each into label and body."""
    start = len(raw) - len(raw.lstrip())
    whole = _split_label(number, start, raw.strip())
    if whole.is_comment or whole.label in MATCH_LABELS:
        return [whole]
    if len(parts := _NEXT_LABEL.split(whole.text)) > 1 and all(map(_names_seats, parts)):
        starts = [start + whole.text.index(part) for part in parts]
        return [_split_label(number, place, part) for place, part in zip(starts, parts, strict=True)]
    if trick := _TRICK_PATTERN.match(raw):
        start = trick.end()
    return [_split_label(number, start + place, text) for place, text in sentences_in(raw[start:])]


def _names_seats(text: str) -> bool:
    """Return whether a text names who sits at a compass point or in a team: « Nord : Lucie »."""
    label, colon, name = text.partition(":")
    is_seat = point_seat(label) is not None or is_team_label(fold_case_and_accents(label).strip())
    return bool(colon) and is_seat and not any(map(str.isdigit, name))


def _split_label(number: int, start: int, text: str) -> NoteLine:
    found = None if text.startswith(COMMENT_MARK) else _LABEL_PATTERN.fullmatch(text)
    if found is None:
        return NoteLine(number, start + 1, "", text, text, start + 1)
    label = fold_case_and_accents(found["label"])
    return NoteLine(number, start + found.start("body") + 1, label, found["body"], text, start + 1)


def day_in(text: str | None, line: NoteLine, zone: tzinfo | None, questions: list[Question]) -> str | None:
    """Read the date of a line; a question is added if its day of the week is not that of the date."""
    when = None if text is None else parse_date(text, zone)
    if text is not None and when is not None and (could := tuple(dates_of_other_weekday(text, when))):
        column = line.first_column + max(line.text.find(text), 0)
        question = Question(line.number, column, text, OTHER_WEEKDAY, could, answers=could)
        questions += [] if question in questions else [question]
    return when


def add_day(
    head: dict[str, Any], text: str, line: NoteLine, zone: tzinfo | None, questions: list[Question]
) -> None:
    """Read the date of a match into `head`, or add a question."""
    when = day_in(text, line, zone, questions)
    if when is None:
        column = line.first_column + max(line.text.find(text), 0)
        questions.append(Question(line.number, column, text, NO_DATE, ("2026-05-02", "2 mai 2026 20:30")))
    elif not dates_of_other_weekday(text, when):
        head["played_at"] = when
