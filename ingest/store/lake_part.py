"""Stores part of a file from a worker, exactly once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple
from uuid import uuid4

from ingest.i18n import N_
from ingest.store import audit
from ingest.store.aliases import Declared
from ingest.store.errors import NOTHING_STORED, StoreError
from ingest.store.factory import LockMode
from ingest.store.ingest_files import (
    FileReport,
    RowBuffer,
    add_batch,
    add_likely_matches,
    insert_file_row,
    replace_elsewhere,
)
from ingest.store.lake.store import LakeStore
from ingest.store.match_comparison import Duplicate, OnConflict, Relation
from ingest.store.prepared_batch import peek_ids, unpack_batch
from ingest.store.upload_duplicates import DuplicateFinder

FOLDER_NOT_SHARED = N_(
    "A worker does not see the folder of the lake {path}: all workers need it at the same place."
)


class PartOrder(NamedTuple):
    """An order to a worker to store a part of a file; the checked batches come with it."""

    lake_url: str
    """The lake's address, without a password."""
    marker_file: str
    """A file in the lake's folder: a worker that finds it has the right folder."""
    part_id: str
    """A unique id for the part."""
    file: str
    file_no: int
    line_offset: int
    """Number of the file's lines before this part."""
    excluded_places: list[frozenset[int]]
    """For each batch, the places of logs that came earlier in the same run."""
    differing_places: list[frozenset[int]]
    """For each batch, the places of matches that came earlier in the same run in another log."""
    is_whole_file: bool
    """The part is the whole file: store the file's row with it."""
    on_conflict: OnConflict = OnConflict.KEEP


@contextmanager
def marker_file(store: LakeStore) -> Iterator[str]:
    """Yield the name of a marker file in the lake's folder, by which workers check theirs."""
    mark = f".retourne-{uuid4().hex}"
    store.location.create_empty_file(mark)
    try:
        yield mark
    finally:
        with suppress(StoreError):
            store.location.remove_files([mark])


def check_shared_folder(store: LakeStore, marker: str) -> None:
    """Raise StoreError if this process does not find the marker in the lake's folder."""
    if not store.location.has_file(marker):
        raise StoreError(FOLDER_NOT_SHARED, path=store.path)


# the file, for the process that hands out its parts


def begin_file(store: LakeStore, report: FileReport) -> None:
    """Store the row of a file that comes in parts, with counts of 0."""
    store.written(lambda: insert_file_row(store, report), NOTHING_STORED, LockMode.SHARED_APPEND)


def end_file(store: LakeStore, report: FileReport, row_exists: bool) -> None:
    """Store the counts of all the file's parts, in a new row or the one `begin_file` stored."""

    def row() -> None:
        if row_exists:
            store.connection.execute(
                "UPDATE files SET matches = ?, already_stored = ? WHERE file_no = ?",
                [report.matches, report.duplicates, report.number],
            )
        else:
            insert_file_row(store, report)
        audit.log_action(store.connection, audit.ADD_ACTION, report.number, report.added)

    store.written(row, NOTHING_STORED, LockMode.SHARED_APPEND)
    add_likely_matches(store.cursor(), report)


# a part, for the worker that stores it


def store_part(store: LakeStore, order: PartOrder, batches: Sequence[bytes]) -> FileReport:
    """Store a part, unless another worker has, and return its report. StoreError: it cannot be stored."""
    check_shared_folder(store, order.marker_file)
    report = store.run_with_retry(lambda: _store_in_transaction(store, order, batches))
    replace_elsewhere(store, report, order.on_conflict)
    return report


def _store_in_transaction(store: LakeStore, order: PartOrder, batches: Sequence[bytes]) -> FileReport:
    report, rows = FileReport(order.file, order.file_no), RowBuffer(store)
    with store.transaction(NOTHING_STORED, LockMode.SHARED_APPEND):
        earlier = store.current_transaction.earlier_writer(order.part_id)
        if earlier is None:
            store.claim(*_claims_of(order, batches))
        known = DuplicateFinder(store, _keys_seen(order, batches), order.on_conflict, rows.flush)
        places = zip(order.excluded_places, order.differing_places, strict=True)
        for batch, (left_out, differing) in zip(map(unpack_batch, batches), places, strict=True):
            batch.shift_lines(order.line_offset)
            if earlier is None:
                add_batch(store, batch, report, known(batch, left_out), rows)
                continue
            # a worker believed dead has stored the part: only report it
            ids = [one for place, one in enumerate(batch.ids) if place not in left_out]
            there = store.current_transaction.stored_by_others(earlier, ids)
            if order.on_conflict is OnConflict.KEEP:
                left_out |= differing
            else:  # stored all the same
                there -= {batch.ids[place] for place in differing}
            related = {
                place: Duplicate(Relation.ALREADY_STORED, one, came_in_run=place in left_out)
                for place, one in enumerate(batch.ids)
                if place in left_out or one in there
            }
            add_batch(store, batch, report, related, None)
        if earlier is None:
            rows.flush()
            report.replacing = known.replaced
        if earlier is None and order.is_whole_file:
            insert_file_row(store, report)
            audit.log_action(store.connection, audit.ADD_ACTION, order.file_no, report.added)
            add_likely_matches(store.connection, report)
    return report


def _claims_of(order: PartOrder, batches: Sequence[bytes]) -> tuple[list[str], list[Declared]]:
    """Return ids of the matches this part is to store, and all its players."""
    found, people = list[str](), list[Declared]()
    for batch, left_out in zip(batches, order.excluded_places, strict=True):
        ids = peek_ids(batch)
        found += [one for place, one in enumerate(ids.match_ids) if place not in left_out]
        people += ids.players
    return found, people


def _keys_seen(order: PartOrder, batches: Sequence[bytes]) -> set[int]:
    """Return the ids, as numbers, of matches of this part that came earlier in the run in another log."""
    return {
        int(peek_ids(batch).match_ids[place], 16)
        for batch, differing in zip(batches, order.differing_places, strict=True)
        for place in differing
    }
