"""A file that is no log → the logs it tells, or what has to be answered first."""

import codecs
import csv
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from datetime import tzinfo
from io import BytesIO, StringIO
from typing import Any

import orjson

from ingest.i18n import N_
from ingest.importers.import_result import Entered, Remark
from ingest.importers.notes import are_notes, read_notes
from ingest.importers.sheets import Cell, Date, How, Sheet, read_sheets
from ingest.importers.spreadsheet_worker import MOST_COLUMNS, MOST_ROWS, SECONDS
from ingest.reader.file_type import no_log

MOST = 16 << 20  # bytes of a file that is read: an evening's notes have a few thousand
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOG = re.compile(r"\s*(?:\[\s*)?\{\s*\"")  # how a log begins: an object, or a list of them
OLD = "cp1252"  # what Windows writes where it does not write UTF-8
NOTES = (".txt", ".md")  # how the names of notes end
KINDS = (".txt", ".csv", ".xlsx", ".ods")  # what is said to be taken; some more are
NOTHING_SAID = How()
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
_PARTS = ("[Content_Types].xml", "META-INF/manifest.xml")  # one of them is in all such files


class Refused(Exception):
    """A file that holds no cells: a text of the catalogue, and what it needs."""

    def __init__(self, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.text, self.values = TROUBLES[reason], values


def read(name: str, data: bytes, how: How = NOTHING_SAID) -> Entered:
    """What a file tells that is no log: notes, or a spreadsheet; nothing in it raises."""
    try:
        if packed(data):
            sheets, seen = sheets_of(data)
            found = read_sheets(sheets, how)
            found.remarks = [Remark(one) for one in seen]
            return found
        marked = next((one for mark, one in MARKS if data.startswith(mark)), None)
        encoding = marked or "utf-8"
        try:
            text = data.decode(encoding, "replace" if marked else "strict").removeprefix("\ufeff")
        except UnicodeDecodeError:  # any bytes are text in what is left
            encoding = OLD
            text = data.decode(OLD, "replace")
        if data.startswith(b"PK"):
            raise Refused("other", kind="ZIP")
        if (kind := no_log(data)) is not None and encoding != "utf-16":
            raise Refused("other", kind=kind) if kind else Refused("no text")
        if _LOG.match(text):
            raise Refused("log")
        sheet = name.lower().endswith(ENDINGS)
        if sheet or (not are_notes(text) and any(sign in text for sign in "\t;")):
            found = read_sheets([sheet_of_text(text)], how)
        else:
            found = read_notes(text, how.game, how.zone)
        if encoding == OLD:
            found.remarks.append(Remark(OLD_ENCODING, {"encoding": encoding}))
        return found
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


def enters(name: str) -> bool:
    """Whether a file's name is that of one that is read here, not as logs."""
    return name.lower().endswith((*ENDINGS, *NOTES))


def packed(data: bytes) -> bool:
    """Whether bytes are those of a spreadsheet program's file, or of another of its kind."""
    if not data.startswith(b"PK"):
        return data.startswith(_OLE)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return any(name in _PARTS for name in archive.namelist())
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
        command = [sys.executable, "-m", "ingest.importers.spreadsheet_worker"]
        most, unseen = 3 * SECONDS, subprocess.DEVNULL
        told = subprocess.check_output(command, input=data, stderr=unseen, timeout=most)
        found: dict[str, Any] = orjson.loads(told)
    except subprocess.SubprocessError as error:  # it has asked for too much, and was ended
        raise Refused("bomb") from error
    except orjson.JSONDecodeError as error:
        raise Refused("damaged") from error
    if "trouble" in found:
        raise Refused(found["trouble"], rows=MOST_ROWS, columns=MOST_COLUMNS)
    sheets = []
    for one in found["sheets"]:
        cells = one["rows"]
        rows = [[Date(*cell) if isinstance(cell, list) else cell for cell in row] for row in cells]
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
    separator = separator or max(SEPARATORS, key="\n".join(text.splitlines()[:20]).count)
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
