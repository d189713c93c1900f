"""Imports a file that is not a log."""

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
from ingest.importers.import_result import FileNote, ImportResult
from ingest.importers.notes import is_notes, read_notes
from ingest.importers.sheets import Cell, CellSheet, DateCell, ImportOptions, read_sheets
from ingest.importers.spreadsheet_worker import MAX_COLUMNS, MAX_CPU_SECONDS, MAX_ROWS
from ingest.reader.file_type import foreign_format

MAX_FILE_BYTES = 16 << 20  # bytes of a file that is read: an evening's notes have a few thousand
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOG_PATTERN = re.compile(r"\s*(?:\[\s*)?\{\s*\"")  # how a log begins: an object, or a list of them
LEGACY_ENCODING = "cp1252"  # what Windows writes where it does not write UTF-8
NOTES_SUFFIXES = (".txt", ".md")  # how the names of notes end
UPLOAD_SUFFIXES = (".txt", ".csv", ".xlsx", ".ods")  # what is said to be taken; some more are
DEFAULT_OPTIONS = ImportOptions()
SPREADSHEET_SUFFIXES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods")
"""How the names of spreadsheets end; what a file is, its content says."""
UNREADABLE_TEXTS = {
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
MACROS_TEXT = N_("The file has macros. They were not run; its cells were read.")
LEGACY_ENCODING_TEXT = N_("The file is not in UTF-8; it was read as Windows writes ({encoding}).")
SEPARATORS = ";\t,"
_OLE_SIGNATURE, _ENCRYPTED_MARK = b"\xd0\xcf\x11\xe0", "EncryptedPackage".encode("utf-16-le")
_OFFICE_FOLDERS = (("word/", "Word"), ("ppt/", "PowerPoint"))
_SPREADSHEET_PARTS = (
    "[Content_Types].xml",
    "META-INF/manifest.xml",
)  # one of them is in all such files


class UnreadableFileError(Exception):
    """A file that holds no cells: a text of the catalogue, and what it needs."""

    def __init__(self, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.text, self.values = UNREADABLE_TEXTS[reason], values


def import_file(name: str, data: bytes, options: ImportOptions = DEFAULT_OPTIONS) -> ImportResult:
    """What a file tells that is no log: notes, or a spreadsheet; nothing in it raises."""
    try:
        if is_spreadsheet(data):
            sheets, seen = read_spreadsheet(data)
            found = read_sheets(sheets, options)
            found.remarks = [FileNote(one) for one in seen]
            return found
        marked = next((one for mark, one in BYTE_ORDER_MARKS if data.startswith(mark)), None)
        encoding = marked or "utf-8"
        try:
            text = data.decode(encoding, "replace" if marked else "strict").removeprefix("\ufeff")
        except UnicodeDecodeError:  # any bytes are text in what is left
            encoding = LEGACY_ENCODING
            text = data.decode(LEGACY_ENCODING, "replace")
        if data.startswith(b"PK"):
            raise UnreadableFileError("other", kind="ZIP")
        if (kind := foreign_format(data)) is not None and encoding != "utf-16":
            raise (
                UnreadableFileError("other", kind=kind) if kind else UnreadableFileError("no text")
            )
        if _LOG_PATTERN.match(text):
            raise UnreadableFileError("log")
        sheet = name.lower().endswith(SPREADSHEET_SUFFIXES)
        if sheet or (not is_notes(text) and any(sign in text for sign in "\t;")):
            found = read_sheets([read_csv(text)], options)
        else:
            found = read_notes(text, options.game, options.zone)
        if encoding == LEGACY_ENCODING:
            found.remarks.append(FileNote(LEGACY_ENCODING_TEXT, {"encoding": encoding}))
        return found
    except UnreadableFileError as refused:
        return ImportResult(refused=FileNote(refused.text, refused.values))


def imported(
    name: str,
    data: bytes,
    game: str | None = None,
    columns: Mapping[str, str] = DEFAULT_OPTIONS.columns,
    zone: tzinfo | None = None,
) -> ImportResult:
    """The logs that notes or a score sheet make, and what is asked of them; nothing in it raises.

    `name` tells a spreadsheet from notes, `game` is of a file that names none, `columns` has what
    columns are that are headed otherwise, `zone` is that of dates, else the machine's.
    """
    return import_file(name, data, ImportOptions(game, columns, zone))


def is_importable(name: str) -> bool:
    """Whether a file's name is that of one that is read here, not as logs."""
    return name.lower().endswith((*SPREADSHEET_SUFFIXES, *NOTES_SUFFIXES))


def is_spreadsheet(data: bytes) -> bool:
    """Whether bytes are those of a spreadsheet program's file, or of another of its kind."""
    if not data.startswith(b"PK"):
        return data.startswith(_OLE_SIGNATURE)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return any(name in _SPREADSHEET_PARTS for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def read_spreadsheet(data: bytes) -> tuple[list[CellSheet], list[str]]:
    """The sheets of a spreadsheet program's file, and remarks. Refused: there are none."""
    if _ENCRYPTED_MARK in data:
        raise UnreadableFileError("password")
    for folder, kind in _OFFICE_FOLDERS:
        if data.startswith(b"PK") and folder.encode() in data:
            raise UnreadableFileError("other", kind=kind)
    try:  # in a process of its own
        command = [sys.executable, "-m", "ingest.importers.spreadsheet_worker"]
        most, unseen = 3 * MAX_CPU_SECONDS, subprocess.DEVNULL
        told = subprocess.check_output(command, input=data, stderr=unseen, timeout=most)
        found: dict[str, Any] = orjson.loads(told)
    except subprocess.SubprocessError as error:  # it has asked for too much, and was ended
        raise UnreadableFileError("bomb") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableFileError("damaged") from error
    if "trouble" in found:
        raise UnreadableFileError(found["trouble"], rows=MAX_ROWS, columns=MAX_COLUMNS)
    sheets = []
    for one in found["sheets"]:
        cells = one["rows"]
        rows = [
            [DateCell(*cell) if isinstance(cell, list) else cell for cell in row] for row in cells
        ]
        if any(cell != "" for row in rows for cell in row):
            merged = [tuple(place) for place in one["merged"]]
            sheets.append(CellSheet(one["name"], rows, merged, {*one["uncomputed"]}))
    if not sheets:
        raise UnreadableFileError("empty")
    return sheets, [MACROS_TEXT] if found["macros"] else []


def read_csv(text: str) -> CellSheet:
    """The sheet a CSV is, whatever separates its cells. Refused: there is none."""
    if not text.strip():
        raise UnreadableFileError("empty")
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml", "<table")):
        raise UnreadableFileError("web")
    if (kind := foreign_format(text[:1000].encode(errors="replace"))) is not None:
        raise UnreadableFileError("other", kind=kind) if kind else UnreadableFileError("no text")
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
            if len(rows) >= MAX_ROWS:
                raise UnreadableFileError("rows", rows=MAX_ROWS)
            if len(row) > MAX_COLUMNS:
                raise UnreadableFileError("columns", columns=MAX_COLUMNS)
            rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        raise UnreadableFileError("csv") from error
    return CellSheet("", rows)
