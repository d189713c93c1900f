"""What a worker does: it reads a part of a file, checks it, makes its rows, stores them in a lake.

It is handed to other processes by its name, on other machines too, and needs nothing of Dask.
"""

import threading
from pathlib import Path
from typing import Any, NamedTuple

from ingest.store.prepared_batch import laid, names_in, packed, ready
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


class Told(NamedTuple):
    """What has to be known of a part before it is stored."""

    ids: list[list[str]]
    """Of the matches of each batch."""
    lines: int


def told(done: Done | None) -> Told | None:
    """What is to be known of a checked part; None: it was not checked."""
    return done and Told([names_in(one)[0] for one in done.batches], done.lines)


def stored(done: Done | None, order: Any) -> bytes | None:
    """A checked part stored in a lake, and the packed report; None: it was not checked.

    `order` is an `ingest.store.part.Order`: what a lake needs is loaded where there is one.
    StoreError: the lake did not take it.
    """
    from ingest.store.part import store_part

    return done and packed(store_part(_lake(order.lake), order, done.batches))


# stored matches judged again


class Matches(NamedTuple):
    """Some matches of a lake, for a worker that judges them again."""

    lake: str
    """Its address, without a password."""
    mark: str
    """As of an `ingest.store.part.Order`."""
    numbers: Any
    everything: bool


class Again(NamedTuple):
    """What they come to, where it was made."""

    since: int
    """The last change of the lake before they were read."""
    now: list[Any]
    moved: list[Any]


def judged_again(order: Matches) -> Again:
    """Matches judged again, of which nothing is written yet. StoreError: they cannot be read."""
    from ingest.store.part import check_mark
    from ingest.store.revalidate import judge, last_change
    from ingest.store.verdict_diff import moves

    store = _lake(order.lake)

    def judged() -> Again:
        with store.told():
            since = last_change(store)
            now = judge(store, order.numbers, order.everything)
            ask = store.cursor()
            return Again(
                since, now, [moved for one in now for moved in moves(ask, one.rows, one.numbers)]
            )

    check_mark(store, order.mark)
    found: Again = store.stored(judged)
    return found


def moved(found: Again) -> list[Any]:
    """What is to be known of them before they are written."""
    return found.moved


def put_again(found: Again, order: Matches) -> tuple[list[Any], bool]:
    """Write what they come to, in one transaction; as `ingest.store.revalidate.put` tells it.

    StoreError: the lake did not take it.
    """
    from ingest.store.revalidate import put

    return put(_lake(order.lake), found.now, found.since, order.everything)


_lakes: dict[str, Any] = {}
_opening = threading.Lock()


def _lake(address: str) -> Any:
    """The open lake of an address, one a process."""
    from ingest.store.lake.store import LakeStore

    with _opening:
        if address not in _lakes:
            _lakes[address] = LakeStore(address)
        return _lakes[address]
