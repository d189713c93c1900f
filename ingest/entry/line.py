"""Lines of notes: what each is headed by, and where its words stand."""

import re
from typing import NamedTuple

from ingest.entry import labels
from ingest.games import of
from ingest.mend.near import folded

_LABEL = re.compile(r"\s*(?P<label>[^:]{1,60}?)\s*:\s*(?P<body>.*)")


class Line(NamedTuple):
    """One line of notes: from 1 its number, and the column where `body` begins."""

    number: int
    column: int
    label: str
    """Without capitals and accents; empty where the line has none."""
    body: str
    text: str
    """All of it, as it stands."""
    ordered: bool = False
    """It has a number in front: what it tells was done in this order."""

    @property
    def remark(self) -> bool:
        """Whether it says something to people only."""
        return self.text.lstrip().startswith(labels.REMARK)

    @property
    def start(self) -> int:
        """The column of its first sign."""
        return len(self.text) - len(self.text.lstrip()) + 1


def line_of(number: int, raw: str) -> Line:
    """A line that is not empty, taken apart."""
    start = len(raw) - len(raw.lstrip())
    if raw[start:].startswith(labels.REMARK):
        return Line(number, start + 1, "", raw.strip(), raw)
    if trick := labels.TRICK.match(raw):
        return Line(number, trick.end() + 1, "", raw[trick.end() :], raw, ordered=True)
    if found := _LABEL.fullmatch(raw):
        label = " ".join(folded(found["label"]).replace("’", "'").split())
        return Line(number, found.start("body") + 1, label, found["body"], raw)
    return Line(number, start + 1, "", raw.strip(), raw)


def of_a_deal(label: str, game: str) -> bool:
    """Whether a label is one of a deal, not the name of somebody."""
    return (
        label in labels.DEAL
        or label in of(game).CARD_LINES
        or labels.HAND.fullmatch(label) is not None
        or labels.HEADING.fullmatch(label) is not None
    )
