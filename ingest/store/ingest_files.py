"""Reads, validates and stores files, one transaction per file."""

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from os.path import isdir
from pathlib import Path
from typing import TypeVar

import duckdb
import pyarrow as pa

from ingest import frozen_objects
from ingest.reader.files import Batch
from ingest.reader.sources import Source, join_batches, logs_in_folder, source_batches, source_name
from ingest.store import aliases, audit, match_versions, merged_matches
from ingest.store.aliases import Declared
from ingest.store.batch_stream import map_ahead
from ingest.store.factory import NOTHING_STORED, LockMode, Store
from ingest.store.likely_duplicate_matches import likely_matches
from ingest.store.match_comparison import Duplicate, OnConflict, Relation
from ingest.store.match_parts import SharedDeals, SharingMatch, find_shared_deals, join_parts, wholes_of_parts
from ingest.store.prepared_batch import PreparedBatch, pack_batch, peek_ids, prepare_batch, spool_batches
from ingest.store.upload_duplicates import DuplicateFinder, replace_beginnings
from ingest.store.worker_pool import CHUNK_BYTES, check_batch_in_worker, split_batches
from ingest.validate.report import MatchReport

R = TypeVar("R")

CheckSource = Callable[[Source, Callable[[int], None]], Iterator[PreparedBatch]]
"""Reads and checks a source; calls back with the number of bytes done."""

running_ingests: set[object] = set()
"""An object for each call of `ingest` that is running in this process."""
MAX_HELD_TEXTS = 100
"""Logs held per file that were not added because of a stored match."""
MAX_REPORTS = 10_000
"""Reports held per file; past that only their statuses are counted."""


@dataclass(frozen=True, slots=True)
class RelatedMatch:
    """A match of a file that is the same as a stored one, or may be, and how it differs."""

    line: int
    log_id: str | None
    match_id: str
    duplicate: Duplicate
    text: bytes | None
    """Its log, if it was not added."""


