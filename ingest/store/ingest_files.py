"""The one road for every log: lines, decode, replay, verdicts, store; one transaction a file."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from os.path import isdir
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from ingest.reader.files import Batch
from ingest.reader.sources import Source, logs_in, name_of, source_batches
from ingest.store import audit
from ingest.store.cancellation import go_on
from ingest.store.factory import NOTHING_OF_FILE, Among, Store
from ingest.store.prepared_batch import Ready, aside, laid, names_in, ready
from ingest.store.worker_pool import checked as checked_apart
from ingest.store.worker_pool import pieces
from ingest.validate.match_checks import SHEET
from ingest.validate.report import MatchReport

T = TypeVar("T")
R = TypeVar("R")

Checking = Callable[[Source, Callable[[int], None]], Iterator[Ready]]
"""Reads and checks a source, and says how many of its bytes are done."""

AHEAD = 2
"""Batches checked while one is stored; each more takes a tenth of a gigabyte."""
under_way: set[object] = set()
"""What is being stored in this process, each by a thing of its own."""
KEPT_REPORTS = 10_000
"""Reports kept of one file; past that only their statuses are counted."""


@dataclass(slots=True)
class FileReport:
    """What became of one file; `by_status` counts what was added."""

    name: str
    number: int = -1
    """In `files`."""
    matches: int = 0
    added: int = 0
    duplicates: int = 0
    twice: int = 0
    """Of these, those that had come in the same run already."""
    refused: int = 0
    """Texts that are no match: nothing of them is stored."""
    sheets: int = 0
    """Of what was added, matches with deals of a score sheet in which nothing is wrong."""
    by_status: Counter[str] = field(default_factory=Counter)
    reports: list[MatchReport] = field(default_factory=list)
    """Matches that are not clean and texts that are none; at most KEPT_REPORTS."""

    def count(self, other: "FileReport") -> None:
        """Add the numbers of another, without what is told of its matches."""
        for name in ("matches", "added", "duplicates", "twice", "refused", "sheets"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.by_status.update(other.by_status)


taken: list[Callable[[FileReport], object]] = []
"""Who hears, in this process, what became of each file that was stored."""


def ingest(
    store: Store,
    sources: Iterable[Source],
    progress: Callable[[str, int], None] = lambda name, count: None,
    seen: set[int] | None = None,
    checked: Checking | None = None,
) -> Iterator[FileReport]:
    """Store files, a report each as it is done; `progress` hears the bytes done of a file.

    A file's matches are stored all together or, when anything stops it, not at all. `seen` are the
    matches that came in this run, a number each; `checked` reads and checks files, in their order,
    where others do. StoreError: the store cannot take them.
    """
    seen, work = set[int]() if seen is None else seen, object()
    under_way.add(work)
    try:
        for source in sources:
            if isinstance(source, Path) and isdir(source):
                yield from ingest(store, logs_in(source), progress, seen, checked)
                continue
            report = _ingest_file(store, source, progress, seen, checked)
            for hear in taken:
                hear(report)
            yield report
    finally:
        under_way.discard(work)


def _ingest_file(
    store: Store,
    source: Source,
    progress: Callable[[str, int], None],
    seen: set[int],
    checked: Checking | None,
) -> FileReport:
    name = name_of(source)
    tell = partial(progress, name)
    if store.in_a_file and not store.shared:
        found = _ahead_of(source, tell, ready) if checked is None else checked(source, tell)
        return _store(store, name, found, seen)
    if checked is not None:
        batches: Iterator[bytes] = map(laid, checked(source, tell))
    elif store.shared:
        batches = ahead(pieces(source_batches([source], tell)), checked_apart, 1)
    else:
        batches = _ahead_of(source, tell, lambda batch: laid(ready(batch)))
    # Of a whole file they are claimed before anything is stored: so of two programs with the same
    # files one has all that is in both, and none waits for the other while it is waited for.
    ids, players = list[str](), dict[str, str]()

    def named() -> Iterator[bytes]:
        for one in batches:
            more, names = names_in(one)
            ids.extend(more)
            players.update(names)
            yield one

    with aside(store, named()) as again:
        return store.stored(lambda: _store(store, name, again(), seen, ids, players))


def _store(
    store: Store,
    name: str,
    batches: Iterator[Ready],
    seen: set[int],
    ids: Sequence[str] = (),
    players: dict[str, str] | None = None,
) -> FileReport:
    """One file in one transaction; all its `ids` and `players` where others may store the same."""
    report = FileReport(name)
    with store.adding(NOTHING_OF_FILE, Among.ADDING):
        store.claim(ids, players or {})
        file_no = report.number = store.file_number()
        known, rows = _Known(store, seen), Rows(store)
        for batch in batches:
            add_batch(store, batch, report, known(batch.ids), rows)
        rows.insert_all()
        insert_file(store, report)
        audit.note(store.connection, audit.ADD, file_no, report.added)
    seen |= known.here
    return report


def insert_file(store: Store, report: FileReport) -> None:
    """Its row, with what was counted; call within `adding`."""
    # a name that is no text is told with its bytes written out
    named = Path(report.name).name.encode(errors="backslashreplace").decode()
    row = [report.number, named, datetime.now(UTC), report.matches, report.duplicates]
    store.connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", row)


def _ahead_of(
    source: Source, tell: Callable[[int], None], check: Callable[[Batch], R]
) -> Iterator[R]:
    """The batches of a file, checked ahead; how far it is done is told once the next is asked for.

    What is read ahead may still wait, at first for the compiler.
    """
    count = 0

    def hear(bytes_done: int) -> None:
        nonlocal count
        count = bytes_done

    def read() -> Iterator[tuple[Batch, int]]:  # and how far the file is read with it
        yield from ((batch, count) for batch in source_batches([source], hear))

    for one, read_to in ahead(read(), lambda found: (check(found[0]), found[1])):
        yield one
        tell(read_to)
    tell(count)


def ahead(batches: Iterator[T], check: Callable[[T], R], most: int = AHEAD) -> Iterator[R]:
    """Read and check batches, in order, so many of them ahead of the one being stored.

    One thread reads and others check: scanner and kernels leave Python the processor. What
    explains a match does not, so beside pages one is enough: they take half as long again then,
    and with two twice as long.
    """

    def work(read: Future[T | None]) -> R | None:
        batch = read.result()
        return None if batch is None else check(batch)

    with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(most) as checkers:
        coming: deque[Future[R | None]] = deque()
        while True:
            go_on()
            while len(coming) <= most:
                coming.append(checkers.submit(work, reader.submit(next, batches, None)))
            checked = coming.popleft().result()
            if checked is None:
                return
            yield checked


class Rows:
    """Rows of several batches on their way into their tables, in few insertions."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.waiting = defaultdict[str, list[pa.Table]](list)
        self.bytes = Counter[str]()

    def add(self, table: str, rows: pa.Table) -> None:
        """Insert rows, now or with those that come."""
        if (waiting := self.waiting[table]) and waiting[0].schema != rows.schema:  # another game's
            self._insert(table)
        self.waiting[table].append(rows)
        self.bytes[table] += rows.nbytes
        if self.bytes[table] >= self.store.together:
            self._insert(table)

    def insert_all(self) -> None:
        """Insert what is left."""
        for table in list(self.waiting):
            self._insert(table)

    def _insert(self, table: str) -> None:
        del self.bytes[table]
        self.store.insert(table, pa.concat_tables(self.waiting.pop(table)))


