"""Files of spreadsheets, and CSV → sheets of cells, or one sentence why there are none."""

import csv
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from typing import Any, NamedTuple

import orjson

from ingest.entry.spreadsheet import MOST_COLUMNS, MOST_ROWS, SECONDS
from ingest.i18n import N_
from ingest.text.foreign import no_log

ENDINGS = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods")
"""How the names of spreadsheets end; what a file is, its content says."""
TROUBLES = {
    "password": N_("The file is protected by a password: save it without one."),
    "damaged": N_(
        "The file cannot be read as a spreadsheet: save it again as .xlsx, .ods or .csv."
    ),
    "bomb": N_("The file asks for far more room than a score sheet needs: it was not read."),
    "rows": N_("A sheet of the file has more than {rows} lines: give it in parts."),
    "columns": N_(
        "A sheet of the file has more than {columns} columns: leave out those not needed."
    ),
    "sheets": N_("The file has too many sheets: give it in parts."),
    "empty": N_("The file is empty: there is no line in it."),
    "other": N_("The file is no spreadsheet, whatever its name says: it is {kind}."),
    "no text": N_("The file is no text and no spreadsheet."),
    "log": N_("This is a log already: retourne check looks at it, retourne ingest adds it."),
    "web": N_("The file is a page for browsers, whatever its name says: save it as .xlsx or .csv."),
    "csv": N_("The file cannot be read as CSV: save it again as .xlsx, .ods or .csv."),
}
MACROS = N_("The file has macros. They were not run; its cells were read.")
OLD_ENCODING = N_("The file is not in UTF-8; it was read as Windows writes ({encoding}).")
SEPARATORS = ";\t,"
_OLE, _ENCRYPTED = b"\xd0\xcf\x11\xe0", "EncryptedPackage".encode("utf-16-le")
_OFFICE = (("word/", "Word"), ("ppt/", "PowerPoint"))


class Date(NamedTuple):
    """A cell that a spreadsheet knows for a date."""

    text: str


Cell = str | int | float | Date  # what stands in a cell; an empty one is an empty text


@dataclass(slots=True)
class Sheet:
    """One sheet: every row from the first, so that a cell's place is its address."""

    name: str
    rows: list[list[Cell]]
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    """First row and column, last row and column, from 0."""
    uncomputed: set[str] = field(default_factory=set)
    """Cells with a formula of which the file has no value."""


class Refused(Exception):
    """A file that holds no cells: a text of the catalogue, and what it needs."""

    def __init__(self, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.text, self.values = TROUBLES[reason], values


def packed(data: bytes) -> bool:
    """Whether bytes are those of a spreadsheet program's file, or of another of its kind."""
    if not data.startswith(b"PK"):
        return data.startswith(_OLE)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return not {"[Content_Types].xml", "META-INF/manifest.xml"}.isdisjoint(
                archive.namelist()
            )
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def sheets_of(data: bytes) -> tuple[list[Sheet], list[str]]:
    """The sheets of a spreadsheet program's file, and remarks. Refused: there are none."""
    if _ENCRYPTED in data:
        raise Refused("password")
    for folder, kind in _OFFICE:
        if data.startswith(b"PK") and folder.encode() in data:
            raise Refused("other", kind=kind)
    try:  # in a process of its own
        done = subprocess.run(
            [sys.executable, "-m", "ingest.entry.spreadsheet"],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=3 * SECONDS,
            check=True,
        )
        found: dict[str, Any] = orjson.loads(done.stdout)
    except subprocess.SubprocessError as error:  # it has asked for too much, and was ended
        raise Refused("bomb") from error
    except orjson.JSONDecodeError as error:
        raise Refused("damaged") from error
    if "trouble" in found:
        raise Refused(found["trouble"], rows=MOST_ROWS, columns=MOST_COLUMNS)
    sheets = []
    for one in found["sheets"]:
        rows = [
            [Date(*cell) if isinstance(cell, list) else cell for cell in row] for row in one["rows"]
        ]
        if any(cell != "" for row in rows for cell in row):
            merged = [tuple(place) for place in one["merged"]]
            sheets.append(Sheet(one["name"], rows, merged, {*one["uncomputed"]}))
    if not sheets:
        raise Refused("empty")
    return sheets, [MACROS] if found["macros"] else []


def sheet_of_text(text: str) -> Sheet:
    """The sheet a CSV is, whatever separates its cells. Refused: there is none."""
    if not text.strip():
        raise Refused("empty")
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml", "<table")):
        raise Refused("web")
    if (kind := no_log(text[:1000].encode(errors="replace"))) is not None:
        raise Refused("other", kind=kind) if kind else Refused("no text")
    separator = ""
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=;"):
        separator = first.strip()[-1]
        text = "\n" + rest  # the rows keep their numbers
    # of several, what stands most often between the cells of the first lines
    head = "\n".join(text.splitlines()[:20])
    separator = separator or max(SEPARATORS, key=head.count)
    rows: list[list[Cell]] = []
    try:
        for row in csv.reader(StringIO(text, newline=""), delimiter=separator):
            if len(rows) >= MOST_ROWS:
                raise Refused("rows", rows=MOST_ROWS)
            if len(row) > MOST_COLUMNS:
                raise Refused("columns", columns=MOST_COLUMNS)
            rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        raise Refused("csv") from error
    return Sheet("", rows)


def address(row: int, column: int) -> str:
    """The name of a cell, both from 0: `B7`."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"