@dataclass(slots=True)
class FileReport:
    """The outcome of storing one file; `by_status` counts the matches added."""

    name: str
    number: int = -1
    """Its number in `files`."""
    matches: int = 0
    added: int = 0
    duplicates: int = 0
    """Not added: the store has the match, or another play under its id."""
    repeated: int = 0
    """The ones of these that came earlier in the same run."""
    relations: Counter[Relation] = field(default_factory=Counter)
    """How matches relate to stored ones, other than as the same log."""
    not_added: Counter[Relation] = field(default_factory=Counter)
    """The ones of these that were not added for it."""
    replaced: int = 0
    """Stored matches that became earlier versions of matches of this file."""
    merges_undone: list[list[str]] = field(default_factory=list)
    """Names of players who were one until this file showed them at one table."""
    replacing: dict[int, str] = field(default_factory=dict)
    """Number of each of these → id of the match that takes its place."""
    related: list["RelatedMatch"] = field(default_factory=list)
    """Those matches that are not simply stored already; at most MAX_REPORTS."""
    rejected: int = 0
    """Texts that are not matches: nothing of them is stored."""
    sheets: Counter[str] = field(default_factory=Counter)
    """Results and clean score sheets among those added, by verdict: they count where sheets are counted."""
    by_status: Counter[str] = field(default_factory=Counter)
    reports: list[MatchReport] = field(default_factory=list)
    """Matches with findings, duplicates and refused texts; at most MAX_REPORTS."""

    def add_counts(self, other: "FileReport") -> None:
        """Add the counts of another report, but not its `reports`."""
        self.relations.update(other.relations)
        self.not_added.update(other.not_added)
        self.merges_undone += other.merges_undone
        for name in ("replaced", "matches", "added", "duplicates", "repeated", "rejected"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.by_status.update(other.by_status)
        self.sheets.update(other.sheets)


file_stored_listeners: list[Callable[[FileReport], object]] = []
"""Called in this process with the report of each file stored."""


def ingest(
    store: Store,
    sources: Iterable[Source],
    progress: Callable[[str, int], None] = lambda name, count: None,
    seen_match_keys: set[int] | None = None,
    check_source: CheckSource | None = None,
    on_conflict: OnConflict = OnConflict.KEEP,
) -> Iterator[FileReport]:
    """Store files and folders of files; yield a report for each file when it is done.

    A file's matches are stored all or none. `progress` is called with a file's name and its bytes done;
    `seen_match_keys`: ids, as integers, of the matches earlier in this run; `check_source` replaces the
    reading and checking in this process; `on_conflict`: whether matches that are stored already but
    differ are replaced. StoreError: the store cannot take a file.
    """
    seen_match_keys, work = set[int]() if seen_match_keys is None else seen_match_keys, object()
    running_ingests.add(work)
    if freezes := not frozen_objects.are_frozen():  # a server has frozen its own code, to stay so
        gc.collect(1)
        frozen_objects.freeze()  # they are not visited again and again for each file's thousands of objects
    try:
        for source in sources:
            if isinstance(source, Path) and isdir(source):
                some = logs_in_folder(source)
                yield from ingest(store, some, progress, seen_match_keys, check_source, on_conflict)
                continue
            report = _ingest_source(store, source, progress, seen_match_keys, check_source, on_conflict)
            for listener in file_stored_listeners:
                listener(report)
            yield report
    finally:
        running_ingests.discard(work)
        if freezes:
            frozen_objects.unfreeze()


def _ingest_source(
    store: Store,
    source: Source,
    progress: Callable[[str, int], None],
    seen_match_keys: set[int],
    check_source: CheckSource | None,
    on_conflict: OnConflict,
) -> FileReport:
    name = source_name(source)
    report_progress = partial(progress, name)
    if store.is_single_file and not store.is_shared:
        found = (
            _check_ahead(source, report_progress, prepare_batch)
            if check_source is None
            else check_source(source, report_progress)
        )
        return _store_file(store, name, found, seen_match_keys, on_conflict)
    if check_source is not None:
        batches: Iterator[bytes] = map(pack_batch, check_source(source, report_progress))
    elif store.is_shared:
        pieces = split_batches(source_batches([source], report_progress))
        batches = map_ahead(join_batches(pieces, CHUNK_BYTES), check_batch_in_worker, 1)
    else:
        batches = _check_ahead(source, report_progress, lambda batch: pack_batch(prepare_batch(batch)))
    # All ids of a file are claimed before anything is stored: so if two programs store the same
    # files, one gets all matches in both, and they cannot deadlock.
    ids, players = list[str](), list[Declared]()

    def named() -> Iterator[bytes]:
        for one in batches:
            more = peek_ids(one)
            ids.extend(more.match_ids)
            players.extend(more.players)
            yield one

    with spool_batches(store, named()) as again:
        report = store.run_with_retry(
            lambda: _store_file(store, name, again(), seen_match_keys, on_conflict, ids, players)
        )
    replace_elsewhere(store, report, on_conflict)
    return report


def replace_match(store: Store, match_no: int, name: str, text: bytes) -> FileReport:
    """Store a log in the place of a match, which becomes an earlier version of it.

    The log may have fewer deals than the match. Nothing is replaced if the log is not added; its report
    has the reason. StoreError: not stored.
    """
    [report] = ingest(store, [(name, BytesIO(text))], on_conflict=OnConflict.REPLACE)
    if not report.added and any(
        one.duplicate.relation in (Relation.BEGINNING, Relation.PART)
        and store.find_match(one.duplicate.other_id) == match_no
        for one in report.related
    ):
        [report] = ingest(store, [(name, BytesIO(text))], on_conflict=OnConflict.BOTH)
    if report.added and match_no not in report.replacing:
        query = "SELECT match_id FROM matches WHERE file_no = ?"
        [(match_id,)] = store.cursor().execute(query, [report.number]).fetchall()

        report.replaced += store.written(lambda: match_versions.replace_matches(store, {match_no: match_id}))
    return report


def replace_elsewhere(store: Store, report: FileReport, on_conflict: OnConflict) -> None:
    """Replace matches where several programs write: this takes a transaction that excludes them.

    Another program may have stored the beginning of a match, or the match of which this is the
    beginning, while neither saw the other's, or replaced the same match.
    """
    if store.is_single_file:
        return
    if report.replacing:
        report.replaced = store.written(lambda: match_versions.replace_matches(store, report.replacing))
        again = """SELECT o.match_no, match_id FROM matches o JOIN (
            SELECT match_id, max(match_no) AS newest FROM matches
            WHERE match_id IN (SELECT match_id FROM matches WHERE file_no = ?) GROUP BY match_id
        ) USING (match_id) WHERE o.match_no < newest"""
        if older := dict(store.cursor().execute(again, [report.number]).fetchall()):
            report.replaced += store.written(lambda: match_versions.replace_matches(store, older))
    if on_conflict is OnConflict.BOTH:
        return
    query = """SELECT m.match_no FROM matches m WHERE file_no = ? AND EXISTS (
        SELECT 1 FROM matches o
        WHERE o.start_id = m.start_id AND o.game = m.game AND o.match_id <> m.match_id)"""
    if numbers := [one for (one,) in store.cursor().execute(query, [report.number]).fetchall()]:
        report.replaced += store.written(lambda: replace_beginnings(store, numbers))
    own = _matches_of(store.cursor(), report)
    found, before = find_shared_deals(store.cursor(), own), report.duplicates
    if any(pair.relation is Relation.PART for pair in found):
        found = store.written(lambda: join_parts(store, own))
    add_shared_deals(report, own, found)
    name_stored_matches(report)
    if report.duplicates > before:
        count = "UPDATE files SET already_stored = already_stored + ? WHERE file_no = ?"
        values = [report.duplicates - before, report.number]
        store.written(lambda: store.connection.execute(count, values))


def _matches_of(cursor: duckdb.DuckDBPyConnection, report: FileReport) -> list[int]:
    """Return the numbers of the matches that were added with a file."""
    query = "SELECT match_no FROM matches WHERE file_no = ?"
    found = cursor.execute(query, [report.number]).fetchall() if report.added else []
    return [number for (number,) in found]


def add_shared_deals(report: FileReport, own: Collection[int], found: Sequence[SharedDeals]) -> None:
    """Add to a file's report which of its matches are parts of others, have parts, or share deals.

    `own`: numbers of the matches that were added with the file.
    """
    wholes, replaced, counted = wholes_of_parts(found), set[int](), set[int]()
    added = {one.match_id: place for place, one in enumerate(report.related) if one.duplicate.is_added}

    def relate(relation: Relation, mine: SharingMatch, other: SharingMatch) -> None:
        place = added.get(mine.match_id)
        if place is not None and relation is not Relation.PART:
            return
        known = Duplicate(relation, other.match_id, came_in_run=other.match_no in own)
        one = RelatedMatch(mine.line, mine.log_id, mine.match_id, known, None)
        report.relations[relation] += 1
        if place is not None:  # what it was to another match is no more: it is not stored
            report.relations[report.related[place].duplicate.relation] -= 1
            report.related[place] = one
        elif len(report.related) < MAX_REPORTS:
            added[mine.match_id] = len(report.related)
            report.related.append(one)

    for relation, one, other in found:
        if relation is Relation.PART and other.match_no not in own:
            replaced.add(other.match_no)
            if one.match_no not in wholes:
                relate(Relation.WHOLE, one, other)
        elif relation is Relation.PART and other.match_no not in counted:
            counted.add(other.match_no)  # it may be a part of two
            whole = wholes[other.match_no]
            report.added, report.duplicates = report.added - 1, report.duplicates + 1
            report.repeated += whole.match_no in own
            report.by_status[other.status] -= 1
            report.not_added[relation] += 1
            relate(relation, other, whole)
        elif relation is not Relation.PART and wholes.keys().isdisjoint((one.match_no, other.match_no)):
            relate(relation, *((other, one) if other.match_no in own else (one, other)))
    report.replaced += len(replaced)


def name_stored_matches(report: FileReport) -> None:
    """Name, in a file's report, a longer match in the place of one of the file that was not stored for it."""
    of_longer = (Relation.BEGINNING, Relation.PART)
    left_out = {
        one.match_id: one.duplicate
        for one in report.related
        if one.duplicate.relation in of_longer and one.duplicate.other_id != one.match_id
    }
    for place, one in enumerate(report.related):
        found, chain = one.duplicate, [one.duplicate.relation]
        while (longer := left_out.get(found.other_id)) is not None and len(chain) <= len(left_out):
            found = replace(found, other_id=longer.other_id)
            chain.append(longer.relation)
        if len(chain) == 1:
            continue
        if not found.is_added and found.relation is not Relation.CONFLICT:
            relation = Relation.PART if Relation.PART in chain else Relation.BEGINNING
            for counter in (report.relations, report.not_added):
                counter[found.relation] -= 1
                counter[relation] += 1
            found = replace(found, relation=relation)
        report.related[place] = replace(one, duplicate=found)
    report.relations, report.not_added = +report.relations, +report.not_added


def _store_file(
    store: Store,
    name: str,
    batches: Iterator[PreparedBatch],
    seen_match_keys: set[int],
    on_conflict: OnConflict,
    ids: Sequence[str] = (),
    players: Sequence[Declared] = (),
) -> FileReport:
    """Store a file in one transaction; `ids`, `players`: to claim, if others may store them too."""
    report = FileReport(name)
    with store.transaction(NOTHING_STORED, LockMode.SHARED_APPEND):
        store.claim(ids, players)
        file_no = report.number = store.next_file_number()
        rows = RowBuffer(store)
        known = DuplicateFinder(store, seen_match_keys, on_conflict, rows.flush)
        for batch in batches:
            add_batch(store, batch, report, known(batch), rows)
        rows.flush()
        store.append_pending = None
        add_likely_matches(store.connection, report)
        store.update_shown_names()
        if store.parted_players:
            merged_matches.part_matches(store)
        report.merges_undone = aliases.names_of_pairs(store.connection, store.parted_players)
        report.replacing = known.replaced
        if store.is_single_file:
            report.replaced = match_versions.replace_matches(store, known.replaced)
            if on_conflict is not OnConflict.BOTH:
                own = _matches_of(store.connection, report)
                add_shared_deals(report, own, join_parts(store, own))
            name_stored_matches(report)
        insert_file_row(store, report)
        audit.log_action(store.connection, audit.ADD_ACTION, file_no, report.added)
    seen_match_keys |= known.seen_in_file
    return report


def add_likely_matches(cursor: duckdb.DuckDBPyConnection, report: FileReport) -> None:
    """Add to a file's report which of its matches without cards may be stored ones, or are for sure."""
    for one in likely_matches(cursor, [report.number]):
        query = "SELECT line, log_id FROM matches WHERE match_no = ?"
        [(line, log_id)] = cursor.execute(query, [one.other_no]).fetchall()
        report.relations[Relation.SAME_RESULT] += 1
        if len(report.related) < MAX_REPORTS:
            known = Duplicate(Relation.SAME_RESULT, one.match_id)
            report.related.append(RelatedMatch(line, log_id, one.other_id, known, None))
    _add_sheets_of_logs(cursor, report)


_SHEETS = """
SELECT m.line, m.log_id, m.match_id, l.match_id, log_counts,
    (SELECT list_sort(list(DISTINCT s.deal_index + 1)) FROM deal_seats s JOIN deal_seats o
        ON s.match_no = m.match_no AND o.match_no = l.match_no
        AND o.deal_index = s.deal_index AND o.player_no = s.player_no AND o.points <> s.points)
FROM matches m JOIN sheet_with_log w ON w.match_no = m.match_no JOIN matches l ON l.match_no = w.log_no
WHERE m.file_no = ? ORDER BY m.match_no
"""


def _add_sheets_of_logs(cursor: duckdb.DuckDBPyConnection, report: FileReport) -> None:
    """Add to a file's report which of its score sheets and results have their log in the store."""
    if not report.sheets.total():
        return
    for line, log_id, match_id, other_id, counts, deals in cursor.execute(
        _SHEETS, [report.number]
    ).fetchall():
        report.relations[Relation.SHEET_OF_LOG] += 1
        if len(report.related) < MAX_REPORTS:
            known = Duplicate(Relation.SHEET_OF_LOG, other_id, deals=tuple(deals or ()), log_counts=counts)
            report.related.append(RelatedMatch(line, log_id, match_id, known, None))


def insert_file_row(store: Store, report: FileReport) -> None:
    """Insert the file's row with its counts; call within `transaction`."""
    # bytes that are not UTF-8 in a name are escaped
    named = Path(report.name).name.encode(errors="backslashreplace").decode()
    row = [report.number, named, datetime.now(UTC), report.matches, report.duplicates]
    store.connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", row)


def _check_ahead(
    source: Source, on_bytes_done: Callable[[int], None], check: Callable[[Batch], R]
) -> Iterator[R]:
    """Yield the checked batches of a file; report a batch's bytes once the caller has stored it.

    Not when they are read: batches read ahead may still wait for their check.
    """
    count = 0

    def on_progress(bytes_done: int) -> None:
        nonlocal count
        count = bytes_done

    def read() -> Iterator[tuple[Batch, int]]:  # (batch, bytes read up to its end)
        found = join_batches(source_batches([source], on_progress), CHUNK_BYTES)
        yield from ((batch, count) for batch in found)

    for one, read_to in map_ahead(read(), lambda found: (check(found[0]), found[1])):
        yield one
        on_bytes_done(read_to)
    on_bytes_done(count)


class RowBuffer:
    """Collects rows of several batches, to insert them into their tables in few insertions."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.pending = defaultdict[str, list[pa.Table]](list)
        self.bytes = Counter[str]()
        store.flush_pending, store.append_pending = self.flush, self.append

    def append(self, table: str, rows: pa.Table) -> None:
        """Add rows; insert the table's rows once they reach `insert_bytes`."""
        if (waiting := self.pending[table]) and waiting[0].schema != rows.schema:  # another game
            self._flush_table(table)
        self.pending[table].append(rows)
        self.bytes[table] += rows.nbytes
        if self.bytes[table] >= self.store.insert_bytes:
            self._flush_table(table)

    def flush(self) -> None:
        for table in list(self.pending):
            self._flush_table(table)

    def _flush_table(self, table: str) -> None:
        del self.bytes[table]
        self.store.insert_rows(table, pa.concat_tables(self.pending.pop(table)))


def add_batch(
    store: Store,
    batch: PreparedBatch,
    report: FileReport,
    related: dict[int, Duplicate],
    rows: RowBuffer | None,
) -> None:
    """Insert a batch except for its duplicates, and add everything to the report.

    `related`: how matches relate to stored ones, by place. `rows` None: the rows are stored already,
    so only report.
    """
    duplicates = {place for place, one in related.items() if not one.is_added}
    if rows is not None:
        for table, some in batch.numbered(
            store.next_match_numbers, store.seated_player_numbers, report.number, duplicates
        ):
            rows.append(table, some)
    report.matches += len(batch.texts)
    report.duplicates += len(duplicates)
    report.repeated += sum(related[place].came_in_run for place in duplicates)
    notable = [one for one in related.values() if one.relation is not Relation.ALREADY_STORED]
    report.relations.update(one.relation for one in notable)
    report.not_added.update(one.relation for one in notable if not one.is_added)
    report.rejected += len(batch.troubles)
    report.added += len(batch.texts) - len(duplicates)
    report.by_status["legal"] += sum(
        int(place) not in duplicates
        for group in batch.fast_path_groups
        for place in group.places[group.valid_indices]
    )
    for place, explained in batch.results.items():
        if place not in duplicates:
            report.by_status[explained.status] += 1
            if explained.counts_as_sheet:
                report.sheets[explained.status] += 1
    if not batch.results and not batch.troubles and not related:
        return
    log_ids = batch.log_ids()
    for place, one in sorted(related.items()):
        if one.relation is not Relation.ALREADY_STORED and len(report.related) < MAX_REPORTS:
            held = not one.is_added and len(report.related) < MAX_HELD_TEXTS
            text = batch.texts[place]
            known_by = log_ids[place], batch.ids[place]
            report.related.append(RelatedMatch(text.line, *known_by, one, text.text if held else None))
    for item in batch.reports(frozenset(duplicates)):
        if (item.findings or item.duplicate) and len(report.reports) < MAX_REPORTS:
            report.reports.append(item)
