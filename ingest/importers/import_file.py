"""Imports a file that is not a log."""

import codecs
import csv
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from datetime import date, tzinfo
from io import BytesIO, StringIO
from pathlib import PurePath
from typing import Any

import orjson

from ingest.i18n import N_
from ingest.importers.cells import Cell, CellSheet, DateCell
from ingest.importers.import_result import FileNote, ImportResult
from ingest.importers.mapping import ImportOptions
from ingest.importers.notes import is_notes
from ingest.importers.notes_game import read_notes_of_file
from ingest.importers.result_rows import RULES_LEFT_OUT, leave_out_rules, number_equal_results
from ingest.importers.sheets import read_sheets
from ingest.importers.spreadsheet_worker import MAX_COLUMNS, MAX_CPU_SECONDS, MAX_ROWS
from ingest.importers.tokenizer import games_named
from ingest.reader.file_type import SPREADSHEET_SUFFIXES, foreign_format

MAX_FILE_BYTES = 16 << 20  # bytes of a file; the notes of an evening have a few thousand
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LOG_PATTERN = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*\"")  # starts an object, or a list of objects
LEGACY_ENCODING = "cp1252"  # the encoding of Windows programs that do not write UTF-8
NOTES_SUFFIXES = (".txt", ".md")  # suffixes of notes
ARCHIVE_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst")
UPLOAD_SUFFIXES = (".txt", ".csv", ".xlsx", ".ods")  # suffixes shown to users; more are accepted
DEFAULT_OPTIONS = ImportOptions()
UNREADABLE_TEXTS = {
    "password": N_("The file is protected by a password: save it without one."),
    "damaged": N_("The file cannot be read as a spreadsheet: save it again as .xlsx, .ods or .csv."),
    "bomb": N_("The file asks for far more room than a score sheet needs: it was not read."),
    "rows": N_("A sheet of the file has more than {rows} lines: give it in parts."),
    "columns": N_("A sheet of the file has more than {columns} columns: remove those not needed."),
    "sheets": N_("The file has too many sheets: give it in parts."),
    "empty": N_("The file is empty. Fill in at least one line."),
    "other": N_(
        "Retourne does not read this kind of file ({kind}). Type its contents in, or paste them as a note."
    ),
    "picture": N_("The file is a picture, which Retourne does not read: type its contents in, as a note."),
    "no text": N_("The file is neither a text nor a spreadsheet."),
    "log": N_("This is a log already: retourne check looks at it, retourne ingest adds it."),
    "web": N_("The file is a page for browsers: save its table as .xlsx or .csv, or paste it as a note."),
    "csv": N_("The file cannot be read as CSV: save it again as .xlsx, .ods or .csv."),
}
SHEETS_HIDDEN = N_("Skipped, because they are hidden: {sheets}.")
MACROS_TEXT = N_("The file has macros. They were not run; its cells were read.")
LEGACY_ENCODING_TEXT = N_(
    "The file is not in UTF-8; Retourne read it in the encoding of Windows ({encoding})."
)
PICTURES = ("PNG", "JPEG", "GIF", "RIFF")
SEPARATORS = ";\t,"
_OLE_SIGNATURE, _ENCRYPTED_MARK = b"\xd0\xcf\x11\xe0", "EncryptedPackage".encode("utf-16-le")
_OFFICE_FOLDERS = (("word/", "Word"), ("ppt/", "PowerPoint"))
SPREADSHEET_PARTS = ("[Content_Types].xml", "META-INF/manifest.xml")  # every such file has one of them


