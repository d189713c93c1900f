"""What a worker does: it reads a part of a file, checks it and makes its rows.

It is handed to other processes by its name, on other machines too, and needs nothing of Dask.
"""

from pathlib import Path
from typing import NamedTuple

from ingest.store.ready import ready
from ingest.store.spool import laid
from ingest.text.files import Batch
from ingest.text.ranges import Range, Reading
from ingest.text.storage import S3Object

MOST = 256 << 20
"""Bytes of text a worker holds of one part; what unpacks to more is sent to workers bit by bit."""

Seen = tuple[int, int]
"""Size and time of a file as it was seen here."""


class Part(NamedTuple):
    """A part of a file, and what it is called in reports."""

    name: str
    path: Path | S3Object
    part: Range
    seen: Seen | None = None
    """None for what every machine finds by the same address."""

    @property
    def until(self) -> int:
        """The bytes of the file that are done with it."""
        if self.part.end is not None:
            return self.part.end
        return self.path.size if isinstance(self.path, S3Object) else (self.seen or (0, 0))[0]


class Done(NamedTuple):
    """A part's checked batches, as they are laid aside, and how many lines it has."""

    batches: list[bytes]
    lines: int


def seen(path: Path) -> Seen:
    """A file as this machine sees it. OSError: it is not there."""
    told = path.stat()
    return told.st_size, told.st_mtime_ns


def checked_part(part: Part) -> Done | None:
    """A part read and checked; None: it is not as it was seen, not to be read, or too large."""
    found, size = list[bytes](), 0
    try:
        if isinstance(part.path, Path) and seen(part.path) != part.seen:
            return None
        reading = Reading(part.path, part.part, part.name)
        for batch in reading.batches():
            size += sum(len(one.text) for one in batch.texts)
            if size > MOST:
                return None
            found.append(laid(ready(batch)))
    except OSError:
        return None
    return Done(found, reading.lines)


def checked_texts(batch: Batch) -> Done:
    """The same of texts that come with the order."""
    return Done([laid(ready(batch))], 0)
