"""Checks files on a cluster whose workers store them in a lake.

Checked parts stay on their workers; the client receives only the match ids. In file order it finds
which matches are duplicates, so that the report equals that of one machine. Then the worker stores
the part in one transaction, which another can repeat if it dies.
"""

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import NamedTuple
from uuid import uuid4

from ingest.distributed import check_files
from ingest.distributed.check_files import PART_BYTES, CheckedPart, DistributedCheck, FilePart, PartOutcome
from ingest.distributed.cluster import Cluster, RemoteTask, Task, WorkersDied
from ingest.findings.os_errors import SET_ASIDE_TEXT
from ingest.reader.files import Batch, ReadError
from ingest.reader.sources import Source, source_name
from ingest.store.errors import StoreError
from ingest.store.ingest_files import MAX_REPORTS, FileReport
from ingest.store.lake.store import LakeStore
from ingest.store.lake_part import PartOrder, begin_file, end_file, marker_file, store_part
from ingest.store.match_comparison import OnConflict
from ingest.store.prepared_batch import BatchIds, peek_ids, pickle_nested
from ingest.validate.report import report_of_trouble

_open_lakes: dict[str, LakeStore] = {}
_open_lock = threading.Lock()


def _open_lake(address: str) -> LakeStore:
    """Return the lake of an address, opened once per process."""
    with _open_lock:
        if address not in _open_lakes:
            _open_lakes[address] = LakeStore(address)
        return _open_lakes[address]


class PartSummary(NamedTuple):
    """Facts the client needs about a part before a worker stores it."""

    ids: list[BatchIds]
    """Ids by batch."""
    line_count: int


def summarize_part(part: CheckedPart | None) -> PartSummary | None:
    """Summarize a checked part; None if it was not checked."""
    return part and PartSummary([peek_ids(one)._replace(players=[]) for one in part.batches], part.line_count)


def store_checked_part(part: CheckedPart | None, order: PartOrder) -> bytes | None:
    """Store a checked part; return its packed report, None if it was not checked. StoreError."""
    return part and pickle_nested(store_part(_open_lake(order.lake_url), order, part.batches))


@dataclass(slots=True)
class _FileInProgress:
    """A file whose parts are being stored."""

    report: FileReport
    has_row: bool = False
    """Its row is stored, without counts yet."""
    is_complete: bool = False
    """Its row is stored with all counts."""

    def add_trouble(self, trouble: ReadError) -> None:
        """Count and report text that is not a match."""
        self.report.rejected += 1
        if len(self.report.reports) < MAX_REPORTS:
            self.report.reports.append(report_of_trouble(trouble))


class DistributedIngest(DistributedCheck):
    """Checks sources on a cluster whose workers store them in a lake."""

    def __init__(
        self,
        cluster: Cluster,
        store: LakeStore,
        sources: Iterable[Source],
        part_bytes: int = PART_BYTES,
        part_checker: Callable[[FilePart], CheckedPart | None] = check_files.check_part,
        text_checker: Callable[[Batch], CheckedPart] = check_files.check_text_batch,
        part_writer: Callable[[CheckedPart | None, PartOrder], bytes | None] = store_checked_part,
        on_conflict: OnConflict = OnConflict.KEEP,
    ) -> None:
        self._on_conflict = on_conflict
        self._store, self._source_list, self._part_writer = store, list(sources), part_writer
        super().__init__(
            cluster,
            self._source_list,
            part_bytes,
            part_checker,
            text_checker,
            partial(RemoteTask, summarize_part),
        )
        self._run_id = uuid4().hex
        self._files_in_progress = list[_FileInProgress]()

    def reports(
        self, progress: Callable[[str, int], None] = lambda name, count: None
    ) -> Iterator[FileReport]:
        """Yield a report per source once it is stored; `progress` gets the name and offset so far.

        ClusterError: the cluster is lost; stored parts stay. StoreError: the lake cannot store.
        """
        with marker_file(self._store) as mark:
            try:
                for file, part, given in self._cluster.run_ahead(self._submit_parts(mark)):
                    if part is None:
                        if not file.is_complete:
                            end_file(self._store, file.report, file.has_row)
                            file.is_complete = True
                        yield file.report
                        continue
                    if part.trouble is not None:
                        file.add_trouble(part.trouble)
                    elif given is not None:
                        own = file.report
                        try:
                            stored: FileReport = pickle.loads(given.result())
                            own.add_counts(stored)
                            own.related += stored.related[: MAX_REPORTS - len(own.related)]
                            own.reports += stored.reports[: MAX_REPORTS - len(own.reports)]
                            file.is_complete = file.is_complete or part.is_whole_source
                        except WorkersDied:
                            self.set_aside.append(part.label)
                            line = part.lines_before + 1
                            file.add_trouble(ReadError(own.name, line, "cannot-read", SET_ASIDE_TEXT))
                    progress(file.report.name, part.end_offset)
            finally:  # store the counts of incomplete files
                with suppress(StoreError):
                    for file in self._files_in_progress:
                        if not file.is_complete:
                            end_file(self._store, file.report, row_exists=True)
                    ask, removed = self._store.catalog.query, "DELETE FROM retourne.parts"
                    ask(
                        f"{removed} WHERE starts_with(part, %s)", self._run_id
                    )  # no task needs these any more

    def _submit_parts(
        self, marker_file: str
    ) -> Iterator[tuple[_FileInProgress, PartOutcome | None, Task | None]]:
        """Submit all parts to be stored, in order; yield each, and None after a file's last."""
        parts, seen = count(1), dict[int, int]()  # content by match
        for source in self._source_list:
            number = self._store.run_with_retry(self._store.next_file_number)
            file = _FileInProgress(FileReport(source_name(source), number))
            for part in self.next_source_parts():
                if part.trouble is not None:
                    yield file, part, None
                    continue
                if not part.is_whole_source and not file.has_row:
                    begin_file(self._store, file.report)
                    file.has_row = True
                    self._files_in_progress.append(file)
                left_out, differing = list[frozenset[int]](), list[frozenset[int]]()
                for batch in part.result.ids:
                    again, otherwise = set[int](), set[int]()
                    for place, ids in enumerate(zip(batch.match_ids, batch.content_ids, strict=True)):
                        match, content = (int(one, 16) for one in ids)
                        if match not in seen:
                            seen[match] = content
                        elif seen[match] == content or self._on_conflict is OnConflict.REPLACE:
                            again.add(place)  # workers store in any order: the last one would stay
                        else:
                            otherwise.add(place)
                    left_out.append(frozenset(again))
                    differing.append(frozenset(otherwise))
                order = PartOrder(
                    lake_url=self._store.url_for_workers(),
                    marker_file=marker_file,
                    part_id=f"{self._run_id}-{next(parts)}",
                    file=file.report.name,
                    file_no=number,
                    line_offset=part.lines_before,
                    excluded_places=left_out,
                    differing_places=differing,
                    is_whole_file=part.is_whole_source,
                    on_conflict=self._on_conflict,
                )
                assert isinstance(part.task, RemoteTask)
                yield file, part, part.task.then(self._part_writer, order)
            yield file, None, None