class UnreadableFileError(Exception):
    """Raised for an unreadable file; `text` is a catalogue text, `values` its values."""

    def __init__(self, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.text, self.values = UNREADABLE_TEXTS[reason], values


def import_file(name: str, data: bytes, options: ImportOptions = DEFAULT_OPTIONS) -> ImportResult:
    """Import notes or a spreadsheet; no file content raises."""
    stem = _title_of(name)
    try:
        if is_spreadsheet(data):
            sheets, seen = read_spreadsheet(data)
            found = read_sheets(sheets, options, stem)
            found.notices[:0] = seen
            return _completed(found)
        marked = next((one for mark, one in BYTE_ORDER_MARKS if data.startswith(mark)), None)
        encoding = marked or "utf-8"
        try:
            text = data.decode(encoding, "replace" if marked else "strict").removeprefix("\ufeff")
        except UnicodeDecodeError:  # any bytes decode as LEGACY_ENCODING
            encoding = LEGACY_ENCODING
            text = data.decode(LEGACY_ENCODING, "replace")
        if data.startswith(b"PK"):
            raise UnreadableFileError("other", kind="ZIP")
        if (kind := foreign_format(data)) == "HTML":
            raise UnreadableFileError("web")
        if kind in PICTURES:
            raise UnreadableFileError("picture")
        if kind is not None and encoding != "utf-16":
            raise (UnreadableFileError("other", kind=kind) if kind else UnreadableFileError("no text"))
        if LOG_PATTERN.match(text[:1000].encode(errors="replace")):
            raise UnreadableFileError("log")
        sheet = name.lower().endswith(SPREADSHEET_SUFFIXES)
        if sheet or (not is_notes(text) and any(sign in text for sign in "\t;")):
            found = read_sheets([read_csv(text)], options, stem)
        else:
            found = read_notes_of_file(text, options, stem)
            found.notes = text
        _completed(found)
        if encoding == LEGACY_ENCODING:
            found.notices.append(FileNote(LEGACY_ENCODING_TEXT, {"encoding": encoding}))
        return found
    except UnreadableFileError as error:
        return ImportResult(error=FileNote(error.text, error.values))


def _title_of(name: str) -> str:
    """Return the name of a file without its suffix; that of its archive if only it names a game."""
    parts = PurePath(name).parts
    start = next(
        (at for at, one in enumerate(parts) if one.lower().endswith(ARCHIVE_SUFFIXES)), len(parts) - 1
    )
    stems = [PurePath(one).stem for one in reversed(parts[start:])]
    return next(filter(games_named, stems), stems[0] if stems else "")


def _completed(found: ImportResult) -> ImportResult:
    """Remove rules that results do not fit from its logs, and number equal results."""
    for rules in sorted(leave_out_rules(found.logs)):
        found.notices.append(FileNote(RULES_LEFT_OUT, {"rules": rules}))
    number_equal_results(found.logs)
    return found


def convert(
    name: str,
    data: bytes,
    game: str | None = None,
    columns: Mapping[str, str] = DEFAULT_OPTIONS.columns,
    zone: tzinfo | None = None,
) -> ImportResult:
    """Import notes or a score sheet as logs, or return questions; no file content raises.

    `name` distinguishes CSV from notes, `game` is the default game, `columns` maps headings that
    Retourne does not know to columns, `zone` is the time zone of dates (default: the machine's).
    """
    return import_file(name, data, ImportOptions(game, columns, zone))


def is_importable(name: str) -> bool:
    """Return whether a file's suffix is that of notes or a spreadsheet."""
    return name.lower().endswith((*SPREADSHEET_SUFFIXES, *NOTES_SUFFIXES))


def is_spreadsheet(data: bytes) -> bool:
    """Return whether bytes are a spreadsheet, or another office document in the same container."""
    if not data.startswith(b"PK"):
        return data.startswith(_OLE_SIGNATURE)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return any(name in SPREADSHEET_PARTS for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def read_spreadsheet(data: bytes) -> tuple[list[CellSheet], list[FileNote]]:
    """Read the sheets of a spreadsheet, and remarks. UnreadableFileError: it has no cells."""
    if _ENCRYPTED_MARK in data:
        raise UnreadableFileError("password")
    for folder, kind in _OFFICE_FOLDERS:
        if data.startswith(b"PK") and folder.encode() in data:
            raise UnreadableFileError("other", kind=kind)
    try:  # in a separate process, with limits
        command = [sys.executable, "-m", "ingest.importers.spreadsheet_worker"]
        most, unseen = 3 * MAX_CPU_SECONDS, subprocess.DEVNULL
        result = subprocess.check_output(command, input=data, stderr=unseen, timeout=most)
        found: dict[str, Any] = orjson.loads(result)
    except subprocess.SubprocessError as error:  # the process exceeded its limits
        raise UnreadableFileError("bomb") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableFileError("damaged") from error
    if "trouble" in found:
        raise UnreadableFileError(found["trouble"], rows=MAX_ROWS, columns=MAX_COLUMNS)
    sheets = []
    for one in found["sheets"]:
        cells = one["rows"]
        rows = [[DateCell(*cell) if isinstance(cell, list) else cell for cell in row] for row in cells]
        if any(cell != "" for row in rows for cell in row):
            merged = [tuple(place) for place in one["merged"]]
            first_day = None if found["first_day"] is None else date.fromisoformat(found["first_day"])
            hidden_rows, hidden_columns = map(set, one["hidden"])
            uncomputed = {*one["uncomputed"]}
            sheets.append(
                CellSheet(one["name"], rows, merged, uncomputed, hidden_rows, hidden_columns, first_day)
            )
    if not sheets:
        raise UnreadableFileError("empty")
    notes = [FileNote(MACROS_TEXT)] if found["macros"] else []
    if hidden := found["hidden"]:
        notes.append(FileNote(SHEETS_HIDDEN, {"sheets": tuple(hidden)}))
    return sheets, notes


def read_csv(text: str) -> CellSheet:
    """Read CSV with any separator as a sheet. UnreadableFileError: it cannot be read."""
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
        text = "\n" + rest  # preserves row numbers
    # the separator that is most frequent in the first lines
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
