"""A file that is no log → the logs it tells, or what has to be answered first."""

import codecs
import re
from collections.abc import Mapping
from datetime import tzinfo

from ingest.entry.cells import ENDINGS, OLD_ENCODING, Refused, packed, sheet_of_text, sheets_of
from ingest.entry.notes import are_notes, read_notes
from ingest.entry.question import Entered, Remark
from ingest.entry.sheets import How, read_sheets
from ingest.text.foreign import no_log

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


def read(name: str, data: bytes, how: How = NOTHING_SAID) -> Entered:
    """What a file tells that is no log: notes, or a spreadsheet; nothing in it raises."""
    try:
        if packed(data):
            sheets, seen = sheets_of(data)
            found = read_sheets(sheets, how)
            found.remarks = [Remark(one) for one in seen]
            return found
        text, encoding = decoded(data)
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


def decoded(data: bytes) -> tuple[str, str]:
    """The text of some bytes, and the encoding they are in: any bytes are text in the last one."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace").removeprefix("\ufeff"), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode(OLD, errors="replace"), OLD
