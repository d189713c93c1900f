"""Every code a finding can have, in one table: its rules, its words, an example, what to do."""

import re
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

from engine.games import game, names
from ingest.finding.advice import ADVICE
from ingest.finding.sentence import SENTENCES
from ingest.i18n import Translate
from ingest.judge.document import document_finding

DOCUMENT = "document"
OF_FILES = frozenset(
    ("empty-file", "cannot-read", "too-long", "too-large", "zip-in-zip", "zip-bomb", "bad-archive")
)
"""Codes about a file as a whole, which no small log can show."""


class Code(NamedTuple):
    """A code in one game, or in a document of any game; codes of several games have as many."""

    code: str
    game: str
    rule: str
    severity: str
    gravity: str
    """The engine's, `noted`, `impossible` or `warning`; empty for a document's."""

    @property
    def example(self) -> PurePosixPath | None:
        """A log with this fault and no other, below the project's root."""
        if self.code in OF_FILES:
            return None
        return PurePosixPath("data", "fautes", self.game, f"{self.code}.json")

    def message(self, t: Translate) -> str:
        """Its sentence with `…` for what a log fills in."""
        return re.sub(r"\{\w+\}\.?", "…", t(SENTENCES[self.code]))

    def advice(self, t: Translate) -> str:
        return t(ADVICE[self.code])


@cache
def codes() -> tuple[Code, ...]:
    """All of them: the document's, then each game's, each in the order of its table."""
    found = []
    for name in names():
        this = game(name)
        for fault in (*this.faults.rows, *this.match_faults.rows):
            found.append(Code(fault.code, name, fault.rule, fault.severity, fault.gravity))
    of_games = {one.code for one in found}
    plain = [document_finding(code) for code in SENTENCES if code not in of_games]
    return (*(Code(one.code, DOCUMENT, one.rule, one.severity, "") for one in plain), *found)
