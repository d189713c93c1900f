"""A file that is no log → the logs it tells, or what has to be answered first."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, NamedTuple

import orjson

from ingest.entry.cells import (
    ENDINGS,
    OLD_ENCODING,
    Refused,
    Sheet,
    packed,
    sheet_of_text,
    sheets_of,
)
from ingest.entry.notes import are_notes, read_notes
from ingest.entry.question import Origin, Question
from ingest.entry.sheets import How, Sheeted, read_sheets
from ingest.i18n import Translate
from ingest.text.foreign import no_log

MOST = 16 << 20
"""Bytes of a file that is read: an evening's notes have a few thousand."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOG = re.compile(r"\s*(?:\[\s*)?\{\s*\"")
"""How a log begins: an object, or a list of them."""
OLD = "cp1252"
"""What Windows writes where it does not write UTF-8."""
NOTES = (".txt", ".md")
"""How the names of notes end."""
KINDS = (".txt", ".csv", ".xlsx", ".ods")
"""What is said to be taken; some more are."""
NOTHING_SAID = How()


class Remark(NamedTuple):
    """A sentence about a file as a whole: a text of the catalogue, and what it needs."""

    text: str
    values: Mapping[str, Any] = {}

    def say(self, t: Translate) -> str:
        """It in a language."""
        return t(self.text, **self.values)


@dataclass(slots=True)
class Entered:
    """What came of a file."""

    logs: list[dict[str, Any]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    """What was seen beside, and is no question."""
    refused: Remark | None = None
    """Why nothing of the file is read at all."""
    sheet: Sheeted | None = None
    """Of a spreadsheet: its columns and first lines."""
    origins: list[Origin] = field(default_factory=list)
    """Where each log stands in the file."""

    @property
    def text(self) -> bytes:
        """The logs as somebody reads them: a key a line, deals by themselves."""
        return b"\n".join(map(_laid_out, self.logs)) + b"\n" if self.logs else b""

    @property
    def lines(self) -> bytes:
        """The logs, one a line."""
        return b"".join(orjson.dumps(log) + b"\n" for log in self.logs)


def read(name: str, data: bytes, how: How = NOTHING_SAID) -> Entered:
    """What a file tells that is no log: notes, or a spreadsheet; nothing in it raises."""
    try:
        if packed(data):
            sheets, seen = sheets_of(data)
            return _sheeted(sheets, how, [Remark(one) for one in seen])
        text, encoding = decoded(data)
        remarks = [Remark(OLD_ENCODING, {"encoding": encoding})] if encoding == OLD else []
        if data.startswith(b"PK"):
            raise Refused("other", kind="ZIP")
        if (kind := no_log(data)) is not None and encoding != "utf-16":
            raise Refused("other", kind=kind) if kind else Refused("no text")
        if _LOG.match(text):
            raise Refused("log")
        if is_sheet(name) or (not are_notes(text) and any(sign in text for sign in "\t;")):
            return _sheeted([sheet_of_text(text)], how, remarks)
        found = read_notes(text, how.game, how.zone)
        return Entered(found.logs, found.questions, remarks, origins=found.origins)
    except Refused as refused:
        return Entered(refused=Remark(refused.text, refused.values))


def imported(
    name: str,
    data: bytes,
    game: str | None = None,
    columns: Mapping[str, str] = NOTHING_SAID.columns,
    zone: tzinfo | None = None,
) -> Entered:
    """The logs that notes or a score sheet make, and what is asked of them; nothing in it raises.

    `name` tells a spreadsheet from notes, `game` is of a file that names none, `columns` has what
    columns are that are headed otherwise, `zone` is that of dates, else the machine's.
    """
    return read(name, data, How(game, columns, zone))


def is_sheet(name: str) -> bool:
    """Whether a file's name is that of a spreadsheet."""
    return name.lower().endswith(ENDINGS)


def enters(name: str) -> bool:
    """Whether a file's name is that of one that is read here, not as logs."""
    return name.lower().endswith((*ENDINGS, *NOTES))


def _sheeted(sheets: list[Sheet], how: How, remarks: list[Remark]) -> Entered:
    found = read_sheets(sheets, how)
    return Entered(found.logs, found.questions, remarks, sheet=found, origins=found.origins)


def _laid_out(log: dict[str, Any]) -> bytes:
    """A log with a key a line, those of its deals as well."""
    deals = [
        b"  {" + b",\n   ".join(_entry(key, value) for key, value in deal.items()) + b"}"
        for deal in log["deals"]
    ]
    head = [_entry(key, value) for key, value in log.items() if key != "deals"]
    whole = b'"deals": [\n' + b",\n".join(deals) + b"]"
    return b"{" + b",\n ".join([*head, whole]) + b"}"


def _entry(key: str, value: Any) -> bytes:
    return orjson.dumps(key) + b": " + orjson.dumps(value)


def decoded(data: bytes) -> tuple[str, str]:
    """The text of some bytes, and the encoding they are in: any bytes are text in the last one."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace").removeprefix("\ufeff"), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode(OLD, errors="replace"), OLD
