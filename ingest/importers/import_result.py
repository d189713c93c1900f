"""The result of an import: logs with their source positions, or questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from ingest.findings.finding import Finding
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from ingest.importers.headings import SheetField
from ingest.importers.tokenizer import Interpretation

AMBIGUOUS_TEXT = N_("“{read}” may be {could}. Which of them?")
UNKNOWN = N_("“{read}” is not understood.")
DID_YOU_MEAN_TEXT = N_("“{read}” is not understood. Is {could} meant?")
OR_TEXT = N_("{first} or {last}")


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that somebody has to say; line and column from 1."""

    line: int
    column: int
    read: str
    text: str
    """A sentence of the catalogue, with `{read}` and `{could}`; empty where `finding` says it."""
    could: tuple[str, ...] = ()  # words of the format, or texts that may stand there
    game: str = ""
    finding: Finding | None = None
    """What keeps a deal from being followed, where that is what is asked about."""
    cell: str = ""  # of a spreadsheet, `B7` or `Table 2!B7`

    @property
    def where(self) -> str:
        """Its place in the file: `4:12` of a text, a cell of a spreadsheet."""
        return self.cell or f"{self.line}:{self.column}"

    def say(self, t: Translate) -> str:
        if self.finding is not None:
            return self.finding.message(t)
        said = [describe_word(t, one, self.game) if self.game else one for one in self.could]
        *first, last = said or [""]
        could = t(OR_TEXT, first=", ".join(first), last=last) if first else last
        return t(self.text, read=self.read, could=could)


def ambiguity_question(
    line: int, column: int, interpretation: Interpretation, game: str, cell: str = ""
) -> Question:
    """The question about words that mean several things, or none that is known."""
    text = (
        AMBIGUOUS_TEXT
        if interpretation.meanings
        else DID_YOU_MEAN_TEXT
        if interpretation.suggestions
        else UNKNOWN
    )
    return Question(
        line,
        column,
        interpretation.text,
        text,
        interpretation.meanings or interpretation.suggestions,
        game,
        cell=cell,
    )


class SourcePart(NamedTuple):
    """A deal, or what stands above the deals: the line it begins at, and the cells it has."""

    line: str
    cells: Mapping[str, str] = {}  # column by its key → address; none in notes


class SourceMap(NamedTuple):
    """The places of one match."""

    head: SourcePart
    deals: tuple[SourcePart, ...]

    def source_of(self, finding: Finding | None) -> str:
        """The cell or line a finding is about; of the match as a whole, where that begins."""
        deal = None if finding is None else finding.deal
        part = self.head if deal is None or deal >= len(self.deals) else self.deals[deal]
        keys = [key for key in finding.path.split("/") if key] if finding else []
        keys = keys[2:] if keys[:1] == ["deals"] else keys
        keys = keys[1:] if keys[:1] == ["told"] else keys
        # the column it was read from; none where several may be meant
        own = [one for one in part.cells if keys and one.split(" ")[0] == keys[0]]
        if keys[:1] in (["points"], ["players"]) and keys[1:] and keys[1].isdigit():
            own = own and [f"{keys[0]} {int(keys[1]) + 1}"]
        elif len(own) > 1 and keys[0] not in ("points", "players"):
            own = []
        return part.cells.get(own[0], part.line) if own else part.line


@dataclass(slots=True)
class FoundColumn:
    """One column as it was found: where its heading is, and what it is taken for."""

    cell: str
    heading: str  # its letter where it has none
    field: SheetField | None
    left_out: bool = False


class FileNote(NamedTuple):
    """A sentence about a file as a whole: a text of the catalogue, and what it needs."""

    text: str
    values: Mapping[str, Any] = {}

    def say(self, t: Translate) -> str:
        return t(self.text, **self.values)


@dataclass(slots=True)
class ImportResult:
    """What a file holds that is no log: whole logs in order, or what has to be answered first."""

    logs: list[dict[str, Any]] = field(default_factory=list)
    origins: list[SourceMap] = field(default_factory=list)  # where each log stands in the file
    questions: list[Question] = field(default_factory=list)
    remarks: list[FileNote] = field(
        default_factory=list
    )  # what was seen beside, and is no question
    refused: FileNote | None = None  # why nothing of the file is read at all
    game: str | None = None  # of a score sheet, as its columns and first lines
    columns: list[FoundColumn] = field(default_factory=list)
    """Of every line of headings, for whoever wants to match them otherwise."""
    first_rows: list[list[str]] = field(default_factory=list)
    """The first lines below the first headings, a text a column."""

    @property
    def text(self) -> bytes:
        """The logs as somebody reads them: a key a line, deals by themselves."""

        def entries(keys: Mapping[str, Any]) -> list[bytes]:
            return [orjson.dumps(key) + b": " + orjson.dumps(told) for key, told in keys.items()]

        logs = b""
        for log in self.logs:
            deals = [b"  {" + b",\n   ".join(entries(deal)) + b"}" for deal in log["deals"]]
            head = entries({key: told for key, told in log.items() if key != "deals"})
            whole = b'"deals": [\n' + b",\n".join(deals) + b"]"
            logs += b"{" + b",\n ".join([*head, whole]) + b"}\n"
        return logs

    @property
    def lines(self) -> bytes:
        """The logs, one a line."""
        return b"".join(orjson.dumps(log) + b"\n" for log in self.logs)