class _Known:
    """Which matches there are already, in the store or in the file."""

    def __init__(self, store: Store, before: set[int]) -> None:
        self.store, self.before = store, before
        self.here = set[int]()
        self.is_empty = store.in_a_file and store.is_empty()

    def __call__(self, ids: list[str]) -> dict[int, bool]:
        """The places of those, and whether they came in this run; afterwards all are known."""
        stored = set[str]() if self.is_empty else self.store.known(ids)
        found = {}
        for place, match_id in enumerate(ids):
            number = int(match_id, 16)
            if number in self.here or match_id in stored:
                found[place] = number in self.here or number in self.before
            self.here.add(number)
        return found


def add_batch(
    store: Store, checked: Ready, report: FileReport, known: dict[int, bool], rows: Rows | None
) -> None:
    """Insert all of a batch that is not `known`, and report everything; no `rows`: it is there.

    `known` has the places of matches there are already, and whether they came in this run.
    """
    if rows is not None:
        for table, some in checked.numbered(store.number, store.players, report.number, known):
            rows.add(table, some)
    report.matches += len(checked.texts)
    report.duplicates += len(known)
    report.twice += sum(known.values())
    report.refused += len(checked.troubles)
    report.added += len(checked.texts) - len(known)
    report.by_status["legal"] += sum(
        int(place) not in known for group in checked.clean for place in group.places[group.keep]
    )
    for place, explained in checked.explained.items():
        if place not in known:
            report.by_status[explained.status] += 1
            report.sheets += any(finding.code == SHEET for finding in explained.findings)
    if not checked.explained and not checked.troubles and not known:
        return
    for told in checked.reports(frozenset(known)):
        if (told.findings or told.duplicate) and len(report.reports) < KEPT_REPORTS:
            report.reports.append(told)
