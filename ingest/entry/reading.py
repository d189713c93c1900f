"""A file that is no log → the logs it tells, or what has to be answered first."""

import codecs
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

import orjson

from ingest.entry.notes import read_notes
from ingest.entry.question import Question

MOST = 16 << 20
"""Bytes of a file that is read: an evening's notes have a few thousand."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
OLD = "cp1252"
"""What Windows writes where it does not write UTF-8."""


@dataclass(slots=True)
class Entered:
    """What came of a file."""

    logs: list[dict[str, Any]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def text(self) -> bytes:
        """The logs as somebody reads them: a key a line, deals by themselves."""
        return b"\n".join(map(_laid_out, self.logs)) + b"\n" if self.logs else b""

    @property
    def lines(self) -> bytes:
        """The logs, one a line."""
        return b"".join(orjson.dumps(log) + b"\n" for log in self.logs)


def read(data: bytes, game: str | None = None, zone: tzinfo | None = None) -> Entered:
    """What a file tells; nothing in it raises. The arguments are those of `read_notes`."""
    found = read_notes(decoded(data), game, zone)
    return Entered(found.logs, found.questions)


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


def decoded(data: bytes) -> str:
    """The text of some bytes, in the encoding they are in: any bytes are text in the last one."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace").removeprefix("\ufeff")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(OLD, errors="replace")
