"""Splits notes into lines and sentences, each with its label: « Lucie : V♦ A♠ »."""

import re
from typing import NamedTuple

from ingest.autofix.misspellings import fold_case_and_accents
from ingest.importers.headings import MATCH_LABELS
from ingest.importers.tokenizer import sentences_in

COMMENT_MARK = "#"
# numbers before lines of play: `1.`, `Pli 1 :`
_TRICK_PATTERN = re.compile(r"\s*(?:(?:pli|trick)\s+)?\d+\s*[.):]\s*", re.IGNORECASE)
_LABEL_PATTERN = re.compile(r"(?P<label>[^:]{1,60}?)\s*:(?!(?<=\d:)\d)\s*(?P<body>.*)")


class NoteLine(NamedTuple):
    """A sentence of notes, or a line with a known label; numbers and columns count from 1."""

    number: int
    column: int  # where `body` starts
    label: str  # case and accents folded; empty if there is none
    body: str
    text: str  # the whole sentence, unchanged
    first_column: int  # where `text` starts

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


def parse_line(number: int, raw: str) -> list[NoteLine]:
    """Split a non-empty line into sentences, each into label and body."""
    start = len(raw) - len(raw.lstrip())
    whole = _split_label(number, start, raw.strip())
    if whole.is_comment or whole.label in MATCH_LABELS:
        return [whole]
    if trick := _TRICK_PATTERN.match(raw):
        start = trick.end()
    return [_split_label(number, start + place, text) for place, text in sentences_in(raw[start:])]


def _split_label(number: int, start: int, text: str) -> NoteLine:
    found = None if text.startswith(COMMENT_MARK) else _LABEL_PATTERN.fullmatch(text)
    if found is None:
        return NoteLine(number, start + 1, "", text, text, start + 1)
    label = fold_case_and_accents(found["label"])
    return NoteLine(number, start + found.start("body") + 1, label, found["body"], text, start + 1)
