"""A part of a file stored by whichever writer is given it: once, however many are given it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple
from uuid import uuid4

from ingest.i18n import N_
from ingest.store import audit
from ingest.store.add import Addition, FileReport, Rows, insert_file
from ingest.store.errors import NOTHING_OF_FILE, StoreError
from ingest.store.lake.store import LakeStore
from ingest.store.prepared_batch import Ready, loaded, names_in
from ingest.store.store import Among

NOT_SHARED = N_(
    "A worker does not see the folder of the lake {path}: all workers need it at the same place."
)


class Order(NamedTuple):
    """What a writer is told of a part, whose checked batches it has."""

    lake: str
    """Its address, without a password."""
    mark: str
    """A file beside the lake's own: who sees it sees the folder the others do."""
    part: str
    """What this part is known by, and no other ever was."""
    file: str
    file_no: int
    lines: int
    """Of the file, before this part."""
    left_out: list[frozenset[int]]
    """Of each batch, the places of matches that came before in the same run."""
    whole: bool
    """It is all of the file, whose row is stored with it."""


@contextmanager
def marked(store: LakeStore) -> Iterator[str]:
    """A mark by which others know the place of the lake's files, while this lasts."""
    mark = f".retourne-{uuid4().hex}"
    store.place.put(mark)
    try:
        yield mark
    finally:
        with suppress(StoreError):
            store.place.remove([mark])


def check_mark(store: LakeStore, mark: str) -> None:
    """StoreError: who is given this does not see the folder of the lake that the others see."""
    if not store.place.has(mark):
        raise StoreError(NOT_SHARED, path=store.path)


# the file, for who gives its parts away


def begin_file(store: LakeStore, report: FileReport) -> None:
    """Store the row of a file that comes in parts, which counts nothing yet."""

    def row() -> None:
        with store.adding(NOTHING_OF_FILE, Among.ADDING):
            insert_file(store, report)

    store.stored(row)


def end_file(store: LakeStore, report: FileReport, begun: bool) -> None:
    """Store what all of its parts came to, and its row unless that is there."""

    def row() -> None:
        with store.adding(NOTHING_OF_FILE, Among.ADDING):
            if begun:
                store.connection.execute(
                    "UPDATE files SET matches = ?, duplicates = ? WHERE file_no = ?",
                    [report.matches, report.duplicates, report.number],
                )
            else:
                insert_file(store, report)
            audit.note(store.connection, audit.ADD, report.number, report.added)

    store.stored(row)


# a part, for who is given it


def store_part(store: LakeStore, order: Order, batches: Sequence[bytes]) -> FileReport:
    """Store a part, unless that was done, and say what became of it.

    StoreError: it cannot be.
    """
    check_mark(store, order.mark)
    return store.stored(lambda: _store(store, order, batches))


def _store(store: LakeStore, order: Order, batches: Sequence[bytes]) -> FileReport:
    report = FileReport(order.file, order.file_no)
    with store.adding(NOTHING_OF_FILE, Among.ADDING):
        earlier = store.earlier(order.part)
        if earlier is not None:  # it was said to have died, and had stored it
            known = _Known(order, lambda ids: store.not_of(earlier, ids))
            for batch in batches:
                Addition(store, _placed(batch, order), report, known).tell()
            return report
        known, rows = _Known(order, store.known), Rows(store)
        store.claim(*_names(order, batches))
        for batch in batches:
            Addition(store, _placed(batch, order), report, known).write(rows)
        rows.insert_all()
        if order.whole:
            insert_file(store, report)
            audit.note(store.connection, audit.ADD, order.file_no, report.added)
    return report


def _placed(batch: bytes, order: Order) -> Ready:
    """A batch with the lines it has in the file."""
    found = loaded(batch)
    found.below(order.lines)
    return found


def _names(order: Order, batches: Sequence[bytes]) -> tuple[list[str], dict[str, str]]:
    """The matches this part is to store, and all players."""
    found, people = list[str](), dict[str, str]()
    for batch, left_out in zip(batches, order.left_out, strict=True):
        ids, players = names_in(batch)
        found += [one for place, one in enumerate(ids) if place not in left_out]
        people |= players
    return found, people


class _Known:
    """Which matches of a part came before, and which were in the store."""

    def __init__(self, order: Order, stored: Callable[[list[str]], set[str]]) -> None:
        self._left_out, self._stored = iter(order.left_out), stored

    def of(self, ids: list[str]) -> dict[int, bool]:
        """Batch by batch, in their order."""
        before = next(self._left_out)
        there = self._stored([one for place, one in enumerate(ids) if place not in before])
        return {
            place: place in before
            for place, one in enumerate(ids)
            if place in before or one in there
        }
