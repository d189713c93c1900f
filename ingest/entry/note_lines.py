"""Lines of notes: what each is headed by, in French and English, and where its words stand."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ingest.entry.headings import (
    DEALER,
    DECK,
    LEADER,
    MANCHE,
    OF_MATCH,
    PLAYERS,
    POINTS,
    WINNER,
    said_of,
)
from ingest.entry.headings import VOID as VOIDED
from ingest.games import of
from ingest.mend.near import folded

HEAD: Mapping[str, str] = {
    said: column.key for column in (*OF_MATCH, DECK, PLAYERS) for said in said_of(column)
}
"""Label of a line about the match → its key."""
DEAL: Mapping[str, str] = {
    **{
        said: column.key
        for column in (DEALER, LEADER, POINTS, WINNER, VOIDED, MANCHE)
        for said in said_of(column)
    },
    **dict.fromkeys(("pari", "paris", "bids"), "bids"),
}
"""Label of a line about a deal → its key."""
VOID: Mapping[str, str] = {
    **dict.fromkeys(("maldonne", "fausse donne", "misdeal"), "maldonne"),
    **dict.fromkeys(("rejouee", "a rejouer", "replayed", "replay"), "replay"),
    **dict.fromkeys(("abandonnee", "interrompue", "abandoned"), "abandoned"),
}
NOBODY = ("personne", "nobody", "nulle", "drawn", "0")
HAND = re.compile(r"(?:main d(?:e |'))(?P<a>.+)|hand of (?P<b>.+)|(?P<c>.+?)'s hand")
"""Whose hand a line tells."""
DEALS = re.compile(r"(?P<who>.+?)\s+(?:donne|distribue|deals)\.?")
HEADING = re.compile(r"(?:donne|deal|partie|manche)\s+(?:n[°o]?\s*)?\d+\s*[.:]?")
"""`Donne 3` above a deal: there for people."""
TRICK = re.compile(r"\s*(?:(?:pli|trick)\s+)?\d+\s*[.):]\s*", re.IGNORECASE)
"""Before what is told in order: `1.`, `Pli 1 :`."""
REMARK = "#"


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
        return self.text.lstrip().startswith(REMARK)

    @property
    def start(self) -> int:
        """The column of its first sign."""
        return len(self.text) - len(self.text.lstrip()) + 1


def line_of(number: int, raw: str) -> Line:
    """A line that is not empty, taken apart."""
    start = len(raw) - len(raw.lstrip())
    if raw[start:].startswith(REMARK):
        return Line(number, start + 1, "", raw.strip(), raw)
    if trick := TRICK.match(raw):
        return Line(number, trick.end() + 1, "", raw[trick.end() :], raw, ordered=True)
    if found := _LABEL.fullmatch(raw):
        label = " ".join(folded(found["label"]).replace("’", "'").split())
        return Line(number, found.start("body") + 1, label, found["body"], raw)
    return Line(number, start + 1, "", raw.strip(), raw)


def of_a_deal(label: str, game: str) -> bool:
    """Whether a label is one of a deal, not the name of somebody."""
    return (
        label in DEAL
        or label in of(game).CARD_LINES
        or HAND.fullmatch(label) is not None
        or HEADING.fullmatch(label) is not None
    )
