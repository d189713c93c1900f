"""What cannot be read for sure is asked: where it stands, what was read, what it may be."""

from dataclasses import dataclass

from ingest.finding.finding import Finding
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate

MEANT = N_("“{read}” may be {could}. Which of them?")
UNKNOWN = N_("“{read}” is not understood.")
NEAR = N_("“{read}” is not understood. Is {could} meant?")
OR = N_("{first} or {last}")


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that somebody has to say; line and column from 1."""

    line: int
    column: int
    read: str
    text: str
    """A sentence of the catalogue, with `{read}` and `{could}`; empty where `finding` says it."""
    could: tuple[str, ...] = ()
    """What it may be: words of the format, or texts that may stand there."""
    game: str = ""
    finding: Finding | None = None
    """What keeps a deal from being followed, where that is what is asked about."""
    cell: str = ""
    """Of a spreadsheet, `B7` or `Table 2!B7`."""

    @property
    def where(self) -> str:
        """Its place in the file: `4:12` of a text, a cell of a spreadsheet."""
        return self.cell or f"{self.line}:{self.column}"

    def say(self, t: Translate) -> str:
        """The question as people read it."""
        if self.finding is not None:
            return self.finding.message(t)
        return t(self.text, read=self.read, could=self._choices(t))

    def _choices(self, t: Translate) -> str:
        said = [speak_word(t, one, self.game) if self.game else one for one in self.could]
        *first, last = said or [""]
        return t(OR, first=", ".join(first), last=last) if first else last


def asked(
    line: int, column: int, read: str, meant: tuple[str, ...], near: tuple[str, ...], game: str
) -> Question:
    """The question about a word that means several things, or none that is known."""
    if meant:
        return Question(line, column, read, MEANT, meant, game)
    return Question(line, column, read, NEAR if near else UNKNOWN, near, game)
