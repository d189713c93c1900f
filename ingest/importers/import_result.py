"""The result of an import: logs with the cell or line of each finding, or questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, NamedTuple

import orjson

from ingest.findings.finding import Finding
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate, translator
from ingest.importers.headings import SheetField
from ingest.importers.mapping import Certainty, WorkbookMapping
from ingest.importers.source_map import SourceMap, place_in_sheet
from ingest.importers.tokenizer import Interpretation

AMBIGUOUS_TEXT = N_("“{read}” may be {could}. Which of them?")
UNKNOWN = N_("“{read}” is not understood.")
AnswerKind = Literal[
    "cell", "column", "game", "lines", "name", "players", "repeats", "rules", "sheet", "year"
]
DID_YOU_MEAN_TEXT = N_("“{read}” is not understood. Is {could} meant?")


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user; `line` and `column` count from 1."""

    line: int
    column: int
    read: str
    text: str
    """A catalogue text with `{read}` and `{could}`; empty if `finding` has the message."""
    could: tuple[str, ...] = ()  # possible words of the format, or possible texts
    game: str = ""
    finding: Finding | None = None
    """The finding that stops the deal's replay, if the question is about it."""
    cell: str = ""  # in a spreadsheet, `B7`
    sheet: str = ""  # the spreadsheet's sheet, if it has several
    heading: str = ""  # that of the cell's column, as the sheet has it
    answers: tuple[str, ...] = ()  # texts that answer it in notes, if `could` has none
    about: AnswerKind = "cell"
    """Which part of a `SheetMapping` answers it; of notes the text itself does."""
    new_line: int = 0
    """The line of the notes that the answer becomes; 0: the answer replaces `read`."""
    example: str = ""
    """A catalogue text with `{who}` and `{other}`: a sentence that would be read."""
    names: tuple[str, ...] = ()
    """The players, for the example."""
    fields: tuple[tuple[str, SheetField], ...] = ()
    """Possible columns of a sheet: the letter of each, and its field."""

    @property
    def where(self) -> str:
        """The position in the notes or in the sheet: `4:12` or `B7`."""
        return self.cell or f"{self.line}:{self.column}"

    def place(self, t: Translate) -> str:
        """Describe the position in the file: `B7 (Preneur) of “Coinche”`."""
        where = f"{self.where} ({self.heading})" if self.heading else self.where
        return place_in_sheet(t, where, self.sheet)

    def readings(self, t: Translate) -> list[str]:
        """Return the answers to choose from, as they are written in notes; empty if any is possible."""
        if self.answers or self.text not in (AMBIGUOUS_TEXT, DID_YOU_MEAN_TEXT):
            return [*self.answers]
        return self._choices(t)

    def _choices(self, t: Translate) -> list[str]:
        if self.fields and not self.could:
            return [self.heading_of(field, t) for _, field in self.fields]
        return [describe_word(t, one, self.game) if self.game else one for one in self.could]

    @staticmethod
    def heading_of(field: SheetField, t: Translate) -> str:
        """Return what a column is called."""
        return field.heading(translator(t.language))

    def example_text(self, t: Translate) -> str:
        """Return a sentence about the players that would be read; empty if there is none."""
        who, other = self.names[:2] or ("Lucie", "Marcel")
        return t(self.example, who=who, other=other) if self.example else ""

    def message(self, t: Translate) -> str:
        if self.finding is not None:
            return self.finding.message(t)
        items = self._choices(t)
        *first, last = items or [""]
        could = t("{first} or {last}", first=", ".join(first), last=last) if first else last
        return t(self.text, read=self.read, could=could)


def ambiguity_question(
    line: int, column: int, interpretation: Interpretation, game: str, cell: str = ""
) -> Question:
    """Build the question about words with several meanings, or none."""
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


@dataclass(slots=True)
class FoundColumn:
    """A column found in a sheet: the cell of its heading, and the field it was matched to."""

    cell: str
    heading: str  # the column's letter if it has no heading
    field: SheetField | None
    left_out: bool = False
    sheet: str = ""  # the spreadsheet's sheet, if it has several
    certainty: Certainty = "certain"


class SheetTexts(NamedTuple):
    """The cells of a sheet as texts, as they were read."""

    name: str
    rows: list[list[str]]


QUOTED = N_("“{text}”")


