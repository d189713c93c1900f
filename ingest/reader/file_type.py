"""Detects files that are not logs by their first bytes."""

import re
from itertools import islice
from os.path import isfile
from pathlib import PurePath

FILE_SIGNATURES = (
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"RIFF", "RIFF"),
    (b"%PDF-", "PDF"),
    (b"{\\rtf", "RTF"),
    (b"\xd0\xcf\x11\xe0", "Office"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"SQLite format 3\0", "SQLite"),
)
"""Formats that users may mistake for logs, with their first bytes."""
SPREADSHEET_SUFFIXES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods")
"""Suffixes of spreadsheets; the content decides how a file is read."""
PAPERS = {
    **dict.fromkeys((".csv", ".tsv"), "CSV"),
    **dict.fromkeys((".txt", ".md"), "TXT"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls"), "Excel"),
    ".ods": "OpenDocument",
}
"""Formats of score sheets and notes, by suffix."""
OFFICE_MEMBERS = {
    "word/document.xml": "Word",
    "xl/workbook.xml": "Excel",
    "ppt/presentation.xml": "PowerPoint",
    "content.xml": "OpenDocument",
}
"""Members of a zip that only documents of office programs have."""
HTML_START = re.compile(rb"\s*+<(!doctype html|html|head|body)\b", re.IGNORECASE)
DUCKDB_SIGNATURE = slice(8, 12), b"DUCK"
CONTROL_CHARACTERS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
MATCH_START = re.compile(rb"^\s*+[\[{]\s*+[\"{}]", re.MULTILINE)
SNIFF_BYTES = 1 << 14  # bytes of a file that are examined
MAX_CONTROL_CHARACTERS = 32
"""Control characters that make a file binary; a line with fewer is reported as damaged."""


def paper_format(name: str, first: bytes) -> str | None:
    """Return the format of a score sheet or of notes in an archive; None if a file may be a log."""
    suffix = PurePath(name).suffix.lower()
    if first.startswith(b"PK"):
        return PAPERS.get(suffix)
    return None if MATCH_START.search(first[:SNIFF_BYTES]) else PAPERS.get(suffix)


def is_duckdb(path: str) -> bool:
    """Return whether a path is a file with the signature of a DuckDB database."""
    if not isfile(path):  # a pipe can be read only once
        return False
    place, mark = DUCKDB_SIGNATURE
    try:
        with open(path, "rb") as file:
            return file.read(place.stop)[place] == mark
    except OSError:
        return False


def foreign_format(first: bytes) -> str | None:
    """Return the format of a file that is not a log (empty: unknown); None if it may be one."""
    for beginning, name in FILE_SIGNATURES:
        if first.startswith(beginning):
            return name
    if HTML_START.match(first):
        return "HTML"
    place, mark = DUCKDB_SIGNATURE
    if first[place] == mark:
        return "DuckDB"
    first = first[:SNIFF_BYTES]
    # if a match starts in it, the log reader reports errors with their positions
    many = (
        sum(1 for _ in islice(CONTROL_CHARACTERS.finditer(first), MAX_CONTROL_CHARACTERS))
        == MAX_CONTROL_CHARACTERS
    )
    return "" if many and not MATCH_START.search(first) else None
