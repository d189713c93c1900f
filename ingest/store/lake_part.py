"""A part of a file stored by whichever writer is given it: once, however many are given it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple
from uuid import uuid4

from ingest.i18n import N_
from ingest.store import audit
from ingest.store.errors import NOTHING_OF_FILE, StoreError
from ingest.store.factory import Among
from ingest.store.ingest_files import FileReport, Rows, add_batch, insert_file
from ingest.store.lake.store import LakeStore
from ingest.store.prepared_batch import loaded, names_in

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
    store.written(lambda: insert_file(store, report), NOTHING_OF_FILE, Among.ADDING)


def end_file(store: LakeStore, report: FileReport, begun: bool) -> None:
    """Store what all of its parts came to, and its row unless that is there."""

    def row() -> None:
        if begun:
            store.connection.execute(
                "UPDATE files SET matches = ?, duplicates = ? WHERE file_no = ?",
                [report.matches, report.duplicates, report.number],
            )
        else:
            insert_file(store, report)
        audit.note(store.connection, audit.ADD, report.number, report.added)

    store.written(row, NOTHING_OF_FILE, Among.ADDING)


# a part, for who is given it


def store_part(store: LakeStore, order: Order, batches: Sequence[bytes]) -> FileReport:
    """Store a part, unless that was done, and say what became of it.

    StoreError: it cannot be.
    """
    check_mark(store, order.mark)
    return store.stored(lambda: _store(store, order, batches))


def _store(store: LakeStore, order: Order, batches: Sequence[bytes]) -> FileReport:
    report, rows = FileReport(order.file, order.file_no), Rows(store)
    with store.adding(NOTHING_OF_FILE, Among.ADDING):
        earlier = store.writer.earlier(order.part)
        if earlier is None:
            store.claim(*_names(order, batches))
        for batch, left_out in zip(map(loaded, batches), order.left_out, strict=True):
            batch.below(order.lines)
            ids = [one for place, one in enumerate(batch.ids) if place not in left_out]
            there = store.known(ids) if earlier is None else store.writer.not_of(earlier, ids)
            known = {
                place: place in left_out
                for place, one in enumerate(batch.ids)
                if place in left_out or one in there
            }
            # who was said to have died had stored it
            add_batch(store, batch, report, known, rows if earlier is None else None)
        if earlier is None:
            rows.insert_all()
        if earlier is None and order.whole:
            insert_file(store, report)
            audit.note(store.connection, audit.ADD, order.file_no, report.added)
    return report


def _names(order: Order, batches: Sequence[bytes]) -> tuple[list[str], dict[str, str]]:
    """The matches this part is to store, and all players."""
    found, people = list[str](), dict[str, str]()
    for batch, left_out in zip(batches, order.left_out, strict=True):
        ids, players = names_in(batch)
        found += [one for place, one in enumerate(ids) if place not in left_out]
        people |= players
    return found, people