class FileNote(NamedTuple):
    """A remark about a whole file: a catalogue text and its values."""

    text: str
    values: Mapping[str, Any] = {}
    """Several texts are a tuple, and are quoted."""

    def message(self, t: Translate) -> str:
        values = {
            key: ", ".join(t(QUOTED, text=text) for text in one) if isinstance(one, tuple) else one
            for key, one in self.values.items()
        }
        return t(self.text, **values)


LINE_STAYS = N_("Retourne understood only part of line {line}; the match keeps it as a remark: “{text}”")
LINE_NOT_STORED = N_("Line {line} was not read and is not stored: “{text}”")
MAX_LINE_SHOWN = 200  # characters


class UnreadLine(NamedTuple):
    """A line, or a sentence of one, that notes have and their matches do not, or only as a remark."""

    line: int
    text: str
    is_stored: bool  # as a comment of its match

    def message(self, t: Translate) -> str:
        text = self.text if len(self.text) <= MAX_LINE_SHOWN else f"{self.text[:MAX_LINE_SHOWN]}…"
        return t(LINE_STAYS if self.is_stored else LINE_NOT_STORED, line=self.line, text=text)


LINES_STAY = N_(
    "Retourne understood only part of lines {first} to {last}; it replays the moves it understood, and "
    "keeps these lines as remarks."
)
LINES_NOT_STORED = N_("Lines {first} to {last} were not read and are not stored.")


def unread_messages(lines: Sequence[UnreadLine], t: Translate) -> list[str]:
    """Return a message for each line, or for lines that follow one another."""
    runs: list[list[UnreadLine]] = []
    for one in lines:
        if runs and one.line - runs[-1][-1].line in (0, 1) and one.is_stored == runs[-1][-1].is_stored:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [
        run[0].message(t)
        if len(run) == 1
        else t(LINES_STAY if run[0].is_stored else LINES_NOT_STORED, first=run[0].line, last=run[-1].line)
        for run in runs
    ]


READ_AS_BEFORE = N_("“{sheet}” is read as on {day}: its columns are taken for the same again.")


class RecalledSheet(NamedTuple):
    """A sheet that was read as a store remembers sheets of its fingerprint."""

    sheet: str
    fingerprint: str
    confirmed_on: date

    def message(self, t: Translate) -> str:
        day = self.confirmed_on.strftime("%d/%m/%Y" if t.language == "fr" else "%Y-%m-%d")
        return t(READ_AS_BEFORE, sheet=self.sheet, day=day)


@dataclass(slots=True)
class ImportResult:
    """The result of an import: complete logs in order, or questions to answer first."""

    logs: list[dict[str, Any]] = field(default_factory=list)
    origins: list[SourceMap] = field(default_factory=list)  # source positions of each log
    questions: list[Question] = field(default_factory=list)
    open_lines: dict[str, list[int]] = field(default_factory=dict)
    """Sheet → its lines that are in no log until the questions are answered."""
    notices: list[FileNote] = field(default_factory=list)  # they need no answer
    error: FileNote | None = None  # why the file could not be read
    unread: list[UnreadLine] = field(default_factory=list)  # of notes, in order
    notes: str | None = None  # the text that was read as notes; None for a sheet
    game: str | None = None  # only for score sheets, as are `columns` and `sheets`
    columns: list[FoundColumn] = field(default_factory=list)
    """Columns of every line of headings, so that the user can match them differently."""
    mapping: WorkbookMapping = field(default_factory=WorkbookMapping)
    """The mapping by which each sheet was read."""
    sheets: list[SheetTexts] = field(default_factory=list)
    recalled: list[RecalledSheet] = field(default_factory=list)

    @property
    def text(self) -> bytes:
        """The logs as JSON for people: one key per line, deals indented."""

        def entries(keys: Mapping[str, Any]) -> list[bytes]:
            return [orjson.dumps(key) + b": " + orjson.dumps(result) for key, result in keys.items()]

        logs = b""
        for log in self.logs:
            deals = [b"  {" + b",\n   ".join(entries(deal)) + b"}" for deal in log["deals"]]
            head = entries({key: result for key, result in log.items() if key != "deals"})
            whole = b'"deals": [\n' + b",\n".join(deals) + b"]"
            logs += b"{" + b",\n ".join([*head, whole]) + b"}\n"
        return logs

    @property
    def lines(self) -> bytes:
        """The logs as JSON lines."""
        return b"".join(orjson.dumps(log) + b"\n" for log in self.logs)
