"""Stores part of a file from a worker, exactly once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple
from uuid import uuid4

from ingest.i18n import N_
from ingest.store import audit
from ingest.store.errors import NOTHING_STORED, StoreError
from ingest.store.factory import LockMode
from ingest.store.ingest_files import FileReport, RowBuffer, add_batch, insert_file_row
from ingest.store.lake.store import LakeStore
from ingest.store.prepared_batch import peek_ids, unpack_batch

FOLDER_NOT_SHARED = N_(
    "A worker does not see the folder of the lake {path}: all workers need it at the same place."
)


class PartOrder(NamedTuple):
    """What a writer is told of a part, whose checked batches it has."""

    lake_url: str
    """Its address, without a password."""
    marker_file: str
    """A file beside the lake's own: who sees it sees the folder the others do."""
    part_id: str
    """What this part is known by, and no other ever was."""
    file: str
    file_no: int
    line_offset: int
    """Of the file, before this part."""
    excluded_places: list[frozenset[int]]
    """Of each batch, the places of matches that came before in the same run."""
    is_whole_file: bool
    """It is all of the file, whose row is stored with it."""


@contextmanager
def marker_file(store: LakeStore) -> Iterator[str]:
    """A mark by which others know the place of the lake's files, while this lasts."""
    mark = f".retourne-{uuid4().hex}"
    store.location.create_empty_file(mark)
    try:
        yield mark
    finally:
        with suppress(StoreError):
            store.location.remove_files([mark])


def check_shared_folder(store: LakeStore, marker: str) -> None:
    """StoreError: who is given this does not see the folder of the lake that the others see."""
    if not store.location.has_file(marker):
        raise StoreError(FOLDER_NOT_SHARED, path=store.path)


# the file, for who gives its parts away


def begin_file(store: LakeStore, report: FileReport) -> None:
    """Store the row of a file that comes in parts, which counts nothing yet."""
    store.written(lambda: insert_file_row(store, report), NOTHING_STORED, LockMode.SHARED_APPEND)


def end_file(store: LakeStore, report: FileReport, row_exists: bool) -> None:
    """Store what all of its parts came to, and its row unless that is there."""

    def row() -> None:
        if row_exists:
            store.connection.execute(
                "UPDATE files SET matches = ?, duplicates = ? WHERE file_no = ?",
                [report.matches, report.duplicates, report.number],
            )
        else:
            insert_file_row(store, report)
        audit.log_action(store.connection, audit.ADD_ACTION, report.number, report.added)

    store.written(row, NOTHING_STORED, LockMode.SHARED_APPEND)


# a part, for who is given it


def store_part(store: LakeStore, order: PartOrder, batches: Sequence[bytes]) -> FileReport:
    """Store a part, unless that was done, and say what became of it.

    StoreError: it cannot be.
    """
    check_shared_folder(store, order.marker_file)
    return store.run_with_retry(lambda: _store_in_transaction(store, order, batches))


def _store_in_transaction(
    store: LakeStore, order: PartOrder, batches: Sequence[bytes]
) -> FileReport:
    report, rows = FileReport(order.file, order.file_no), RowBuffer(store)
    with store.transaction(NOTHING_STORED, LockMode.SHARED_APPEND):
        earlier = store.current_transaction.earlier_writer(order.part_id)
        if earlier is None:
            store.claim(*_claims_of(order, batches))
        for batch, left_out in zip(map(unpack_batch, batches), order.excluded_places, strict=True):
            batch.below(order.line_offset)
            ids = [one for place, one in enumerate(batch.ids) if place not in left_out]
            there = (
                store.stored_ids(ids)
                if earlier is None
                else store.current_transaction.stored_by_others(earlier, ids)
            )
            known = {
                place: place in left_out
                for place, one in enumerate(batch.ids)
                if place in left_out or one in there
            }
            # who was said to have died had stored it
            add_batch(store, batch, report, known, rows if earlier is None else None)
        if earlier is None:
            rows.flush()
        if earlier is None and order.is_whole_file:
            insert_file_row(store, report)
            audit.log_action(store.connection, audit.ADD_ACTION, order.file_no, report.added)
    return report


def _claims_of(order: PartOrder, batches: Sequence[bytes]) -> tuple[list[str], dict[str, str]]:
    """The matches this part is to store, and all players."""
    found, people = list[str](), dict[str, str]()
    for batch, left_out in zip(batches, order.excluded_places, strict=True):
        ids, players = peek_ids(batch)
        found += [one for place, one in enumerate(ids) if place not in left_out]
        people |= players
    return found, people
