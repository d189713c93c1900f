"""Detects files that are not logs by their first bytes."""

import re
from itertools import islice
from os.path import isfile

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
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"SQLite format 3\0", "SQLite"),
)
"""Formats somebody may take for a log, each by its first bytes."""
DUCKDB_SIGNATURE = slice(8, 12), b"DUCK"
CONTROL_CHARACTERS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
MATCH_START = re.compile(rb"^\s*+[\[{]\s*+[\"{}]", re.MULTILINE)
SNIFF_BYTES = 1 << 14  # bytes of a file that are looked at
MAX_CONTROL_CHARACTERS = 32
"""Signs no text has, past which a file is none; a damaged line with fewer is told as a line."""


def is_duckdb(path: str) -> bool:
    """Whether a path is a file that says it is a DuckDB database."""
    if not isfile(path):  # a pipe is read once
        return False
    place, mark = DUCKDB_SIGNATURE
    try:
        with open(path, "rb") as file:
            return file.read(place.stop)[place] == mark
    except OSError:
        return False


def foreign_format(first: bytes) -> str | None:
    """The format of a file that is no log, empty where nobody knows it; None: it may be one."""
    for beginning, name in FILE_SIGNATURES:
        if first.startswith(beginning):
            return name
    place, mark = DUCKDB_SIGNATURE
    if first[place] == mark:
        return "DuckDB"
    first = first[:SNIFF_BYTES]
    # where a match begins, whatever is wrong beside it is told with its place
    many = (
        sum(1 for _ in islice(CONTROL_CHARACTERS.finditer(first), MAX_CONTROL_CHARACTERS))
        == MAX_CONTROL_CHARACTERS
    )
    return "" if many and not MATCH_START.search(first) else None
