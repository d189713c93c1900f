"""Files that are no logs, told by how they begin: a picture, a PDF, any file that is no text."""

import re
from itertools import islice
from os.path import isfile

BEGINNINGS = (
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
DUCKDB = slice(8, 12), b"DUCK"
NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
MATCH = re.compile(rb"^\s*+[\[{]\s*+[\"{}]", re.MULTILINE)
LOOKED_AT = 1 << 14  # bytes of a file that are looked at
MANY = 32
"""Signs no text has, past which a file is none; a damaged line with fewer is told as a line."""


def is_duckdb(path: str) -> bool:
    """Whether a path is a file that says it is a DuckDB database."""
    if not isfile(path):  # a pipe is read once
        return False
    place, mark = DUCKDB
    try:
        with open(path, "rb") as file:
            return file.read(place.stop)[place] == mark
    except OSError:
        return False


def no_log(first: bytes) -> str | None:
    """The format of a file that is no log, empty where nobody knows it; None: it may be one."""
    for beginning, name in BEGINNINGS:
        if first.startswith(beginning):
            return name
    place, mark = DUCKDB
    if first[place] == mark:
        return "DuckDB"
    first = first[:LOOKED_AT]
    # where a match begins, whatever is wrong beside it is told with its place
    many = sum(1 for _ in islice(NO_TEXT.finditer(first), MANY)) == MANY
    return "" if many and not MATCH.search(first) else None
